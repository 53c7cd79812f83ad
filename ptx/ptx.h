/* ptx.h - PTX as data and as a program: parse a module, lower an entry to the instructions that an
 * sm_90 would execute (SASS expansions and ptxas' contractions included), run it on the CPU with exact
 * sanitizers and coverage.
 *
 * What is not understood is an error naming line and text, never approximated.  Knows base only. */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include "base/launch.h"

struct ptx_module; /* a parsed and checked module; immutable, shareable between threads */

/* Parses and checks the whole text (len bytes; name for messages). Hostile text never crashes or
 * exhausts memory: sizes are limited. ST_INPUT: malformed; ST_UNSUP: valid PTX that is not supported. */
MUST_USE enum st ptx_parse(const char *text, size_t len, const char *name, struct ptx_module **out,
                           struct err *e);
void ptx_module_free(struct ptx_module *m);

int ptx_entry_count(const struct ptx_module *m);
const char *ptx_entry_name(const struct ptx_module *m, int i);

struct ptx_param {
	const char *name;
	uint32_t offset, bytes, align; /* in the parameter block */
	bool pointer;                  /* declared .ptr, or used as an address */
};
/* Parameters of an entry; NULL when there is no such entry. */
const struct ptx_param *ptx_entry_params(const struct ptx_module *m, const char *entry, int *n);

/* Constants of the entry that may be tile sizes: .reqntid, shared array extents, immediates compared
 * with or added to an induction variable. Sorted, distinct, each in 2..65536; returns how many. */
size_t ptx_tile_constants(const struct ptx_module *m, const char *entry, int64_t *out, size_t max);

struct ptx_program; /* one lowered entry; immutable, shareable between threads */

struct ptx_options {
	bool no_contract; /* do not fuse mul+add as ptxas does */
};
MUST_USE enum st ptx_lower(const struct ptx_module *m, const char *entry,
                           const struct ptx_options *o, struct ptx_program **out, struct err *e);
void ptx_program_free(struct ptx_program *p);

/* Coverage of one entry: a counter per basic block and two per predicated branch (taken, not taken),
 * by PTX and source line. Caller allocates with ptx_coverage_new and may merge several runs. */
struct ptx_coverage;
struct ptx_coverage *ptx_coverage_new(const struct ptx_program *p);
void ptx_coverage_free(struct ptx_coverage *c);
void ptx_coverage_merge(struct ptx_coverage *into, const struct ptx_coverage *from);
struct ptx_coverage_sum {
	int blocks, blocks_hit, edges, edges_hit;
};
struct ptx_coverage_sum ptx_coverage_total(const struct ptx_coverage *c);
/* Number of edges and blocks hit in `c` that are not hit in `seen`. */
int ptx_coverage_new_edges(const struct ptx_coverage *seen, const struct ptx_coverage *c);
/* Calls fn for every source line that has code: hit count 0 means never executed. */
void ptx_coverage_lines(const struct ptx_coverage *c,
                        void (*fn)(void *ctx, const char *file, int line, uint64_t hits), void *ctx);

/* Was a block executed that holds an instruction of this line of the PTX text? */
bool ptx_coverage_reached(const struct ptx_coverage *c, int ptx_line);

struct ptx_run_options {
	bool sanitize;        /* uninitialised reads, division by zero, non-finite events, …; bounds,
	                       * alignment, barriers, budget and launch limits are always on */
	uint64_t budget;      /* lane instructions, 32 a warp instruction whatever its active mask: a bound on the time;
	                       * 0: the default of 2^34 */
	uint64_t order_seed;  /* 0: blocks and warps in increasing order; else a permutation */
	struct ptx_coverage *coverage; /* may be NULL */
};

/* Runs one launch of p. Pointer arguments get addresses 2^40 apart (buffer i at (i+1)·2^40 plus its
 * alignment), so that no index overflow lands in a neighbour. Buffers are read and written in place.
 * Kernel faults are findings in *r (added to what is there), not errors; ST_INPUT for arguments that
 * do not fit the entry's parameters. Thread-safe for different buffers. */
MUST_USE enum st ptx_run(const struct ptx_program *p, const struct run_launch *l,
                         struct run_buffer *buffers, int nbuffers, const struct ptx_run_options *o,
                         struct run_report *r, struct err *e);

/* ---- tracing: what each instruction of an entry computed, thread by thread, on any device ---- */

#define PTX_TRACE_FROM 8
#define PTX_TRACE_RECORDS (1 << 16)
/* A register that an instruction writes. */
struct ptx_trace_def {
	char insn[160], reg_name[48], type[12]; /* as PTX has them */
	char source[160];                       /* file of the .loc, "": none */
	int line, source_line, bits;
	int reg, nfrom, from[PTX_TRACE_FROM];   /* numbers of the register and of those that it is computed from */
};
struct ptx_trace {
	char *text; /* the module; only this entry differs */
	struct ptx_trace_def *def; /* in the order of the text */
	int ndefs;
};
/* Changes an entry: its last parameter becomes one more, the address of a buffer of ptx_trace_bytes(threads of the
 * launch, records) bytes, 16-aligned, where each thread leaves what its first `records` definitions gave
 * (addresses, clocks and results of calls apart). only: the number of the one definition to record, -1: all. */
MUST_USE enum st ptx_trace_make(const struct ptx_module *m, const char *entry, uint32_t records, int only,
                                struct ptx_trace **out, struct err *e);
void ptx_trace_free(struct ptx_trace *t);
size_t ptx_trace_bytes(uint64_t threads, uint32_t records);
struct ptx_trace_record {
	uint32_t stamp; /* counts, from what the buffer's first word held, over all threads; wraps */
	uint32_t def;
	uint64_t value; /* bits, zero-extended */
};
/* The records of a thread (number: x fastest, then y, z, then the block's the same way) in a buffer that a launch has
 * filled; *n of them, in the order of execution. */
const struct ptx_trace_record *ptx_trace_records(const uint8_t *buffer, uint64_t thread, uint32_t records,
                                                 uint32_t *n);

/* ---- mutation: a module with one fault planted in it, for asking what a campaign finds ---- */

/* A kind of fault: its name, the class of faults it is counted in, and what it does, for people (docs/mutation.md). */
struct ptx_mutator {
	const char *name, *fault_class, *what;
};
size_t ptx_mutator_count(void);
const struct ptx_mutator *ptx_mutator_get(size_t i); /* i < ptx_mutator_count() */

struct ptx_mutant {
	size_t mutator; /* index */
	int line;       /* of the PTX text */
};
/* Every fault that can be planted in an entry, in the order of its instructions, one of a kind a line; returns how
 * many. Caller frees *out. */
size_t ptx_mutants(const struct ptx_module *m, const char *entry, struct ptx_mutant **out);
/* The module's text with the fault of that name in that line: the other lines are as they were, and there are as many.
 * Caller frees *text. change: NULL, or is told "THIS; becomes THAT;". ST_INPUT: no such name, or it does not apply to
 * the line. */
MUST_USE enum st ptx_mutate(const struct ptx_module *m, const char *mutator, int line, char **text, struct buf *change,
                            struct err *e);

/* The instruction table: one line a supported form, for the manual, `doctor --isa` and the tests. */
struct ptx_form {
	char text[64];       /* "fma.rn.ftz.f32" */
	const char *section; /* heading in the PTX ISA manual */
	const char *operands; /* in the notation of isa.def: "d,a,a:u32" */
	int tier;            /* of facts/emulation.md §4.4 */
};
size_t ptx_form_count(void);
struct ptx_form ptx_form_get(size_t i); /* i < ptx_form_count() */

#endif

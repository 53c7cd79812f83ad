/* fn.h - one entry under analysis, and what the analyses of validate/lint/ know of it (private to them). */
#ifndef VALIDATE_LINT_FN_H
#define VALIDATE_LINT_FN_H

#include "ptx/ir.h"
#include "validate/lint/lint.h"

/* How a value differs between the threads of a block. */
enum spread { UNIFORM, WARP_UNIFORM, DIVERGENT };

/* Where a pointer comes from. >= 0: parameter of that index. */
enum { FROM_NOTHING = -1, FROM_MANY = -2, FROM_SHARED = -3 };

struct list {
	int32_t *v;
	int n;
};

struct lint_fn {
	struct lint_report *report;
	const struct ptx_module *m;
	const struct ir_func *f;
	struct arena *a;
	struct lint_metrics *metrics;
	const struct kernel *kernel; /* NULL: PTX alone */
	int64_t *fuel;          /* steps left for what is not linear in the entry's size: compilers' text never uses them up. Behind them an analysis ends early,
	                         * in such a way that nothing is reported for it, and the report says so */
	const int32_t *line_first; /* by instruction: the first that stands in its line */
	uint64_t *found;        /* by instruction, the last for the entry: a bit a rule that was reported there */
	/* flow.c */
	int32_t *block_of;      /* block of an instruction */
	struct list *pred;      /* of a block */
	int32_t *idom;          /* of a block; -1: the first, or unreachable */
	int32_t *dom_first, *dom_n; /* number of a block in the tree of dominators, and of blocks from it on that it dominates; 0: unreachable */
	struct list *depends;   /* blocks whose branch decides directly whether the block runs */
	int32_t *loop;          /* innermost loop: its header; -1 none */
	/* defs.c */
	struct list *defs;      /* of a register: the instructions that write it */
	struct list *uses;      /* … that read it */
	struct ssa *ssa;        /* ssa.c; NULL: nothing was asked */
	/* spread.c */
	uint8_t *spread;        /* of a register: the worst of its definitions */
	uint8_t *written;       /* of what an instruction writes */
	uint8_t *control;       /* of a block: spread of the conditions it runs under */
	/* origin.c */
	int32_t *origin;        /* of a register */
};

/* ---- flow.c: predecessors, dominators (Cooper, Harvey, Kennedy), control dependence (Ferrante, Ottenstein, Warren), loops ---- */
void flow_analyse(struct lint_fn *f);
int flow_successor(const struct ir_func *f, int block, int s); /* the s-th, from 0; -1: there are no more */
/* Visits each block that control comes to from behind block `from` (which is one of them on a loop), once; goes on behind those for which on() is
 * true. */
void flow_visit(const struct ir_func *f, int from, bool (*on)(void *ctx, int block), void *ctx);
bool flow_dominates(const struct lint_fn *f, int a, int b); /* block a dominates block b */
typedef bool (*flow_test)(const struct lint_fn *f, const struct ir_insn *i);
/* Can control get from behind instruction i to instruction j without passing one for which stop() is true? stop: NULL: none. false, too, when
 * there is no fuel. */
bool flow_reaches(const struct lint_fn *f, int i, int j, flow_test stop);
/* By instruction: can control get to it from behind one for which from() is true, without passing one for which stop() is? Caller frees. */
char *flow_reached(const struct lint_fn *f, flow_test from, flow_test stop);

/* ---- defs.c ---- */
void defs_analyse(struct lint_fn *f);
/* Calls fn for each register that i writes (or may write: OP_LATER), then reads. */
void insn_writes(const struct ir_insn *i, void (*fn)(void *ctx, int reg), void *ctx);
void insn_reads(const struct ir_insn *i, void (*fn)(void *ctx, int reg), void *ctx);
int defs_before(const struct lint_fn *f, int i, int r); /* the last definition of r that stands before instruction i in the text, -1: none */
/* Definite initialisation, register by register. */
struct defs_ways {
	const struct lint_fn *f;
	int32_t *gives, *comes, *work; /* by block: 1 + the register last asked for */
	int reg;
};
struct defs_ways defs_ways_new(const struct lint_fn *f);
void defs_ways_free(struct defs_ways *w);
/* Is there a way from the entry's begin to instruction i, in a block that is reached, on which nothing gives register r a value? (A definition under a
 * condition counts as one.) false, too, when there is no fuel. */
bool defs_missing(struct defs_ways *w, int i, int r);
/* ---- ssa.c ---- */
/* A value: the instruction that writes it; a phi; or not known (no definition, or too far away). */
#define SSA_UNKNOWN (-1)
#define SSA_IS_PHI(v) ((v) < SSA_UNKNOWN)
#define SSA_PHI(v) (-2 - (v))
#define SSA_OF_PHI(n) (-2 - (n))
struct ssa_phi {
	int32_t block, reg;
	int32_t *from; /* by predecessor of the block: its value, to be resolved; NULL: being found */
};
/* What register r holds where instruction i reads it. */
int32_t ssa_value(struct lint_fn *f, const struct ir_insn *i, int r);
int32_t ssa_resolve(const struct lint_fn *f, int32_t value); /* a phi found to be another value is that */
const struct ssa_phi *ssa_phi(const struct lint_fn *f, int32_t value); /* NULL: none */

/* The only definition of register r, or NULL. */
const struct ir_insn *defs_only(const struct lint_fn *f, int r);
/* The instruction's name in the text, for OP_LATER: "cp.async.ca…"; cut to n. */
const char *insn_text(const struct lint_fn *f, const struct ir_insn *i, char *out, size_t n);
bool insn_is(const struct lint_fn *f, const struct ir_insn *i, const char *prefix); /* of an OP_LATER */

/* ---- walk.c: each register once, depth first ---- */
struct walk {
	const struct lint_fn *f;
	char *seen;    /* registers */
	int32_t *work;
	int n;
};
enum walk_step { WALK_PAST, WALK_ON, WALK_FOUND };
struct walk walk_new(const struct lint_fn *f);
void walk_free(struct walk *w);
/* Visits the instructions that use what `from` writes, and with WALK_ON those that use what these write, and so on; reg: the register by which one was
 * reached. Returns true at WALK_FOUND; false, too, when there is no more fuel. */
bool walk_uses(struct walk *w, const struct ir_insn *from, enum walk_step (*visit)(void *ctx, const struct ir_insn *i, int reg), void *ctx);
/* The same from a register to the instructions that define it, and on to what these read. */
bool walk_defs(struct walk *w, int reg, enum walk_step (*visit)(void *ctx, const struct ir_insn *i, int reg), void *ctx);

void spread_analyse(struct lint_fn *f);
uint8_t spread_read(struct lint_fn *f, const struct ir_insn *at, int reg); /* of a register where instruction `at` reads it */
void origin_analyse(struct lint_fn *f);
/* Parameter that the address of a memory instruction comes from (or FROM_…). */
int origin_of(const struct lint_fn *f, const struct ir_opnd *address);

/* ---- findings ---- */
void lint_add(struct lint_fn *f, const char *rule, enum lint_severity s, enum lint_confidence c, const struct ir_insn *at,
              const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* ---- witness.c ---- */
struct witness_arg {
	bool pointer;
	uint64_t value;        /* of a scalar; of a pointer: offset within its buffer */
	uint32_t bytes;
	int buffer;
};
struct witness_buffer {
	const char *name;
	uint64_t bytes;
	const uint8_t *valid;  /* a bit a byte, NULL: all */
	int element;           /* bytes of an element, for messages */
	bool writable;
};
struct witness_launch {
	const char *text;      /* for messages: "R=1,C=65", or the option */
	uint32_t grid[3], block[3], shared;
	struct witness_arg arg[64];
	int nargs;
	struct witness_buffer buffer[32];
	int nbuffers;
	bool any_grid;         /* the grid and the arguments are not known: block 0,0,0 of any */
	bool huge;             /* sizes near the limits: look at the last block alone */
	bool brief;            /* a thread or two are enough */
	bool *cut;             /* NULL, or set when a thread had more to do than it was followed through */
};
/* Executes the integer part of the entry for the launch and adds findings. */
void witness_run(struct lint_fn *f, const struct witness_launch *l);

/* Static rules (rules_flow.c, rules_float.c, rules_memory.c), named by the table. */
void rule_divergent_barrier(struct lint_fn *f);
void rule_shuffle_mask(struct lint_fn *f);
void rule_async(struct lint_fn *f);
void rule_mbarrier(struct lint_fn *f);
void rule_ticket_fence(struct lint_fn *f);
void rule_nc_load(struct lint_fn *f);
void rule_vector_alignment(struct lint_fn *f);
void rule_uninitialised(struct lint_fn *f);
void rule_dead_guard(struct lint_fn *f);
void rule_unused_parameter(struct lint_fn *f);
void rule_local_memory(struct lint_fn *f);
void rule_resources(struct lint_fn *f);
void rule_low_accumulator(struct lint_fn *f);
void rule_tf32(struct lint_fn *f);
void rule_f64(struct lint_fn *f);
void rule_approx(struct lint_fn *f);
void rule_sentinel(struct lint_fn *f);
void rule_min_max_nan(struct lint_fn *f);
void rule_bf16_truncation(struct lint_fn *f);
void rule_reciprocal_division(struct lint_fn *f);
void rule_float_atomic(struct lint_fn *f);

/* ---- facts.c: launches from a manifest ---- */
/* Calls fn for launches of the kernel that go to the entry, over boundary sizes, layouts and sizes near the limits; returns how many. */
int facts_launches(const struct kernel *k, const char *entry, void (*fn)(void *ctx, const struct witness_launch *l), void *ctx);
/* Case i of those that launches are made from (any i), of dtype combination d; false: there is none. */
bool facts_case(const struct kernel *k, int d, uint64_t i, struct kase *c);
MUST_USE enum st facts_parse(const char *text, struct witness_launch *l, struct err *e);

#endif

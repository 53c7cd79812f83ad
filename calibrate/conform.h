/* conform.h - the conformance suite inside calibrate/: forms, their micro-kernels and operands.
 *
 * Everything follows from the text of a form as the instruction table lists it: which kernel, which
 * operands, how many. A form that is added to the table is in the suite by that, or has no class
 * and is told so. */
#ifndef CALIBRATE_CONFORM_H
#define CALIBRATE_CONFORM_H

#include "calibrate/calibrate.h"

/* ---- a form taken apart (conform_form.c) ---- */

struct conform_type {
	const char *name;
	int bits;  /* of the register: 8-bit types live in 16 */
	int width; /* of the number, or of one half of a pair */
	char kind; /* u, s, b, f (f16 f32 f64), g (bf16), t (tf32), 4 (e4m3), 5 (e5m2), p */
	int count; /* 2: a pair in one register */
};
/* NULL: no such type. */
const struct conform_type *conform_type(const char *s, size_t n);

/* What kind of result a form has: what the suite can ask of it. */
enum conform_class {
	CLASS_NONE,    /* the suite does not know the opcode: not covered */
	CLASS_ALU,     /* registers to registers */
	CLASS_MEMORY,  /* ld, ldu, st, atom, red */
	CLASS_FLOW,    /* control flow, warp and block operations, address conversions: a program of
	                  its own */
	CLASS_QUIET,   /* no result of its own (fences, prefetch, nanosleep): runs, registers and
	                  memory stay */
	CLASS_END,     /* trap, brkpt: ends the launch with a fault */
	CLASS_REWRITE, /* no form: a sequence that ptxas rewrites (conform_rewrite.c) */
};
enum conform_class conform_class_of(const char *form);
uint64_t conform_hash(const char *text);

/* "add.rn.ftz.f32" is opcode add, modifiers ".rn.ftz.", types {f32}. */
struct conform_form {
	char text[64], op[16], mods[72];
	const char *operands; /* of the table: "d,a,a" */
	const struct conform_type *type[3];
	int ntypes;
	int vec;       /* elements of a vector operand; of CLASS_REWRITE: which one */
	uint64_t seed; /* from the text: what varies between forms follows from it */
	enum conform_class cls;
};
void conform_form_read(struct conform_form *f, const struct ptx_form *form);
bool conform_has(const struct conform_form *f, const char *mod);
bool conform_is(const struct conform_form *f, const char *op);

/* One operand of the table's list: its code ("a", "d", "p", …) and type. */
struct conform_operand {
	char code;
	const struct conform_type *type;
};
enum { CONFORM_OPERANDS = 8 };
/* The operands that are always written; returns how many. */
int conform_operands(const struct conform_form *f, struct conform_operand out[CONFORM_OPERANDS]);

/* ---- operands (conform_operands.c) ---- */

/* A stream of random words: Philox, keyed by the form. */
struct conform_random {
	uint64_t seed, n;
};
uint64_t conform_next(struct conform_random *r);
/* Operand number pos of an instruction whose earlier operands are prev[0..pos), all of type t (one
 * number, not a pair): specials, boundaries, ties, cancellation, results near overflow and near the
 * subnormals, random bits. */
uint64_t conform_value(struct conform_random *r, const struct conform_type *t, int pos,
                       const uint64_t *prev);
/* The i-th special value of t, as many as conform_specials says. */
uint64_t conform_special(const struct conform_type *t, unsigned i);
unsigned conform_specials(const struct conform_type *t);

/* ---- kernels ---- */

enum { CONFORM_BLOCK = 128 };

/* A form in the suite: its kernel has the parameters (in, out, 64 bytes by value); thread i reads
 * nin words of 64 bits at in + 8·nin·i and writes nout words at out + 8·nout·i. */
struct conform_kernel {
	struct conform_form form;
	unsigned vectors; /* threads, a multiple of CONFORM_BLOCK */
	unsigned nin, nout;
	bool exhaustive; /* all 65,536 values of the one operand */
	bool sweep; /* one operand of 32 bits: all 2^32 values, hashed by a kernel of its own */
};
/* Everything but the text. False: the form has no class. */
bool conform_plan(struct conform_kernel *k, const struct ptx_form *form);
/* The kernel k<number> (and functions it calls). */
void conform_text(struct buf *b, const struct conform_kernel *k, unsigned number);
/* Operands of all vectors: nin words each. */
void conform_inputs(const struct conform_kernel *k, uint64_t *in);
/* .version, .target and what kernels share. */
void conform_head(struct buf *b);
/* The sweep's kernel s<number>: out[i] = sum of mix(u·2^32 + result(u)) over the 2^16 inputs u of
 * chunk first + i, one block a chunk; parameters (out, first chunk). */
void conform_sweep_text(struct buf *b, const struct conform_kernel *k, unsigned number);

/* Sequences that ptxas rewrites: how many, and the plan of one. */
size_t conform_rewrites(void);
void conform_rewrite_plan(struct conform_kernel *k, size_t index);

/* How many inputs a chunk of a sweep has, and how many chunks. */
enum { CONFORM_CHUNK = 65536, CONFORM_CHUNKS = 65536 };

/* Used by conform_text: the instruction and what it needs, by class. Register conventions: %q30 in,
 * %q31 out (of this thread), %r30 thread in the grid; %h %r %q 0..29 and %p 0..15 are free. */
void conform_alu_body(struct buf *b, const struct conform_kernel *k);
void conform_alu_inputs(const struct conform_kernel *k, uint64_t *in);
void conform_memory_body(struct buf *b, const struct conform_kernel *k, unsigned number);
void conform_memory_functions(struct buf *b, const struct conform_kernel *k, unsigned number);
void conform_memory_inputs(const struct conform_kernel *k, uint64_t *in);
void conform_rewrite_body(struct buf *b, const struct conform_kernel *k);
void conform_rewrite_inputs(const struct conform_kernel *k, uint64_t *in);
void conform_flow_body(struct buf *b, const struct conform_kernel *k, unsigned number);
void conform_flow_functions(struct buf *b, const struct conform_kernel *k, unsigned number);

/* ---- running (conform_run.c) ---- */

/* A form's result on one device. */
struct conform_run {
	enum conform_state state;
	char note[160];  /* why refused; how it ended */
	uint64_t *out;   /* vectors × nout words when measured; conform_run_free */
	uint64_t *chunk; /* sums of the chunks asked for, in their order; NULL: no sweep */
};
/* Runs n kernels, as one module when that can be. chunks: which chunks of sweeps, nchunks of them;
 * all 2^16 when chunks is NULL and nchunks is CONFORM_CHUNKS. Errors are the device's; a kernel
 * that is refused or faults is a state of its run. */
MUST_USE enum st conform_run_batch(struct device *d, const struct conform_kernel *const *k,
                                   size_t n, const uint32_t *chunks, uint32_t nchunks,
                                   struct conform_run *out, struct err *e);
/* The kernel on inputs of the caller's: vectors × nin words, a multiple of CONFORM_BLOCK vectors;
 * no sweep. */
MUST_USE enum st conform_run_inputs(struct device *d, const struct conform_kernel *k,
                                    const uint64_t *in, unsigned vectors, struct conform_run *out,
                                    struct err *e);
void conform_run_free(struct conform_run *r);

#endif

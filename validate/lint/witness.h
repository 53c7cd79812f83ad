/* witness.h - the state of the witness engine (private to witness*.c). */
#ifndef VALIDATE_LINT_WITNESS_H
#define VALIDATE_LINT_WITNESS_H

#include "validate/lint/fn.h"

/* A register's value in one thread. ideal: what it would be had no 32-bit operation on the way wrapped; only sums, differences, products
 * and shifts to the left keep it (others take the value as it is, since programs that shift or mask a wrapped value mean to). */
struct wval {
	uint64_t v;
	int64_t ideal;
	bool known;
	int var; /* made of the address of this shared variable (1 + its place in var_at); 0: of none, or of several */
};

struct wregion { /* what is passed over when a branch's condition is not known */
	bool made, barrier; /* barrier: or too much, so that it cannot be passed over */
	int32_t *reg; /* registers written inside */
	int nreg;
};

struct wshuffle {
	int32_t insn, occurrence, lane, source; /* source: lane read, -1 none or not known */
	uint32_t mask;
};

enum waccess { W_READ, W_WRITE, W_ATOMIC, W_KINDS };

struct wshared { /* the accesses to one granule of shared memory in one interval between barriers, of at most two warps each */
	uint64_t key;                 /* interval and granule, 0: empty */
	struct waccessor {
		int32_t thread, insn; /* thread: -1 none */
	} by[W_KINDS][2];
	uint64_t value;
	bool value_known, late; /* late: the write is of a copy started in an interval before */
};

struct wcopy { /* a cp.async of the running thread that has not been waited for */
	struct wval address;
	int32_t bytes, insn, start, group; /* start: interval; group: -1 not committed */
};

struct witness {
	struct lint_fn *f;
	const struct witness_launch *l;
	struct wval *reg;
	struct wregion *region;       /* by block */
	int64_t nregion;              /* what was spent on them */
	int32_t *occurrence;          /* by instruction, of the running thread */
	uint64_t *var_at;             /* shared address of each of the function's variables, then of the module's */
	uint64_t dynamic_at;
	uint32_t block[3], thread[3];
	int nthreads, tid;            /* of a block; of the running one */
	int64_t steps;                /* left for the launch */
	bool barriers_known;          /* the entry has no barrier but whole-block ones */
	bool races;                   /* … and nothing else that orders threads */
	int *barriers;                /* by thread: passed */
	bool *complete;               /* by thread: it ran to its end, and everything on the way was known */
	int32_t *last_barrier;        /* by thread: instruction, -1 none */
	int interval;
	struct wshuffle *shuffle;     /* of the running warp */
	int nshuffle, cap_shuffle;
	struct wshared *table;
	size_t ntable, cap_table;
	int granule;
	uint64_t shared_bytes;        /* of a block: static and dynamic */
	struct wcopy *copy;
	int ncopy, cap_copy, ngroups;
	bool late;                    /* what witness_shared is told is such a write */
};

/* witness_value.c: the value that instruction i gives to its destination; false: not known. */
bool witness_value(const struct witness *w, const struct ir_insn *i, struct wval *out);
struct wval witness_operand(const struct witness *w, const struct ir_opnd *o, int bits);

struct wval witness_address(const struct witness *w, const struct ir_opnd *o); /* witness.c */

/* witness_async.c */
bool witness_knows(const struct lint_fn *f, const struct ir_insn *i); /* an OP_LATER that is modelled */
bool witness_later(struct witness *w, const struct ir_insn *i);
void witness_thread_ends(struct witness *w);
void witness_own_copies(struct witness *w, const struct ir_insn *i, uint64_t address, int bytes, bool writes);

/* witness_check.c */
void witness_global(struct witness *w, const struct ir_insn *i, struct wval address, int bytes, bool writes);
void witness_shared(struct witness *w, const struct ir_insn *i, struct wval address, int bytes, enum waccess how, struct wval value);
void witness_shuffles(struct witness *w);  /* at the end of a warp */
void witness_barriers(struct witness *w);  /* at the end of a block */
void witness_where(const struct witness *w, char out[160]);

#define WITNESS_BASE(buffer) ((uint64_t)((buffer) + 1) << 44)

#endif

/* rewrite.h - the working state of ptxas' rewrites, private to ptx/: rewrite.c keeps it, rewrite_fold.c
 * and rewrite_fuse.c hold the rules. */
#ifndef PTX_REWRITE_H
#define PTX_REWRITE_H

#include "ptx/isa.h"

struct reg_use {
	int insn, operand; /* src[operand], or -1: as an address, guard, element or argument */
};

struct inserted {
	int before, order;
	struct ir_insn insn;
};

struct rewriter {
	struct arena *a;
	struct ir_func *f;
	int32_t *ndef, *def;   /* by register: definitions, and the last of them */
	int32_t *nuse, *first; /* by register: use[first] … use[first + nuse - 1] */
	struct reg_use *use;
	int32_t *chain;        /* by instruction: which of ptxas' blocks it is in */
	int cap_reg;
	struct inserted *extra;
	int nextra, cap_extra;
};

void rw_fold(struct rewriter *w);
void rw_algebra(struct rewriter *w);
void rw_contract(struct rewriter *w);
void rw_order(struct rewriter *w);

const struct ir_insn *rw_only_def(const struct rewriter *w, const struct ir_opnd *o);
struct ir_opnd rw_reg(int reg);
struct ir_opnd rw_imm(uint64_t bits);
struct ir_opnd rw_new_reg(struct rewriter *w, enum ir_ty ty, const char *name);
void rw_become(struct ir_insn *i, const char *form, struct ir_opnd d, const struct ir_opnd *src,
               int nsrc);
/* The pointer is good until the next insertion. b.kind OPND_NONE: one source. */
struct ir_insn *rw_insert(struct rewriter *w, int before, const char *form, struct ir_opnd d,
                          struct ir_opnd a, struct ir_opnd b);

#endif

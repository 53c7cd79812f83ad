/* isa.h - looking things up in isa.def, private to ptx/. */
#ifndef PTX_ISA_H
#define PTX_ISA_H

#include "ptx/ir.h"

struct isa_row {
	enum ir_op op;
	const char *mods, *operands;
	int tier;
	const char *section;
};

#define ISA_MAX_MODS 16

/* One dotted part of an instruction's name, without the dot. */
struct isa_mod {
	const char *s;
	size_t len;
};

int isa_row_count(void);
const struct isa_row *isa_row(int i);

/* Is the dotted name an opcode? parts: how many of the dotted parts after the first it takes in
 * (bar.warp.sync: 2). LATER opcodes set *later to their text. OP_NONE: neither. */
enum ir_op isa_find_op(const char *base, size_t baselen, const struct isa_mod *mods, int n,
                       int *parts, const char **later);
/* The opcode or refused opcode nearest in spelling, or NULL. */
const char *isa_nearest_op(const char *s, size_t len);

/* Finds the row that has exactly these modifiers and sets op, form, choice, types and modifier
 * fields of *i. False when there is none; *bad is then the index of a modifier that no row of the
 * opcode has at all, or -1 when only the combination is not there. */
bool isa_match(enum ir_op op, const struct isa_mod *mods, int n, struct ir_insn *i, int *bad);

/* The same from a full name, "fma.rn.ftz.f32". */
bool isa_match_text(const char *text, struct ir_insn *i);

/* Full name of a row's form: canonical order, hints included. */
void isa_form_text(int row, uint32_t choice, struct buf *b);

enum ir_ty isa_find_type(const char *s, size_t len); /* TY_NONE: no such type */
int isa_find_sreg(const char *s, size_t len);        /* -1: no such special register */

#endif

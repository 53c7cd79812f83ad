/* tile.c - numbers of an entry that may be tile sizes, for the fuzzer's choice of shapes. */
#include "ptx/ir.h"

#include <stdlib.h>

#define MAX_FOUND 4096

struct found {
	int64_t v[MAX_FOUND];
	int n;
};

static void add_number(struct found *f, int64_t v)
{
	if (v < 0 && v > INT64_MIN)
		v = -v;
	if (v < 2 || v > 65536 || f->n == MAX_FOUND)
		return;
	f->v[f->n++] = v;
}

/* ---- shared arrays ---------------------------------------------------------------------------- */

static const struct ir_var *shared_var(const struct ptx_module *m, const struct ir_func *f,
                                       const struct ir_opnd *o)
{
	const struct ir_var *v = ir_opnd_var(m, f, o);

	return v != NULL && v->space == MOD_SHARED ? v : NULL;
}

/* The array's extent in elements: of its declared type, or, for bytes (as compilers declare arrays),
 * of each width with which the entry accesses shared memory. */
static void add_extent(struct found *n, const struct ir_var *v, const bool width[9])
{
	int declared = ir_ty_bytes(v->ty);

	if (declared > 1)
		add_number(n, (int64_t)(v->bytes / (uint64_t)declared));
	for (int w = 1; w <= 8 && declared == 1; w *= 2) {
		if (width[w])
			add_number(n, (int64_t)v->bytes / w);
	}
}

static void shared_arrays(struct found *n, const struct ptx_module *m, const struct ir_func *f)
{
	bool width[9] = { false };

	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		if (i->space == MOD_SHARED && (i->op == OP_LD || i->op == OP_ST))
			width[ir_ty_bytes((enum ir_ty)i->ty[0])] = true;
	}
	for (int k = 0; k < f->ninsn; k++) {
		for (int s = 0; s < f->insn[k].nsrc; s++) {
			const struct ir_var *v = shared_var(m, f, &f->insn[k].src[s]);

			if (v != NULL)
				add_extent(n, v, width);
		}
	}
}

/* ---- induction variables ---------------------------------------------------------------------- */

static int root(int32_t *up, int r)
{
	while (up[r] != r)
		r = up[r] = up[up[r]];
	return r;
}

static bool is_sum(const struct ir_insn *i)
{
	return (i->op == OP_ADD || i->op == OP_SUB) && ir_ty_class((enum ir_ty)i->ty[0]) != CL_F &&
	       i->d.kind == OPND_REG && i->src[0].kind == OPND_REG && i->src[1].kind == OPND_IMM;
}

static int64_t signed_imm(const struct ir_insn *i, const struct ir_opnd *o)
{
	int bits = ir_ty_bits((enum ir_ty)i->ty[0]);

	return bits == 64 ? (int64_t)o->imm : bits == 32 ? (int32_t)o->imm : (int16_t)o->imm;
}

/* Registers that moves connect are one variable; one that has a constant added to itself is an
 * induction variable, and so is what comes of adding a constant to one. */
static void induction(struct found *n, const struct ir_func *f)
{
	int32_t *up = mem_alloc(((size_t)f->nreg + 1) * sizeof *up);
	char *moves = mem_zalloc((size_t)f->nreg + 1, 1);

	for (int r = 0; r < f->nreg; r++)
		up[r] = r;
	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		if (i->op == OP_MOV && i->d.kind == OPND_REG && i->src[0].kind == OPND_REG)
			up[root(up, i->d.reg)] = root(up, i->src[0].reg);
	}
	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		if (is_sum(i) && root(up, i->d.reg) == root(up, i->src[0].reg))
			moves[root(up, i->d.reg)] = 1;
	}
	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		if (is_sum(i) && moves[root(up, i->src[0].reg)]) {
			moves[root(up, i->d.reg)] = 1;
			add_number(n, signed_imm(i, &i->src[1]));
		}
	}
	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		for (int s = 0; i->op == OP_SETP && s < 2; s++) {
			const struct ir_opnd *o = &i->src[1 - s];

			if (i->src[s].kind == OPND_IMM && o->kind == OPND_REG &&
			    moves[root(up, o->reg)] && ir_ty_class((enum ir_ty)i->ty[0]) != CL_F)
				add_number(n, signed_imm(i, &i->src[s]));
		}
	}
	free(up);
	free(moves);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

size_t ptx_tile_constants(const struct ptx_module *m, const char *entry, int64_t *out, size_t max)
{
	const struct ir_func *f = ir_find_func(m, entry);
	struct found *n = mem_zalloc(1, sizeof *n);
	size_t kept = 0;

	if (f != NULL && f->entry) {
		for (int k = 0; k < 3; k++)
			add_number(n, f->reqntid[k]);
		shared_arrays(n, m, f);
		induction(n, f);
		qsort(n->v, (size_t)n->n, sizeof n->v[0], by_value);
	}
	for (int k = 0; k < n->n && kept < max; k++) {
		if (kept == 0 || out[kept - 1] != n->v[k])
			out[kept++] = n->v[k];
	}
	free(n);
	return kept;
}

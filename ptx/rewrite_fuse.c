/* rewrite_fuse.c - contraction: a product that only feeds sums becomes part of fused multiply-adds.
 *
 * Measured with ptxas 13.0 -arch=sm_90 (SASS by nvdisasm), for f32, f64, f16, bf16 and packed:
 *   the product: mul without rounding or .sat, unguarded; and the last FMUL of div.full.f32,
 *   div.approx.f32 and rcp.approx.f32 (not .ftz);
 *   the sum: add or sub without rounding, of the same type and .ftz, in the same block; guarded or .sat
 *   is fine;
 *   every use of the product, through mov and neg, must be such a sum, else nothing is fused; a sum of
 *   a product with itself is not; a product with several sums is fused into each;
 *   of two products in a sum, one with a single use goes first, then the left one;
 *   sub a-bc is fma(-b,c,a); what a guarded mul makes is never fused. */
#include "ptx/rewrite.h"

#include <stdio.h>
#include <string.h>

#define MAX_FUSED 64 /* sums that one product goes into */

struct sum {
	int insn, operand;
	bool neg; /* the product passes a neg on its way */
};

struct product {
	int insn;
	int n, npass;
	struct sum sum[MAX_FUSED];
	int pass[MAX_FUSED]; /* mov and neg on the way: dead afterwards */
};

static bool is_half(enum ir_ty t)
{
	return t == TY_F16 || t == TY_F16X2 || t == TY_BF16 || t == TY_BF16X2;
}

static bool is_fusable_type(enum ir_ty t)
{
	return t == TY_F32 || t == TY_F64 || is_half(t);
}

static bool is_product(const struct ir_insn *i)
{
	if (i->guard >= 0 || i->d.kind != OPND_REG)
		return false;
	if (i->op == OP_MUL)
		return is_fusable_type((enum ir_ty)i->ty[0]) && i->rnd == MOD_NONE &&
		       i->sub == MOD_NONE && !(i->flags & FL_SAT);
	if (i->ty[0] != TY_F32)
		return false;
	if (i->op == OP_DIV)
		return i->flags & (FL_FULL | FL_APPROX);
	return i->op == OP_RCP && i->flags == FL_APPROX;
}

/* A sum that can take in the product `p` of type and .ftz; not one that two products share. */
static bool is_sum(const struct ir_insn *s, const struct ir_insn *p)
{
	const struct ir_opnd *a = &s->src[0], *b = &s->src[1];

	return (s->op == OP_ADD || s->op == OP_SUB) && s->ty[0] == p->ty[0] &&
	       s->rnd == MOD_NONE && (s->flags & FL_FTZ) == (p->flags & FL_FTZ) &&
	       !(s->flags & FL_CC) &&
	       !(a->kind == OPND_REG && b->kind == OPND_REG && a->reg == b->reg);
}

/* Does *i only pass on the product: mov, or neg of its type? */
static bool passes(const struct ir_insn *i, const struct ir_insn *p)
{
	if (i->guard >= 0 || i->d.kind != OPND_REG)
		return false;
	if (i->op == OP_MOV)
		return ir_ty_bits((enum ir_ty)i->ty[0]) == ir_ty_bits((enum ir_ty)p->ty[0]);
	return i->op == OP_NEG && i->ty[0] == p->ty[0] &&
	       (i->flags & FL_FTZ) == (p->flags & FL_FTZ);
}

/* Collects the sums that register reg, which holds the product, goes into; false: it goes elsewhere. */
static bool collect(const struct rewriter *w, struct product *p, int reg, bool neg, int depth)
{
	const struct ir_insn *mul = &w->f->insn[p->insn];

	if (w->ndef[reg] != 1 || depth > 8)
		return false;
	for (int k = 0; k < w->nuse[reg]; k++) {
		struct reg_use u = w->use[w->first[reg] + k];
		const struct ir_insn *s = &w->f->insn[u.insn];

		if (u.operand < 0 || w->chain[u.insn] != w->chain[p->insn] || u.insn < p->insn)
			return false;
		if (passes(s, mul)) {
			if (p->npass == MAX_FUSED)
				return false;
			p->pass[p->npass++] = u.insn;
			if (!collect(w, p, s->d.reg, neg ^ (s->op == OP_NEG), depth + 1))
				return false;
			continue;
		}
		if (!is_sum(s, mul) || p->n == MAX_FUSED)
			return false;
		for (int j = 0; j < p->n; j++) {
			if (p->sum[j].insn == u.insn)
				return false; /* a sum of the product with itself */
		}
		p->sum[p->n++] = (struct sum){ u.insn, u.operand, neg };
	}
	return p->n > 0 || depth > 0;
}

/* ---- making the fused instruction ------------------------------------------------------------- */

static const char *fma_form(const struct ir_insn *s, char form[32])
{
	snprintf(form, 32, "fma.rn%s%s.%s", s->flags & FL_FTZ ? ".ftz" : "",
	         s->flags & FL_SAT ? ".sat" : "", ir_ty_text((enum ir_ty)s->ty[0]));
	return form;
}

static void negate(struct ir_opnd *o, enum ir_ty t)
{
	if (o->kind == OPND_IMM)
		o->imm ^= (uint64_t)1 << (ir_ty_bits(t) - 1);
	else
		o->neg = !o->neg;
}

/* Sum s of the product a*b becomes an fma. */
static void fuse_one(struct rewriter *w, const struct sum *s, struct ir_opnd a, struct ir_opnd b)
{
	struct ir_insn *i = &w->f->insn[s->insn];
	enum ir_ty t = (enum ir_ty)i->ty[0];
	struct ir_opnd src[3] = { a, b, i->src[1 - s->operand] };
	bool neg_product = s->neg ^ (i->op == OP_SUB && s->operand == 1);
	char form[32];

	if (neg_product)
		negate(&src[0], t);
	if (i->op == OP_SUB && s->operand == 0)
		negate(&src[2], t);
	rw_become(i, fma_form(i, form), i->d, src, 3);
}

/* Is the register changed after instruction `from` and before `to`? They are in one chain, in order. */
static bool changed_between(const struct rewriter *w, int reg, int from, int to)
{
	for (int k = from + 1; k < to; k++) {
		const struct ir_insn *i = &w->f->insn[k];
		bool hit = (i->d.kind == OPND_REG && i->d.reg == reg) ||
		           (i->d2.kind == OPND_REG && i->d2.reg == reg);

		for (int e = 0; i->d.kind == OPND_VEC && e < i->d.n; e++)
			hit |= i->d.elem[e].kind == OPND_REG && i->d.elem[e].reg == reg;
		for (int e = 0; i->call != NULL && e < i->call->nret; e++)
			hit |= i->call->ret[e].kind == OPND_REG && i->call->ret[e].reg == reg;
		if (hit)
			return true;
	}
	return false;
}

/* The factor, kept in a register of its own where the original changes before the last sum. */
static struct ir_opnd keep_factor(struct rewriter *w, const struct product *p, struct ir_opnd o)
{
	static const char *const moves[] = { "mov.b16", "mov.b32", "mov.b64" };
	int last = p->insn;
	struct ir_opnd kept, none = { .kind = OPND_NONE };
	struct ir_reg r;

	for (int k = 0; k < p->n; k++)
		last = p->sum[k].insn > last ? p->sum[k].insn : last;
	if (o.kind != OPND_REG || !changed_between(w, o.reg, p->insn, last))
		return o;
	r = w->f->reg[o.reg];
	kept = rw_new_reg(w, r.ty, r.name);
	rw_insert(w, p->insn, moves[r.bits / 32], kept, o, none);
	return kept;
}

/* ---- divisions and reciprocals ---------------------------------------------------------------- */

/* The instructions before the last FMUL, in the forms that are that SASS: .ftz rcp is a bare MUFU.RCP,
 * and with the scaling its argument and result are normal (emulation of ptxas 13.0's expansion). */
struct expansion {
	struct rewriter *w;
	int at, n;
	const char *name;
};

static struct ir_opnd step(struct expansion *x, const char *form, enum ir_ty ty, struct ir_opnd a,
                           struct ir_opnd b)
{
	const char *name = arena_printf(x->w->a, "%s_%d", x->name, ++x->n);
	struct ir_opnd d = rw_new_reg(x->w, ty, name);

	rw_insert(x->w, x->at, form, d, a, b);
	return d;
}

/* v *= c where p (or not p) holds. */
static void scale_where(struct expansion *x, struct ir_opnd v, struct ir_opnd p, bool ftz, float c)
{
	uint32_t bits;
	struct ir_insn *i;

	memcpy(&bits, &c, sizeof bits);
	i = rw_insert(x->w, x->at, ftz ? "mul.ftz.f32" : "mul.f32", v, v, rw_imm(bits));
	i->guard = p.reg;
	x->w->ndef[v.reg] = 2; /* not to be taken for a value */
}

#define TWO_126 0x7e800000
#define TWO_M126 0x00800000

static void expand_division(struct rewriter *w, int at, struct ir_opnd *a, struct ir_opnd *b)
{
	const struct ir_insn i = w->f->insn[at];
	struct expansion x = { w, at, 0, w->f->reg[i.d.reg].name };
	struct ir_opnd none = { .kind = OPND_NONE }, size, big = none, small = none;
	bool ftz = i.flags & FL_FTZ, full = i.flags & FL_FULL;

	*a = step(&x, "mov.f32", TY_F32, i.src[0], none);
	*b = step(&x, "mov.f32", TY_F32, i.src[1], none);
	if (full || !ftz)
		size = step(&x, "abs.f32", TY_F32, *b, none);
	if (full)
		big = step(&x, ftz ? "setp.gt.ftz.f32" : "setp.gt.f32", TY_PRED, size,
		           rw_imm(TWO_126));
	if (!ftz)
		small = step(&x, "setp.lt.f32", TY_PRED, size, rw_imm(TWO_M126));
	if (full) {
		scale_where(&x, *b, big, ftz, 0.25f);
		scale_where(&x, *a, big, ftz, 0.25f);
	}
	if (!ftz) {
		scale_where(&x, *b, small, false, 0x1p24f);
		scale_where(&x, *a, small, false, 0x1p24f);
	}
	*b = step(&x, "rcp.approx.ftz.f32", TY_F32, *b, none);
}

/* rcp.approx: s = 2^24 for subnormals, 1/4 above 2^126, else 1; s * MUFU.RCP(x*s). */
static void expand_reciprocal(struct rewriter *w, int at, struct ir_opnd *a, struct ir_opnd *b)
{
	const struct ir_insn i = w->f->insn[at];
	struct expansion x = { w, at, 0, w->f->reg[i.d.reg].name };
	struct ir_opnd none = { .kind = OPND_NONE }, size, big, small;
	const uint32_t quarter = 0x3e800000, up24 = 0x4b800000;

	*a = step(&x, "mov.f32", TY_F32, rw_imm(0x3f800000), none);
	size = step(&x, "abs.f32", TY_F32, i.src[0], none);
	small = step(&x, "setp.lt.f32", TY_PRED, size, rw_imm(TWO_M126));
	big = step(&x, "setp.gt.f32", TY_PRED, size, rw_imm(TWO_126));
	rw_insert(w, at, "mov.f32", *a, rw_imm(up24), none)->guard = small.reg;
	rw_insert(w, at, "mov.f32", *a, rw_imm(quarter), none)->guard = big.reg;
	w->ndef[a->reg] = 3;
	*b = step(&x, "mul.f32", TY_F32, i.src[0], *a);
	*b = step(&x, "rcp.approx.ftz.f32", TY_F32, *b, none);
}

/* ---- the two rounds --------------------------------------------------------------------------- */

static void delete(struct ir_insn *i)
{
	i->op = OP_NOP;
	i->nsrc = 0;
	i->guard = -1;
	i->d = i->d2 = (struct ir_opnd){ .reg = -1, .var = -1 };
}

/* Fuses the product into all its sums and deletes it. */
static void fuse(struct rewriter *w, const struct product *p)
{
	struct ir_insn *i = &w->f->insn[p->insn];
	struct ir_opnd a, b;

	if (i->op == OP_MUL) {
		a = keep_factor(w, p, i->src[0]);
		b = keep_factor(w, p, i->src[1]);
	} else if (i->op == OP_DIV) {
		expand_division(w, p->insn, &a, &b);
	} else {
		expand_reciprocal(w, p->insn, &a, &b);
	}
	for (int k = 0; k < p->n; k++)
		fuse_one(w, &p->sum[k], a, b);
	for (int k = 0; k < p->npass; k++)
		delete(&w->f->insn[p->pass[k]]);
	delete(i);
}

/* The instruction that makes the product in a sum's operand, through mov and neg; -1: none. */
static int product_of(const struct rewriter *w, const struct ir_opnd *o)
{
	for (int depth = 0; depth < 8; depth++) {
		const struct ir_insn *i = rw_only_def(w, o);

		if (i == NULL)
			return -1;
		if (is_product(i))
			return (int)(i - w->f->insn);
		if (i->op != OP_MOV && i->op != OP_NEG)
			return -1;
		o = &i->src[0];
	}
	return -1;
}

/* Tries operand k of the sum at `at`; single: only a product with this one sum. */
static bool try_operand(struct rewriter *w, int at, int k, bool single)
{
	struct product p = { .insn = product_of(w, &w->f->insn[at].src[k]) };

	if (p.insn < 0 || p.insn >= at ||
	    !collect(w, &p, w->f->insn[p.insn].d.reg, false, 0) || (single && p.n != 1))
		return false;
	fuse(w, &p);
	return true;
}

void rw_contract(struct rewriter *w)
{
	for (int round = 0; round < 2; round++) {
		for (int at = 0; at < w->f->ninsn; at++) {
			const struct ir_insn *s = &w->f->insn[at];

			if (s->op != OP_ADD && s->op != OP_SUB)
				continue;
			if (!try_operand(w, at, 0, round == 0))
				try_operand(w, at, 1, round == 0);
		}
	}
}

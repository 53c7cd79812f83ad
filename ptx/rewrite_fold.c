/* rewrite_fold.c - constants folded by ptxas, and its algebra on floating point.
 *
 * Measured with ptxas 13.0 -arch=sm_90 (SASS by nvdisasm):
 *   ex2 lg2 rcp rsqrt sqrt sin cos .approx of a constant: the correctly rounded result, which is not
 *   what MUFU gives for many arguments; tanh.approx stays a MUFU.TANH;
 *   div.approx and div.full by a constant c: FMUL by RN(1/c), after scaling both by 2^24 when c is
 *   subnormal (not with .ftz) and, .full only, by 1/4 when |c| > 2^126; .approx flushes 1/c to zero;
 *   x*1 of f32 and f64 without .rn or .ftz: nothing at all (a NaN keeps its payload);
 *   max(x,x), min(x,x), neg(neg(x)), rcp.approx.ftz(rcp.approx.ftz(x)): x;
 *   min(max(x,0),1) and max(min(x,1),0): FADD.SAT(0,x), across blocks too, not with .NaN;
 *   not folded: x*0, x+0, x-x, (x+1)+2, (x*2)*3, div.rn. */
#include "ptx/rewrite.h"

#include <mpfr.h>
#include <string.h>

static float as_float(uint64_t bits)
{
	uint32_t w = (uint32_t)bits;
	float f;

	memcpy(&f, &w, sizeof f);
	return f;
}

static uint64_t as_bits(float f)
{
	uint32_t w;

	if (f != f)
		return 0x7fffffff;
	memcpy(&w, &f, sizeof w);
	return w;
}

static bool is_subnormal(uint64_t bits)
{
	return (bits & 0x7f800000) == 0 && (bits & 0x7fffff) != 0;
}

static uint64_t flush(uint64_t bits, bool ftz)
{
	return ftz && is_subnormal(bits) ? bits & 0x80000000 : bits;
}

/* ---- constants -------------------------------------------------------------------------------- */

static bool is_plain_mov(const struct ir_insn *i)
{
	return i->op == OP_MOV && i->ty[0] != TY_PRED;
}

/* The constant an operand is known to hold, through moves and conversions from 32-bit integers. */
static bool constant(const struct rewriter *w, const struct ir_opnd *o, uint64_t *bits, int depth)
{
	const struct ir_insn *i;

	if (o->kind == OPND_IMM) {
		*bits = o->imm;
		return true;
	}
	i = depth < 8 ? rw_only_def(w, o) : NULL;
	if (i == NULL || !(is_plain_mov(i) || i->op == OP_CVT) ||
	    !constant(w, &i->src[0], bits, depth + 1))
		return false;
	if (is_plain_mov(i))
		return true;
	if (i->ty[0] != TY_F32 || i->rnd != MOD_RN || i->flags != 0)
		return false;
	if (i->ty[1] == TY_S32)
		*bits = as_bits((float)(int32_t)*bits);
	else if (i->ty[1] == TY_U32)
		*bits = as_bits((float)(uint32_t)*bits);
	else
		return false;
	return true;
}

/* The correctly rounded value of the special function; 300 bits are far more than binary32 needs. */
static uint64_t special(enum ir_op op, uint64_t bits)
{
	mpfr_t x;
	float r;

	mpfr_init2(x, 300);
	mpfr_set_flt(x, as_float(bits), MPFR_RNDN);
	switch (op) {
	case OP_EX2: mpfr_exp2(x, x, MPFR_RNDN); break;
	case OP_LG2: mpfr_log2(x, x, MPFR_RNDN); break;
	case OP_RCP: mpfr_ui_div(x, 1, x, MPFR_RNDN); break;
	case OP_RSQRT: mpfr_rec_sqrt(x, x, MPFR_RNDN); break;
	case OP_SQRT: mpfr_sqrt(x, x, MPFR_RNDN); break;
	case OP_SIN: mpfr_sin(x, x, MPFR_RNDN); break;
	default: mpfr_cos(x, x, MPFR_RNDN); break;
	}
	r = mpfr_get_flt(x, MPFR_RNDN); /* one rounding, subnormals included */
	mpfr_clear(x);
	if (op == OP_RSQRT && bits == 0x80000000)
		return 0xff800000; /* PTX ISA: rsqrt(-0) is -Inf */
	return as_bits(r);
}

static bool is_special(const struct ir_insn *i)
{
	switch ((enum ir_op)i->op) {
	case OP_EX2: case OP_LG2: case OP_RCP: case OP_RSQRT: case OP_SQRT: case OP_SIN: case OP_COS:
		return i->ty[0] == TY_F32 && (i->flags & FL_APPROX);
	default:
		return false;
	}
}

static void to_constant(struct ir_insn *i, uint64_t bits)
{
	struct ir_opnd src = rw_imm(bits);

	rw_become(i, "mov.f32", i->d, &src, 1);
}

static void fold_special(struct rewriter *w, struct ir_insn *i)
{
	bool ftz = i->flags & FL_FTZ;
	uint64_t x;

	if (constant(w, &i->src[0], &x, 0))
		to_constant(i, flush(special((enum ir_op)i->op, flush(x, ftz)), ftz));
}

/* ---- division by a constant ------------------------------------------------------------------- */

static void fold_division(struct rewriter *w, int at)
{
	struct ir_insn *i = &w->f->insn[at];
	bool ftz = i->flags & FL_FTZ, full = i->flags & FL_FULL;
	struct ir_opnd src[2] = { i->src[0] };
	float scale = 1, r;
	uint64_t c, a;

	if (!constant(w, &i->src[1], &c, 0))
		return;
	c = flush(c, ftz);
	if (is_subnormal(c))
		scale = 0x1p24f;
	else if (full && (c & 0x7fffffff) > 0x7e800000 && (c & 0x7fffffff) <= 0x7f800000)
		scale = 0.25f; /* |c| > 2^126, a NaN excepted */
	r = 1 / (as_float(c) * scale);
	c = as_bits(r);
	if (!full)
		c = flush(c, true);
	if (constant(w, &src[0], &a, 0)) {
		a = flush(as_bits(as_float(flush(a, ftz)) * scale), ftz);
		to_constant(i, flush(as_bits(as_float(a) * as_float(c)), ftz));
		return;
	}
	if (scale != 1) {
		src[0] = rw_new_reg(w, TY_F32, w->f->reg[i->d.reg].name);
		rw_insert(w, at, ftz ? "mul.ftz.f32" : "mul.f32", src[0], i->src[0],
		          rw_imm(as_bits(scale)));
	}
	src[1] = rw_imm(c);
	rw_become(i, ftz ? "mul.ftz.f32" : "mul.f32", i->d, src, 2);
}

void rw_fold(struct rewriter *w)
{
	for (int k = 0; k < w->f->ninsn; k++) {
		struct ir_insn *i = &w->f->insn[k];

		if (is_special(i))
			fold_special(w, i);
		else if (i->op == OP_DIV && i->ty[0] == TY_F32 && (i->flags & (FL_APPROX | FL_FULL)))
			fold_division(w, k);
	}
}

/* ---- algebra ---------------------------------------------------------------------------------- */

static void to_move(struct ir_insn *i, struct ir_opnd src)
{
	int bits = ir_ty_bits((enum ir_ty)i->ty[0]);

	rw_become(i, bits == 64 ? "mov.f64" : bits == 32 ? "mov.f32" : "mov.b16", i->d, &src, 1);
}

static bool is_one(const struct rewriter *w, const struct ir_opnd *o, enum ir_ty t)
{
	uint64_t v;

	return constant(w, o, &v, 0) && v == (t == TY_F32 ? 0x3f800000 : 0x3ff0000000000000);
}

static void drop_times_one(struct rewriter *w, struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];

	if ((t != TY_F32 && t != TY_F64) || i->rnd != MOD_NONE || i->flags != 0)
		return;
	for (int k = 0; k < 2; k++) {
		if (i->src[1 - k].kind == OPND_REG && is_one(w, &i->src[k], t)) {
			to_move(i, i->src[1 - k]);
			return;
		}
	}
}

/* The operand of min or max beside the constant; NULL: there is none. */
static const struct ir_opnd *beside(const struct rewriter *w, const struct ir_insn *i, uint64_t c,
                                    uint64_t or_c)
{
	uint64_t v;

	for (int k = 0; k < 2; k++) {
		if (i->src[1 - k].kind == OPND_REG && constant(w, &i->src[k], &v, 0) &&
		    (v == c || v == or_c))
			return &i->src[1 - k];
	}
	return NULL;
}

static bool is_clamp_half(const struct ir_insn *i)
{
	return (i->op == OP_MIN || i->op == OP_MAX) && i->ty[0] == TY_F32 &&
	       (i->flags & ~(uint32_t)FL_FTZ) == 0;
}

static const struct ir_opnd *clamped(const struct rewriter *w, const struct ir_insn *i)
{
	return i->op == OP_MIN ? beside(w, i, 0x3f800000, 0x3f800000) : beside(w, i, 0, 0x80000000);
}

/* min(max(x,0),1): cvt.sat has FADD.SAT's semantics. The outer instruction's .ftz decides; an inner
 * .ftz alone was not seen and is left. */
static void saturate(struct rewriter *w, struct ir_insn *i)
{
	const struct ir_opnd *x = clamped(w, i);
	const struct ir_insn *inner = x != NULL ? rw_only_def(w, x) : NULL;

	if (inner == NULL || !is_clamp_half(inner) || inner->op == i->op ||
	    ((inner->flags & FL_FTZ) && !(i->flags & FL_FTZ)))
		return;
	x = clamped(w, inner);
	if (x == NULL || w->ndef[x->reg] != 1)
		return;
	rw_become(i, i->flags & FL_FTZ ? "cvt.ftz.sat.f32.f32" : "cvt.sat.f32.f32", i->d, x, 1);
}

/* op(op(x)) = x for neg, but of bf16x2, and for rcp.approx.ftz.f32. */
static void drop_pair(struct rewriter *w, struct ir_insn *i)
{
	const struct ir_insn *inner = rw_only_def(w, &i->src[0]);
	enum ir_ty t = (enum ir_ty)i->ty[0];

	if (inner == NULL || inner->op != i->op || inner->ty[0] != t || inner->flags != i->flags ||
	    inner->src[0].kind != OPND_REG || w->ndef[inner->src[0].reg] != 1)
		return;
	if ((i->op == OP_NEG && i->flags == 0 && ir_ty_class(t) == CL_F && t != TY_BF16X2) ||
	    (i->op == OP_RCP && t == TY_F32 && i->flags == (FL_APPROX | FL_FTZ)))
		to_move(i, inner->src[0]);
}

/* max(x,x) and min(x,x) of these types are x, a NaN as it is. */
static bool of_itself(const struct ir_insn *i)
{
	const struct ir_opnd *a = &i->src[0], *b = &i->src[1];

	return (i->op == OP_MAX || i->op == OP_MIN) && i->flags == 0 &&
	       (i->ty[0] == TY_F32 || i->ty[0] == TY_F64 || i->ty[0] == TY_F16) && a->kind == OPND_REG &&
	       b->kind == OPND_REG && a->reg == b->reg;
}

void rw_algebra(struct rewriter *w)
{
	for (int k = 0; k < w->f->ninsn; k++) {
		struct ir_insn *i = &w->f->insn[k];

		if (i->op == OP_MUL)
			drop_times_one(w, i);
		else if (i->op == OP_NEG || i->op == OP_RCP)
			drop_pair(w, i);
		else if (of_itself(i))
			to_move(i, i->src[0]);
		else if (is_clamp_half(i))
			saturate(w, i);
	}
}

/* ---- the order of operands -------------------------------------------------------------------- */

/* Where the value of *o is defined: neg, abs and mov are part of the operand that they pass on; parameters of the
 * kernel and constants come last. -1: in several places. */
static int64_t place_of(const struct rewriter *w, struct ir_opnd o)
{
	for (;;) {
		const struct ir_insn *i;

		o.neg = o.absolute = false;
		if (o.kind == OPND_IMM)
			return INT64_MAX;
		i = rw_only_def(w, &o);
		if (i == NULL)
			return -1;
		if (i->op == OP_LD && i->space == MOD_PARAM && w->f->entry)
			return ((int64_t)1 << 40) + w->def[o.reg];
		if (i->ty[0] != TY_F64 || (i->op != OP_NEG && i->op != OP_ABS && i->op != OP_MOV))
			return w->def[o.reg];
		o = i->src[0];
	}
}

/* ptxas puts the operand that is defined first first (measured with ptxas 13.0, SASS by nvdisasm). It shows in which of
 * two f64 NaNs a sum or a product hands on; the NaNs of other types are all alike. */
void rw_order(struct rewriter *w)
{
	static const char *const sums[] = {"add.f64", "add.rn.f64", "add.rz.f64", "add.rm.f64", "add.rp.f64"};

	for (int k = 0; k < w->f->ninsn; k++) {
		struct ir_insn *i = &w->f->insn[k];
		struct ir_opnd src[2] = {i->src[1], i->src[0]};
		int64_t first, second;

		if (i->ty[0] != TY_F64 || (i->op != OP_ADD && i->op != OP_SUB && i->op != OP_MUL && i->op != OP_FMA &&
		                          i->op != OP_MAD))
			continue;
		first = place_of(w, i->src[0]);
		second = place_of(w, i->src[1]);
		if (second < 0 || first <= second)
			continue;
		i->src[0] = src[0];
		i->src[1] = src[1];
		if (i->op == OP_SUB) {
			src[0].neg = !src[0].neg; /* a register: constants are not first */
			rw_become(i, sums[i->rnd == MOD_NONE ? 0 : i->rnd - MOD_RN + 1], i->d, src, 2);
		}
	}
}

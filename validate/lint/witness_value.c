/* witness_value.c - integer instructions on known values. What is not listed is not known. */
#include "validate/lint/witness.h"

static uint64_t cut(uint64_t v, int bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign(uint64_t v, int bits)
{
	return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static struct wval plain(uint64_t v, int bits)
{
	return (struct wval){cut(v, bits), sign(v, bits), true, 0};
}

/* Of values that cannot be negative: the ideal one is the value itself. */
static struct wval natural(uint64_t v)
{
	return (struct wval){v, (int64_t)v, true, 0};
}

static bool sreg_value(const struct witness *w, int s, struct wval *out)
{
	const struct witness_launch *l = w->l;
	uint32_t lane = (uint32_t)w->tid % 32;

	if (l->any_grid && s >= SR_CTAID_X && s <= SR_CTAID_Z)
		return false;
	if (l->any_grid && s >= SR_NCTAID_X && s <= SR_NCTAID_Z)
		return false;
	switch (s) {
	case SR_TID_X: case SR_TID_Y: case SR_TID_Z: *out = natural(w->thread[s - SR_TID_X]); return true;
	case SR_NTID_X: case SR_NTID_Y: case SR_NTID_Z: *out = natural(l->block[s - SR_NTID_X]); return true;
	case SR_CTAID_X: case SR_CTAID_Y: case SR_CTAID_Z: *out = natural(w->block[s - SR_CTAID_X]); return true;
	case SR_NCTAID_X: case SR_NCTAID_Y: case SR_NCTAID_Z: *out = natural(l->grid[s - SR_NCTAID_X]); return true;
	case SR_LANEID: *out = natural(lane); return true;
	case SR_LANEMASK_EQ: *out = natural(1u << lane); return true;
	case SR_LANEMASK_LT: *out = natural((1u << lane) - 1); return true;
	case SR_LANEMASK_LE: *out = natural((2u << lane) - 1u); return true;
	case SR_LANEMASK_GT: *out = natural(~((2u << lane) - 1u)); return true;
	case SR_LANEMASK_GE: *out = natural(~((1u << lane) - 1u)); return true;
	default: return false;
	}
}

static struct wval variable(const struct witness *w, const struct ir_opnd *o)
{
	bool local = o->var >= IR_LOCAL_VAR;
	int at = local ? o->var - IR_LOCAL_VAR : w->f->f->nvar + o->var;
	struct wval v = {0};

	if (o->var >= 0 && (local ? w->f->f->var[at].space : w->f->m->var[o->var].space) == MOD_SHARED) {
		v = natural(w->var_at[at] + (uint64_t)o->off);
		v.var = 1 + at;
	}
	return v;
}

struct wval witness_operand(const struct witness *w, const struct ir_opnd *o, int bits)
{
	struct wval v = {0};

	switch (o->kind) {
	case OPND_REG:
		v = w->reg[o->reg];
		if (o->neg)
			v.v ^= 1;
		return v;
	case OPND_IMM: return plain(o->imm, bits);
	case OPND_SREG: sreg_value(w, o->reg, &v); return v;
	case OPND_VAR: return variable(w, o);
	default: return v;
	}
}

/* A sum, difference, product or shift: the value is cut to its width, the ideal is not. */
static bool linear(__int128 actual, __int128 ideal, int bits, struct wval *out)
{
	*out = (struct wval){.v = cut((uint64_t)actual, bits), .known = true};
	out->ideal = bits == 32 && ideal >= INT64_MIN && ideal <= INT64_MAX ? (int64_t)ideal :
	             bits == 64                                             ? (int64_t)ideal :
	                                                                      sign(out->v, bits);
	return true;
}

static bool compare(enum ir_mod c, uint64_t a, uint64_t b, bool is_signed, int bits, bool *out)
{
	int64_t x = sign(a, bits), y = sign(b, bits);
	bool lt = is_signed ? x < y : a < b;

	switch (c) {
	case MOD_EQ: *out = a == b; return true;
	case MOD_NE: *out = a != b; return true;
	case MOD_LT: case MOD_LO: *out = lt; return true;
	case MOD_LE: case MOD_LS: *out = lt || a == b; return true;
	case MOD_GT: case MOD_HI: *out = !lt && a != b; return true;
	case MOD_GE: case MOD_HS: *out = !lt; return true;
	default: return false;
	}
}

static bool set_predicate(const struct witness *w, const struct ir_insn *i, struct wval *out)
{
	int bits = ir_ty_bits(i->ty[0]);
	struct wval a = witness_operand(w, &i->src[0], bits), b = witness_operand(w, &i->src[1], bits);
	bool is_signed = ir_ty_class(i->ty[0]) == CL_S && i->cmp != MOD_LO && i->cmp != MOD_LS && i->cmp != MOD_HI && i->cmp != MOD_HS;
	bool p;

	if (ir_ty_class(i->ty[0]) == CL_F || !a.known || !b.known || !compare(i->cmp, a.v, b.v, is_signed, bits, &p))
		return false;
	if (i->nsrc > 2 && i->src[2].kind != OPND_NONE) {
		struct wval c = witness_operand(w, &i->src[2], 1);

		if (!c.known)
			return false;
		p = i->bop == MOD_AND ? p && c.v : i->bop == MOD_OR ? p || c.v : p != (c.v != 0);
	}
	*out = natural(p);
	return true;
}

static bool convert(const struct ir_insn *i, struct wval a, struct wval *out)
{
	int to = ir_ty_bits(i->ty[0]), from = ir_ty_bits(i->ty[1]);
	uint64_t v = ir_ty_class(i->ty[1]) == CL_S ? (uint64_t)sign(a.v, from) : cut(a.v, from);

	if (ir_ty_class(i->ty[0]) == CL_F || ir_ty_class(i->ty[1]) == CL_F || (i->flags & FL_SAT))
		return false;
	*out = plain(v, to);
	if (to == 64 && from == 32 && (ir_ty_class(i->ty[1]) == CL_S || a.ideal >= 0))
		out->ideal = a.ideal;
	else if (from < 32 || to < 32)
		out->ideal = (int64_t)out->v;
	if (to == 64 && ir_ty_class(i->ty[1]) != CL_S && a.ideal < 0)
		out->ideal = (int64_t)out->v;
	out->var = from >= 32 && to >= 32 ? a.var : 0;
	return true;
}

static bool divide(const struct ir_insn *i, uint64_t a, uint64_t b, int bits, struct wval *out)
{
	bool rem = i->op == OP_REM;
	int64_t x = sign(a, bits), y = sign(b, bits);

	if (cut(b, bits) == 0 || (ir_ty_class(i->ty[0]) == CL_S && y == -1))
		return false;
	if (ir_ty_class(i->ty[0]) == CL_S)
		*out = plain((uint64_t)(rem ? x % y : x / y), bits);
	else
		*out = plain(rem ? a % b : a / b, bits);
	return true;
}

static bool shift(const struct ir_insn *i, struct wval a, uint64_t n, int bits, struct wval *out)
{
	if (i->op == OP_SHL) {
		if (n >= (uint64_t)bits || n > 62)
			*out = plain(0, bits);
		else
			return linear((__int128)a.v << n, (__int128)a.ideal * ((__int128)1 << n), bits, out);
		return true;
	}
	if (ir_ty_class(i->ty[0]) == CL_S)
		*out = plain((uint64_t)(sign(a.v, bits) >> (n >= (uint64_t)bits ? bits - 1 : (int)n)), bits);
	else
		*out = plain(n >= (uint64_t)bits ? 0 : a.v >> n, bits);
	return true;
}

static bool multiply(const struct ir_insn *i, struct wval a, struct wval b, struct wval c, int bits, struct wval *out)
{
	bool is_signed = ir_ty_class(i->ty[0]) == CL_S, mad = i->op == OP_MAD;

	if (i->sub == MOD_WIDE) {
		__int128 x = is_signed ? sign(a.v, bits) : (__int128)a.v, y = is_signed ? sign(b.v, bits) : (__int128)b.v;
		__int128 ideal_x = is_signed || a.ideal >= 0 ? a.ideal : x, ideal_y = is_signed || b.ideal >= 0 ? b.ideal : y;

		return linear(x * y + (mad ? sign(c.v, 2 * bits) : 0), ideal_x * ideal_y + (mad ? c.ideal : 0), 2 * bits, out);
	}
	if (i->sub == MOD_HI) {
		unsigned __int128 p;

		if (mad)
			return false;
		p = is_signed ? (unsigned __int128)((__int128)sign(a.v, bits) * sign(b.v, bits)) : (unsigned __int128)a.v * b.v;
		*out = plain((uint64_t)(p >> bits), bits);
		return true;
	}
	return linear((__int128)sign(a.v, bits) * sign(b.v, bits) + (mad ? sign(c.v, bits) : 0),
	              (__int128)a.ideal * b.ideal + (mad ? c.ideal : 0), bits, out);
}

static bool bitwise(const struct ir_insn *i, uint64_t a, uint64_t b, int bits, struct wval *out)
{
	uint64_t v = i->op == OP_AND ? a & b : i->op == OP_OR ? a | b : a ^ b;

	*out = plain(v, bits);
	if (bits == 1)
		*out = natural(v & 1);
	return true;
}

static bool lookup3(const struct ir_insn *i, const struct wval *s, struct wval *out)
{
	uint32_t v = 0;

	if (i->nsrc != 4 || i->src[3].kind != OPND_IMM)
		return false;
	for (int b = 0; b < 32; b++) {
		unsigned at = (unsigned)((s[0].v >> b & 1) << 2 | (s[1].v >> b & 1) << 1 | (s[2].v >> b & 1));

		v |= (uint32_t)(i->src[3].imm >> at & 1) << b;
	}
	*out = plain(v, 32);
	return true;
}

static bool extract(const struct ir_insn *i, const struct wval *s, int bits, struct wval *out)
{
	unsigned pos = (unsigned)s[1].v & 255, len = (unsigned)s[2].v & 255;

	if (ir_ty_class(i->ty[0]) == CL_S || len >= 64 || pos >= (unsigned)bits)
		return false;
	*out = plain(cut(s[0].v >> pos, (int)len), bits);
	return true;
}

static bool load_parameter(const struct witness *w, const struct ir_insn *i, struct wval *out)
{
	int p = i->src[0].var - IR_LOCAL_VAR - w->f->f->nret, bits = ir_ty_bits(i->ty[0]);
	const struct witness_arg *a;

	if (i->space != MOD_PARAM || i->vec > 1 || i->src[0].var < IR_LOCAL_VAR || p < 0 || p >= w->l->nargs || i->src[0].off != 0)
		return false;
	a = &w->l->arg[p];
	if (a->pointer) {
		*out = natural(a->buffer < 0 ? 0 : WITNESS_BASE(a->buffer) + a->value);
		return true;
	}
	*out = plain(a->value, bits);
	return ir_ty_class(i->ty[0]) != CL_F;
}

static bool select(const struct witness *w, const struct ir_insn *i, int bits, struct wval *out)
{
	struct wval p = witness_operand(w, &i->src[2], 1);

	if (!p.known)
		return false;
	*out = witness_operand(w, &i->src[p.v ? 0 : 1], bits);
	return out->known;
}

static bool smaller(const struct ir_insn *i, struct wval a, struct wval b, int bits, struct wval *out)
{
	bool lt;

	if (i->flags || !compare(MOD_LT, a.v, b.v, ir_ty_class(i->ty[0]) == CL_S, bits, &lt))
		return false;
	*out = lt == (i->op == OP_MIN) ? a : b;
	return true;
}

/* A sum or difference of an address and a number is an address into the same variable. */
static int variable_of(const struct ir_insn *i, const struct wval s[4])
{
	int a = i->op == OP_MAD ? s[2].var : s[0].var, b = i->op == OP_ADD ? s[1].var : 0;

	return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MAD) && (a == 0 || b == 0) ? a + b : 0;
}

static bool compute(const struct ir_insn *i, const struct wval s[4], int bits, struct wval *out)
{
	switch (i->op) {
	case OP_ADD: return linear((__int128)s[0].v + s[1].v, (__int128)s[0].ideal + s[1].ideal, bits, out);
	case OP_SUB: return linear((__int128)s[0].v - s[1].v, (__int128)s[0].ideal - s[1].ideal, bits, out);
	case OP_NEG: return linear(-(__int128)s[0].v, -(__int128)s[0].ideal, bits, out);
	case OP_MUL: case OP_MAD: return multiply(i, s[0], s[1], s[2], bits, out);
	case OP_SHL: case OP_SHR: return shift(i, s[0], s[1].v & 0xffffffff, bits, out);
	case OP_DIV: case OP_REM: return divide(i, s[0].v, s[1].v, bits, out);
	case OP_AND: case OP_OR: case OP_XOR: return bitwise(i, s[0].v, s[1].v, bits, out);
	case OP_NOT: *out = bits == 1 ? natural(!s[0].v) : plain(~s[0].v, bits); return true;
	case OP_MIN: case OP_MAX: return smaller(i, s[0], s[1], bits, out);
	case OP_LOP3: return bits == 32 && lookup3(i, s, out);
	case OP_BFE: return extract(i, s, bits, out);
	default: return false;
	}
}

static bool arithmetic(const struct witness *w, const struct ir_insn *i, int bits, struct wval *out)
{
	struct wval s[4] = {{0}};

	for (int k = 0; k < i->nsrc && k < 4; k++) {
		bool wide = k == 2 && i->op == OP_MAD && i->sub == MOD_WIDE;

		s[k] = witness_operand(w, &i->src[k], wide ? 2 * bits : bits);
		if (!s[k].known && i->src[k].kind != OPND_NONE)
			return false;
	}
	if (!compute(i, s, bits, out))
		return false;
	out->var = variable_of(i, s);
	return true;
}

bool witness_value(const struct witness *w, const struct ir_insn *i, struct wval *out)
{
	int bits = ir_ty_bits(i->ty[0]);

	switch (i->op) {
	case OP_LD: return load_parameter(w, i, out);
	case OP_SETP: return i->d2.kind == OPND_NONE && set_predicate(w, i, out);
	case OP_SELP: return select(w, i, bits, out);
	case OP_CVTA: *out = witness_operand(w, &i->src[0], bits); return out->known;
	case OP_MOV:
		if (i->d.kind != OPND_REG || ir_ty_class(i->ty[0]) == CL_F || i->src[0].kind == OPND_VEC)
			return false;
		*out = witness_operand(w, &i->src[0], bits);
		return out->known;
	case OP_CVT: {
		struct wval a = witness_operand(w, &i->src[0], ir_ty_bits(i->ty[1]));

		return a.known && convert(i, a, out);
	}
	default:
		if (ir_ty_class(i->ty[0]) == CL_F || (i->flags & (FL_SAT | FL_CC)))
			return false;
		return arithmetic(w, i, bits, out);
	}
}

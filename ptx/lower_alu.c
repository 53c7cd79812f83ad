/* lower_alu.c - lowering of arithmetic, logic, comparisons and conversions: every form becomes the
 * operation of that name in the exec_*.inc lists, or a few. */
#include "ptx/lower.h"
#include <stdio.h>

/* ---- names ------------------------------------------------------------------------------------
 */

struct name {
	char s[64];
	int n;
};
static void part(struct name *k, const char *s)
{
	k->n += snprintf(k->s + k->n, sizeof k->s - (size_t)k->n, "%s%s", k->n ? "_" : "", s);
}
static void flag(struct name *k, const struct ir_insn *i, enum ir_flag f, const char *s)
{
	if (i->flags & f)
		part(k, s);
}
static int bits_of(enum ir_ty t)
{
	return ir_ty_bits(t) > 32 ? 64 : 32;
}
static bool is_float(enum ir_ty t)
{
	return ir_ty_class(t) == CL_F;
}
static bool is_signed(enum ir_ty t)
{
	return ir_ty_class(t) == CL_S;
}
/* b16, b32 or b64: the type without its sign. */
static const char *plain_type(enum ir_ty t)
{
	int b = ir_ty_bits(t);
	return t == TY_U16X2 || t == TY_S16X2 ? "16x2" : b == 16 ? "b16" : b == 64 ? "b64" : "b32";
}
static const char *unsigned_type(enum ir_ty t)
{
	int b = ir_ty_bits(t);
	return is_signed(t) ? ir_ty_text(t) : b == 16 ? "u16" : b == 64 ? "u64" : "u32";
}
static enum emu_post post_of(enum ir_ty t)
{
	switch (t) {
	case TY_F32:
		return POST_F32;
	case TY_F64:
		return POST_F64;
	case TY_F16:
		return POST_F16;
	case TY_F16X2:
		return POST_F16X2;
	case TY_BF16:
		return POST_BF16;
	case TY_BF16X2:
		return POST_BF16X2;
	default:
		return POST_NONE;
	}
}

/* ---- emission ---------------------------------------------------------------------------------
 */

/* A floating source with the sign changes that the rewriter folded into it. */
static uint32_t float_src(struct low *l, const struct ir_opnd *o, enum ir_ty t)
{
	int bits = bits_of(t);
	uint32_t r = low_src(l, o, bits), d;
	uint64_t sign = t == TY_F64           ? 1ull << 63
	                : t == TY_F32         ? 1ull << 31
	                : ir_ty_bits(t) == 32 ? 0x80008000u
	                                      : 0x8000u;
	if (t == TY_F64 && (o->absolute || o->neg)) { /* a NaN keeps its sign */
		for (int k = 0; k < 2; k++) {
			if (!(k ? o->neg : o->absolute))
				continue;
			d = low_alloc(l, bits);
			low_emit(l, k ? "neg_f64" : "abs_f64", d, r, 0, 0);
			r = d;
		}
		return r;
	}
	if (o->absolute) {
		d = low_alloc(l, bits);
		low_emit(l, bits == 64 ? "and_b64" : "and_b32", d, r,
		         low_const(l, bits == 64 ? ~sign : (uint32_t)~sign, bits), 0);
		r = d;
	}
	if (o->neg) {
		d = low_alloc(l, bits);
		low_emit(l, bits == 64 ? "xor_b64" : "xor_b32", d, r, low_const(l, sign, bits), 0);
		r = d;
	}
	return r;
}
static uint32_t source(struct low *l, const struct ir_opnd *o, enum ir_ty t)
{
	return is_float(t) ? float_src(l, o, t) : low_src(l, o, bits_of(t));
}
static bool feeds_address(const struct low *l, const struct ir_opnd *d)
{
	return d->kind == OPND_REG && l->frame->address[d->reg];
}
/* One operation by its name: the sources have the widths that the handler wants. */
static struct emu_op *operation(struct low *l, const char *name, const struct ir_insn *i, int dbits,
                                enum ir_ty t)
{
	const struct emu_handler *h = low_find(l, name);
	uint32_t s[4] = {0};
	if (!h) {
		low_fail(l, "this form has no handler (%s)", name);
		return NULL;
	}
	int width[4] = {h->abits, h->bbits, h->cbits, 32};
	for (int k = 0; k < 4 && k < i->nsrc; k++)
		s[k] = is_float(t) && k < 3 ? float_src(l, &i->src[k], t)
		                            : low_src(l, &i->src[k], width[k] ? width[k] : 32);
	struct low_dest d = low_dest(l, &i->d, dbits, false);
	struct emu_op *o = low_emit(l, name, d.reg, s[0], s[1], s[2]);
	if (!o)
		return NULL;
	o->e = s[3];
	uint32_t at = l->nop - 1;
	low_done(l, &d);
	return &l->op[at];
}

/* ---- floating point ---------------------------------------------------------------------------
 */

static enum st float_op(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	bool rounds = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA ||
	              i->op == OP_MAD;
	part(&k, i->op == OP_MAD ? "fma" : ir_op_text((enum ir_op)i->op));
	flag(&k, i, FL_APPROX, "approx");
	flag(&k, i, FL_FULL, "full");
	if (i->rnd != MOD_NONE)
		part(&k, ir_mod_text((enum ir_mod)i->rnd));
	else if (rounds)
		part(&k, "rn");
	if (i->op != OP_SIN && i->op != OP_COS)
		flag(&k, i, FL_FTZ, "ftz");
	flag(&k, i, FL_NAN, "NaN");
	flag(&k, i, FL_XORSIGN, "xorsign");
	flag(&k, i, FL_SAT, "sat");
	flag(&k, i, FL_RELU, "relu");
	part(&k, ir_ty_text(t));
	struct emu_op *o = operation(l, k.s, i, bits_of(t), t);
	if (o && i->op != OP_MIN && i->op != OP_MAX && i->op != OP_NEG && i->op != OP_ABS &&
	    i->op != OP_COPYSIGN)
		o->post = o->size = (uint8_t)post_of(t);
	return l->e->code;
}

/* ---- integers ---------------------------------------------------------------------------------
 */

static void wrapping(struct low *l, const struct ir_insn *i, struct emu_op *o, enum emu_pre pre)
{
	if (!o)
		return;
	o->flow = FLOW_MOVE;
	if (ir_ty_bits((enum ir_ty)i->ty[0]) == 32 && feeds_address(l, &i->d))
		o->pre = (uint8_t)pre;
}
static enum st add_sub(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, ir_op_text((enum ir_op)i->op));
	flag(&k, i, FL_SAT, "sat");
	part(&k, i->flags & FL_SAT ? ir_ty_text(t) : plain_type(t));
	struct emu_op *o = operation(l, k.s, i, bits_of(t), t);
	if (!(i->flags & FL_SAT))
		wrapping(l, i, o, i->op == OP_ADD ? PRE_ADD : PRE_SUB);
	return l->e->code;
}
static enum st mul_mad(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	bool wide = i->sub == MOD_WIDE, low = i->sub == MOD_LO;
	part(&k, ir_op_text((enum ir_op)i->op));
	part(&k, ir_mod_text((enum ir_mod)i->sub));
	flag(&k, i, FL_SAT, "sat");
	part(&k, low && i->op != OP_MUL24 && i->op != OP_MAD24 ? plain_type(t) : ir_ty_text(t));
	int dbits = wide ? 2 * ir_ty_bits(t) : ir_ty_bits(t);
	struct emu_op *o = operation(l, k.s, i, dbits > 32 ? 64 : 32, t);
	if (o && wide && dbits == 64)
		o->flow = is_signed(t) ? FLOW_SEXT : FLOW_ZEXT;
	else if (low && (i->op == OP_MUL || i->op == OP_MAD))
		wrapping(l, i, o, i->op == OP_MUL ? PRE_MUL : PRE_MAD);
	return l->e->code;
}
static enum st div_rem(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, ir_op_text((enum ir_op)i->op));
	part(&k, ir_ty_text(t));
	struct emu_op *o = operation(l, k.s, i, bits_of(t), t);
	if (o)
		o->pre = bits_of(t) == 64 ? PRE_DIV64 : PRE_DIV32;
	return l->e->code;
}
/* op[_mods]_type, the type as it is written, result as wide as the type. */
static enum st typed(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, ir_op_text((enum ir_op)i->op));
	flag(&k, i, FL_RELU, "relu");
	flag(&k, i, FL_CLAMP, "clamp");
	flag(&k, i, FL_WRAP, "wrap");
	part(&k, ir_ty_text(t));
	operation(l, k.s, i, bits_of(t), t);
	return l->e->code;
}
/* The same with a 32-bit result. */
static enum st counting(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, ir_op_text((enum ir_op)i->op));
	flag(&k, i, FL_SHIFTAMT, "shiftamt");
	part(&k, ir_ty_text(t));
	operation(l, k.s, i, 32, t);
	return l->e->code;
}
static enum st shift(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, ir_op_text((enum ir_op)i->op));
	if (i->op == OP_SHF) {
		part(&k, ir_mod_text((enum ir_mod)i->sub));
		part(&k, i->flags & FL_WRAP ? "wrap" : "clamp");
	}
	part(&k, i->op == OP_SHR ? unsigned_type(t) : plain_type(t));
	struct emu_op *o = operation(l, k.s, i, bits_of(t), t);
	if (i->op == OP_SHL)
		wrapping(l, i, o, PRE_SHL);
	return l->e->code;
}
static enum st dot(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	part(&k, ir_op_text((enum ir_op)i->op));
	if (i->op == OP_DP2A)
		part(&k, ir_mod_text((enum ir_mod)i->sub));
	part(&k, ir_ty_text((enum ir_ty)i->ty[0]));
	part(&k, ir_ty_text((enum ir_ty)i->ty[1]));
	operation(l, k.s, i, 32, TY_B32);
	return l->e->code;
}
static enum st permute(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	part(&k, "prmt");
	if (i->sub != MOD_NONE)
		part(&k, ir_mod_text((enum ir_mod)i->sub));
	part(&k, "b32");
	operation(l, k.s, i, 32, TY_B32);
	return l->e->code;
}

/* add.cc and its kin: the carry is a register of the thread. */
static enum st with_carry(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	int bits = bits_of(t);
	bool sub = i->op == OP_SUB || i->op == OP_SUBC, mad = i->op == OP_MAD || i->op == OP_MADC;
	bool in = i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC;
	char name[32];
	if (!l->carry)
		l->carry = low_alloc(l, 32);
	uint32_t a = low_src(l, &i->src[0], bits), b = low_src(l, &i->src[1], bits);
	uint32_t cin = in ? l->carry : l->zero;
	if (mad) {
		uint32_t product = low_alloc(l, bits);
		if (i->sub == MOD_LO)
			snprintf(name, sizeof name, "mul_lo_%s", plain_type(t));
		else
			snprintf(name, sizeof name, "mul_hi_%s", ir_ty_text(t));
		low_emit(l, name, product, a, b, 0);
		a = product;
		b = low_src(l, &i->src[2], bits);
	}
	struct low_dest d = low_dest(l, &i->d, bits, false);
	uint32_t carry = low_alloc(l, 32);
	if (i->flags & FL_CC) {
		snprintf(name, sizeof name, "%s_carry_%s", sub ? "subc" : "addc", plain_type(t));
		low_emit(l, name, carry, a, b, cin);
	}
	snprintf(name, sizeof name, "%s_%s", sub ? "subc" : "addc", plain_type(t));
	low_emit(l, name, d.reg, a, b, cin);
	low_done(l, &d);
	if (i->flags & FL_CC)
		low_emit(l, "mov32", l->carry, carry, 0, 0);
	return l->e->code;
}

/* ---- predicates and comparisons ---------------------------------------------------------------
 */

/* d = x op y, also where d is one of them: the sanitizer wants to see both after. */
static void combine(struct low *l, const char *how, uint32_t d, uint32_t x, uint32_t y)
{
	uint32_t t = d == x || d == y ? low_alloc(l, 1) : d;
	struct emu_op *o = low_emit(l, how, t, x, y, 0);
	if (o)
		o->flow = how[1] == 'a' ? FLOW_PAND : how[1] == 'o' ? FLOW_POR : FLOW_OR;
	if (t != d)
		low_emit(l, "pmov", d, t, 0, 0);
}
static const char *bop_name(int bop)
{
	return bop == MOD_AND ? "pand" : bop == MOD_OR ? "por" : "pxor";
}
/* The comparison of two registers that hold values of type t. */
static void compare(struct low *l, const struct ir_insn *i, enum ir_ty t, uint32_t d, uint32_t a,
                    uint32_t b)
{
	struct name k = {.n = 0};
	const char *c = ir_mod_text((enum ir_mod)i->cmp), *ty;
	bool eq = i->cmp == MOD_EQ || i->cmp == MOD_NE;
	if (is_float(t)) {
		t = t == TY_F16X2 ? TY_F16 : t == TY_BF16X2 ? TY_BF16 : t;
		ty = ir_ty_text(t);
	} else {
		c = i->cmp == MOD_LO   ? "lt"
		    : i->cmp == MOD_LS ? "le"
		    : i->cmp == MOD_HI ? "gt"
		    : i->cmp == MOD_HS ? "ge"
		                       : c;
		ty = eq ? plain_type(t) : unsigned_type(t);
	}
	part(&k, "cmp");
	part(&k, c);
	if (is_float(t))
		flag(&k, i, FL_FTZ, "ftz");
	part(&k, ty);
	low_emit(l, k.s, d, a, b, 0);
}
static bool paired(enum ir_ty t)
{
	return t == TY_F16X2 || t == TY_BF16X2;
}
/* setp and set: the truth of (a cmp b) bop c, in a fresh predicate. half: of the pair, or 0. */
static uint32_t truth(struct low *l, const struct ir_insn *i, enum ir_ty t, int half,
                      bool complement)
{
	uint32_t a = source(l, &i->src[0], t), b = source(l, &i->src[1], t), p = low_alloc(l, 1), u;
	if (half) {
		uint32_t x = low_alloc(l, 32), y = low_alloc(l, 32);
		low_emit(l, "high16", x, a, 0, 0);
		low_emit(l, "high16", y, b, 0, 0);
		a = x, b = y;
	}
	compare(l, i, t, p, a, b);
	if (complement) {
		u = low_alloc(l, 1);
		low_emit(l, "pnot", u, p, 0, 0);
		p = u;
	}
	if (i->bop != MOD_NONE) {
		u = low_alloc(l, 1);
		combine(l, bop_name(i->bop), u, p, low_pred(l, &i->src[2]));
		p = u;
	}
	return p;
}
static enum st setp(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	bool simple = i->bop == MOD_NONE && i->d.kind == OPND_REG && i->d2.kind != OPND_REG;
	if (simple) {
		uint32_t a = source(l, &i->src[0], t), b = source(l, &i->src[1], t);
		compare(l, i, t, low_reg(l, i->d.reg), a, b);
		return l->e->code;
	}
	uint32_t p = truth(l, i, t, 0, false);
	uint32_t q = i->d2.kind == OPND_REG ? truth(l, i, t, paired(t), !paired(t)) : 0;
	if (i->d.kind == OPND_REG)
		low_emit(l, "pmov", low_reg(l, i->d.reg), p, 0, 0);
	if (q)
		low_emit(l, "pmov", low_reg(l, i->d2.reg), q, 0, 0);
	return l->e->code;
}
/* What set writes for true. */
static uint32_t set_true(enum ir_ty t)
{
	switch (t) {
	case TY_F32:
		return 0x3f800000;
	case TY_F16:
		return 0x3c00;
	case TY_BF16:
		return 0x3f80;
	case TY_F16X2:
		return 0x3c003c00;
	case TY_BF16X2:
		return 0x3f803f80;
	case TY_U16:
	case TY_S16:
		return 0xffff;
	default:
		return 0xffffffff;
	}
}
static enum st set(struct low *l, const struct ir_insn *i)
{
	enum ir_ty dt = (enum ir_ty)i->ty[0], st = (enum ir_ty)i->ty[1];
	struct low_dest d = low_dest(l, &i->d, 32, is_signed(dt));
	uint32_t yes = set_true(dt), p = truth(l, i, st, 0, false);
	struct emu_op *o;
	if (!paired(st)) {
		o = low_emit(l, "selp32", d.reg, low_const(l, yes, 32), l->zero, p);
		if (o)
			o->flow = FLOW_SELP;
	} else {
		uint32_t q = truth(l, i, st, 1, false), lo = low_alloc(l, 32),
		         hi = low_alloc(l, 32);
		uint32_t one = low_const(l, yes & 0xffff, 32);
		low_emit(l, "selp32", lo, one, l->zero, p);
		low_emit(l, "selp32", hi, one, l->zero, q);
		low_emit(l, "pack16", d.reg, lo, hi, 0);
	}
	low_done(l, &d);
	return l->e->code;
}
static enum st selp(struct low *l, const struct ir_insn *i)
{
	int bits = bits_of((enum ir_ty)i->ty[0]);
	const struct ir_opnd *c = &i->src[2];
	uint32_t a = low_src(l, &i->src[c->neg ? 1 : 0], bits);
	uint32_t b = low_src(l, &i->src[c->neg ? 0 : 1], bits);
	struct ir_opnd p = *c;
	p.neg = false;
	struct low_dest d = low_dest(l, &i->d, bits, false);
	struct emu_op *o =
	        low_emit(l, bits == 64 ? "selp64" : "selp32", d.reg, a, b, low_pred(l, &p));
	if (o)
		o->flow = FLOW_SELP;
	low_done(l, &d);
	return l->e->code;
}
static enum st slct(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	int bits = bits_of((enum ir_ty)i->ty[0]);
	part(&k, "slct");
	flag(&k, i, FL_FTZ, "ftz");
	part(&k, ir_ty_text((enum ir_ty)i->ty[1]));
	part(&k, bits == 64 ? "b64" : "b32");
	operation(l, k.s, i, bits, TY_B32);
	return l->e->code;
}
static enum st testp(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	part(&k, "testp");
	part(&k, ir_mod_text((enum ir_mod)i->sub));
	part(&k, ir_ty_text(t));
	if (i->d.kind == OPND_REG)
		low_emit(l, k.s, low_reg(l, i->d.reg), low_src(l, &i->src[0], bits_of(t)), 0, 0);
	return l->e->code;
}

/* ---- logic ------------------------------------------------------------------------------------
 */

static enum st logic(struct low *l, const struct ir_insn *i)
{
	struct name k = {.n = 0};
	enum ir_ty t = (enum ir_ty)i->ty[0];
	if (t == TY_PRED) {
		const char *how = i->op == OP_AND ? "pand" : i->op == OP_OR ? "por" : "pxor";
		if (i->d.kind != OPND_REG)
			return ST_OK;
		uint32_t d = low_reg(l, i->d.reg), a = low_pred(l, &i->src[0]);
		if (i->op == OP_NOT)
			low_emit(l, "pnot", d, a, 0, 0);
		else
			combine(l, how, d, a, low_pred(l, &i->src[1]));
		return l->e->code;
	}
	part(&k, ir_op_text((enum ir_op)i->op));
	bool not16 = i->op == OP_NOT && ir_ty_bits(t) == 16;
	part(&k, bits_of(t) == 64 ? "b64" : not16 ? "b16" : "b32");
	operation(l, k.s, i, bits_of(t), t);
	return l->e->code;
}
/* lop3: the table is an immediate; lop3.and and lop3.or also give (d != 0) op q. */
static enum st lop3(struct low *l, const struct ir_insn *i)
{
	uint32_t a = low_src(l, &i->src[0], 32), b = low_src(l, &i->src[1], 32),
	         c = low_src(l, &i->src[2], 32);
	int how = i->bop != MOD_NONE ? i->bop : i->sub;
	uint32_t q = how != MOD_NONE ? low_pred(l, &i->src[4]) : 0;
	struct low_dest d = low_dest(l, &i->d, 32, false);
	struct emu_op *o = low_emit(l, "lop3_b32", d.reg, a, b, c);
	if (o)
		o->imm = (int64_t)(i->src[3].imm & 255);
	if (how != MOD_NONE && i->d2.kind == OPND_REG) {
		uint32_t t = low_alloc(l, 1);
		low_emit(l, "cmp_ne_b32", t, d.reg, l->zero, 0);
		combine(l, bop_name(how), low_reg(l, i->d2.reg), t, q);
	}
	low_done(l, &d);
	return l->e->code;
}

/* ---- conversion -------------------------------------------------------------------------------
 */

/* An integer type of 32 or 64 bits that holds t. */
static const char *word_type(enum ir_ty t)
{
	bool s = is_signed(t);
	return ir_ty_bits(t) == 64 ? (s ? "s64" : "u64") : s ? "s32" : "u32";
}
static enum st cvt_int(struct low *l, const struct ir_insn *i, enum ir_ty dt, enum ir_ty st)
{
	struct name k = {.n = 0};
	part(&k, "cvt");
	flag(&k, i, FL_SAT, "sat");
	part(&k, ir_ty_text(dt));
	part(&k, ir_ty_text(st));
	uint32_t a = low_src(l, &i->src[0], bits_of(st));
	struct low_dest d = low_dest(l, &i->d, bits_of(dt), is_signed(dt));
	struct emu_op *o = low_emit(l, k.s, d.reg, a, 0, 0);
	if (o && !(i->flags & FL_SAT) && ir_ty_bits(st) == 32)
		o->flow = ir_ty_bits(dt) == 32   ? FLOW_MOVE
		          : ir_ty_bits(dt) != 64 ? FLOW_OR
		          : is_signed(st)        ? FLOW_SEXT
		                                 : FLOW_ZEXT;
	else if (o && ir_ty_bits(st) == 64 && ir_ty_bits(dt) == 64)
		o->flow = FLOW_MOVE;
	low_done(l, &d);
	return l->e->code;
}
static enum st cvt_to_float(struct low *l, const struct ir_insn *i, enum ir_ty dt, enum ir_ty st)
{
	struct name k = {.n = 0};
	uint32_t a = low_src(l, &i->src[0], bits_of(st)), t;
	char narrow[32];
	if (ir_ty_bits(st) < 32) { /* first to 32 bits */
		t = low_alloc(l, 32);
		snprintf(narrow, sizeof narrow, "cvt_%s_%s", word_type(st), ir_ty_text(st));
		low_emit(l, narrow, t, a, 0, 0);
		a = t;
	}
	part(&k, "cvt");
	part(&k, i->rnd != MOD_NONE ? ir_mod_text((enum ir_mod)i->rnd) : "rn");
	part(&k, ir_ty_text(dt));
	part(&k, word_type(st));
	struct low_dest d = low_dest(l, &i->d, bits_of(dt), false);
	struct emu_op *o = low_emit(l, k.s, d.reg, a, 0, 0);
	if (o)
		o->post = (uint8_t)post_of(dt);
	if (i->flags & FL_SAT) {
		k.n = 0;
		part(&k, dt == TY_F16 || dt == TY_BF16 ? "sat" : "cvt_sat");
		part(&k, ir_ty_text(dt));
		if (dt == TY_F32 || dt == TY_F64)
			part(&k, ir_ty_text(dt));
		low_emit(l, k.s, d.reg, d.reg, 0, 0);
	}
	low_done(l, &d);
	return l->e->code;
}
static enum st cvt_to_int(struct low *l, const struct ir_insn *i, enum ir_ty dt, enum ir_ty st)
{
	struct name k = {.n = 0};
	part(&k, "cvt");
	part(&k, ir_mod_text((enum ir_mod)i->rnd));
	if (st == TY_F32)
		flag(&k, i, FL_FTZ, "ftz");
	part(&k, ir_ty_text(dt));
	part(&k, ir_ty_text(st));
	uint32_t a = low_src(l, &i->src[0], bits_of(st));
	struct low_dest d = low_dest(l, &i->d, bits_of(dt), is_signed(dt));
	low_emit(l, k.s, d.reg, a, 0, 0);
	low_done(l, &d);
	return l->e->code;
}
static enum st cvt_float(struct low *l, const struct ir_insn *i, enum ir_ty dt, enum ir_ty st)
{
	struct name k = {.n = 0};
	bool bytes = dt == TY_E4M3X2 || dt == TY_E5M2X2;
	part(&k, "cvt");
	if (i->rnd != MOD_NONE)
		part(&k, ir_mod_text((enum ir_mod)i->rnd));
	flag(&k, i, FL_FTZ, "ftz");
	flag(&k, i, FL_SAT, "sat");
	flag(&k, i, FL_RELU, "relu");
	if (!bytes)
		flag(&k, i, FL_SATFINITE, "satfinite");
	part(&k, ir_ty_text(dt));
	part(&k, ir_ty_text(st));
	uint32_t a = low_src(l, &i->src[0], bits_of(st));
	uint32_t b = i->nsrc > 1 ? low_src(l, &i->src[1], bits_of(st)) : 0;
	struct low_dest d = low_dest(l, &i->d, bits_of(dt), false);
	struct emu_op *o = low_emit(l, k.s, d.reg, a, b, 0);
	if (o) {
		o->post = (uint8_t)post_of(dt);
		o->size = (uint8_t)post_of(st);
	}
	low_done(l, &d);
	return l->e->code;
}
static enum st cvt(struct low *l, const struct ir_insn *i)
{
	enum ir_ty dt = (enum ir_ty)i->ty[0], st = (enum ir_ty)i->ty[1];
	if (is_float(dt))
		return is_float(st) ? cvt_float(l, i, dt, st) : cvt_to_float(l, i, dt, st);
	return is_float(st) ? cvt_to_int(l, i, dt, st) : cvt_int(l, i, dt, st);
}

/* ---- all --------------------------------------------------------------------------------------
 */

enum st low_alu(struct low *l, const struct ir_insn *i)
{
	bool f = is_float((enum ir_ty)i->ty[0]);
	switch (i->op) {
	case OP_ADD:
	case OP_SUB:
		return f ? float_op(l, i) : i->flags & FL_CC ? with_carry(l, i) : add_sub(l, i);
	case OP_MUL:
		return f ? float_op(l, i) : mul_mad(l, i);
	case OP_MAD:
		return f ? float_op(l, i) : i->flags & FL_CC ? with_carry(l, i) : mul_mad(l, i);
	case OP_DIV:
		return f ? float_op(l, i) : div_rem(l, i);
	case OP_ABS:
	case OP_NEG:
	case OP_MIN:
	case OP_MAX:
		return f ? float_op(l, i) : typed(l, i);
	case OP_FMA:
	case OP_RCP:
	case OP_SQRT:
	case OP_RSQRT:
	case OP_SIN:
	case OP_COS:
	case OP_LG2:
	case OP_EX2:
	case OP_TANH:
	case OP_COPYSIGN:
		return float_op(l, i);
	case OP_REM:
		return div_rem(l, i);
	case OP_MUL24:
	case OP_MAD24:
		return mul_mad(l, i);
	case OP_ADDC:
	case OP_SUBC:
	case OP_MADC:
		return with_carry(l, i);
	case OP_SAD:
	case OP_BREV:
	case OP_BFE:
	case OP_BFI:
	case OP_BMSK:
	case OP_SZEXT:
	case OP_FNS:
		return typed(l, i);
	case OP_POPC:
	case OP_CLZ:
	case OP_BFIND:
		return counting(l, i);
	case OP_SHL:
	case OP_SHR:
	case OP_SHF:
		return shift(l, i);
	case OP_DP2A:
	case OP_DP4A:
		return dot(l, i);
	case OP_PRMT:
		return permute(l, i);
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_NOT:
	case OP_CNOT:
		return logic(l, i);
	case OP_LOP3:
		return lop3(l, i);
	case OP_SETP:
		return setp(l, i);
	case OP_SET:
		return set(l, i);
	case OP_SELP:
		return selp(l, i);
	case OP_SLCT:
		return slct(l, i);
	case OP_TESTP:
		return testp(l, i);
	case OP_CVT:
		return cvt(l, i);
	default:
		return low_fail(l, "the emulator does not execute this instruction");
	}
}

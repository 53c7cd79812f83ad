/* check.c - fits the operands written to an instruction's form: kinds, types, widths, immediates.
 *
 * The rules are those of the PTX ISA ("Operand Type Checking", tables of relaxed type-checking rules),
 * with what it leaves open decided as ptxas 13.0 for sm_90 does (tried one by one; tests/ptx/data). */
#include "ptx/parse.h"

#include <string.h>

struct checker {
	struct parser *p;
	struct ir_insn *i;
	size_t end; /* where the operands end, for messages about missing ones */
};

#define FAIL_HERE(c, where, ...) FAIL_POS((c)->p, INPUT, (where), __VA_ARGS__)

/* ---- types ------------------------------------------------------------------------------------ */

/* Half and packed types take only untyped registers or their own. */
static bool is_narrow_float(enum ir_ty t)
{
	return t == TY_F16 || t == TY_F16X2 || t == TY_BF16 || t == TY_BF16X2 || t == TY_U16X2 ||
	       t == TY_S16X2;
}

static bool is_int(enum ir_class c)
{
	return c == CL_U || c == CL_S;
}

/* May a register declared `reg` stand where the instruction wants t, of the same width? */
static bool same_width_fits(enum ir_ty reg, enum ir_ty t)
{
	enum ir_class r = ir_ty_class(reg), c = ir_ty_class(t);

	if (reg == t || r == CL_B || c == CL_B)
		return true;
	return is_int(r) && is_int(c) && !is_narrow_float(t);
}

static bool fits(enum ir_ty reg, enum ir_ty t, bool relaxed)
{
	int rb = ir_ty_bits(reg), tb = ir_ty_bits(t);
	enum ir_class r = ir_ty_class(reg), c = ir_ty_class(t);

	if (reg == TY_PRED || t == TY_PRED)
		return reg == t;
	if (rb == tb)
		return same_width_fits(reg, t);
	if (!relaxed || rb < tb)
		return false;
	return r == CL_B || c == CL_B || (is_int(r) && is_int(c));
}

static enum ir_ty wide(enum ir_ty t)
{
	switch (t) {
	case TY_U16: return TY_U32;
	case TY_S16: return TY_S32;
	case TY_U32: return TY_U64;
	default: return TY_S64;
	}
}

/* The type that a pattern's ":…" names. */
static enum ir_ty pattern_type(const struct ir_insn *i, const char *s, size_t len)
{
	if (len < 2)
		return (enum ir_ty)i->ty[0];
	if (s[2] == 'w')
		return wide((enum ir_ty)i->ty[0]);
	if (s[2] >= '0' && s[2] <= '2')
		return (enum ir_ty)i->ty[s[2] - '0'];
	return isa_find_type(s + 2, len - 2);
}

static const char *insn_text(struct checker *c)
{
	struct buf b = { 0 };
	const char *s;

	isa_form_text(c->i->form, c->i->choice, &b);
	s = arena_strndup(c->p->a, b.s, b.len);
	buf_free(&b);
	return s;
}

/* ---- single operands -------------------------------------------------------------------------- */

static enum st check_reg(struct checker *c, const struct ir_opnd *o, enum ir_ty t, bool relaxed,
                         size_t pos)
{
	const struct ir_reg *r = &c->p->reg.v[o->reg];

	if (fits(r->ty, t, relaxed))
		return ST_OK;
	return FAIL_HERE(c, pos, "'%s' is a .%s register; '%s' needs .%s here", r->name,
	                 ir_ty_text(r->ty), insn_text(c), ir_ty_text(t));
}

/* Untyped operands take a float written in their own width, as LLVM writes it: mov.b32 %r1, 0f3F800000. */
static bool is_bits_of(enum tok_kind lit, enum ir_ty t)
{
	return (t == TY_B32 && lit == T_F32) || (t == TY_B64 && lit == T_F64);
}

static enum st check_imm(struct checker *c, struct ir_opnd *o, enum tok_kind lit, enum ir_ty t,
                         size_t pos)
{
	int bits = ir_ty_bits(t);

	if (t == TY_F32 || t == TY_F64) {
		if (lit == T_INT)
			return FAIL_HERE(c, pos, "'%s' needs a floating-point constant here",
			                 insn_text(c));
		o->imm = literal_bits(lit, o->imm, t);
		return ST_OK;
	}
	if (ir_ty_class(t) == CL_F || is_narrow_float(t))
		return FAIL_HERE(c, pos, "'%s' takes no constant here: move it to a register first",
		                 insn_text(c));
	if (lit != T_INT && !is_bits_of(lit, t))
		return FAIL_HERE(c, pos, "'%s' needs an integer here", insn_text(c));
	if (t == TY_PRED)
		o->imm = o->imm != 0;
	else if (bits < 64)
		o->imm &= ((uint64_t)1 << bits) - 1;
	return ST_OK;
}

static enum st check_source(struct checker *c, struct operand *o, enum ir_ty t, bool relaxed)
{
	if (o->second.kind != OPND_NONE)
		return FAIL_HERE(c, o->pos, "'|' joins destinations only");
	switch (o->o.kind) {
	case OPND_REG:
		if (o->o.neg)
			return FAIL_HERE(c, o->pos, "only a predicate can be negated with '!'");
		return check_reg(c, &o->o, t, relaxed, o->pos);
	case OPND_IMM:
		return check_imm(c, &o->o, o->lit, t, o->pos);
	case OPND_SREG:
		if (c->i->op == OP_CVT && is_int(ir_ty_class((enum ir_ty)c->i->ty[0])) &&
		    ir_ty_bits(t) == ir_ty_bits(ir_sreg_type((enum ir_sreg)o->o.reg)) &&
		    is_int(ir_ty_class(t)))
			return ST_OK;
		return FAIL_HERE(c, o->pos, "'%s' does not read special registers: mov it first",
		                 insn_text(c));
	case OPND_VAR:
		if (c->i->op == OP_CVTA)
			return ST_OK;
		return FAIL_HERE(c, o->pos, "'%s' takes no address: mov it to a register first",
		                 insn_text(c));
	case OPND_FUNC:
		if (c->p->loose && c->i->op == OP_MOV)
			return ST_OK;
		return FAIL_POS(c->p, UNSUP, o->pos, "the address of a function is not supported yet");
	default:
		return FAIL_HERE(c, o->pos, "'%s' needs a register%s here", insn_text(c),
		                 ir_ty_class(t) == CL_F ? "" : " or an integer");
	}
}

static enum st check_dest(struct checker *c, const struct operand *o, enum ir_ty t, bool relaxed)
{
	if (o->o.kind == OPND_SINK) {
		if (c->i->op == OP_ATOM || c->i->op == OP_SETP)
			return ST_OK;
		return FAIL_HERE(c, o->pos, "the result of '%s' cannot be discarded with '_'",
		                 insn_text(c));
	}
	if (o->o.kind != OPND_REG || o->o.neg)
		return FAIL_HERE(c, o->pos, "'%s' needs a register for its result", insn_text(c));
	return check_reg(c, &o->o, t, relaxed, o->pos);
}

/* d, or d|p, or p|q. need: the second must be there. */
static enum st check_pair(struct checker *c, struct operand *o, enum ir_ty t, bool need)
{
	struct operand q = { .o = o->second, .pos = o->pos };

	TRY(check_dest(c, o, t, false));
	if (q.o.kind == OPND_NONE && need)
		return FAIL_HERE(c, o->pos, "'%s' needs two predicates, p|q", insn_text(c));
	if (q.o.kind != OPND_NONE && q.o.kind != OPND_SINK)
		TRY(check_dest(c, &q, TY_PRED, false));
	c->i->d = o->o;
	c->i->d2 = o->second;
	return ST_OK;
}

static enum st check_pred(struct checker *c, struct operand *o)
{
	bool sreg = o->o.kind == OPND_SREG && c->i->op == OP_MOV &&
	            ir_sreg_type((enum ir_sreg)o->o.reg) == TY_PRED;

	if (o->second.kind != OPND_NONE)
		return FAIL_HERE(c, o->pos, "'|' joins destinations only");
	if (sreg)
		return ST_OK;
	if (o->o.kind == OPND_IMM)
		return check_imm(c, &o->o, o->lit, TY_PRED, o->pos);
	if (o->o.kind != OPND_REG)
		return FAIL_HERE(c, o->pos, "'%s' needs a predicate here", insn_text(c));
	return check_reg(c, &o->o, TY_PRED, false, o->pos);
}

/* ---- vectors ---------------------------------------------------------------------------------- */

static enum st check_elements(struct checker *c, struct operand *o, enum ir_ty t, bool dest,
                              bool relaxed)
{
	for (int k = 0; k < o->o.n; k++) {
		struct ir_opnd *e = &o->o.elem[k];
		struct operand one = { .o = *e, .lit = (enum tok_kind)e->n, .pos = o->pos };

		if (e->kind == OPND_SINK && dest)
			continue;
		if (dest)
			TRY(check_dest(c, &one, t, relaxed));
		else
			TRY(check_source(c, &one, t, relaxed));
		*e = one.o;
		e->n = 0;
	}
	return ST_OK;
}

/* The data of ld, st and vector atomics: a register or a vector of the form's length. */
static enum st check_data(struct checker *c, struct operand *o, enum ir_ty t, bool dest)
{
	int vec = c->i->vec, n = o->o.kind == OPND_VEC ? o->o.n : 1;

	if (n != vec)
		return FAIL_HERE(c, o->pos, "'%s' needs %d element%s here, not %d", insn_text(c), vec,
		                 vec == 1 ? "" : "s", n);
	if (o->o.kind == OPND_VEC) {
		TRY(check_elements(c, o, t, dest, true));
		if (n == 1)
			o->o = o->o.elem[0]; /* {%r1}: what Triton writes for %r1 */
	} else if (dest) {
		TRY(check_dest(c, o, t, true));
	} else {
		TRY(check_source(c, o, t, true));
	}
	if (n == 1 && o->o.kind == OPND_SINK)
		return FAIL_HERE(c, o->pos, "'%s' with nothing but a sink", insn_text(c));
	return ST_OK;
}

/* ---- addresses -------------------------------------------------------------------------------- */

static const struct ir_var *var_of(const struct parser *p, int index)
{
	return index >= IR_LOCAL_VAR ? &p->var.v[index - IR_LOCAL_VAR] : &p->gvar.v[index];
}

static bool is_header_param(const struct parser *p, int index)
{
	return index >= IR_LOCAL_VAR && index - IR_LOCAL_VAR < p->f->nret + p->f->nparam;
}

/* [variable + n]: the space must agree; without one the variable's is taken. */
static enum st check_address_var(struct checker *c, const struct operand *o)
{
	struct parser *p = c->p;
	const struct ir_var *v = var_of(p, o->o.var);
	bool own = is_header_param(p, o->o.var);
	uint64_t bytes = (uint64_t)ir_ty_bytes((enum ir_ty)c->i->ty[0]) * c->i->vec;
	uint64_t frame;

	if (c->i->space == MOD_NONE)
		c->i->space = (uint8_t)v->space;
	if (c->i->space != v->space)
		return FAIL_HERE(c, o->pos, "'%s' is in .%s memory, the instruction says .%s", v->name,
		                 ir_mod_text(v->space), ir_mod_text((enum ir_mod)c->i->space));
	if (v->space != MOD_PARAM)
		return ST_OK;
	if (own && c->i->op == OP_ST && (p->f->entry || o->o.var - IR_LOCAL_VAR >= p->f->nret))
		return FAIL_HERE(c, o->pos, "parameter '%s' cannot be written", v->name);
	frame = p->f->entry && own ? p->f->param_bytes : p->f->call_bytes;
	if (o->o.off < -(int64_t)v->offset || v->offset + (uint64_t)o->o.off + bytes > frame)
		return FAIL_HERE(c, o->pos, "this is outside the parameters");
	return ST_OK;
}

static enum st check_address(struct checker *c, const struct operand *o)
{
	enum ir_mod space = (enum ir_mod)c->i->space;
	const struct ir_reg *r;

	if (o->o.kind != OPND_ADDR)
		return FAIL_HERE(c, o->pos, "'%s' needs an [address] here", insn_text(c));
	if (o->o.var >= 0)
		return check_address_var(c, o);
	if (o->o.reg < 0)
		return FAIL_HERE(c, o->pos, "an absolute address: no variable lives at a known place");
	r = &c->p->reg.v[o->o.reg];
	if (ir_ty_class(r->ty) == CL_F || ir_ty_class(r->ty) == CL_PRED || r->bits < 32)
		return FAIL_HERE(c, o->pos, "'%s' is a .%s register: an address is an integer of 64 bits",
		                 r->name, ir_ty_text(r->ty));
	if (r->bits == 32 && (space == MOD_NONE || space == MOD_GLOBAL))
		return FAIL_HERE(c, o->pos, "'%s' has 32 bits: a %s address has 64", r->name,
		                 space == MOD_NONE ? "generic" : "global");
	return ST_OK;
}

/* ---- mov -------------------------------------------------------------------------------------- */

/* The common width of the elements of mov's { }, 0 when they differ. */
static int element_bits(const struct checker *c, const struct ir_opnd *v)
{
	int bits = 0, total = ir_ty_bits((enum ir_ty)c->i->ty[0]);

	for (int k = 0; k < v->n; k++) {
		int b = v->elem[k].kind == OPND_REG ? c->p->reg.v[v->elem[k].reg].bits
		                                    : total / v->n;

		if (bits != 0 && b != bits)
			return 0;
		bits = b;
	}
	return bits;
}

/* { } of mov: the pieces make up the whole. */
static enum st check_pieces(struct checker *c, struct operand *o, bool dest)
{
	static const enum ir_ty by_bits[] = { TY_B8, TY_B16, TY_B32, TY_B64 };
	int bits = element_bits(c, &o->o), total = ir_ty_bits((enum ir_ty)c->i->ty[0]), k = 0;

	if (ir_ty_class((enum ir_ty)c->i->ty[0]) != CL_B)
		return FAIL_HERE(c, o->pos, "only mov.b16, mov.b32 and mov.b64 take { }");
	if (bits < 8 || bits * o->o.n != total)
		return FAIL_HERE(c, o->pos, "the elements do not make up %d bits", total);
	while (8 << k != bits)
		k++;
	return check_elements(c, o, by_bits[k], dest, false);
}

static enum st check_mov_source(struct checker *c, struct operand *s)
{
	enum ir_ty t = (enum ir_ty)c->i->ty[0], st;
	int bits = ir_ty_bits(t);
	const struct ir_var *v;

	if (s->o.kind == OPND_VEC)
		return check_pieces(c, s, false);
	if (s->o.kind == OPND_SREG) {
		st = ir_sreg_type((enum ir_sreg)s->o.reg);
		if (ir_ty_class(t) == CL_F || st == TY_PRED ||
		    (bits != ir_ty_bits(st) && !(bits == 16 && ir_ty_bits(st) == 32)))
			return FAIL_HERE(c, s->pos, "'%s' is .%s; '%s' does not fit",
			                 ir_sreg_text((enum ir_sreg)s->o.reg), ir_ty_text(st),
			                 insn_text(c));
		return ST_OK;
	}
	if (s->o.kind != OPND_VAR)
		return check_source(c, s, t, false);
	v = var_of(c->p, s->o.var);
	if (ir_ty_class(t) == CL_F || bits < 32)
		return FAIL_HERE(c, s->pos, "an address does not fit '%s'", insn_text(c));
	if (bits == 32 && v->space == MOD_GLOBAL)
		return FAIL_HERE(c, s->pos, "the address of '%s' has 64 bits", v->name);
	return ST_OK;
}

static enum st check_mov(struct checker *c, struct operand *o, int n)
{
	if (n != 2)
		return FAIL_HERE(c, c->end, "'%s' needs 2 operands, not %d", insn_text(c), n);
	if (o[0].second.kind != OPND_NONE || o[1].second.kind != OPND_NONE)
		return FAIL_HERE(c, o[0].pos, "mov has a single destination");
	if (o[0].o.kind == OPND_VEC)
		TRY(check_pieces(c, &o[0], true));
	else
		TRY(check_dest(c, &o[0], (enum ir_ty)c->i->ty[0], false));
	TRY(check_mov_source(c, &o[1]));
	if (o[0].o.kind == OPND_VEC && o[1].o.kind != OPND_REG)
		return FAIL_HERE(c, o[1].pos, "a register is taken apart here, nothing else can be");
	c->i->d = o[0].o;
	c->i->src[0] = o[1].o;
	c->i->nsrc = 1;
	return ST_OK;
}

/* ---- the pattern ------------------------------------------------------------------------------ */

/* One operand of the pattern s; dest says which kinds are destinations. */
static enum st check_one(struct checker *c, struct operand *o, const char *s, size_t len)
{
	enum ir_ty t = pattern_type(c->i, s, len);
	struct ir_opnd *src = &c->i->src[c->i->nsrc];

	switch (s[0]) {
	case 'P': return check_pair(c, o, TY_PRED, false);
	case 'Q': return check_pair(c, o, TY_PRED, true);
	case 'D': return check_pair(c, o, t, false);
	case 'd':
	case 'b':
		if (o->second.kind != OPND_NONE)
			return FAIL_HERE(c, o->pos, "'%s' has a single destination", insn_text(c));
		TRY(check_dest(c, o, s[0] == 'b' ? TY_PRED : t, false));
		c->i->d = o->o;
		return ST_OK;
	case 'y':
		if (o->second.kind != OPND_NONE)
			return FAIL_HERE(c, o->pos, "'%s' has a single destination", insn_text(c));
		TRY(check_data(c, o, t, true));
		c->i->d = o->o;
		return ST_OK;
	case 'x': TRY(check_data(c, o, t, false)); break;
	case 'a': TRY(check_source(c, o, t, false)); break;
	case 'r':
		if (o->o.kind != OPND_REG)
			return FAIL_HERE(c, o->pos, "'%s' needs a register here", insn_text(c));
		TRY(check_source(c, o, t, false));
		break;
	case 'p': TRY(check_pred(c, o)); break;
	case 'm': TRY(check_address(c, o)); break;
	case 'i':
		if (o->o.kind != OPND_IMM || o->lit != T_INT)
			return FAIL_HERE(c, o->pos, "'%s' needs a constant here", insn_text(c));
		o->o.imm &= 0xff;
		break;
	default: return check_source(c, o, TY_B64, false); /* h: a cache policy, dropped */
	}
	*src = o->o;
	c->i->nsrc++;
	return ST_OK;
}

/* How many operands the pattern needs, and how many more it can take. */
static void count_pattern(const char *p, bool hint, int *need, int *more)
{
	*need = *more = 0;
	for (; *p != 0; p += strcspn(p, ","), p += *p == ',') {
		if (p[0] != '?')
			(*need)++;
		else if (p[1] != 'h')
			(*more)++;
		else if (hint)
			(*need)++;
	}
}

/* bar.sync and relatives: constants that the hardware refuses. */
static enum st check_barrier(struct checker *c, const struct operand *o)
{
	const struct ir_opnd *id = &c->i->src[0], *count = &c->i->src[1];

	if (c->i->op != OP_BAR && c->i->op != OP_BARRIER)
		return ST_OK;
	if (id->kind == OPND_IMM && id->imm > 15)
		return FAIL_HERE(c, o[0].pos, "there are barriers 0 to 15, not %llu",
		                 (unsigned long long)id->imm);
	if (c->i->nsrc > 1 && count->kind == OPND_IMM && (count->imm % 32 != 0 || count->imm == 0))
		return FAIL_HERE(c, o[1].pos, "the number of threads must be a multiple of 32");
	return ST_OK;
}

static enum st check_pattern(struct checker *c, struct operand *o, int n, const char *pattern)
{
	int need, more, k = 0;

	count_pattern(pattern, c->i->hint, &need, &more);
	if (n < need || n > need + more)
		return FAIL_HERE(c, n < need ? c->end : o[need + more].pos,
		                 "'%s' needs %d operands, not %d", insn_text(c), need, n);
	for (const char *s = pattern; *s != 0;) {
		size_t len = strcspn(s, ",");
		bool hint = s[0] == '?' && s[1] == 'h';

		if (s[0] != '?' || (hint && c->i->hint))
			TRY(check_one(c, &o[k++], s + hint, len - hint));
		else if (!hint && n > need)
			TRY(check_one(c, &o[k++], s + 1, len - 1));
		else if (!hint)
			c->i->nsrc++; /* left out: NONE */
		s += len + (s[len] == ',');
	}
	return check_barrier(c, o);
}

static void no_operands(struct ir_insn *i)
{
	struct ir_opnd none = { .reg = -1, .var = -1 };

	i->d = i->d2 = none;
	for (int k = 0; k < IR_MAX_SRC; k++)
		i->src[k] = none;
}

enum st check_operands(struct parser *p, struct ir_insn *i, struct operand *o, int n, size_t end)
{
	struct checker c = { p, i, end };
	const char *pattern = isa_row(i->form)->operands;

	no_operands(i);
	if (pattern[0] == 'M')
		return check_mov(&c, o, n);
	if (pattern[0] == 'T')
		pattern = "a:u32";
	return check_pattern(&c, o, n, pattern);
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* One argument or return value o against the callee's variable v. */
static enum st check_passed(struct checker *c, struct ir_opnd *o, const struct ir_var *v, bool ret,
                            size_t pos)
{
	const struct ir_var *mine;
	struct operand one = { .o = *o, .lit = (enum tok_kind)o->n, .pos = pos };

	if (o->kind == OPND_SINK && ret)
		return ST_OK;
	if (o->kind == OPND_VAR) {
		mine = var_of(c->p, o->var);
		if (mine->space != MOD_PARAM || o->off != 0)
			return FAIL_HERE(c, pos, "'%s' is not a .param variable", mine->name);
		if (mine->bytes != v->bytes)
			return FAIL_HERE(c, pos, "'%s' has %llu bytes, the function's '%s' has %llu",
			                 mine->name, (unsigned long long)mine->bytes, v->name,
			                 (unsigned long long)v->bytes);
		return ST_OK;
	}
	if (v->bytes != (uint64_t)ir_ty_bytes(v->ty))
		return FAIL_HERE(c, pos, "'%s' is an array: pass a .param variable", v->name);
	if (ret)
		TRY(check_dest(c, &one, v->ty, false));
	else
		TRY(check_source(c, &one, v->ty, false));
	*o = one.o;
	o->n = 0;
	return ST_OK;
}

enum st check_call(struct parser *p, struct ir_insn *i, size_t pos)
{
	struct checker c = { p, i, pos };
	struct ir_call *k = i->call;
	const struct ir_func *f = &p->func.v[k->func];

	no_operands(i);
	if (f->entry)
		return FAIL_POS(p, UNSUP, pos, "'%s' is an entry: it cannot be called", f->name);
	if (k->nret != f->nret || k->narg != f->nparam)
		return FAIL_HERE(&c, pos, "'%s' has %d return values and %d parameters, not %d and %d",
		                 f->name, f->nret, f->nparam, k->nret, k->narg);
	for (int n = 0; n < k->nret; n++)
		TRY(check_passed(&c, &k->ret[n], &f->var[n], true, pos));
	for (int n = 0; n < k->narg; n++)
		TRY(check_passed(&c, &k->arg[n], &f->var[f->nret + n], false, pos));
	return ST_OK;
}

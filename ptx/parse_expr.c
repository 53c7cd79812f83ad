/* parse_expr.c - constant expressions (PTX ISA, "Constant Expressions") and initialisers. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

struct value {
	uint64_t v;
	bool uns;
};

static enum st expr(struct parser *p, int min, struct value *out);

static enum st enter(struct parser *p)
{
	if (++p->depth > MAX_DEPTH)
		return FAIL_TOK(p, &p->tok, "nested more than %d deep", MAX_DEPTH);
	return ST_OK;
}

static enum st primary(struct parser *p, struct value *out)
{
	if (p->tok.kind == T_INT) {
		*out = (struct value){ p->tok.val, p->tok.uns };
		return next(p);
	}
	if (at(p, "WARP_SZ")) {
		*out = (struct value){ 32, false };
		return next(p);
	}
	if (!at(p, "("))
		return fail_expected(p, "an integer");
	TRY(next(p));
	if (at(p, ".s64") || at(p, ".u64")) { /* a cast */
		bool uns = at(p, ".u64");

		TRY(next(p));
		TRY(expect(p, ")", "the cast"));
		TRY(expr(p, 100, out));
		out->uns = uns;
		return ST_OK;
	}
	TRY(expr(p, 0, out));
	return expect(p, ")", "the expression");
}

static enum st unary(struct parser *p, struct value *out)
{
	char c = p->tok.kind == T_PUNCT && p->tok.len == 1 ? p->lx.text[p->tok.pos] : 0;
	enum st rc;

	if (c != '-' && c != '+' && c != '~' && c != '!')
		return primary(p, out);
	TRY(enter(p));
	TRY(next(p));
	rc = unary(p, out);
	p->depth--;
	if (rc != ST_OK)
		return rc;
	if (c == '-')
		out->v = 0 - out->v;
	else if (c == '~')
		out->v = ~out->v;
	else if (c == '!')
		*out = (struct value){ out->v == 0, false };
	return ST_OK;
}

/* Binary operators by precedence, as in C. */
static const struct {
	char op[3];
	int prec;
} binary[] = {
	{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 }, { "&", 5 }, { "==", 6 }, { "!=", 6 },
	{ "<", 7 }, { "<=", 7 }, { ">", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 }, { "+", 9 },
	{ "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static int find_binary(const struct parser *p)
{
	if (p->tok.kind != T_PUNCT)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(binary); i++) {
		if (at(p, binary[i].op))
			return (int)i;
	}
	return -1;
}

static uint64_t divide(uint64_t a, uint64_t b, bool uns, bool remainder)
{
	if (uns)
		return remainder ? a % b : a / b;
	if ((int64_t)b == -1) /* INT64_MIN / -1 wraps */
		return remainder ? 0 : 0 - a;
	return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t n, bool uns)
{
	uint64_t fill = !uns && (int64_t)a < 0 ? UINT64_MAX : 0;

	if (n == 0)
		return a;
	return n > 63 ? fill : a >> n | fill << (64 - n);
}

static struct value combine(const char *op, struct value a, struct value b)
{
	bool uns = a.uns || b.uns;
	bool less = uns ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
	bool eq = a.v == b.v;
	uint64_t v = 0;

	switch (op[0] | op[1] << 8) {
	case '|' | '|' << 8: return (struct value){ a.v || b.v, false };
	case '&' | '&' << 8: return (struct value){ a.v && b.v, false };
	case '=' | '=' << 8: return (struct value){ eq, false };
	case '!' | '=' << 8: return (struct value){ !eq, false };
	case '<': return (struct value){ less, false };
	case '<' | '=' << 8: return (struct value){ less || eq, false };
	case '>': return (struct value){ !less && !eq, false };
	case '>' | '=' << 8: return (struct value){ !less, false };
	case '<' | '<' << 8: return (struct value){ b.v > 63 ? 0 : a.v << b.v, a.uns };
	case '>' | '>' << 8: return (struct value){ shift_right(a.v, b.v, a.uns), a.uns };
	case '|': v = a.v | b.v; break;
	case '^': v = a.v ^ b.v; break;
	case '&': v = a.v & b.v; break;
	case '+': v = a.v + b.v; break;
	case '-': v = a.v - b.v; break;
	case '*': v = a.v * b.v; break;
	case '/': v = divide(a.v, b.v, uns, false); break;
	case '%': v = divide(a.v, b.v, uns, true); break;
	}
	return (struct value){ v, uns };
}

static enum st binaries(struct parser *p, int min, struct value *out)
{
	TRY(unary(p, out));
	for (int i = find_binary(p); i >= 0 && binary[i].prec >= min; i = find_binary(p)) {
		struct token op = p->tok;
		struct value b;

		TRY(next(p));
		TRY(expr(p, binary[i].prec + 1, &b));
		if (binary[i].prec == 10 && binary[i].op[0] != '*' && b.v == 0)
			return FAIL_TOK(p, &op, "division by zero");
		*out = combine(binary[i].op, *out, b);
	}
	return ST_OK;
}

static enum st ternary(struct parser *p, struct value *out)
{
	struct value a, b;

	TRY(next(p));
	TRY(expr(p, 0, &a));
	TRY(expect(p, ":", "the first choice"));
	TRY(expr(p, 0, &b));
	*out = out->v ? a : b;
	return ST_OK;
}

/* Operators of precedence min and above; 100: a unary expression. */
static enum st expr(struct parser *p, int min, struct value *out)
{
	TRY(enter(p));
	TRY(binaries(p, min, out));
	if (min == 0 && at(p, "?"))
		TRY(ternary(p, out));
	p->depth--;
	return ST_OK;
}

enum st parse_int_expr(struct parser *p, uint64_t *v, bool *uns)
{
	struct value x = { 0, false };
	enum st rc = expr(p, 0, &x);

	*v = x.v;
	*uns = x.uns;
	return rc;
}

/* A positive number of at most max. */
enum st parse_count(struct parser *p, const char *what, uint64_t max, uint64_t *v)
{
	struct token t = p->tok;
	bool uns;

	TRY(parse_int_expr(p, v, &uns));
	if (*v == 0 || *v > max)
		return FAIL_TOK(p, &t, "%s must be 1 to %llu", what, (unsigned long long)max);
	return ST_OK;
}

/* ---- initialisers ----------------------------------------------------------------------------- */

struct init {
	struct ir_var *v;
	VEC(uint8_t) bytes;
	VEC(struct ir_reloc) reloc;
	int width;
};

static enum st put_bytes(struct parser *p, struct init *in, uint64_t bits, const struct token *t)
{
	if ((uint64_t)(in->bytes.n + in->width) > in->v->bytes)
		return FAIL_TOK(p, t, "more initial values than '%s' has room for (%llu bytes)",
		                in->v->name, (unsigned long long)in->v->bytes);
	for (int i = 0; i < in->width; i++)
		*VEC_ADD(in->bytes) = (uint8_t)(i < 8 ? bits >> (8 * i) : 0);
	return ST_OK;
}

/* The address of a variable: name, name + n, generic(name), generic(name) + n. */
static enum st init_address(struct parser *p, struct init *in)
{
	struct token t = p->tok;
	struct ir_reloc *r;
	struct symbol *s;
	uint64_t add = 0;
	bool uns, generic = at(p, "generic");

	if (generic) {
		TRY(next(p));
		TRY(expect(p, "(", "generic"));
		t = p->tok;
	}
	if (t.kind != T_ID)
		return fail_expected(p, "the name of a variable");
	s = sym_find(p, p->lx.text + t.pos, t.len, false);
	if (s == NULL)
		return fail_undeclared(p, &t);
	if (s->kind == SYM_FUNC && !p->loose)
		return FAIL_POS(p, UNSUP, t.pos, "the address of a function is not supported yet");
	if (s->kind != SYM_FUNC && (s->kind != SYM_VAR || s->index >= IR_LOCAL_VAR))
		return FAIL_TOK(p, &t, "only a module variable's address is a constant");
	TRY(next(p));
	if (generic)
		TRY(expect(p, ")", "the name"));
	if (at(p, "+") || at(p, "-"))
		TRY(parse_int_expr(p, &add, &uns)); /* + and - as signs */
	if (in->width < 4)
		return FAIL_TOK(p, &t, "an address needs elements of 4 or 8 bytes");
	if (s->kind == SYM_FUNC) /* nothing executes it */
		return put_bytes(p, in, 0, &t);
	r = VEC_ADD(in->reloc);
	*r = (struct ir_reloc){ (uint32_t)in->bytes.n, (uint32_t)in->width, s->index, (int64_t)add,
		                generic };
	return put_bytes(p, in, 0, &t);
}

/* The bits of a floating-point literal as an f32 or f64: 0f and decimals are taken in either, and
 * rounded to nearest where f32 is narrower (as ptxas does). */
uint64_t literal_bits(enum tok_kind lit, uint64_t val, enum ir_ty ty)
{
	double d;
	float f;
	uint32_t w = (uint32_t)val;
	uint64_t bits;

	if ((lit == T_F32) == (ty == TY_F32))
		return val;
	if (lit == T_F32) {
		memcpy(&f, &w, sizeof f);
		d = f;
		memcpy(&bits, &d, sizeof bits);
		return bits;
	}
	memcpy(&d, &val, sizeof d);
	f = (float)d;
	memcpy(&w, &f, sizeof w);
	return w;
}

static enum st init_float(struct parser *p, struct init *in, bool neg)
{
	struct token t = p->tok;
	uint64_t bits;

	if (in->v->ty != TY_F32 && in->v->ty != TY_F64)
		return FAIL_TOK(p, &t, "'%s' takes integers, this is a floating-point number",
		                in->v->name);
	bits = literal_bits(t.kind, t.val, in->v->ty);
	if (neg)
		bits ^= (uint64_t)1 << (8 * in->width - 1);
	TRY(next(p));
	return put_bytes(p, in, bits, &t);
}

static enum st init_number(struct parser *p, struct init *in)
{
	struct token t = p->tok;
	struct lexer back = p->lx;
	uint64_t bits;
	bool neg = at(p, "-"), uns;

	if (neg || at(p, "+"))
		TRY(next(p));
	if (p->tok.kind == T_F32 || p->tok.kind == T_F64)
		return init_float(p, in, neg);
	p->tok = t; /* the sign belongs to the expression */
	p->lx = back;
	TRY(parse_int_expr(p, &bits, &uns));
	if (ir_ty_class(in->v->ty) == CL_F)
		return FAIL_TOK(p, &t, "'%s' takes floating-point numbers, this is an integer",
		                in->v->name);
	return put_bytes(p, in, bits, &t);
}

/* Braces group elements; as in C, a group that is short leaves zeros only at the very end here: an
 * inner group must be complete (nvcc and Triton emit flat lists). */
static enum st init_list(struct parser *p, struct init *in)
{
	bool more = true;

	TRY(enter(p));
	TRY(next(p)); /* { */
	if (at(p, "}"))
		more = false;
	while (more) {
		if (at(p, "{"))
			TRY(init_list(p, in));
		else if (p->tok.kind == T_ID && !at(p, "WARP_SZ"))
			TRY(init_address(p, in));
		else
			TRY(init_number(p, in));
		TRY(accept(p, ",", &more));
	}
	p->depth--;
	return expect(p, "}", "the initial values");
}

enum st parse_initialiser(struct parser *p, struct ir_var *v)
{
	struct init in = { .v = v, .width = ir_ty_bytes(v->ty) };
	enum st rc;

	if (v->space != MOD_GLOBAL && v->space != MOD_CONST)
		return FAIL_TOK(p, &p->tok, "only .global and .const variables have initial values");
	if (at(p, "{"))
		rc = init_list(p, &in);
	else if (p->tok.kind == T_ID && !at(p, "WARP_SZ"))
		rc = init_address(p, &in);
	else
		rc = init_number(p, &in);
	if (rc == ST_OK) {
		v->ninit = (uint64_t)in.bytes.n;
		v->init = vec_keep(p, in.bytes.v, in.bytes.n, 1);
		v->nreloc = in.reloc.n;
		v->reloc = vec_keep(p, in.reloc.v, in.reloc.n, sizeof *in.reloc.v);
	}
	free(in.bytes.v);
	free(in.reloc.v);
	return rc;
}

/* expr.c - see expr.h for the grammar. One pass, no tree: the texts are short and evaluated rarely. */
#include "cases/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32

struct parser {
	const char *text, *where;
	size_t pos;
	const struct expr_env *env;
	bool check_only;
	int depth;
	struct err *e;
};

static enum st parse_or(struct parser *p, struct value *v);

static enum st fail_at(struct parser *p, size_t pos, const char *what)
{
	return FAIL_AT(p->e, INPUT, p->where, p->text, strlen(p->text), pos, "%s", what);
}

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->pos]))
		p->pos++;
}

static bool take(struct parser *p, const char *tok)
{
	size_t n = strlen(tok);

	skip_space(p);
	if (strncmp(p->text + p->pos, tok, n) != 0)
		return false;
	if (isalpha((unsigned char)tok[0]) &&
	    (isalnum((unsigned char)p->text[p->pos + n]) || p->text[p->pos + n] == '_'))
		return false;
	p->pos += n;
	return true;
}

static bool take_name(struct parser *p, char name[64])
{
	size_t n = 0;

	skip_space(p);
	if (!isalpha((unsigned char)p->text[p->pos]) && p->text[p->pos] != '_')
		return false;
	while (isalnum((unsigned char)p->text[p->pos + n]) || p->text[p->pos + n] == '_')
		n++;
	if (n >= 64)
		return false;
	memcpy(name, p->text + p->pos, n);
	name[n] = 0;
	p->pos += n;
	return true;
}

static struct value int_value(int64_t i)
{
	return (struct value){.i = i};
}

static double as_real(struct value v)
{
	return v.real ? v.d : (double)v.i;
}

static bool truth(struct value v)
{
	return v.real ? v.d != 0 : v.i != 0;
}

static enum st parse_number(struct parser *p, struct value *v)
{
	const char *s = p->text + p->pos;
	char *end;
	size_t digits = strspn(s, "0123456789");

	if (s[digits] == '.' || s[digits] == 'e' || s[digits] == 'E') {
		v->real = true;
		v->d = strtod(s, &end);
	} else {
		v->real = false;
		v->i = 0;
		for (size_t k = 0; k < digits; k++)
			if (__builtin_mul_overflow(v->i, 10, &v->i) ||
			    __builtin_add_overflow(v->i, s[k] - '0', &v->i))
				return fail_at(p, p->pos, "the number is too large");
		end = (char *)s + digits;
	}
	p->pos += (size_t)(end - s);
	return ST_OK;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* log2ceil(0) = log2ceil(1) = 0. */
static int64_t log2_ceil(int64_t a)
{
	return a <= 1 ? 0 : 64 - __builtin_clzll((uint64_t)a - 1);
}

/* The functions of integers: one or two arguments. */
static enum st apply_function(struct parser *p, size_t pos, const char *fn, struct value a,
                              struct value b, int nargs, struct value *v)
{
	bool two = strcmp(fn, "min") == 0 || strcmp(fn, "max") == 0 || strcmp(fn, "ceil") == 0;

	if (nargs != (two ? 2 : 1))
		return fail_at(p, pos, two ? "this function takes two arguments" :
		                             "this function takes one argument");
	if (a.real || b.real)
		return fail_at(p, pos, "this function takes integers");
	if (strcmp(fn, "min") == 0) {
		*v = int_value(a.i < b.i ? a.i : b.i);
	} else if (strcmp(fn, "max") == 0) {
		*v = int_value(a.i > b.i ? a.i : b.i);
	} else if (strcmp(fn, "ceil") == 0) {
		if (b.i <= 0 && !p->check_only)
			return fail_at(p, pos, "ceil(a, b) divides by b, which is not positive here");
		*v = int_value(b.i <= 0 ? 1 : -floor_div(-a.i, b.i));
	} else if (strcmp(fn, "log2ceil") == 0) {
		*v = int_value(log2_ceil(a.i));
	} else {
		*v = int_value((int64_t)1 << (log2_ceil(a.i) < 62 ? log2_ceil(a.i) : 62));
	}
	return ST_OK;
}

static enum st parse_call(struct parser *p, size_t pos, const char *fn, struct value *v)
{
	static const char *const plain[] = {"min", "max", "ceil", "log2ceil", "pow2ceil"};
	struct value a = {0}, b = {0};
	char arg[64];
	int nargs = 1;

	for (size_t k = 0; k < ARRAY_LEN(plain); k++) {
		if (strcmp(fn, plain[k]) != 0)
			continue;
		TRY(parse_or(p, &a));
		if (take(p, ",")) {
			TRY(parse_or(p, &b));
			nargs = 2;
		}
		if (!take(p, ")"))
			return fail_at(p, p->pos, "expected ')'");
		return apply_function(p, pos, fn, a, b, nargs, v);
	}
	if (!take_name(p, arg))
		return fail_at(p, p->pos, "expected the name of a tensor or option");
	if (take(p, ","))
		TRY(parse_or(p, &b));
	if (!take(p, ")"))
		return fail_at(p, p->pos, "expected ')'");
	if (p->env->call && p->env->call(p->env->ctx, fn, arg, b.i, v))
		return ST_OK;
	return fail_at(p, pos,
	               "unknown function or argument; known are min, max, ceil, log2ceil, pow2ceil, "
	               "stride(tensor,axis), option(name), present(tensor)");
}

static enum st parse_primary(struct parser *p, struct value *v)
{
	size_t pos;
	char name[64];

	skip_space(p);
	pos = p->pos;
	if (isdigit((unsigned char)p->text[pos]))
		return parse_number(p, v);
	if (take(p, "(")) {
		TRY(parse_or(p, v));
		return take(p, ")") ? ST_OK : fail_at(p, p->pos, "expected ')'");
	}
	if (!take_name(p, name))
		return fail_at(p, pos, "expected a number, a name or '('");
	if (take(p, "("))
		return parse_call(p, pos, name, v);
	if (!p->env->lookup(p->env->ctx, name, v)) {
		struct buf b = {0};

		buf_printf(&b, "unknown name '%s'; known are ", name);
		p->env->known(p->env->ctx, &b);
		fail_at(p, pos, b.s);
		buf_free(&b);
		return p->e->code;
	}
	return ST_OK;
}

static enum st parse_unary(struct parser *p, struct value *v)
{
	enum st rc;

	if (++p->depth > MAX_DEPTH)
		return fail_at(p, p->pos, "the expression is nested too deeply");
	if (take(p, "-")) {
		rc = parse_unary(p, v);
		v->i = (int64_t)(0 - (uint64_t)v->i);
		v->d = -v->d;
	} else {
		rc = parse_primary(p, v);
	}
	p->depth--;
	return rc;
}

static enum st arithmetic(struct parser *p, size_t pos, char op, struct value *a, struct value b)
{
	bool bad = false;

	if (op == '/' || op == '%') {
		if (a->real || b.real) {
			if (op == '%')
				return fail_at(p, pos, "% takes integers");
			*a = (struct value){.real = true, .d = as_real(*a) / as_real(b)};
			return ST_OK;
		}
		if (b.i == 0) {
			if (!p->check_only)
				return fail_at(p, pos, "division by zero");
			b.i = 1;
		}
		*a = b.i == -1 ? int_value(op == '/' ? (int64_t)(0 - (uint64_t)a->i) : 0) :
		                 int_value(op == '/' ? floor_div(a->i, b.i) :
		                                       a->i - floor_div(a->i, b.i) * b.i);
		return ST_OK;
	}
	if (a->real || b.real) {
		double x = as_real(*a), y = as_real(b);

		*a = (struct value){.real = true,
		                    .d = op == '+' ? x + y : op == '-' ? x - y : x * y};
		return ST_OK;
	}
	if (op == '+')
		bad = __builtin_add_overflow(a->i, b.i, &a->i);
	else if (op == '-')
		bad = __builtin_sub_overflow(a->i, b.i, &a->i);
	else
		bad = __builtin_mul_overflow(a->i, b.i, &a->i);
	return bad && !p->check_only ? fail_at(p, pos, "the value does not fit 64 bits") : ST_OK;
}

static enum st parse_term(struct parser *p, struct value *v)
{
	TRY(parse_unary(p, v));
	for (;;) {
		struct value b;
		size_t pos;
		char op;

		skip_space(p);
		pos = p->pos;
		op = p->text[pos];
		if (op != '*' && op != '/' && op != '%')
			return ST_OK;
		p->pos++;
		TRY(parse_unary(p, &b));
		TRY(arithmetic(p, pos, op, v, b));
	}
}

static enum st parse_sum(struct parser *p, struct value *v)
{
	TRY(parse_term(p, v));
	for (;;) {
		struct value b;
		size_t pos;
		char op;

		skip_space(p);
		pos = p->pos;
		op = p->text[pos];
		if (op != '+' && op != '-')
			return ST_OK;
		p->pos++;
		TRY(parse_term(p, &b));
		TRY(arithmetic(p, pos, op, v, b));
	}
}

static enum st parse_cmp(struct parser *p, struct value *v)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};

	TRY(parse_sum(p, v));
	for (size_t k = 0; k < ARRAY_LEN(ops); k++) {
		struct value b;
		double x, y;
		bool t[6];

		if (!take(p, ops[k]))
			continue;
		TRY(parse_sum(p, &b));
		x = as_real(*v);
		y = as_real(b);
		if (!v->real && !b.real) {
			x = v->i < b.i ? -1 : v->i > b.i;
			y = 0;
		}
		t[0] = x == y, t[1] = x != y, t[2] = x <= y, t[3] = x >= y, t[4] = x < y, t[5] = x > y;
		*v = int_value(t[k]);
		return ST_OK;
	}
	return ST_OK;
}

static enum st parse_not(struct parser *p, struct value *v)
{
	if (!take(p, "not"))
		return parse_cmp(p, v);
	TRY(parse_cmp(p, v));
	*v = int_value(!truth(*v));
	return ST_OK;
}

static enum st parse_and(struct parser *p, struct value *v)
{
	TRY(parse_not(p, v));
	while (take(p, "and")) {
		struct value b;

		TRY(parse_not(p, &b));
		*v = int_value(truth(*v) && truth(b));
	}
	return ST_OK;
}

static enum st parse_or(struct parser *p, struct value *v)
{
	if (++p->depth > MAX_DEPTH)
		return fail_at(p, p->pos, "the expression is nested too deeply");
	TRY(parse_and(p, v));
	while (take(p, "or")) {
		struct value b;

		TRY(parse_and(p, &b));
		*v = int_value(truth(*v) || truth(b));
	}
	p->depth--;
	return ST_OK;
}

enum st expr_eval(const char *text, const char *where, const struct expr_env *env, bool check_only,
                  struct value *out, struct err *e)
{
	struct parser p = {.text = text, .where = where, .env = env, .check_only = check_only, .e = e};

	TRY(parse_or(&p, out));
	skip_space(&p);
	return text[p.pos] ? fail_at(&p, p.pos, "unexpected text after the expression") : ST_OK;
}

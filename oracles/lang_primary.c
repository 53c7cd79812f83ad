/* lang_primary.c - what the operators of an expression join.
 *
 *   primary = NUMBER | "inf" | "nan" | "pi" | "true" | "false" | "(" expr ")"
 *           | NAME [ "[" expr, … "]" ] | OPTION ("==" | "!=") VALUE
 *           | FUNCTION "(" expr [ "," expr ] ")"
 *           | ("min" | "max") "(" expr "," expr ")" | "cast" "(" TYPE "," RND "," OVF "," expr ")"
 *           | "actual" "(" NAME "[" … "]" ")"
 *           | REDUCTION "(" index { "," index } [ "|" expr ] ":" expr ")" */
#include "oracles/lang_parse.h"

#include <string.h>

/* Runs parse in brackets, where an `else` belongs to a read again. */
static struct lang_node *bracketed(struct lang_parser *p)
{
	bool in_then = p->in_then;
	struct lang_node *n;

	p->in_then = false;
	n = parse_expr(p);
	p->in_then = in_then;
	return n;
}

struct lang_node *parse_number(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	int64_t v = 0;

	p->at++;
	if (t->kind == T_REAL)
		return node_real_literal(p, t->pos, tok_text(p, t), t->len);
	for (uint32_t i = 0; i < t->len; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, tok_text(p, t)[i] - '0', &v))
			return LANG_NULL(p, t->pos, "an integer beyond 2^63 - 1");
	return node_int(p, t->pos, v);
}

static struct lang_node *parse_fn(struct lang_parser *p, const struct tok *t, enum lang_fn fn)
{
	struct lang_node *a, *b = NULL;

	if (tok_expect(p, '(', "'('") != ST_OK || !(a = bracketed(p)))
		return NULL;
	if (fn == FN_POW &&
	    (tok_expect(p, ',', "',' and the exponent") != ST_OK || !(b = bracketed(p))))
		return NULL;
	if (tok_expect(p, ')', "')'") != ST_OK)
		return NULL;
	return node_fn(p, t->pos, fn, a, b);
}

/* Is this "( i, j<E | …: … )" and not "( a, b )"? Looks for ':' or '|' before its end. */
static bool is_reduction(const struct lang_parser *p)
{
	int depth = 0;

	for (int i = p->at + 1; i < p->ntok; i++) {
		int k = p->tok[i].kind;

		if (k == '(' || k == '[' || k == '{')
			depth++;
		else if (k == ')' || k == ']' || k == '}')
			depth--;
		else if (depth == 0 && (k == ':' || k == '|'))
			return true;
		if (depth < 0 || k == T_SEP)
			return false;
	}
	return false;
}

static struct lang_node *parse_reduction(struct lang_parser *p, const struct tok *t,
                                         enum lang_red red)
{
	struct lang_node *n, *guard = NULL, *body;
	int from = p->nscope;

	if (p->where != IN_BODY)
		return LANG_NULL(p, t->pos, "'%s' cannot stand in a size, a default or a need",
		                 lang_red_name(red));
	if (tok_expect(p, '(', "'('") != ST_OK || !(n = node_new(p, N_REDUCE, LT_REAL, t->pos, 2)))
		return NULL;
	n->red = red;
	n->nidx = parse_indices(p, ':', n->idx);
	if (n->nidx < 0)
		return NULL;
	if (tok_accept(p, '|') && !(guard = bracketed(p)))
		return NULL;
	if (tok_expect(p, ':', "':' and what is reduced") != ST_OK || !(body = bracketed(p)) ||
	    tok_expect(p, ')', "')'") != ST_OK)
		return NULL;
	for (int i = 0; i < n->nidx; i++)
		if (!index_known(p, n->idx[i]))
			return NULL;
	scope_pop(p, p->nscope - from);
	return node_reduce(p, n, body, guard);
}

static struct lang_node *parse_min_max(struct lang_parser *p, const struct tok *t,
                                       enum lang_red red)
{
	struct lang_node *a, *b;

	if (is_reduction(p))
		return parse_reduction(p, t, red);
	if (tok_expect(p, '(', "'('") != ST_OK || !(a = bracketed(p)))
		return NULL;
	if (tok_expect(p, ',',
	               red == RED_MAX ? "',': max(a, b) or max(i: e)"
	                              : "',': min(a, b) or min(i: e)") != ST_OK ||
	    !(b = bracketed(p)) || tok_expect(p, ')', "')'") != ST_OK)
		return NULL;
	return node_arith(p, red == RED_MAX ? N_MAX : N_MIN, t->pos, a, b);
}

static struct lang_node *parse_cast(struct lang_parser *p, const struct tok *t)
{
	struct lang_etype to;
	struct lang_node *a;
	enum rnd r;
	bool sat;

	if (tok_expect(p, '(', "'('") != ST_OK || parse_etype(p, &to, "cast") != ST_OK ||
	    tok_expect(p, ',', "','") != ST_OK)
		return NULL;
	if (tok_accept_word(p, "rne"))
		r = RND_NE;
	else if (tok_accept_word(p, "rz"))
		r = RND_Z;
	else
		return tok_unexpected_null(p, "'rne' or 'rz'");
	if (tok_expect(p, ',', "','") != ST_OK)
		return NULL;
	sat = tok_accept_word(p, "sat");
	if (!sat && !tok_accept_word(p, "inf"))
		return tok_unexpected_null(p, "'sat' or 'inf'");
	if (tok_expect(p, ',', "','") != ST_OK || !(a = bracketed(p)) ||
	    tok_expect(p, ')', "')'") != ST_OK)
		return NULL;
	return node_cast(p, t->pos, to, r, sat, a);
}

/* "[e, …]" after a name; returns how many, -1 after an error. Without brackets: 0. */
static int parse_arguments(struct lang_parser *p, struct lang_node **arg)
{
	int n = 0;

	if (!tok_accept(p, '[') || tok_accept(p, ']'))
		return 0;
	do {
		if (n == LANG_MAX_RANK) {
			LANG_FAIL(p, tok_cur(p)->pos, "more than %d indices", LANG_MAX_RANK);
			return -1;
		}
		arg[n] = bracketed(p);
		if (!arg[n++])
			return -1;
	} while (tok_accept(p, ','));
	return tok_expect(p, ']', "',' or ']'") == ST_OK ? n : -1;
}

static struct lang_node *parse_actual(struct lang_parser *p, const struct tok *t)
{
	struct lang_node *arg[LANG_MAX_RANK];
	const struct tok *name;
	struct sym s;
	int n;

	if (p->where != IN_BODY)
		return LANG_NULL(p, t->pos, "actual() cannot stand here");
	if (tok_expect(p, '(', "'('") != ST_OK)
		return NULL;
	name = tok_cur(p);
	if (name->kind != T_NAME)
		return tok_unexpected_null(p, "an output");
	s = lang_lookup(p, tok_text(p, name), name->len);
	if (s.kind != SYM_TENSOR || !p->op->schema.tensors[s.k].out)
		return LANG_NULL(p, name->pos, "actual() takes an output; '%.*s' is %s",
		                 (int)name->len, tok_text(p, name),
		                 s.kind == SYM_TENSOR ? "an input" : lang_sym_text(s.kind));
	p->at++;
	n = parse_arguments(p, arg);
	if (n < 0 || tok_expect(p, ')', "')'") != ST_OK)
		return NULL;
	return node_read(p, N_ACTUAL, t->pos, s.k, arg, n);
}

/* The number a value of an option stands for, or NULL. */
static struct lang_node *option_constant(struct lang_parser *p, const struct tok *t, const char *v)
{
	if (strcmp(v, "zero") == 0 || strcmp(v, "one") == 0)
		return node_to_real(p, node_int(p, t->pos, v[0] == 'o'));
	if (strcmp(v, "nan") == 0)
		return node_leaf(p, N_NAN, LT_REAL, t->pos, 0, 0);
	if (strcmp(v, "inf") == 0)
		return node_leaf(p, N_INF, LT_REAL, t->pos, 0, 0);
	if (strcmp(v, "neg_inf") == 0)
		return node_unary(p, N_NEG, t->pos, node_leaf(p, N_INF, LT_REAL, t->pos, 0, 0));
	return LANG_NULL(
	        p, t->pos,
	        "an option is a number only when all its values are zero, one, nan, inf or "
	        "neg_inf; '%s' is not: compare it with ==",
	        v);
}

static struct lang_node *option_value(struct lang_parser *p, const struct tok *t, int k)
{
	const struct op_option *o = &p->op->schema.options[k];
	struct lang_node *n = option_constant(p, t, o->values[o->n - 1]);

	for (int i = o->n - 2; n && i >= 0; i--) {
		struct lang_node *c = option_constant(p, t, o->values[i]);

		n = c ? node_if(p, t->pos, node_leaf(p, N_OPTION_IS, LT_BOOL, t->pos, k, i), c, n)
		      : NULL;
	}
	return n;
}

static struct lang_node *parse_option(struct lang_parser *p, const struct tok *t, int k)
{
	const struct op_option *o = &p->op->schema.options[k];
	const struct tok *v;
	struct lang_node *n;
	bool differs = tok_cur(p)->kind == T_NE;

	if (!differs && tok_cur(p)->kind != T_EQ)
		return option_value(p, t, k);
	p->at++;
	v = tok_cur(p);
	for (int i = 0; i < o->n; i++)
		if (lang_tok_is(p, v, o->values[i])) {
			p->at++;
			n = node_leaf(p, N_OPTION_IS, LT_BOOL, t->pos, k, i);
			return n && differs ? node_unary(p, N_NOT, t->pos, n) : n;
		}
	if (v->kind != T_NAME)
		return tok_unexpected_null(p, "a value of the option");
	return LANG_NULL(
	        p, v->pos, "option %s has no value '%.*s'%s", o->name, (int)v->len, tok_text(p, v),
	        lang_nearest_word(p, tok_text(p, v), v->len,
	                          (const char *const[]){o->values[0], o->values[1], o->values[2],
	                                                o->values[3], o->values[4], o->values[5],
	                                                o->values[6], o->values[7], NULL}));
}

static struct lang_node *parse_read(struct lang_parser *p, const struct tok *t, struct sym s)
{
	struct lang_node *arg[LANG_MAX_RANK];
	int n;

	if (p->where != IN_BODY)
		return LANG_NULL(p, t->pos,
		                 "'%.*s' cannot stand here: only sizes, parameters and constants",
		                 (int)t->len, tok_text(p, t));
	if (s.kind == SYM_TENSOR && p->op->schema.tensors[s.k].out)
		return LANG_NULL(
		        p, t->pos,
		        "'%.*s' is an output: use a let for its exact value, actual(%.*s[...]) for "
		        "what the kernel wrote",
		        (int)t->len, tok_text(p, t), (int)t->len, tok_text(p, t));
	n = parse_arguments(p, arg);
	if (n < 0)
		return NULL;
	return node_read(p, s.kind == SYM_LET ? N_LET : N_READ, t->pos, s.k, arg, n);
}

static struct lang_node *parse_param(struct lang_parser *p, const struct tok *t, int k)
{
	enum param_kind kind = p->op->schema.params[k].kind;

	if (p->where == IN_LITERAL)
		return LANG_NULL(p, t->pos, "only a constant can stand here");
	return node_leaf(p, N_PARAM,
	                 kind == PARAM_F32   ? LT_REAL
	                 : kind == PARAM_I64 ? LT_INT
	                                     : LT_BOOL,
	                 t->pos, k, 0);
}

static struct lang_node *parse_index_use(struct lang_parser *p, const struct tok *t, struct sym s)
{
	struct lang_node *n;

	if (p->where != IN_BODY)
		return LANG_NULL(p, t->pos,
		                 "an index cannot stand here: only sizes, parameters, constants");
	n = node_leaf(p, N_INDEX, LT_INT, t->pos, 0, 0);
	if (!n)
		return NULL;
	n->index = s.index;
	n->free = UINT64_C(1) << s.index->number;
	return n;
}

static struct lang_node *parse_name(struct lang_parser *p, const struct tok *t)
{
	const char *s = tok_text(p, t);
	int scope = p->nscope;
	struct sym sym;

	/* x[…] is never an index, even where one of that name is in sight. */
	if (tok_cur(p)->kind == '[')
		p->nscope = 0;
	sym = lang_lookup(p, s, t->len);
	p->nscope = scope;
	switch (sym.kind) {
	case SYM_DIM:
		if (p->where == IN_LITERAL)
			return LANG_NULL(p, t->pos, "only a constant can stand here");
		return node_leaf(p, N_DIM, LT_INT, t->pos, sym.k, 0);
	case SYM_PARAM:
		return parse_param(p, t, sym.k);
	case SYM_OPTION:
		return parse_option(p, t, sym.k);
	case SYM_INDEX:
		return parse_index_use(p, t, sym);
	case SYM_TENSOR:
	case SYM_LET:
		return parse_read(p, t, sym);
	case SYM_TYPE:
		return LANG_NULL(p, t->pos, "'%.*s' is an element type, not a value", (int)t->len,
		                 s);
	default:
		return LANG_NULL(p, t->pos,
		                 "unknown name '%.*s'%s (names are declared before their use)",
		                 (int)t->len, s, lang_nearest(p, s, t->len, 0));
	}
}

static struct lang_node *parse_word(struct lang_parser *p, const struct tok *t)
{
	enum lang_fn fn;
	enum lang_red red;
	struct lang_node *a;

	p->at++;
	if (lang_tok_is(p, t, "true") || lang_tok_is(p, t, "false"))
		return node_leaf(p, N_BOOL, LT_BOOL, t->pos, 0, lang_tok_is(p, t, "true"));
	if (lang_tok_is(p, t, "inf"))
		return node_leaf(p, N_INF, LT_REAL, t->pos, 0, 0);
	if (lang_tok_is(p, t, "nan"))
		return node_leaf(p, N_NAN, LT_REAL, t->pos, 0, 0);
	if (lang_tok_is(p, t, "pi"))
		return node_leaf(p, N_PI, LT_REAL, t->pos, 0, 0);
	if (lang_tok_is(p, t, "cast"))
		return parse_cast(p, t);
	if (lang_tok_is(p, t, "actual"))
		return parse_actual(p, t);
	if (lang_tok_is(p, t, "abs") || lang_tok_is(p, t, "neg")) {
		if (tok_expect(p, '(', "'('") != ST_OK || !(a = bracketed(p)) ||
		    tok_expect(p, ')', "')'") != ST_OK)
			return NULL;
		return node_unary(p, lang_tok_is(p, t, "abs") ? N_ABS : N_NEG, t->pos, a);
	}
	if (lang_find_red(tok_text(p, t), t->len, &red))
		return red == RED_MAX || red == RED_MIN ? parse_min_max(p, t, red)
		                                        : parse_reduction(p, t, red);
	if (lang_find_fn(tok_text(p, t), t->len, &fn))
		return parse_fn(p, t, fn);
	if (lang_reserved(tok_text(p, t), t->len)) {
		p->at--;
		return tok_unexpected_null(p, "an expression");
	}
	return parse_name(p, t);
}

struct lang_node *parse_primary(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	struct lang_node *n;

	if (t->kind == T_INT || t->kind == T_REAL)
		return parse_number(p);
	if (t->kind == T_NAME)
		return parse_word(p, t);
	if (!tok_accept(p, '('))
		return tok_unexpected_null(p, "an expression");
	n = bracketed(p);
	return n && tok_expect(p, ')', "')'") == ST_OK ? n : NULL;
}

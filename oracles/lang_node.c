/* lang_node.c - constructors of the expression tree: they check types, insert the conversion from
 * integer to real, and set what lang.h promises of every node. All return NULL after an error. */
#include "oracles/lang_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *type_text(enum lang_type t)
{
	return t == LT_REAL ? "a real number" : t == LT_INT ? "an integer" : "true or false";
}

struct lang_node *node_new(struct lang_parser *p, enum node_kind k, enum lang_type t, uint32_t pos,
                           int nargs)
{
	struct lang_node *n;

	if (p->op->nnodes >= LANG_MAX_NODES)
		return LANG_NULL(p, pos, "the operator has more than %d nodes", LANG_MAX_NODES);
	p->op->nnodes++;
	n = arena_alloc(p->op->arena, sizeof *n);
	n->kind = k;
	n->type = t;
	n->pos = pos;
	n->nargs = nargs;
	/* One more place, for a read's else value. */
	n->arg = arena_alloc(p->op->arena, (size_t)(nargs + 1) * sizeof *n->arg);
	n->depth = 1;
	n->size = 1;
	return n;
}

/* Is the node's own operation exact when its operands are? */
static bool keeps_exact(const struct lang_node *n)
{
	switch (n->kind) {
	case N_ADD:
	case N_SUB:
	case N_MUL:
	case N_SQR:
		return n->type == LT_INT;
	case N_DIV:
		return false;
	case N_FN:
		return n->fn == FN_FLOOR || n->fn == FN_ROUND;
	case N_REDUCE:
		if (n->red == RED_SUM || n->red == RED_PROD)
			return n->type == LT_INT;
		return n->red != RED_MEAN;
	case N_LET:
		return n->let->body->exact;
	default:
		return true;
	}
}

static bool from_outside(const struct lang_node *n)
{
	return n->kind == N_READ || n->kind == N_ACTUAL || n->kind == N_LET;
}

struct lang_node *node_done(struct lang_parser *p, struct lang_node *n)
{
	unsigned depth = 0;
	uint64_t size = 1;

	n->free = 0;
	n->exact = keeps_exact(n);
	n->literal = !from_outside(n);
	n->invariant = n->kind != N_READ && n->kind != N_ACTUAL;
	if (n->kind == N_LET)
		n->invariant = n->let->body->invariant;
	for (int i = 0; i < n->nargs; i++) {
		const struct lang_node *a = n->arg[i];

		n->free |= a->free;
		n->exact &= a->exact;
		n->literal &= a->literal;
		n->invariant &= a->invariant;
		depth = a->depth > depth ? a->depth : depth;
		size += a->size;
	}
	for (int i = 0; i < n->nidx; i++)
		n->free &= ~(UINT64_C(1) << n->idx[i]->number);
	n->exact |= n->class_only;
	if (depth + 1 > LANG_MAX_DEPTH || size > LANG_MAX_NODES)
		return LANG_NULL(
		        p, n->pos,
		        "the expression is too large (%d levels, %d nodes at most); use let",
		        LANG_MAX_DEPTH, LANG_MAX_NODES);
	n->depth = (uint16_t)(depth + 1);
	n->size = (uint32_t)size;
	return n;
}

struct lang_node *node_leaf(struct lang_parser *p, enum node_kind k, enum lang_type t, uint32_t pos,
                            int num, int64_t ival)
{
	struct lang_node *n = node_new(p, k, t, pos, 0);

	if (!n)
		return NULL;
	n->k = num;
	n->ival = ival;
	n->exact = k != N_PI;
	n->literal =
	        k == N_INT || k == N_REAL || k == N_BOOL || k == N_INF || k == N_NAN || k == N_PI;
	n->invariant = k != N_INDEX;
	return n;
}

struct lang_node *node_int(struct lang_parser *p, uint32_t pos, int64_t v)
{
	struct lang_node *n = node_leaf(p, N_INT, LT_INT, pos, 0, v);

	if (n)
		n->dval = (double)v;
	return n;
}

struct lang_node *node_real_literal(struct lang_parser *p, uint32_t pos, const char *s, size_t len)
{
	struct lang_node *n = node_leaf(p, N_REAL, LT_REAL, pos, 0, 0);
	mpfr_t x;
	int ternary;

	if (!n)
		return NULL;
	n->text = arena_strndup(p->op->arena, s, len);
	n->dval = strtod(n->text, NULL);
	mpfr_init2(x, 53);
	ternary = mpfr_strtofr(x, n->text, NULL, 10, MPFR_RNDN);
	n->dexact = ternary == 0 && mpfr_cmp_d(x, n->dval) == 0;
	if (!isfinite(n->dval) || (n->dval == 0 && !mpfr_zero_p(x)) || mpfr_inf_p(x))
		n = LANG_NULL(p, pos, "%.*s is beyond the range of double precision", (int)len, s);
	mpfr_clear(x);
	if (n)
		n->exact = n->dexact;
	return n;
}

/* Does floor division decide the value of this integer arithmetic? */
static bool has_floor_division(const struct lang_node *n)
{
	switch (n->kind) {
	case N_IDIV:
		return true;
	case N_NEG:
	case N_ADD:
	case N_SUB:
	case N_MUL:
		for (int i = 0; i < n->nargs; i++)
			if (has_floor_division(n->arg[i]))
				return true;
		return false;
	default:
		return false;
	}
}

struct lang_node *node_to_real(struct lang_parser *p, struct lang_node *a)
{
	struct lang_node *n;

	if (!a || a->type == LT_REAL)
		return a;
	if (a->type == LT_BOOL)
		return LANG_NULL(p, a->pos, "expected a number, found true or false");
	if (has_floor_division(a))
		return LANG_NULL(
		        p, a->pos,
		        "'/' between integers floors; for a real quotient make one side real "
		        "(1.0*a/b), for the floor use a let of its own");
	n = node_new(p, N_TO_REAL, LT_REAL, a->pos, 1);
	if (!n)
		return NULL;
	n->arg[0] = a;
	return node_done(p, n);
}

/* Brings two operands to one type; false after an error. */
static bool unify(struct lang_parser *p, uint32_t pos, struct lang_node **a, struct lang_node **b,
                  const char *what)
{
	if (!*a || !*b)
		return false;
	if ((*a)->type == (*b)->type)
		return true;
	if ((*a)->type == LT_BOOL || (*b)->type == LT_BOOL) {
		LANG_FAIL(p, pos, "%s: one side is %s, the other is %s", what,
		          type_text((*a)->type), type_text((*b)->type));
		return false;
	}
	*a = node_to_real(p, *a);
	*b = node_to_real(p, *b);
	return *a && *b;
}

static bool need_number(struct lang_parser *p, const struct lang_node *a, const char *what)
{
	if (!a)
		return false;
	if (a->type != LT_BOOL)
		return true;
	LANG_FAIL(p, a->pos, "%s needs a number, found true or false", what);
	return false;
}

static struct lang_node *make1(struct lang_parser *p, enum node_kind k, enum lang_type t,
                               uint32_t pos, struct lang_node *a)
{
	struct lang_node *n = a ? node_new(p, k, t, pos, 1) : NULL;

	if (!n)
		return NULL;
	n->arg[0] = a;
	return node_done(p, n);
}

static struct lang_node *make2(struct lang_parser *p, enum node_kind k, enum lang_type t,
                               uint32_t pos, struct lang_node *a, struct lang_node *b)
{
	struct lang_node *n = a && b ? node_new(p, k, t, pos, 2) : NULL;

	if (!n)
		return NULL;
	n->arg[0] = a;
	n->arg[1] = b;
	return node_done(p, n);
}

struct lang_node *node_unary(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a)
{
	if (k == N_NOT) {
		if (a && a->type != LT_BOOL)
			return LANG_NULL(p, a->pos, "'not' needs true or false, found %s",
			                 type_text(a->type));
		return make1(p, k, LT_BOOL, pos, a);
	}
	if (!need_number(p, a, k == N_ABS ? "'abs'" : k == N_SQR ? "'^'" : "'-'"))
		return NULL;
	return make1(p, k, a->type, pos, a);
}

static bool is_one(const struct lang_node *n)
{
	if (n->kind == N_TO_REAL)
		n = n->arg[0];
	return (n->kind == N_INT && n->ival == 1) ||
	       (n->kind == N_REAL && n->dexact && n->dval == 1);
}

static bool is_sigmoidal(const struct lang_node *n)
{
	return n->kind == N_FN && (n->fn == FN_ERF || n->fn == FN_TANH);
}

/* 1 + f(a), f(a) + 1, 1 - f(a), f(a) - 1 for f = erf, tanh: see lang.h. NULL: not of that form, or
 * after an error. */
static struct lang_node *one_plus(struct lang_parser *p, enum node_kind k, uint32_t pos,
                                  struct lang_node *a, struct lang_node *b)
{
	struct lang_node *f = is_one(a) ? b : a, *n;
	bool one_first = f == b;

	if (!is_sigmoidal(f) || !(one_first || is_one(b)))
		return NULL;
	n = k == N_SUB ? node_unary(p, N_NEG, f->pos, f->arg[0]) : f->arg[0];
	n = node_fn(p, pos, f->fn == FN_ERF ? FN_ERFP1 : FN_TANHP1, n, NULL);
	return k == N_SUB && !one_first ? node_unary(p, N_NEG, pos, n) : n;
}

struct lang_node *node_arith(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a, struct lang_node *b)
{
	struct lang_node *n;
	const char *what = k == N_MIN ? "min" : k == N_MAX ? "max" : "arithmetic";

	if (!need_number(p, a, what) || !need_number(p, b, what))
		return NULL;
	if (k == N_MOD && (a->type != LT_INT || b->type != LT_INT))
		return LANG_NULL(p, pos, "'%%' is for integers");
	if (!unify(p, pos, &a, &b, what))
		return NULL;
	if (k == N_DIV && a->type == LT_INT)
		k = N_IDIV;
	if ((k == N_ADD || k == N_SUB) && a->type == LT_REAL) {
		n = one_plus(p, k, pos, a, b);
		if (n || p->e->code != ST_OK)
			return n;
	}
	n = make2(p, k, a->type, pos, a, b);
	if (n && n->kind == N_DIV && !mark_ratio(p, n))
		return NULL;
	return n;
}

struct lang_node *node_power(struct lang_parser *p, uint32_t pos, struct lang_node *a, int64_t n)
{
	if (n < 1 || n > 16)
		return LANG_NULL(p, pos, "the exponent of '^' is 1 to 16; else use pow");
	if (n == 1 || !a)
		return need_number(p, a, "'^'") ? a : NULL;
	if (n % 2 == 0)
		return node_unary(p, N_SQR, pos, node_power(p, pos, a, n / 2));
	return node_arith(p, N_MUL, pos, a, node_power(p, pos, a, n - 1));
}

struct lang_node *node_fn(struct lang_parser *p, uint32_t pos, enum lang_fn fn, struct lang_node *a,
                          struct lang_node *b)
{
	struct lang_node *n;

	a = node_to_real(p, a);
	b = node_to_real(p, b);
	if (!a || (fn == FN_POW && !b))
		return NULL;
	n = node_new(p, N_FN, LT_REAL, pos, b ? 2 : 1);
	if (!n)
		return NULL;
	n->fn = fn;
	n->arg[0] = a;
	if (b)
		n->arg[1] = b;
	return node_done(p, n);
}

static bool is_infinite(const struct lang_node *n)
{
	return n->kind == N_INF || (n->kind == N_NEG && n->arg[0]->kind == N_INF);
}

struct lang_node *node_cmp(struct lang_parser *p, uint32_t pos, enum lang_cmp c,
                           struct lang_node *a, struct lang_node *b)
{
	static const enum lang_cmp flipped[] = {
	        [CMP_LT] = CMP_GT, [CMP_LE] = CMP_GE, [CMP_GT] = CMP_LT,
	        [CMP_GE] = CMP_LE, [CMP_EQ] = CMP_EQ, [CMP_NE] = CMP_NE};
	struct lang_node *n;

	if (!unify(p, pos, &a, &b, "comparison"))
		return NULL;
	if (a->type == LT_BOOL && c != CMP_EQ && c != CMP_NE)
		return LANG_NULL(p, pos, "true and false have no order");
	if (is_infinite(a)) {
		struct lang_node *t = a;

		a = b;
		b = t;
		c = flipped[c];
	}
	n = node_new(p, N_CMP, LT_BOOL, pos, 2);
	if (!n)
		return NULL;
	n->cmp = c;
	n->class_only = is_infinite(b);
	n->arg[0] = a;
	n->arg[1] = b;
	return node_done(p, n);
}

struct lang_node *node_logic(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a, struct lang_node *b)
{
	const struct lang_node *bad = a && a->type != LT_BOOL ? a : b;

	if (!a || !b)
		return NULL;
	if (bad->type != LT_BOOL)
		return LANG_NULL(p, bad->pos, "'%s' needs true or false, found %s",
		                 k == N_AND ? "and" : "or", type_text(bad->type));
	return make2(p, k, LT_BOOL, pos, a, b);
}

/* The place in a condition that is decided by a rounded value. */
static const struct lang_node *inexact_part(const struct lang_node *n)
{
	if (n->kind == N_AND || n->kind == N_OR || n->kind == N_NOT || n->kind == N_CMP)
		for (int i = 0; i < n->nargs; i++)
			if (!n->arg[i]->exact)
				return inexact_part(n->arg[i]);
	return n;
}

bool node_is_condition(struct lang_parser *p, const struct lang_node *c, const char *what)
{
	if (!c)
		return false;
	if (c->type != LT_BOOL) {
		LANG_FAIL(p, c->pos, "%s must be true or false, not %s", what, type_text(c->type));
		return false;
	}
	if (!c->exact && inexact_part(c)->kind == N_REAL) {
		LANG_FAIL(p, inexact_part(c)->pos,
		          "%s compares with %s, which no binary number equals; make it a param",
		          what, inexact_part(c)->text);
		return false;
	}
	if (!c->exact) {
		LANG_FAIL(p, inexact_part(c)->pos,
		          "%s may only look at exact values (inputs, integers, parameters, and "
		          "whether "
		          "something is infinite); this is rounded, so the decision has no defined "
		          "answer",
		          what);
		return false;
	}
	return true;
}

struct lang_node *node_if(struct lang_parser *p, uint32_t pos, struct lang_node *c,
                          struct lang_node *a, struct lang_node *b)
{
	struct lang_node *n;

	if (!node_is_condition(p, c, "the condition of 'if'") || !unify(p, pos, &a, &b, "if"))
		return NULL;
	n = node_new(p, N_IF, a->type, pos, 3);
	if (!n)
		return NULL;
	n->arg[0] = c;
	n->arg[1] = a;
	n->arg[2] = b;
	return node_done(p, n);
}

static struct lang_node *reduce_body(struct lang_parser *p, struct lang_node *n,
                                     struct lang_node *body)
{
	const char *name = lang_red_name(n->red);

	switch (n->red) {
	case RED_ANY:
	case RED_ALL:
		if (body->type != LT_BOOL)
			return LANG_NULL(p, body->pos, "'%s' needs true or false, found %s", name,
			                 type_text(body->type));
		n->type = LT_BOOL;
		return body;
	case RED_MEAN:
		n->type = LT_REAL;
		return node_to_real(p, body);
	case RED_ARGMAX:
	case RED_ARGMIN:
		if (!need_number(p, body, name))
			return NULL;
		if (n->nidx != 1)
			return LANG_NULL(p, n->pos, "'%s' takes one index", name);
		if (!body->exact)
			return LANG_NULL(
			        p, body->pos,
			        "'%s' of a rounded value has no defined answer: give it inputs",
			        name);
		n->type = LT_INT;
		return body;
	default:
		if (!need_number(p, body, name))
			return NULL;
		n->type = body->type;
		return body;
	}
}

struct lang_node *node_reduce(struct lang_parser *p, struct lang_node *n, struct lang_node *body,
                              struct lang_node *guard)
{
	body = body ? reduce_body(p, n, body) : NULL;
	if (!body || (guard && !node_is_condition(p, guard, "the guard of a reduction")))
		return NULL;
	n->arg[0] = body;
	n->arg[1] = guard;
	n->nargs = guard ? 2 : 1;
	n = node_done(p, n);
	if (n)
		mark_reduce(n);
	return n;
}

/* What the elements of a type are in expressions. A type variable holds floats only or integers
 * only (checked where it is declared). */
static enum lang_type element_type(const struct lang_parser *p, const struct lang_etype *t)
{
	enum dtype dt = t->var >= 0 ? p->op->schema.types[t->var].allowed[0] : t->dt;

	return dtype_is_float(dt) ? LT_REAL : dt == DT_BOOL ? LT_BOOL : LT_INT;
}

struct lang_node *node_cast(struct lang_parser *p, uint32_t pos, struct lang_etype to, enum rnd r,
                            bool sat, struct lang_node *a)
{
	enum lang_type t = element_type(p, &to);
	struct lang_node *n;

	if (t == LT_BOOL)
		return LANG_NULL(p, pos, "cast to bool: write a comparison instead");
	a = node_to_real(p, a);
	n = a ? node_new(p, N_CAST, t, pos, 1) : NULL;
	if (!n)
		return NULL;
	n->cast_to = to;
	n->cast_rnd = r;
	n->cast_sat = sat;
	n->arg[0] = a;
	return node_done(p, n);
}

static bool index_argument(struct lang_parser *p, const struct lang_node *read, int a)
{
	const struct lang_node *i = read->arg[a];

	if (i->type != LT_INT || !i->exact) {
		LANG_FAIL(p, i->pos, "an index must be an exact integer, not %s",
		          i->type == LT_INT ? "a rounded one" : type_text(i->type));
		return false;
	}
	return i->kind != N_INDEX || index_note(p, i->index, axis_extent(p, read, a), i->pos);
}

struct lang_node *node_read(struct lang_parser *p, enum node_kind k, uint32_t pos, int num,
                            struct lang_node **arg, int nargs)
{
	struct op *op = p->op;
	struct lang_def *let = k == N_LET ? op->lets[num] : NULL;
	int rank = let ? let->rank : op->tensor[num].rank;
	struct lang_node *n = node_new(p, k, LT_REAL, pos, nargs);

	if (!n)
		return NULL;
	if (nargs != rank)
		return LANG_NULL(p, pos, "'%s' has %d %s, but %d %s given",
		                 let ? let->name : op->schema.tensors[num].name, rank,
		                 rank == 1 ? "axis" : "axes", nargs,
		                 nargs == 1 ? "index is" : "indices are");
	n->k = num;
	n->let = let;
	n->type = let ? let->body->type : element_type(p, &op->tensor[num].type);
	for (int a = 0; a < nargs; a++) {
		n->arg[a] = arg[a];
		if (!index_argument(p, n, a))
			return NULL;
	}
	return node_done(p, n);
}

struct lang_node *node_read_else(struct lang_parser *p, struct lang_node *read, struct lang_node *v)
{
	if (!v)
		return NULL;
	if (read->type == LT_REAL)
		v = node_to_real(p, v);
	if (!v)
		return NULL;
	if (v->type != read->type)
		return LANG_NULL(p, v->pos, "the else value is %s, the element %s",
		                 type_text(v->type), type_text(read->type));
	read->has_else = true;
	read->arg[read->nargs++] = v;
	return node_done(p, read);
}

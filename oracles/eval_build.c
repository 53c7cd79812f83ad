/* eval_build.c - from the checked tree of an instance to the graph that is evaluated: constants
 * computed, branches that the sizes decide taken, absent inputs skipped. */
#include "oracles/eval.h"

static struct lang_env sizes_only(const struct eval *x)
{
	return (struct lang_env){.op = x->op, .b = &x->inst->b, .extent = x->inst->extent};
}

/* Exact integer or boolean of sizes and options; false when it has none (division by zero, …),
 * which is an error only where it is evaluated. */
static bool constant_int(const struct eval *x, const struct lang_node *n, int64_t *v)
{
	struct lang_env env = sizes_only(x);
	struct err e = {0};
	bool b = false;

	if (n->type == LT_BOOL) {
		if (lang_bool(&env, n, &b, &e) != ST_OK)
			return false;
		*v = b;
		return true;
	}
	return lang_int(&env, n, v, &e) == ST_OK;
}

static size_t memo_slot(const struct eval *x, const struct lang_node *n)
{
	size_t i = ((uintptr_t)n >> 4) * 0x9e3779b97f4a7c15u >> 20 & (x->nmemo - 1);

	while (x->memo[i] && x->memo[i]->key != n)
		i = (i + 1) & (x->nmemo - 1);
	return i;
}

static struct enode *node_new(struct eval *x, const struct lang_node *n)
{
	struct enode *e = arena_alloc(x->arena, sizeof *e);

	e->n = e->key = n;
	e->kind = n->kind;
	e->type = n->type;
	e->fn = n->fn;
	e->red_vec = e->axpy_vec = -2;
	return e;
}

static struct enode *constant(struct eval *x, const struct lang_node *n, double v, double rad)
{
	struct enode *e = node_new(x, n);

	e->kind = N_REAL;
	e->value = v;
	e->rad = rad;
	e->nonneg = v >= 0;
	return e;
}

static struct enode *constant_of_int(struct eval *x, const struct lang_node *n, int64_t v)
{
	struct enode *e = node_new(x, n);

	e->kind = N_INT;
	e->own = arena_alloc(x->arena, EVAL_CHUNK * sizeof *e->own);
	e->i = (int64_t *)(void *)e->own;
	for (int i = 0; i < EVAL_CHUNK; i++)
		e->i[i] = v;
	e->lanes = 1;
	e->filled = EVAL_CHUNK;
	e->stamp = UINT64_MAX;
	return e;
}

/* A literal expression is one constant, rounded once to double: off by at most 2^-53 of itself. */
static enum st literal(struct eval *x, const struct lang_node *n, struct enode **out)
{
	double v = n->dval;
	bool exact = n->kind == N_INT || (n->kind == N_REAL && n->dexact);

	if (n->kind == N_INF || n->kind == N_NAN) {
		*out = constant(x, n, n->kind == N_INF ? INFINITY : NAN, 0);
		return ST_OK;
	}
	TRY(lang_real(x->op, &x->inst->b, n, DT_F64, &v, x->e));
	*out = constant(x, n, v, exact || !isfinite(v) ? 0 : fabs(v) * 0x1p-53);
	return ST_OK;
}

/* Reads of absent inputs are their default. */
static bool absent(const struct eval *x, const struct lang_node *n)
{
	return n->kind == N_READ && x->op->schema.tensors[n->k].optional &&
	       !x->inst->b.present[n->k];
}

/* Nodes that need no operands; *out stays NULL for others. */
static enum st build_leaf(struct eval *x, const struct lang_node *n, struct enode **out)
{
	int64_t v;

	if (absent(x, n))
		return eval_build(x, x->op->tensor[n->k].deflt, out);
	if (n->type == LT_REAL && n->kind != N_NEG && n->kind != N_TO_REAL &&
	    (n->literal || n->kind == N_INF || n->kind == N_NAN))
		return literal(x, n, out);
	if (n->kind == N_PARAM && n->type == LT_REAL)
		*out = constant(x, n, x->inst->b.params[n->k], 0);
	else if (n->type != LT_REAL && n->invariant && n->free == 0 && constant_int(x, n, &v))
		*out = constant_of_int(x, n, v);
	else if (n->kind == N_TO_REAL && n->arg[0]->invariant && n->free == 0 &&
	         constant_int(x, n->arg[0], &v))
		*out = constant(x, n, (double)v, 0);
	return ST_OK;
}

static bool all_nonneg(const struct enode *e)
{
	for (int i = 0; i < e->nargs; i++)
		if (!e->arg[i]->nonneg)
			return false;
	return true;
}

static bool is_nonneg(const struct enode *e)
{
	switch (e->kind) {
	case N_SQR:
	case N_ABS:
		return true;
	case N_ADD:
	case N_MUL:
	case N_DIV:
	case N_MIN:
		return all_nonneg(e);
	case N_MAX:
		return e->arg[0]->nonneg || e->arg[1]->nonneg;
	case N_IF:
		return e->arg[1]->nonneg && e->arg[2]->nonneg;
	case N_FN:
		return e->fn == FN_EXP || e->fn == FN_EXP2 || e->fn == FN_SQRT ||
		       e->fn == FN_RSQRT || e->fn == FN_ERFP1 || e->fn == FN_TANHP1;
	case N_REDUCE:
		return e->arg[0]->nonneg && e->type == LT_REAL && e->n->red != RED_MAX;
	case N_LET:
		return e->let->body && e->let->body->nonneg;
	default:
		return false;
	}
}

/* What cannot be evaluated yet is refused by name. */
static enum st supported(struct eval *x, const struct lang_node *n)
{
	const struct op *op = x->op;
	const char *what = NULL;

	if (n->kind == N_CAST)
		what = "a cast other than cast(TYPE, rne, sat, ...) of a whole output to its own "
		       "integer type";
	else if (n->kind == N_REDUCE && n->red == RED_PROD)
		what = "prod";
	else if (n->kind == N_REDUCE && (n->red == RED_ARGMAX || n->red == RED_ARGMIN))
		what = lang_red_name(n->red);
	else if (n->kind == N_REDUCE && n->type == LT_INT)
		what = "a reduction of integers";
	else if (n->kind == N_FN && n->fn == FN_POW)
		what = "pow";
	else if (n->kind == N_ACTUAL)
		what = "actual()";
	if (!what)
		return ST_OK;
	return FAIL_AT(x->e, UNSUP, op->file, op->text, op->len, n->pos, "%s is not evaluated yet",
	               what);
}

static enum st build_args(struct eval *x, struct enode *e)
{
	const struct lang_node *n = e->n;

	e->nargs = n->nargs;
	e->arg = arena_alloc(x->arena, (size_t)(n->nargs + 1) * sizeof(struct enode *));
	for (int i = 0; i < n->nargs; i++) {
		TRY(eval_build(x, n->arg[i], &e->arg[i]));
		e->free |= e->arg[i]->free;
	}
	if (n->kind == N_INDEX)
		e->free = (uint64_t)1 << n->index->number;
	if (n->kind == N_REDUCE)
		for (int i = 0; i < n->nidx; i++)
			e->free &= ~((uint64_t)1 << n->idx[i]->number);
	if (n->kind == N_LET) {
		e->let = &x->lets[n->let->number];
		if (!e->let->def) {
			e->let->def = n->let;
			TRY(eval_build(x, n->let->body, &e->let->body));
		}
	}
	if (n->kind == N_MUL && e->type == LT_REAL && e->arg[0] == e->arg[1]) {
		e->kind = N_SQR;
		e->nargs = 1;
	}
	return ST_OK;
}

/* The ratio rule, error-scale.md §2.3. Softmax is w[c]/sum(k: w[k]): the weight over the sum of
 * all. */
static enum st build_ratio(struct eval *x, struct enode *e)
{
	const struct lang_node *n = e->n, *den = n->nargs == 2 ? n->arg[1] : NULL;
	struct eratio *q = arena_alloc(x->arena, sizeof *q);

	if (!den || den->kind != N_REDUCE || den->red != RED_SUM || den->type != LT_REAL)
		return ST_OK;
	q->nidx = den->nidx;
	q->wsum = e->arg[1];
	if (n->ratio && n->ratio_v) {
		const struct lang_node *num = n->arg[0];
		for (int i = 0; i < q->nidx; i++)
			q->idx[i] = num->idx[i]->number;
		TRY(eval_build(x, n->ratio_w, &q->w));
		TRY(eval_build(x, n->ratio_v, &q->v));
		if (num->nargs == 2)
			TRY(eval_build(x, num->arg[1], &q->guard));
		e->ratio = q;
		return ST_OK;
	}
	if (den->nidx != 1 || den->nargs != 1)
		return ST_OK;
	for (uint64_t m = n->arg[0]->free; m; m &= m - 1) {
		struct lang_index *const pair[1][2] = {
		        {x->op->index[__builtin_ctzll(m)], den->idx[0]}};
		if (!lang_equal(n->arg[0], den->arg[0], pair, 1))
			continue;
		q->unit = true;
		q->idx[0] = den->idx[0]->number;
		q->idx[1] = pair[0][0]->number;
		TRY(eval_build(x, den->arg[0], &q->w));
		e->ratio = q;
		break;
	}
	return ST_OK;
}

enum st eval_build(struct eval *x, const struct lang_node *n0, struct enode **out)
{
	const struct lang_node *n = lang_skip_absent(x->op, &x->inst->b, n0);
	struct enode *e = x->memo[memo_slot(x, n0)];
	int64_t c;

	if (e) {
		*out = e;
		return ST_OK;
	}
	if (n != n0 || (n->kind == N_IF && n->arg[0]->invariant && n->arg[0]->free == 0 &&
	                constant_int(x, n->arg[0], &c))) {
		/* The same as another expression: an operand, or the branch the sizes choose. */
		TRY(eval_build(x, n != n0 ? n : n->arg[c ? 1 : 2], out));
		return ST_OK;
	}
	TRY(build_leaf(x, n, &e));
	if (!e) {
		TRY(supported(x, n));
		e = node_new(x, n);
		TRY(build_args(x, e));
		e->nonneg = is_nonneg(e);
		if (n->kind == N_DIV && x->scaling && x->k.rules & SCALE_RATIO)
			TRY(build_ratio(x, e));
	}
	if (e->key == n0 && !x->memo[memo_slot(x, n0)])
		x->memo[memo_slot(x, n0)] = e;
	*out = e;
	return ST_OK;
}

/* lang_expr.c - exact values of the integer and boolean expressions of an operator, and invariant
 * real ones (defaults of params, constants) rounded once.
 *
 * Reals are evaluated by MPFR at 512 bits, to nearest at every node, and the result is rounded to
 * its type from there: right unless the expression cancels 450 bits or lies within 2^-450 of a
 * midpoint without being one. */
#include "oracles/exact.h"
#include "oracles/lang_parse.h"

#include <math.h>
#include <string.h>

#define REAL_BITS 512

#define EXPR_FAIL(env, n, code, ...)                                                               \
	FAIL_AT(e, code, (env)->op->file, (env)->op->text, (env)->op->len, (n)->pos, __VA_ARGS__)

static enum st eval_real(const struct lang_env *env, const struct lang_node *n, mpfr_t x,
                         struct err *e);

static enum st spend(const struct lang_env *env, const struct lang_node *n, struct err *e)
{
	if (env->budget && (*env->budget)-- <= 0)
		return EXPR_FAIL(env, n, LIMIT, "too much work in one integer expression");
	return ST_OK;
}

/* ---- elements ---- */

/* The concrete indices of a read; *in_range. */
static enum st indices(const struct lang_env *env, const struct lang_node *n, int64_t *at,
                       bool *in_range, struct err *e)
{
	int rank = n->nargs - n->has_else;

	*in_range = true;
	for (int a = 0; a < rank; a++) {
		const struct lang_node *extent =
		        n->kind == N_LET ? n->let->idx[a]->extent : env->op->tensor[n->k].axis[a];
		int64_t size;

		TRY(lang_int(env, n->arg[a], &at[a], e));
		TRY(lang_int(env, extent, &size, e));
		if (at[a] >= 0 && at[a] < size)
			continue;
		*in_range = false;
		if (!n->has_else)
			return EXPR_FAIL(env, n->arg[a], INPUT, "index %lld is outside 0..%lld",
			                 (long long)at[a], (long long)size - 1);
	}
	return ST_OK;
}

static enum st let_value(const struct lang_env *env, const struct lang_node *n, const int64_t *at,
                         int64_t *v, struct err *e)
{
	const struct lang_def *d = n->let;
	int64_t saved[LANG_MAX_RANK];
	enum st rc;
	bool b;

	for (int a = 0; a < d->rank; a++) {
		saved[a] = env->index[d->idx[a]->number];
		env->index[d->idx[a]->number] = at[a];
	}
	if (d->body->type == LT_BOOL) {
		rc = lang_bool(env, d->body, &b, e);
		*v = rc == ST_OK && b;
	} else {
		rc = lang_int(env, d->body, v, e);
	}
	for (int a = 0; a < d->rank; a++)
		env->index[d->idx[a]->number] = saved[a];
	return rc;
}

/* An element of a let, an input or what the kernel wrote; bool as 0 or 1. */
static enum st element(const struct lang_env *env, const struct lang_node *n, int64_t *v,
                       struct err *e)
{
	int64_t at[LANG_MAX_RANK];
	bool in_range, b;

	TRY(indices(env, n, at, &in_range, e));
	if (!in_range && n->type == LT_BOOL) {
		TRY(lang_bool(env, n->arg[n->nargs - 1], &b, e));
		*v = b;
		return ST_OK;
	}
	if (!in_range)
		return lang_int(env, n->arg[n->nargs - 1], v, e);
	if (n->kind == N_LET)
		return let_value(env, n, at, v, e);
	if (!env->read)
		return EXPR_FAIL(env, n, UNSUP, "an input cannot decide this");
	return env->read(env->ctx, n, at, v, e);
}

/* ---- reductions ---- */

/* Accumulates one term; true when the result is settled. */
static enum st add_term(const struct lang_env *env, const struct lang_node *n, int64_t *acc,
                        bool *first, bool *settled, struct err *e)
{
	int64_t v;
	bool b;

	if (n->type == LT_BOOL) {
		TRY(lang_bool(env, n->arg[0], &b, e));
		if (b == (n->red == RED_ANY)) {
			*acc = b;
			*settled = true;
		}
		return ST_OK;
	}
	TRY(lang_int(env, n->arg[0], &v, e));
	if (n->red == RED_SUM && __builtin_add_overflow(*acc, v, acc))
		return EXPR_FAIL(env, n, INPUT, "the sum leaves the 64-bit integers");
	if (n->red == RED_PROD && __builtin_mul_overflow(*acc, v, acc))
		return EXPR_FAIL(env, n, INPUT, "the product leaves the 64-bit integers");
	if ((n->red == RED_MAX && (*first || v > *acc)) ||
	    (n->red == RED_MIN && (*first || v < *acc)))
		*acc = v;
	*first = false;
	return ST_OK;
}

static enum st reduce_from(const struct lang_env *env, const struct lang_node *n, int i,
                           int64_t *acc, bool *first, bool *settled, struct err *e)
{
	int64_t extent;
	bool ok = true;

	if (i == n->nidx) {
		TRY(spend(env, n, e));
		if (n->nargs == 2)
			TRY(lang_bool(env, n->arg[1], &ok, e));
		return ok ? add_term(env, n, acc, first, settled, e) : ST_OK;
	}
	TRY(lang_int(env, n->idx[i]->extent, &extent, e));
	for (int64_t j = 0; j < extent && !*settled; j++) {
		env->index[n->idx[i]->number] = j;
		TRY(reduce_from(env, n, i + 1, acc, first, settled, e));
	}
	return ST_OK;
}

static enum st reduce(const struct lang_env *env, const struct lang_node *n, int64_t *v,
                      struct err *e)
{
	bool first = true, settled = false;

	if (n->red == RED_ARGMAX || n->red == RED_ARGMIN || !env->index)
		return EXPR_FAIL(env, n, UNSUP, "'%s' cannot stand in an integer expression here",
		                 lang_red_name(n->red));
	*v = n->red == RED_PROD || n->red == RED_ALL;
	TRY(reduce_from(env, n, 0, v, &first, &settled, e));
	if (first && (n->red == RED_MAX || n->red == RED_MIN))
		return EXPR_FAIL(env, n, INPUT, "%s of no integers", lang_red_name(n->red));
	return ST_OK;
}

/* ---- integers ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static enum st arith(const struct lang_env *env, const struct lang_node *n, int64_t *v,
                     struct err *e)
{
	int64_t a, b = 0;
	bool over = false;

	TRY(lang_int(env, n->arg[0], &a, e));
	if (n->nargs == 2)
		TRY(lang_int(env, n->arg[1], &b, e));
	switch (n->kind) {
	case N_ADD:
		over = __builtin_add_overflow(a, b, v);
		break;
	case N_SUB:
		over = __builtin_sub_overflow(a, b, v);
		break;
	case N_MUL:
		over = __builtin_mul_overflow(a, b, v);
		break;
	case N_SQR:
		over = __builtin_mul_overflow(a, a, v);
		break;
	case N_NEG:
		over = __builtin_sub_overflow(0, a, v);
		break;
	case N_ABS:
		over = a == INT64_MIN;
		*v = a < 0 && !over ? -a : a;
		break;
	case N_MIN:
		*v = a < b ? a : b;
		break;
	case N_MAX:
		*v = a > b ? a : b;
		break;
	default: /* N_IDIV, N_MOD */
		if (b == 0)
			return EXPR_FAIL(env, n, INPUT, "division by zero");
		over = a == INT64_MIN && b == -1;
		if (!over)
			*v = n->kind == N_IDIV ? floor_div(a, b) : a - b * floor_div(a, b);
	}
	return over ? EXPR_FAIL(env, n, INPUT, "the result leaves the 64-bit integers") : ST_OK;
}

enum st lang_int(const struct lang_env *env, const struct lang_node *n, int64_t *v, struct err *e)
{
	bool c;

	TRY(spend(env, n, e));
	switch (n->kind) {
	case N_INT:
		*v = n->ival;
		return ST_OK;
	case N_DIM:
		*v = env->b->dims[n->k];
		return ST_OK;
	case N_PARAM:
		*v = (int64_t)env->b->params[n->k];
		return ST_OK;
	case N_INDEX:
		if (!env->index)
			return EXPR_FAIL(env, n, UNSUP, "no index has a value here");
		*v = env->index[n->index->number];
		return ST_OK;
	case N_IF:
		TRY(lang_bool(env, n->arg[0], &c, e));
		return lang_int(env, n->arg[c ? 1 : 2], v, e);
	case N_READ:
	case N_LET:
	case N_ACTUAL:
		return element(env, n, v, e);
	case N_REDUCE:
		return reduce(env, n, v, e);
	case N_CAST:
		return EXPR_FAIL(env, n, UNSUP,
		                 "a cast cannot stand in an integer expression here");
	default:
		return arith(env, n, v, e);
	}
}

/* ---- conditions ---- */

bool lang_cmp_holds(enum lang_cmp c, int order)
{
	switch (c) {
	case CMP_LT:
		return order < 0;
	case CMP_LE:
		return order <= 0;
	case CMP_GT:
		return order > 0;
	case CMP_GE:
		return order >= 0;
	case CMP_EQ:
		return order == 0;
	default:
		return order != 0;
	}
}

static enum st compare_real(const struct lang_env *env, const struct lang_node *n, bool *v,
                            struct err *e)
{
	mpfr_t a, b;
	enum st rc;

	mpfr_inits2(REAL_BITS, a, b, (mpfr_ptr)0);
	TRY_OR(done, rc, eval_real(env, n->arg[0], a, e));
	TRY_OR(done, rc, eval_real(env, n->arg[1], b, e));
	if (mpfr_nan_p(a) || mpfr_nan_p(b))
		*v = n->cmp == CMP_NE;
	else
		*v = lang_cmp_holds(n->cmp, mpfr_cmp(a, b));
done:
	mpfr_clears(a, b, (mpfr_ptr)0);
	return rc;
}

static enum st compare(const struct lang_env *env, const struct lang_node *n, bool *v,
                       struct err *e)
{
	int64_t a, b;
	bool p, q;

	if (n->arg[0]->type == LT_REAL)
		return compare_real(env, n, v, e);
	if (n->arg[0]->type == LT_BOOL) {
		TRY(lang_bool(env, n->arg[0], &p, e));
		TRY(lang_bool(env, n->arg[1], &q, e));
		a = p;
		b = q;
	} else {
		TRY(lang_int(env, n->arg[0], &a, e));
		TRY(lang_int(env, n->arg[1], &b, e));
	}
	*v = lang_cmp_holds(n->cmp, (a > b) - (a < b));
	return ST_OK;
}

enum st lang_bool(const struct lang_env *env, const struct lang_node *n, bool *v, struct err *e)
{
	int64_t i;

	TRY(spend(env, n, e));
	switch (n->kind) {
	case N_BOOL:
		*v = n->ival;
		return ST_OK;
	case N_PARAM:
		*v = env->b->params[n->k] != 0;
		return ST_OK;
	case N_OPTION_IS:
		*v = env->b->options[n->k] == n->ival;
		return ST_OK;
	case N_CMP:
		return compare(env, n, v, e);
	case N_NOT:
		TRY(lang_bool(env, n->arg[0], v, e));
		*v = !*v;
		return ST_OK;
	case N_AND:
	case N_OR:
		TRY(lang_bool(env, n->arg[0], v, e));
		return *v == (n->kind == N_OR) ? ST_OK : lang_bool(env, n->arg[1], v, e);
	case N_IF:
		TRY(lang_bool(env, n->arg[0], v, e));
		return lang_bool(env, n->arg[*v ? 1 : 2], v, e);
	case N_REDUCE:
		TRY(reduce(env, n, &i, e));
		break;
	default:
		TRY(element(env, n, &i, e));
	}
	*v = i != 0;
	return ST_OK;
}

/* ---- reals ---- */

/* The middle of the enclosure, which is a few units of REAL_BITS wide. */
static void apply_table_fn(enum lang_fn fn, mpfr_t x)
{
	struct ival z;

	ival_init(&z, REAL_BITS + 32);
	z.cls = mpfr_nan_p(x)    ? IVAL_NAN
	        : !mpfr_inf_p(x) ? IVAL_FINITE
	        : mpfr_sgn(x) > 0 ? IVAL_PLUS
	                          : IVAL_MINUS;
	if (z.cls == IVAL_FINITE) {
		mpfr_set(z.lo, x, MPFR_RNDD);
		mpfr_set(z.hi, x, MPFR_RNDU);
	}
	ival_fn(&z, fn, &z);
	if (z.cls == IVAL_FINITE)
		mpfr_set(x, z.lo, MPFR_RNDN);
	else if (z.cls == IVAL_PLUS || z.cls == IVAL_MINUS)
		mpfr_set_inf(x, z.cls == IVAL_PLUS ? 1 : -1);
	else
		mpfr_set_nan(x);
	ival_clear(&z);
}

static void apply_fn(enum lang_fn fn, mpfr_t x)
{
	switch (fn) {
	case FN_EXP:
		mpfr_exp(x, x, MPFR_RNDN);
		break;
	case FN_EXP2:
		mpfr_exp2(x, x, MPFR_RNDN);
		break;
	case FN_EXPM1:
		mpfr_expm1(x, x, MPFR_RNDN);
		break;
	case FN_LOG:
		mpfr_log(x, x, MPFR_RNDN);
		break;
	case FN_LOG2:
		mpfr_log2(x, x, MPFR_RNDN);
		break;
	case FN_LOG1P:
		mpfr_log1p(x, x, MPFR_RNDN);
		break;
	case FN_SQRT:
		mpfr_sqrt(x, x, MPFR_RNDN);
		break;
	case FN_RSQRT:
		mpfr_rec_sqrt(x, x, MPFR_RNDN);
		break;
	case FN_SIN:
		mpfr_sin(x, x, MPFR_RNDN);
		break;
	case FN_COS:
		mpfr_cos(x, x, MPFR_RNDN);
		break;
	case FN_TANH:
		mpfr_tanh(x, x, MPFR_RNDN);
		break;
	case FN_ERF:
		mpfr_erf(x, x, MPFR_RNDN);
		break;
	case FN_FLOOR:
		mpfr_floor(x, x);
		break;
	case FN_ROUND:
		mpfr_roundeven(x, x);
		break;
	case FN_ERFP1:
		mpfr_neg(x, x, MPFR_RNDN);
		mpfr_erfc(x, x, MPFR_RNDN);
		break;
	case FN_TANHP1: /* 2/(1 + exp(-2a)) */
		mpfr_mul_si(x, x, -2, MPFR_RNDN);
		mpfr_exp(x, x, MPFR_RNDN);
		mpfr_add_ui(x, x, 1, MPFR_RNDN);
		mpfr_ui_div(x, 2, x, MPFR_RNDN);
		break;
	default:
		apply_table_fn(fn, x);
	}
}

/* Keeps exponents where every function is quick: the sine of 2^(2^60) needs 2^60 bits of pi. */
#define MAX_EXPONENT 20000

static void clamp(mpfr_t x)
{
	if (!mpfr_regular_p(x))
		return;
	if (mpfr_get_exp(x) > MAX_EXPONENT)
		mpfr_set_inf(x, mpfr_sgn(x));
	else if (mpfr_get_exp(x) < -MAX_EXPONENT)
		mpfr_set_zero(x, mpfr_sgn(x));
}

static enum st eval_binary(const struct lang_env *env, const struct lang_node *n, mpfr_t x,
                           struct err *e)
{
	mpfr_t y;
	enum st rc;

	TRY(eval_real(env, n->arg[0], x, e));
	mpfr_init2(y, REAL_BITS);
	rc = eval_real(env, n->arg[1], y, e);
	if (n->kind == N_ADD)
		mpfr_add(x, x, y, MPFR_RNDN);
	else if (n->kind == N_SUB)
		mpfr_sub(x, x, y, MPFR_RNDN);
	else if (n->kind == N_MUL)
		mpfr_mul(x, x, y, MPFR_RNDN);
	else if (n->kind == N_DIV)
		mpfr_div(x, x, y, MPFR_RNDN);
	else if (n->kind == N_MIN)
		mpfr_min(x, x, y, MPFR_RNDN);
	else if (n->kind == N_MAX)
		mpfr_max(x, x, y, MPFR_RNDN);
	else
		mpfr_pow(x, x, y, MPFR_RNDN);
	clamp(x);
	mpfr_clear(y);
	return rc;
}

static enum st eval_unary(const struct lang_env *env, const struct lang_node *n, mpfr_t x,
                          struct err *e)
{
	TRY(eval_real(env, n->arg[0], x, e));
	if (n->kind == N_NEG)
		mpfr_neg(x, x, MPFR_RNDN);
	else if (n->kind == N_ABS)
		mpfr_abs(x, x, MPFR_RNDN);
	else if (n->kind == N_SQR)
		mpfr_sqr(x, x, MPFR_RNDN);
	else
		apply_fn(n->fn, x);
	clamp(x);
	return ST_OK;
}

static enum st eval_real(const struct lang_env *env, const struct lang_node *n, mpfr_t x,
                         struct err *e)
{
	int64_t i;
	bool c;

	TRY(spend(env, n, e));
	switch (n->kind) {
	case N_TO_REAL:
		TRY(lang_int(env, n->arg[0], &i, e));
		mpfr_set_si(x, i, MPFR_RNDN);
		return ST_OK;
	case N_REAL:
		mpfr_strtofr(x, n->text, NULL, 10, MPFR_RNDN);
		return ST_OK;
	case N_PARAM:
		mpfr_set_d(x, env->b->params[n->k], MPFR_RNDN);
		return ST_OK;
	case N_INF:
		mpfr_set_inf(x, 1);
		return ST_OK;
	case N_NAN:
		mpfr_set_nan(x);
		return ST_OK;
	case N_PI:
		mpfr_const_pi(x, MPFR_RNDN);
		return ST_OK;
	case N_IF:
		TRY(lang_bool(env, n->arg[0], &c, e));
		return eval_real(env, n->arg[c ? 1 : 2], x, e);
	case N_NEG:
	case N_ABS:
	case N_SQR:
		return eval_unary(env, n, x, e);
	case N_ADD:
	case N_SUB:
	case N_MUL:
	case N_DIV:
	case N_MIN:
	case N_MAX:
		return eval_binary(env, n, x, e);
	case N_FN:
		return n->nargs == 2 ? eval_binary(env, n, x, e) : eval_unary(env, n, x, e);
	default:
		return EXPR_FAIL(env, n, UNSUP,
		                 "this cannot be computed before the inputs are known");
	}
}

/* Rounds to odd in double, so that a second rounding to at most 51 bits is the right one. */
static double to_odd(mpfr_t x)
{
	double d = mpfr_get_d(x, MPFR_RNDZ);
	uint64_t bits;

	if (mpfr_nan_p(x) || mpfr_cmp_d(x, d) == 0)
		return d;
	memcpy(&bits, &d, sizeof bits);
	bits |= 1;
	memcpy(&d, &bits, sizeof bits);
	return d;
}

enum st lang_real(const struct op *op, const struct op_binding *b, const struct lang_node *n,
                  enum dtype t, double *v, struct err *e)
{
	struct lang_env env = {.op = op, .b = b};
	mpfr_t x;
	enum st rc;

	mpfr_init2(x, REAL_BITS);
	rc = eval_real(&env, n, x, e);
	if (rc == ST_OK)
		*v = t == DT_F64 ? mpfr_get_d(x, MPFR_RNDN)
		                 : dtype_decode(t, dtype_encode(t, to_odd(x), RND_NE, false));
	mpfr_clear(x);
	return rc;
}

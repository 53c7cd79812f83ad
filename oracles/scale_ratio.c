/* scale_ratio.c - S of a ratio of sums with common weights, y = Σ w·v / Σ w.
 *
 * With weights w(1 + t), p = w/Σw:  y' - y = Σ p·t·(v - y) / Σ p·(1 + t),  exactly. With |1 + t| = e^d,
 * |d| <= kappa·u·rho, rho the relative scale of a weight, the error in units of u is at most
 *
 *	Σ p · expm1(kappa·u·rho)/(kappa·u) · |v - y| / D
 *
 * (a) with D = exp(-kappa·u·max rho), and (b) with the winner, the largest weight, as the reference: its
 * rho added to all others, its own 0, D = p of the winner. S is the smaller of the two, plus the roundings
 * of the products and sums, 2Σp|v| + 2|y|, what v brings, Σ p·S(v), and floors. Softmax is the case
 * v = a unit vector: y = p[c], |v - y| = 1 - y at c and y elsewhere. */
#include "oracles/eval.h"
#include "oracles/vecmath.h"

#include <stdlib.h>
#include <string.h>

/* Everything about all weights of one value. */
struct weights {
	int64_t n, count;      /* terms, and those whose guard is true */
	double *w, *rho;       /* w = -1 where the guard is false */
	double total, win, rho_win, rho_max;
	int64_t win_at;
};

/* The relative scale of evaluated weights: see eval_let.c for stored ones. */
static void relative(struct eval *x, struct enode *w, int n, double *rho)
{
	bool is_exp = w->kind == N_FN && (w->fn == FN_EXP || w->fn == FN_EXP2);
	struct chunk c;

	if (w->kind == N_LET && w->rho && w->lanes == n) {
		memcpy(rho, w->rho, (size_t)n * sizeof *rho);
		return;
	}
	c = eval_chunk(x, is_exp ? w->arg[0] : w, n);
	for (int i = 0; i < n; i++) {
		double v = fabs(c.v[i]);
		if (is_exp)
			rho[i] = isfinite(v) ? c.s[i] + x->k.exp_abs * v + SCALE_C_EXP : 0;
		else
			rho[i] = v > 0 && isfinite(v) ? c.s[i] / v : 0;
	}
}

/* g = expm1(ku·rho)/ku, capped where all is hopeless alike. */
static void growth(const struct eval *x, int64_t n, double *g)
{
	double ku = x->k.ku;

	for (int64_t i = 0; i < n; i += EVAL_CHUNK) {
		double t[EVAL_CHUNK];
		int64_t m = n - i < EVAL_CHUNK ? n - i : EVAL_CHUNK;
		memcpy(t, g + i, (size_t)m * sizeof *t);
		if (!x->loops->s_growth((size_t)m, &x->k, g + i, t))
			continue;
		for (int64_t j = 0; j < m; j++)
			t[j] = ku * t[j] < 300 ? ku * t[j] : 300;
		vm_expm1(t, g + i, (size_t)m);
		for (int64_t j = 0; j < m; j++)
			g[i + j] /= ku;
	}
}

static double exp_of(double v)
{
	vm_exp(&v, &v, 1);
	return v;
}

static void take_weights(struct eval *x, struct weights *t, struct enode *w, const int64_t *guard,
                         int n)
{
	struct chunk c = eval_chunk(x, w, n);

	relative(x, w, n, t->rho + t->n);
	for (int i = 0; i < n; i++, t->n++) {
		t->w[t->n] = guard && guard[i] != TRI_TRUE ? -1 : c.v[i];
		if (t->w[t->n] < 0)
			continue;
		t->count++;
		if (t->w[t->n] > t->win) {
			t->win = t->w[t->n];
			t->win_at = t->n;
			t->rho_win = t->rho[t->n];
		}
		if (t->w[t->n] > 0 && t->rho[t->n] > t->rho_max)
			t->rho_max = t->rho[t->n];
		t->total += t->w[t->n];
	}
}

/* Evaluates all weights, the last of the reduction's indices being the vector index. */
static enum st all_weights(struct eval *x, const struct eratio *q, struct weights *t)
{
	int inner = q->idx[q->nidx - 1];
	int64_t extent = x->inst->extent[inner];
	const int64_t *guard = NULL;

	x->vec = inner;
	for (bool more = eval_start(x, q->idx, q->nidx - 1); more;
	     more = eval_step(x, q->idx, q->nidx - 1))
		for (int64_t base = 0; base < extent; base += x->n) {
			x->n = extent - base < EVAL_CHUNK ? (int)(extent - base) : EVAL_CHUNK;
			eval_set(x, inner, base);
			if (q->guard) {
				TRY(eval_node(x, q->guard));
				guard = eval_ints(q->guard, x->n);
			}
			TRY(eval_node(x, q->w));
			take_weights(x, t, q->w, guard, x->n);
		}
	return ST_OK;
}

static enum st collect(struct eval *x, const struct eratio *q, struct weights *t)
{
	int64_t n = 1;
	int vec = x->vec, lanes = x->n;
	const int64_t *mask = x->mask;
	uint64_t mask_id = x->mask_id;
	enum st rc;

	for (int i = 0; i < q->nidx; i++)
		if (__builtin_mul_overflow(n, x->inst->extent[q->idx[i]], &n) || n > EVAL_MAX_SLABS)
			return FAIL(x->e, LIMIT, "a sum of weights has too many terms");
	*t = (struct weights){.w = mem_alloc((size_t)n * sizeof(double)),
	                      .rho = mem_alloc((size_t)n * sizeof(double))};
	x->mask = NULL;
	x->mask_id = 0;
	rc = all_weights(x, q, t);
	x->vec = vec;
	x->n = lanes;
	x->mask = mask;
	x->mask_id = mask_id;
	return rc;
}

static void drop(struct weights *t)
{
	free(t->w);
	free(t->rho);
}

static bool usable(const struct weights *t)
{
	return t->total > 0 && isfinite(t->total) && isfinite(t->rho_max) && t->win > 0;
}

/* The absolute floor of one weight. */
static double weight_floor(const struct eval *x, const struct enode *w)
{
	double f = SCALE_C_EXP * x->k.eta;

	return w->kind == N_LET ? f + w->let->narrow_floor : f;
}

/* ---- softmax ---------------------------------------------------------------------------------- */

static void unit_row(struct eval *x, struct eratio *q, struct weights *t)
{
	double f = weight_floor(x, q->w), *ga = t->rho, *gb = mem_alloc((size_t)t->n * sizeof *gb);
	struct scale_unit *u = &q->row;

	for (int64_t i = 0; i < t->n; i++)
		gb[i] = i == t->win_at ? 0 : t->rho[i] + t->rho_win;
	growth(x, t->n, ga);
	growth(x, t->n, gb);
	*u = (struct scale_unit){0, 0, exp_of(-fmin(x->k.ku * t->rho_max, 300)), t->win / t->total,
	                         f / t->total + x->k.eta, (double)t->count * f / t->total};
	for (int64_t i = 0; i < t->n; i++) {
		if (t->w[i] <= 0)
			continue;
		u->sum_a += t->w[i] * ga[i] / t->total;
		u->sum_b += t->w[i] * gb[i] / t->total;
	}
	q->rho_win = t->rho_win;
	q->win_at = t->win_at;
	free(gb);
}

static enum st unit(struct eval *x, struct enode *e)
{
	struct eratio *q = e->ratio;
	double ga[EVAL_CHUNK], gb[EVAL_CHUNK], plain[EVAL_CHUNK];
	int n = e->lanes;
	int64_t at = x->var[q->idx[1]].at;

	if (q->stamp != q->wsum->stamp) {
		struct weights t = {0};
		enum st rc = collect(x, q, &t);
		q->usable = rc == ST_OK && usable(&t);
		if (q->usable)
			unit_row(x, q, &t);
		q->stamp = q->wsum->stamp;
		drop(&t);
		TRY(rc);
		TRY(eval_node(x, e->arg[0]));
	}
	if (!q->usable)
		return ST_OK;
	relative(x, e->arg[0], n, ga);
	for (int i = 0; i < n; i++)
		gb[i] = at + (x->vec == q->idx[1] ? i : 0) == q->win_at ? 0 : ga[i] + q->rho_win;
	growth(x, n, ga);
	growth(x, n, gb);
	memcpy(plain, e->c.s, (size_t)n * sizeof *plain);
	x->loops->s_unit((size_t)n, e->c, ga, gb, &q->row);
	if (e->odd)
		for (int i = 0; i < n; i++)
			if (isnan(plain[i]) || !isfinite(e->c.v[i]))
				e->c.s[i] = plain[i];
	return ST_OK;
}

/* ---- weighted mean ---------------------------------------------------------------------------- */

static void combine(struct eval *x, struct enode *e, const struct weights *t, const double *acc)
{
	int n = e->lanes;
	double da = exp_of(-fmin(x->k.ku * t->rho_max, 300)), db = t->win / t->total;
	double few = t->total < 1 ? 1 / t->total : 1;
	double floor = x->k.eta * (1 + (double)t->count * few);

	for (int i = 0; i < n; i++) {
		double a = acc[i] / da, b = acc[n + i] / db;
		double s = (a < b ? a : b) + 2 * acc[2 * n + i] + 2 * fabs(e->c.v[i]) +
			acc[3 * n + i] + floor;
		if (!isnan(e->c.s[i]) && isfinite(e->c.v[i]))
			e->c.s[i] = s;
	}
}

/* Steps through the terms once more, v in lanes, and adds up what each contributes. */
static enum st spread(struct eval *x, struct enode *e, struct weights *t, double *acc)
{
	struct eratio *q = e->ratio;
	double f = weight_floor(x, q->w) / t->total, *gb = mem_alloc((size_t)t->n * sizeof *gb);
	enum st rc = ST_OK;
	int64_t j = 0;

	for (int64_t i = 0; i < t->n; i++)
		gb[i] = i == t->win_at ? 0 : t->rho[i] + t->rho_win;
	growth(x, t->n, t->rho);
	growth(x, t->n, gb);
	for (bool more = eval_start(x, q->idx, q->nidx); more; more = eval_step(x, q->idx, q->nidx), j++) {
		if (t->w[j] < 0)
			continue;
		TRY_OR(end, rc, eval_node(x, q->v));
		struct chunk c = eval_chunk(x, q->v, e->lanes);
		double p = t->w[j] / t->total;
		x->loops->s_weighted((size_t)e->lanes, c.v, c.s, e->c.v, p, p * t->rho[j] + f,
		                     p * gb[j] + f, acc);
	}
end:
	free(gb);
	return rc;
}

static enum st weighted(struct eval *x, struct enode *e)
{
	double acc[4 * EVAL_CHUNK];
	struct weights t = {0};
	enum st rc = collect(x, e->ratio, &t);

	memset(acc, 0, sizeof acc);
	if (rc == ST_OK && usable(&t)) {
		rc = spread(x, e, &t, acc);
		if (rc == ST_OK)
			combine(x, e, &t, acc);
	}
	drop(&t);
	return rc;
}

enum st eval_ratio(struct eval *x, struct enode *e)
{
	bool row = !(x->vec >= 0 && e->ratio->wsum->free >> x->vec & 1);

	if (!row) /* weights that change along the vector: the plain rule stays */
		return ST_OK;
	return e->ratio->unit ? unit(x, e) : weighted(x, e);
}

/* scale_ratio.c - S of a ratio of sums with common weights, y = Σ w·v / Σ w.
 *
 * With weights w(1 + t), p = w/Σw:  y' - y = Σ p·t·(v - y) / Σ p·(1 + t),  exactly. With |1 + t| =
 *e^d, |d| <= kappa·u·rho, rho the relative scale of a weight, the error in units of u is at most
 *
 *	Σ p · expm1(kappa·u·rho)/(kappa·u) · |v - y| / D
 *
 * (a) with D = exp(-kappa·u·max rho), and (b) with the winner, the largest weight, as the
 *reference: its rho added to all others, its own 0, D = p of the winner. S is the smaller of the
 *two, of weights that are not negative; with others among them Σw may cancel, and the plain rule of quotients
 *stays. Plus the roundings of the products and sums, 2Σp|v| + 2|y|, what v brings, Σ p·S(v), and
 *floors. Weights of a low type are often rounded for the products alone, as flash attention does, and
 *summed unrounded: that error is not common to both sums, and adds u_T/u·Σp|v| and its floor. Softmax
 *is the case v = a unit vector: y = p[c], |v - y| = 1 - y at c and y elsewhere. */
#include "oracles/eval.h"
#include "oracles/vecmath.h"

#include <stdlib.h>
#include <string.h>

/* Everything about all weights of one value. */
struct weights {
	int64_t n, count; /* terms, and those whose guard is true */
	double *w, *rho;  /* w = -1 where the guard is false */
	double total, win, rho_win, rho_max;
	int64_t win_at;
	bool negative; /* some weight is */
};

/* For w = exp(a), S(a) + |a| + c, whatever has underflowed; else S/|w|; of a stored let, as stored.
 */
void eval_relative(struct eval *x, struct enode *w, int n, double *rho)
{
	bool is_exp = w->kind == N_FN && (w->fn == FN_EXP || w->fn == FN_EXP2);
	struct chunk c;

	if (w->kind == N_LET && w->rho && w->lanes == n) {
		memcpy(rho, w->rho, (size_t)n * sizeof *rho);
		return;
	}
	c = eval_chunk(x, is_exp ? w->arg[0] : w, n);
	if (is_exp)
		x->loops->s_relative((size_t)n, &x->k, rho, c);
	for (int i = 0; i < n && !is_exp; i++)
		rho[i] = c.v[i] != 0 ? c.s[i] / fabs(c.v[i]) : 0;
	for (int i = 0; i < n && w->odd; i++)
		rho[i] = isfinite(c.v[i]) ? rho[i] : 0;
}

/* g = expm1(ku·(rho + shift))/ku, capped where all is hopeless alike; g may not be rho. */
static void growth(const struct eval *x, int64_t n, const double *rho, double shift, double *g)
{
	double ku = x->k.ku, t[EVAL_CHUNK];

	for (int64_t i = 0; i < n; i += EVAL_CHUNK) {
		size_t m = n - i < EVAL_CHUNK ? (size_t)(n - i) : EVAL_CHUNK;
		if (!x->loops->s_growth(m, &x->k, g + i, rho + i, shift))
			continue;
		for (size_t j = 0; j < m; j++)
			t[j] = ku * (rho[i + j] + shift) < 300 ? ku * (rho[i + j] + shift) : 300;
		vm_expm1(t, g + i, m);
		for (size_t j = 0; j < m; j++)
			g[i + j] /= ku;
	}
}

static double exp_of(double v)
{
	vm_exp(&v, &v, 1);
	return v;
}

/* One term that the guard lets through. */
static void take_one(struct weights *t, double w, double rho)
{
	t->count++;
	t->negative |= w < 0;
	t->total += w;
	if (w > t->win) {
		t->win = w;
		t->win_at = t->n;
		t->rho_win = rho;
	}
	if (w > 0 && rho > t->rho_max)
		t->rho_max = rho;
}

static void take_weights(struct eval *x, struct weights *t, struct enode *w, const int64_t *guard,
                         int n)
{
	struct chunk c = eval_chunk(x, w, n);
	double *rho = t->rho + t->n;

	eval_relative(x, w, n, rho);
	memcpy(t->w + t->n, c.v, (size_t)n * sizeof *t->w);
	for (int i = 0; i < n && !w->nonneg && !guard; i++)
		t->negative |= c.v[i] < 0;
	if (!guard && !w->odd) {
		struct chunk_weights q = x->loops->weigh((size_t)n, c.v, rho);
		for (int i = 0; i < n && q.win > t->win; i++)
			if (c.v[i] == q.win) {
				t->win = q.win;
				t->win_at = t->n + i;
				t->rho_win = rho[i];
			}
		t->rho_max = q.rho > t->rho_max ? q.rho : t->rho_max;
		t->total += q.total;
		t->count += n;
		t->n += n;
		return;
	}
	for (int i = 0; i < n; i++, t->n++) {
		if (guard && guard[i] != TRI_TRUE)
			t->w[t->n] = -1;
		else
			take_one(t, c.v[i], rho[i]);
	}
}

/* Evaluates a chunk of weights, those alone that the guard lets through. */
static enum st weights_chunk(struct eval *x, const struct eratio *q, struct weights *t)
{
	int64_t mask[EVAL_CHUNK];
	const int64_t *guard = NULL;
	int some = 0;

	if (q->guard) {
		TRY(eval_node(x, q->guard));
		guard = eval_ints(q->guard, x->n);
		for (int i = 0; i < x->n; i++)
			some += mask[i] = guard[i] == TRI_TRUE;
		if (some == 0) {
			for (int i = 0; i < x->n; i++)
				t->w[t->n++] = -1;
			return ST_OK;
		}
	}
	if (q->guard && some < x->n)
		TRY(eval_masked(x, q->w, mask));
	else
		TRY(eval_node(x, q->w));
	take_weights(x, t, q->w, q->guard ? mask : NULL, x->n);
	return ST_OK;
}

/* All weights, the last of the reduction's indices being the vector index. */
static enum st all_weights(struct eval *x, const struct eratio *q, struct weights *t)
{
	int inner = q->idx[q->nidx - 1];
	int64_t extent = x->inst->extent[inner];

	x->vec = inner;
	for (bool more = eval_start(x, q->idx, q->nidx - 1); more;
	     more = eval_step(x, q->idx, q->nidx - 1))
		for (int64_t base = 0; base < extent; base += x->n) {
			x->n = extent - base < EVAL_CHUNK ? (int)(extent - base) : EVAL_CHUNK;
			eval_set(x, inner, base);
			TRY(weights_chunk(x, q, t));
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
	return !t->negative && t->total > 0 && isfinite(t->total) && isfinite(t->rho_max) && t->win > 0;
}

/* The absolute floor of one weight. */
static double weight_floor(const struct eval *x, const struct enode *w)
{
	double f = SCALE_C_EXP * x->k.eta;

	return w->kind == N_LET ? f + w->let->narrow_floor : f;
}

/* ---- softmax ----------------------------------------------------------------------------------
 */

/* What all elements of a row share, and the growth of every term under both references. */
static void unit_row(struct eval *x, struct eratio *q, const struct weights *t)
{
	double f = weight_floor(x, q->w), total = t->total;
	struct chunk_sums sums = {0};

	growth(x, t->n, t->rho, 0, q->ga);
	growth(x, t->n, t->rho, t->rho_win, q->gb);
	q->gb[t->win_at] = 0;
	for (int64_t i = 0; i < t->n; i += EVAL_CHUNK) {
		size_t m = t->n - i < EVAL_CHUNK ? (size_t)(t->n - i) : EVAL_CHUNK;
		struct chunk_sums c = x->loops->unit_sums(m, t->w + i, q->ga + i, q->gb + i);
		sums.v += c.v;
		sums.a += c.a;
	}
	q->row = (struct scale_unit){
	        sums.v / total, sums.a / total,       exp_of(-fmin(x->k.ku * t->rho_max, 300)),
	        t->win / total, f / total + x->k.eta, (double)t->count * f / total};
}

static enum st unit_prepare(struct eval *x, struct enode *e)
{
	struct eratio *q = e->ratio;
	struct weights t = {0};
	enum st rc = collect(x, q, &t);

	q->stamp = q->wsum->stamp;
	q->usable = rc == ST_OK && usable(&t);
	if (q->usable) {
		if (!q->ga) {
			q->ga = arena_alloc(x->arena, (size_t)t.n * sizeof *q->ga);
			q->gb = arena_alloc(x->arena, (size_t)t.n * sizeof *q->gb);
		}
		q->terms = t.n;
		unit_row(x, q, &t);
	}
	drop(&t);
	return rc;
}

static enum st unit(struct eval *x, struct enode *e)
{
	struct eratio *q = e->ratio;
	double plain[EVAL_CHUNK];
	int n = e->lanes;
	int64_t at = x->var[q->idx[1]].at;

	if (q->stamp != q->wsum->stamp)
		TRY(unit_prepare(x, e));
	if (!q->usable || at + n > q->terms || (n > 1 && x->vec != q->idx[1]))
		return ST_OK;
	memcpy(plain, e->c.s, (size_t)n * sizeof *plain);
	x->loops->s_unit((size_t)n, e->c, q->ga + at, q->gb + at, &q->row);
	for (int i = 0; i < n && e->odd; i++)
		if (isnan(plain[i]) || !isfinite(e->c.v[i]))
			e->c.s[i] = plain[i];
	return ST_OK;
}

/* ---- weighted mean ----------------------------------------------------------------------------
 */

static void combine(struct eval *x, struct enode *e, const struct weights *t, const double *acc)
{
	int n = e->lanes;
	double da = exp_of(-fmin(x->k.ku * t->rho_max, 300)), db = t->win / t->total;
	double few = t->total < 1 ? 1 / t->total : 1;
	double floor = x->k.eta * (1 + (double)t->count * few);

	for (int i = 0; i < n; i++) {
		double a = acc[i] / da, b = acc[n + i] / db;
		double s = (a < b ? a : b) + acc[2 * n + i] + 2 * fabs(e->c.v[i]) +
		           acc[3 * n + i] + floor;
		if (!isnan(e->c.s[i]) && isfinite(e->c.v[i]))
			e->c.s[i] = s;
	}
}

/* Steps through the terms once more, v in lanes, and adds up what each contributes. */
static enum st spread(struct eval *x, struct enode *e, const struct weights *t, double *acc)
{
	struct eratio *q = e->ratio;
	const struct elet *let = q->w->kind == N_LET ? q->w->let : NULL;
	double f = weight_floor(x, q->w) / t->total;
	double own = let ? let->narrow : 0, own_floor = let ? let->narrow_floor / t->total : 0;
	double *ga = mem_alloc((size_t)t->n * 2 * sizeof *ga), *gb = ga + t->n;
	const double *rows = q->nidx == 1 ? eval_axpy_rows(x, e->arg[0]) : NULL;
	enum st rc = ST_OK;
	int64_t j = 0;

	growth(x, t->n, t->rho, 0, ga);
	growth(x, t->n, t->rho, t->rho_win, gb);
	gb[t->win_at] = 0;
	for (bool more = eval_start(x, q->idx, q->nidx); more;
	     more = eval_step(x, q->idx, q->nidx), j++) {
		struct chunk c = {rows ? (double *)rows + j * e->lanes : NULL, NULL, x->zeros};
		double p = t->w[j] / t->total;
		if (t->w[j] < 0)
			continue;
		if (!rows) {
			TRY_OR(end, rc, eval_node(x, q->v));
			c = eval_chunk(x, q->v, e->lanes);
		}
		x->loops->s_weighted((size_t)e->lanes, c.v, c.s, e->c.v, p, p * ga[j] + f,
		                     p * gb[j] + f, p * (2 + own) + own_floor, acc);
	}
end:
	free(ga);
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

/* eval_reduce.c - reductions.
 *
 * Two ways. "Across": the vector index stays, the reduction's indices step one by one, each step
 * adds a chunk to a chunk of sums. "By rows": each value by itself, the vector index becomes the
 * reduction's inner index. eval_plan.c chooses by which index runs along memory.
 *
 * The error of a sum of n terms t. By rows: a chunk's sum is at most 36 additions deep, so off by
 * at most gamma_36·Σ|t|; the sums of chunks are added by Sum2 (Ogita, Rump, Oishi, Accurate sum and
 * dot product, SISC 2005, prop. 4.5): e·|s| + gamma_{n-1}²·Σ|t|, and gamma² <= 2^-53 for n <= 2^26.
 * Across: Sum2 alone. Together below 44·2^-53·Σ|t|. Σ|t| and Σr are added plainly, wrong by a
 * factor of at most 1 - 2^-26 (n <= 2^26 additions): SUM_UP covers it. */
#include "oracles/eval.h"

#include <string.h>

#define SUM_UP (1 + 0x1p-20)
#define SUM_U  (44 * 0x1p-53)

/* What a sum has seen. */
struct sum {
	double hi, lo, a, r, s;
	int64_t count;
	bool nan, plus, minus, big_plus, big_minus, unknown, hard;
};

static void add_to(struct sum *t, double v)
{
	double x = t->hi, z = x + v, b = z - x;

	t->lo += (x - (z - b)) + (v - b);
	t->hi = z;
}

static bool soft(const struct eval *x, double v)
{
	return x->scaling && fabs(v) > x->k.head;
}

/* One term, of whatever kind. */
static void add_elem(const struct eval *x, struct sum *t, struct elem a)
{
	t->count++;
	t->s += a.s;
	t->hard |= isnan(a.s) || (!elem_inf(a) && !elem_nan(a) && soft(x, a.v));
	if (elem_nan(a))
		t->nan = true;
	else if (elem_inf(a))
		*(a.v > 0 ? &t->plus : &t->minus) = true;
	else if (elem_big(a))
		*(a.v > 0 ? &t->big_plus : &t->big_minus) = true;
	else if (!elem_finite(a))
		t->unknown = true;
	if (isfinite(a.v)) {
		add_to(t, a.v);
		t->a += fabs(a.v);
		t->r += a.r <= 0x1.fffffffffffffp+1023 ? a.r : 0;
	}
}

static struct elem special_sum(const struct sum *t, double v)
{
	if (t->nan || (t->plus && t->minus))
		return (struct elem){NAN, 0, 0};
	if (t->unknown)
		return (struct elem){isfinite(v) ? v : NAN, INFINITY, NAN};
	if (t->plus || t->minus)
		return (struct elem){t->plus ? INFINITY : -INFINITY, 0, 0};
	if (t->big_plus != t->big_minus && t->a < 0x1p900)
		return (struct elem){t->big_plus ? INFINITY : -INFINITY, INFINITY, 0};
	return (struct elem){NAN, INFINITY, NAN};
}

/* The value of a sum or mean. */
static struct elem sum_value(const struct eval *x, const struct enode *e, const struct sum *t)
{
	bool special = t->nan || t->plus || t->minus || t->big_plus || t->big_minus || t->unknown;
	double v = t->hi + t->lo, r = (t->r + SUM_U * t->a) * SUM_UP;
	struct elem z = {v, r, 0}, n = {(double)t->count, 0, 0};

	if (special || !isfinite(v) || !isfinite(r))
		z = special_sum(t, v);
	if (x->scaling) {
		double s = t->s + t->a + (double)t->count * x->k.eta_add;
		/* terms of both signs: a part of them may overflow by itself where the whole does not */
		bool back = soft(x, t->a) &&
		            (!soft(x, z.v) || (isfinite(z.v) && fabs(z.v) < t->a * (1 - 0x1p-40)));

		if (elem_finite(z) || elem_big(z))
			z.s = t->hard || back ? NAN : s;
		else if (isfinite(z.v))
			z.s = t->hard ? NAN : s;
	}
	if (e->n->red != RED_MEAN)
		return z;
	struct elem m = fix_div(z, n);
	m.s = x->scaling ? scale_fix_div(&x->k, z, n, m) : 0;
	return m;
}

/* ---- across -----------------------------------------------------------------------------------
 */

static enum st guard_true(struct eval *x, struct enode *e, int64_t *g)
{
	*g = TRI_TRUE;
	if (e->nargs == 2) {
		TRY(eval_node(x, e->arg[1]));
		*g = e->arg[1]->i[0];
	}
	return ST_OK;
}

static int reduction_indices(const struct enode *e, int *idx)
{
	for (int i = 0; i < e->n->nidx; i++)
		idx[i] = e->n->idx[i]->number;
	return e->n->nidx;
}

static enum st by_rows(struct eval *x, struct enode *e);

/* Steps through the terms one by one. */
static enum st add_terms(struct eval *x, struct enode *e, struct chunk_acc acc, int64_t *count,
                         bool *odd)
{
	int idx[LANG_MAX_RANK], n = reduction_indices(e, idx);
	int64_t g;

	for (bool more = eval_start(x, idx, n); more; more = eval_step(x, idx, n)) {
		TRY(guard_true(x, e, &g));
		if (g == TRI_FALSE)
			continue;
		TRY(eval_node(x, e->arg[0]));
		struct chunk c = eval_chunk(x, e->arg[0], e->lanes);
		x->loops->accumulate((size_t)e->lanes, acc, c.v, c.r, c.s);
		*odd |= e->arg[0]->odd || g == TRI_UNKNOWN;
		++*count;
	}
	return ST_OK;
}

static enum st across(struct eval *x, struct enode *e)
{
	double room[5][EVAL_CHUNK];
	struct chunk_acc acc = {room[0], room[1], room[2], room[3], room[4]};
	int lanes = e->lanes;
	int64_t count = 0;
	bool odd = false, served;

	memset(room, 0, sizeof room);
	TRY(eval_axpy(x, e, acc, &count, &served));
	if (!served) {
		memset(room, 0, sizeof room);
		count = 0;
		TRY(add_terms(x, e, acc, &count, &odd));
	}
	for (int i = 0; i < lanes; i++) {
		struct sum t = {acc.hi[i], acc.lo[i], acc.a[i], acc.r[i], acc.s[i], .count = count};
		struct elem z = {0, 0, 0};
		bool lane_odd = !(t.a <= x->lim) || !(t.r <= x->lim);
		odd |= lane_odd;
		if (!lane_odd)
			z = sum_value(x, e, &t);
		e->c.v[i] = z.v;
		e->c.r[i] = z.r;
		if (x->scaling)
			e->c.s[i] = z.s;
		e->odd |= !(fabs(z.v) <= x->lim) || !isfinite(z.s);
	}
	return odd ? by_rows(x, e) : ST_OK;
}

/* ---- by rows ----------------------------------------------------------------------------------
 */

/* A scan's sum so far: of the first `done` terms, as the other indices stood at `stamp`. */
struct escan {
	struct sum sum;
	int64_t done;
	uint64_t stamp;
};

/* What a reduction of one value has come to. */
struct row {
	struct sum sum;
	struct elem top;     /* max; min of the negated */
	double winner;       /* second pass: the largest S of the candidates */
	bool second, scaled; /* some S was not known to be 0 */
	bool any, all, unknown;
};

static void row_sum(struct eval *x, struct row *w, struct enode *body, int n, const int64_t *guard)
{
	struct chunk c = eval_chunk(x, body, n);

	if (guard || body->odd) {
		for (int i = 0; i < n; i++) {
			struct elem a = eval_elem(&c, i);
			if (guard && guard[i] == TRI_UNKNOWN)
				a.r = INFINITY;
			if (!guard || guard[i])
				add_elem(x, &w->sum, a);
		}
		return;
	}
	struct chunk_sums t = x->loops->sums((size_t)n, c.v, c.r == x->zeros ? NULL : c.r,
	                                     c.s == x->zeros ? NULL : c.s);
	add_to(&w->sum, t.v);
	w->sum.a += t.a;
	w->sum.r += t.r;
	w->sum.s += t.s;
	w->sum.count += n;
}

/* max of the terms, min of the negated ones being -max. */
static void row_max(struct eval *x, struct row *w, const struct enode *e, int n,
                    const int64_t *guard)
{
	struct enode *body = e->arg[0];
	struct chunk c = eval_chunk(x, body, n);
	bool min = e->n->red == RED_MIN, drop = x->op->contract.nan == NAN_DROP;

	w->scaled |= c.s != x->zeros;
	if (!guard && !body->odd && !min && !w->second) {
		double m = x->loops->maximum((size_t)n, c.v, -INFINITY);
		if (c.s != x->zeros)
			for (int i = 0; i < n; i++)
				if (c.v[i] == m && (m > w->top.v || c.s[i] > w->top.s))
					w->top.s = c.s[i];
		w->top.v = m > w->top.v ? m : w->top.v;
		if (c.r != x->zeros)
			w->top.r = x->loops->maximum((size_t)n, c.r, w->top.r);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct elem a = eval_elem(&c, i);
		if (guard && !guard[i])
			continue;
		if (guard && guard[i] == TRI_UNKNOWN)
			a.r = INFINITY;
		a.v = min ? -a.v : a.v;
		if (w->second) {
			double k = x->k.ku;
			if (a.v + k * a.s >= w->top.v - k * w->top.s && a.s > w->winner)
				w->winner = a.s;
			continue;
		}
		struct elem t = fix_max(w->top, a, drop);
		w->sum.hard |= isnan(a.s);
		t.s = a.v > w->top.v || (a.v == w->top.v && a.s > w->top.s) ? a.s : w->top.s;
		w->top = t;
	}
}

static void row_bool(struct row *w, const int64_t *v, int n, const int64_t *guard)
{
	for (int i = 0; i < n; i++) {
		if (guard && guard[i] == TRI_FALSE)
			continue;
		if (v[i] == TRI_UNKNOWN || (guard && guard[i] == TRI_UNKNOWN))
			w->unknown = true;
		else if (v[i])
			w->any = true;
		else
			w->all = false;
	}
}

static enum st row_chunk(struct eval *x, struct enode *e, struct row *w)
{
	struct enode *body = e->arg[0];
	const int64_t *guard = NULL;
	int64_t copy[EVAL_CHUNK];
	int some = 0, out = 0, lanes = x->n;

	if (e->nargs == 2) {
		TRY(eval_node(x, e->arg[1]));
		guard = eval_ints(e->arg[1], lanes);
		for (int i = 0; i < lanes; i++) {
			some += guard[i] != TRI_FALSE;
			out += guard[i] != TRI_TRUE;
		}
		if (!some)
			return ST_OK;
		memcpy(copy, guard, (size_t)lanes * sizeof *copy);
		guard = out ? copy : NULL;
	}
	if (guard) {
		if (!e->select)
			e->select = arena_alloc(x->arena, 2 * EVAL_CHUNK * sizeof *e->select);
		for (int i = 0; i < lanes; i++)
			e->select[i] = guard[i] != TRI_FALSE;
		TRY(eval_masked(x, body, e->select));
	} else {
		TRY(eval_node(x, body));
	}
	if (body->type == LT_BOOL)
		row_bool(w, eval_ints(body, lanes), lanes, guard);
	else if (e->n->red == RED_MAX || e->n->red == RED_MIN)
		row_max(x, w, e, lanes, guard);
	else
		row_sum(x, w, body, lanes, guard);
	return ST_OK;
}

/* All terms of one value. */
static enum st row_pass(struct eval *x, struct enode *e, struct row *w, int inner)
{
	int loops[LANG_MAX_RANK], n = 0;
	int64_t extent = inner >= 0 ? x->inst->extent[inner] : 1;

	for (int i = 0; i < e->n->nidx; i++)
		if (e->n->idx[i]->number != inner)
			loops[n++] = e->n->idx[i]->number;
	for (bool more = eval_start(x, loops, n); more; more = eval_step(x, loops, n))
		for (int64_t base = 0; base < extent; base += x->n) {
			x->n = extent - base < EVAL_CHUNK ? (int)(extent - base) : EVAL_CHUNK;
			if (inner >= 0)
				eval_set(x, inner, base);
			TRY(row_chunk(x, e, w));
		}
	return ST_OK;
}

/* The terms of a scan, `k <= j` its guard: those of the value before it are not added again, so
 * that a row costs its length and not the square of it. */
static enum st scan_pass(struct eval *x, struct enode *e, struct row *w)
{
	int k = e->n->idx[0]->number, to = e->n->scan_to->number;
	int64_t terms = x->var[to].at + !e->n->scan_strict;
	struct escan *s = e->scan;

	if (!s)
		s = e->scan = arena_alloc(x->arena, sizeof *s);
	terms = terms < x->inst->extent[k] ? terms : x->inst->extent[k];
	if (terms < s->done || eval_moved(x, e->free & ~(1ULL << to), s->stamp))
		*s = (struct escan){.done = 0};
	w->sum = s->sum;
	x->vec = k;
	for (int64_t at = s->done; at < terms; at += x->n) {
		x->n = terms - at < EVAL_CHUNK ? (int)(terms - at) : EVAL_CHUNK;
		eval_set(x, k, at);
		TRY(eval_node(x, e->arg[0]));
		row_sum(x, w, e->arg[0], x->n, NULL);
	}
	s->sum = w->sum;
	s->done = terms;
	s->stamp = x->clock;
	return ST_OK;
}

static struct elem max_value(const struct eval *x, const struct enode *e, const struct row *w)
{
	struct elem z = w->top;

	z.s = w->sum.hard ? NAN : elem_finite(z) ? w->winner : 0;
	if (!x->scaling)
		z.s = 0;
	if (e->n->red == RED_MIN)
		z.v = -z.v;
	return z;
}

static enum st row_value(struct eval *x, struct enode *e, int inner, int lane)
{
	struct row w = {.top = {-INFINITY, 0, 0}, .all = true};
	bool top = e->n->red == RED_MAX || e->n->red == RED_MIN;
	struct elem z;

	if (e->n->scan && (e->n->red == RED_SUM || e->n->red == RED_MEAN))
		TRY(scan_pass(x, e, &w));
	else
		TRY(row_pass(x, e, &w, inner));
	if (e->type == LT_BOOL) {
		bool decided = e->n->red == RED_ANY ? w.any : !w.all;
		e->i[lane] = decided     ? e->n->red == RED_ANY
		             : w.unknown ? TRI_UNKNOWN
		                         : e->n->red == RED_ALL;
		return ST_OK;
	}
	if (top && x->scaling && w.scaled) {
		w.second = true;
		TRY(row_pass(x, e, &w, inner));
	}
	z = top ? max_value(x, e, &w) : sum_value(x, e, &w.sum);
	e->c.v[lane] = z.v;
	e->c.r[lane] = z.r;
	if (x->scaling)
		e->c.s[lane] = z.s;
	e->odd |= !(fabs(z.v) <= x->lim) || !elem_finite(z) || !isfinite(z.s);
	return ST_OK;
}

static enum st by_rows(struct eval *x, struct enode *e)
{
	int vec = x->vec, n = x->n, inner = e->red_inner;
	bool moves = vec >= 0 && e->free >> vec & 1;
	int64_t base = vec >= 0 ? x->var[vec].at : 0;
	const int64_t *mask = x->mask;
	uint64_t mask_id = x->mask_id;
	enum st rc = ST_OK;

	x->vec = inner;
	x->mask = NULL;
	x->mask_id = 0;
	for (int lane = 0; lane < e->lanes && rc == ST_OK; lane++) {
		if (moves)
			eval_set(x, vec, base + lane);
		if (moves && mask && !mask[lane]) {
			e->c.v[lane] = e->c.r[lane] = 0;
			continue;
		}
		x->n = 1;
		rc = row_value(x, e, inner, lane);
	}
	x->vec = vec;
	x->n = n;
	x->mask = mask;
	x->mask_id = mask_id;
	if (moves)
		eval_set(x, vec, base);
	return rc;
}

enum st eval_reduce(struct eval *x, struct enode *e)
{
	int vec = x->vec >= 0 && e->free >> x->vec & 1 ? x->vec : -1;

	if (e->red_vec != vec) {
		e->red_vec = vec;
		e->red_across = eval_across(x, e, vec);
		e->red_inner = eval_inner(x, e);
	}
	e->i = (int64_t *)(void *)e->own;
	if (eval_table_get(x, e))
		return ST_OK;
	if (e->dot) {
		bool served;
		TRY(eval_dot(x, e, &served));
		if (served)
			return ST_OK;
	}
	TRY(e->red_across ? across(x, e) : by_rows(x, e));
	eval_table_put(x, e);
	return ST_OK;
}

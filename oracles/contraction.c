/* contraction.c - sums of products of two inputs over one index, by dgemm.
 *
 * C = A·B and T = |A|·|B| for blocks of rows. Whatever the order of summation and with or without
 * fused operations, |fl(C) - C| <= gamma_K·T and fl(T) >= (1 - gamma_K)·T (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., §3.5), gamma_K = K·2^-53/(1 - K·2^-53): the radius is
 * 2^-53·(K + 4)·1.01·T for K <= 2^40. The BLAS is not trusted: for a vector x of signs, C·x must
 * equal A·(B·x), and T·x |A|·(|B|·x), within the bound of all these sums (Freivalds 1979). A wrong
 * element larger than the bound of its row cannot cancel, for the signs keep its size. A block that
 * fails is computed by eval_reduce.c and counted. */
#include "oracles/eval.h"

#include <cblas.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DOT_LEAST 16384 /* products below which own loops are as good */
#define DOT_BLOCK ((int64_t)1 << 22)
#define DOT_MAX   ((int64_t)1 << 26)

struct edot {
	struct edot *next;
	struct enode *a, *b;
	int i, j, k;   /* index numbers: rows, columns, summed */
	bool b_rows_k; /* B is packed as K rows of J, else as J rows of K */
	int64_t rows;  /* of a block */
	bool valid, good;
	int64_t first; /* row the block begins with */
	int64_t key[LANG_MAX_INDICES];
	double *pa, *pb, *c, *t;
};

static bool depends(const struct enode *e, int index)
{
	return e->free >> index & 1;
}

static int64_t extent(const struct eval *x, int index)
{
	return x->inst->extent[index];
}

/* The last index of `def` that moves one factor and not the other. */
static int own_index(const struct eval *x, const struct lang_def *def, const struct enode *with,
                     const struct enode *without)
{
	for (int d = def->rank - 1; d >= 0; d--) {
		int j = def->idx[d]->number;
		if (depends(with, j) && !depends(without, j) && extent(x, j) > 1)
			return j;
	}
	return -1;
}

/* Does the last axis that is longer than 1 move with this index? */
static bool runs_along(const struct eval *x, const struct enode *e, int index)
{
	for (int d = x->op->schema.tensors[e->n->k].rank - 1; d >= 0; d--)
		if (x->inst->shape[e->n->k][d] > 1)
			return depends(e->arg[d], index);
	return false;
}

static void consider(struct eval *x, const struct lang_def *def, struct enode *e)
{
	struct edot d = {0};
	int64_t ei, ej, ek;

	if (!e->n->contraction || e->nargs != 1 || e->n->nidx != 1 || e->arg[0]->kind != N_MUL)
		return;
	d.a = e->arg[0]->arg[0];
	d.b = e->arg[0]->arg[1];
	if (d.a->kind != N_READ || d.b->kind != N_READ || d.a->n->has_else || d.b->n->has_else)
		return;
	d.k = e->n->idx[0]->number;
	d.i = own_index(x, def, d.a, d.b);
	d.j = own_index(x, def, d.b, d.a);
	if (d.i < 0 || d.j < 0 || !depends(d.a, d.k) || !depends(d.b, d.k))
		return;
	ei = extent(x, d.i);
	ej = extent(x, d.j);
	ek = extent(x, d.k);
	if (ek < 1 || (double)ei * (double)ej * (double)ek < DOT_LEAST)
		return;
	if (ej > DOT_BLOCK / EVAL_CHUNK || ek > DOT_MAX / ej)
		return;
	d.rows = DOT_BLOCK / ej / EVAL_CHUNK * EVAL_CHUNK;
	if (ek > DOT_MAX / d.rows)
		d.rows = EVAL_CHUNK;
	d.rows = ei < d.rows ? ei : d.rows;
	if (ek > DOT_MAX / d.rows)
		return;
	d.b_rows_k = runs_along(x, d.b, d.j);
	d.next = x->dots;
	e->dot = x->dots = arena_alloc(x->arena, sizeof d);
	*e->dot = d;
}

static void look(struct eval *x, const struct lang_def *def, struct enode *e)
{
	if (e->kind == N_REDUCE && !e->dot)
		consider(x, def, e);
	for (int i = 0; i < e->nargs; i++)
		look(x, def, e->arg[i]);
}

void eval_dots(struct eval *x, const struct lang_def *out, struct enode *body)
{
	look(x, out, body);
	for (int i = 0; i < x->op->nlets; i++)
		if (x->lets[i].body)
			look(x, x->lets[i].def, x->lets[i].body);
}

void eval_dots_free(struct eval *x)
{
	for (struct edot *d = x->dots; d; d = d->next) {
		free(d->pa);
		free(d->pb);
		free(d->c);
		free(d->t);
	}
}

/* ---- a block ----------------------------------------------------------------------------------
 */

/* n rows of m values of e: outer index `row` from `first`, inner index `col`. *plain turns false
 * when some value is not ordinary or has a scale of its own. */
static enum st pack(struct eval *x, struct enode *e, int row, int64_t first, int64_t n, int col,
                    int64_t m, double *to, bool *plain)
{
	x->vec = col;
	for (int64_t i = 0; i < n; i++) {
		eval_set(x, row, first + i);
		for (int64_t j = 0; j < m; j += x->n) {
			x->n = m - j < EVAL_CHUNK ? (int)(m - j) : EVAL_CHUNK;
			eval_set(x, col, j);
			e->dst = (struct chunk){to + i * m + j, NULL, NULL};
			TRY(eval_node(x, e));
			struct chunk c = eval_chunk(x, e, x->n);
			if (c.v != e->dst.v)
				memcpy(e->dst.v, c.v, (size_t)x->n * sizeof *to);
			*plain &= !e->odd && (!x->scaling || c.s == x->zeros);
		}
	}
	return ST_OK;
}

static void multiply(const struct eval *x, const struct edot *d, int64_t n, double *c)
{
	int j = (int)extent(x, d->j), k = (int)extent(x, d->k);

	cblas_dgemm(CblasRowMajor, CblasNoTrans, d->b_rows_k ? CblasNoTrans : CblasTrans, (int)n, j,
	            k, 1, d->pa, k, d->pb, d->b_rows_k ? j : k, 0, c, j);
}

/* B·x for a vector of signs. */
static void project(const struct edot *d, int64_t ej, int64_t ek, const double *sign, double *bx)
{
	if (!d->b_rows_k) {
		for (int64_t k = 0; k < ek; k++)
			bx[k] = 0;
		for (int64_t j = 0; j < ej; j++)
			for (int64_t k = 0; k < ek; k++)
				bx[k] += d->pb[j * ek + k] * sign[j];
		return;
	}
	for (int64_t k = 0; k < ek; k++) {
		double s[4] = {0};
		int64_t j = 0;
		for (; j + 4 <= ej; j += 4)
			for (int l = 0; l < 4; l++)
				s[l] += d->pb[k * ej + j + l] * sign[j + l];
		for (; j < ej; j++)
			s[0] += d->pb[k * ej + j] * sign[j];
		bx[k] = (s[0] + s[1]) + (s[2] + s[3]);
	}
}

static double dot(const double *a, const double *b, int64_t n)
{
	double s[4] = {0};
	int64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int l = 0; l < 4; l++)
			s[l] += a[i + l] * b[i + l];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return (s[0] + s[1]) + (s[2] + s[3]);
}

/* left[i] = (A·(B·x) - C·x)[i] for the vector of signs x. */
static void residuals(const struct eval *x, const struct edot *d, int64_t n, const double *c,
                      const double *sign, double *left)
{
	int64_t ej = extent(x, d->j), ek = extent(x, d->k);
	double *bx = mem_alloc((size_t)ek * sizeof *bx);

	project(d, ej, ek, sign, bx);
	for (int64_t i = 0; i < n; i++)
		left[i] = dot(d->pa + i * ek, bx, ek) - dot(c + i * ej, sign, ej);
	free(bx);
}

/* Are the residuals what rounding can do? The sums on both sides have at most J + K + 3 terms and
 * roundings each, over magnitudes that add up to the row of T. */
static bool within(const struct eval *x, const struct edot *d, int64_t n, const double *left)
{
	int64_t ej = extent(x, d->j), ek = extent(x, d->k);
	double unit = 0x1p-53 * (double)(4 * (ej + ek) + 64);

	for (int64_t i = 0; i < n; i++) {
		double row = 0;
		for (int64_t j = 0; j < ej; j++)
			row += d->t[i * ej + j];
		if (!(fabs(left[i]) <= unit * row + LOOP_TINY))
			return false;
	}
	return true;
}

static bool make_abs(double *p, int64_t n)
{
	bool changed = false;

	for (int64_t i = 0; i < n; i++) {
		changed |= p[i] < 0;
		p[i] = fabs(p[i]);
	}
	return changed;
}

/* C and T, each checked within the bound that T gives (for T's own check makes a T that is too
 * large fail). A and B are turned into |A| and |B| on the way; without a sign to lose T is C. */
static bool products(struct eval *x, struct edot *d, int64_t n)
{
	int64_t ej = extent(x, d->j), ek = extent(x, d->k);
	double *sign = mem_alloc((size_t)(ej + 2 * n) * sizeof *sign);
	double *left_c = sign + ej, *left_t = left_c + n;
	bool signs, good;

	for (int64_t j = 0; j < ej; j++)
		sign[j] = rand_u64(0x676d, (uint64_t)d->first, (uint64_t)j) >> 63 ? -1 : 1;
	multiply(x, d, n, d->c);
	residuals(x, d, n, d->c, sign, left_c);
	signs = make_abs(d->pa, n * ek);
	signs |= make_abs(d->pb, ej * ek);
	if (signs)
		multiply(x, d, n, d->t);
	else
		memcpy(d->t, d->c, (size_t)(n * ej) * sizeof *d->t);
	residuals(x, d, n, d->t, sign, left_t);
	good = within(x, d, n, left_t) && within(x, d, n, left_c);
	free(sign);
	return good;
}

static void single_thread(void)
{
	void (*set)(int) = NULL;
	void *p = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");

	memcpy(&set, &p, sizeof set);
	if (set)
		set(1);
}

static enum st fill(struct eval *x, struct edot *d, int64_t first)
{
	int64_t ei = extent(x, d->i), ej = extent(x, d->j), ek = extent(x, d->k);
	int64_t n = ei - first < d->rows ? ei - first : d->rows;
	bool plain = true;

	if (!d->c) {
		d->pa = mem_alloc((size_t)(d->rows * ek) * sizeof *d->pa);
		d->pb = mem_alloc((size_t)(ej * ek) * sizeof *d->pb);
		d->c = mem_alloc((size_t)(d->rows * ej) * sizeof *d->c);
		d->t = mem_alloc((size_t)(d->rows * ej) * sizeof *d->t);
		single_thread();
	}
	d->first = first;
	d->valid = true;
	d->good = false;
	TRY(pack(x, d->a, d->i, first, n, d->k, ek, d->pa, &plain));
	if (d->b_rows_k)
		TRY(pack(x, d->b, d->k, 0, ek, d->j, ej, d->pb, &plain));
	else
		TRY(pack(x, d->b, d->j, 0, ej, d->k, ek, d->pb, &plain));
	if (!plain)
		return ST_OK;
	d->good = products(x, d, n);
	x->blas_fallbacks += !d->good;
	return ST_OK;
}

/* Makes the block with row `first` for the current values of the other indices. */
static enum st refill(struct eval *x, struct enode *e, int64_t first)
{
	struct edot *d = e->dot;
	int vec = x->vec, n = x->n;
	const int64_t *mask = x->mask;
	uint64_t mask_id = x->mask_id;
	int64_t i = x->var[d->i].at, j = x->var[d->j].at;
	enum st rc;

	for (uint64_t m = e->free; m; m &= m - 1)
		d->key[__builtin_ctzll(m)] = x->var[__builtin_ctzll(m)].at;
	x->mask = NULL;
	x->mask_id = 0;
	rc = fill(x, d, first);
	d->a->dst.v = d->b->dst.v = NULL;
	x->vec = vec;
	x->n = n;
	x->mask = mask;
	x->mask_id = mask_id;
	eval_set(x, d->i, i);
	eval_set(x, d->j, j);
	return rc;
}

static void serve(const struct eval *x, struct enode *e)
{
	const struct edot *d = e->dot;
	int64_t ej = extent(x, d->j), ek = extent(x, d->k);
	int64_t at = (x->var[d->i].at - d->first) * ej + x->var[d->j].at;
	int64_t step = x->vec == d->i ? ej : x->vec == d->j ? 1 : 0;
	double unit = 0x1p-53 * 1.01 * (double)(ek + 4), tiny = LOOP_TINY * (double)ek;
	double floor = (double)ek * (x->k.eta + x->k.eta_add);

	for (int l = 0; l < e->lanes; l++) {
		e->c.v[l] = d->c[at + l * step];
		e->c.r[l] = unit * d->t[at + l * step] + tiny;
	}
	for (int l = 0; x->scaling && l < e->lanes; l++) {
		double t = d->t[at + l * step];
		e->c.s[l] = 2 * t + floor;
		if (t > x->k.head) {
			e->odd = true;
			/* in range, or a part of it (terms of both signs) may overflow by itself */
			e->c.s[l] = fabs(e->c.v[l]) > fmax(x->k.head, t * (1 - 0x1p-40)) ? e->c.s[l] : NAN;
		}
	}
	e->odd |= x->loops->check((size_t)e->lanes, e->c.v, x->lim);
}

enum st eval_dot(struct eval *x, struct enode *e, bool *served)
{
	struct edot *d = e->dot;
	int64_t first = x->var[d->i].at / d->rows * d->rows;
	bool same = d->valid && d->first == first;

	*served = false;
	for (uint64_t m = e->free; m; m &= m - 1) {
		int v = __builtin_ctzll(m);
		if (v == d->i || v == d->j)
			continue;
		if (v == x->vec)
			return ST_OK;
		same &= d->key[v] == x->var[v].at;
	}
	if (!same)
		TRY(refill(x, e, first));
	*served = d->good;
	if (d->good)
		serve(x, e);
	return ST_OK;
}

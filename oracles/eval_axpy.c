/* eval_axpy.c - sums over one index of a number times a run of an input, as in probabilities times
 * values: Σ_j w[j]·v[j, lanes]. The input's runs are kept from one sum to the next (the rows of an
 * output share them), and the numbers are evaluated with j as the vector index.
 *
 * Each term t = fl(w·v) adds 2^-53·|t| and r(w)·|v| to the radius, |v|·S(w) + |t| + eta to the
 * scale, as the loops of a product do; its additions are those of eval_reduce.c's sums across. */
#include "oracles/eval.h"

#include <stdlib.h>
#include <string.h>

#define AXPY_MAX ((int64_t)1 << 24) /* doubles kept */

struct eaxpy {
	struct enode *w, *v;
	int j;
	bool valid, plain;
	int64_t base;
	int n;
	int64_t key[LANG_MAX_INDICES];
	double *rows;
	struct eaxpy *next;
};

static bool depends(const struct enode *e, int index)
{
	return e->free >> index & 1;
}

/* Can e be made this way with vec as the vector index? */
static struct eaxpy *find(struct eval *x, struct enode *e, int vec)
{
	struct enode *body = e->arg[0], *v, *w;
	struct eaxpy *a;
	int axes = 0;

	if (e->n->red != RED_SUM || e->n->nidx != 1 || body->kind != N_MUL || vec < 0)
		return NULL;
	v = depends(body->arg[0], vec) ? body->arg[0] : body->arg[1];
	w = v == body->arg[0] ? body->arg[1] : body->arg[0];
	if (depends(w, vec) || !depends(v, vec) || v->kind != N_READ || v->n->has_else)
		return NULL;
	for (int d = 0; d < v->nargs; d++)
		axes += depends(v->arg[d], vec) ? v->arg[d]->kind == N_INDEX ? 1 : 100 : 0;
	if (axes != 1 || !depends(v, e->n->idx[0]->number) || !depends(w, e->n->idx[0]->number))
		return NULL;
	if (x->inst->extent[e->n->idx[0]->number] > AXPY_MAX / EVAL_CHUNK)
		return NULL;
	a = arena_alloc(x->arena, sizeof *a);
	a->v = v;
	a->w = w;
	a->j = e->n->idx[0]->number;
	a->next = x->axpys;
	x->axpys = a;
	return a;
}

void eval_axpys_free(struct eval *x)
{
	for (struct eaxpy *a = x->axpys; a; a = a->next)
		free(a->rows);
}

/* Are the rows that are kept those of the current indices? */
static bool current(const struct eval *x, const struct eaxpy *a)
{
	bool same = a->valid && a->n == x->n && a->base == x->var[x->vec].at;

	for (uint64_t m = a->v->free; m && same; m &= m - 1) {
		int i = __builtin_ctzll(m);
		same &= i == a->j || i == x->vec || a->key[i] == x->var[i].at;
	}
	return same;
}

static enum st keep_rows(struct eval *x, struct eaxpy *a)
{
	int64_t terms = x->inst->extent[a->j];

	if (!a->rows)
		a->rows = mem_alloc((size_t)terms * EVAL_CHUNK * sizeof *a->rows);
	for (uint64_t m = a->v->free; m; m &= m - 1)
		a->key[__builtin_ctzll(m)] = x->var[__builtin_ctzll(m)].at;
	a->base = x->var[x->vec].at;
	a->n = x->n;
	a->valid = a->plain = true;
	for (int64_t j = 0; j < terms; j++) {
		eval_set(x, a->j, j);
		TRY(eval_node(x, a->v));
		struct chunk c = eval_chunk(x, a->v, x->n);
		memcpy(a->rows + j * x->n, c.v, (size_t)x->n * sizeof *c.v);
		a->plain &= !a->v->odd && (!x->scaling || c.s == x->zeros);
	}
	return ST_OK;
}

const double *eval_axpy_rows(const struct eval *x, const struct enode *e)
{
	return e->axpy && x->vec >= 0 && e->axpy->plain && current(x, e->axpy) ? e->axpy->rows
	                                                                       : NULL;
}

/* One chunk of terms: the numbers, then the runs they multiply. */
static enum st add_terms(struct eval *x, struct enode *e, int lanes, struct chunk_acc acc,
                         int64_t *count, bool *good)
{
	const struct eaxpy *a = e->axpy;
	const int64_t *guard = NULL;
	int64_t first = x->var[a->j].at, mask[EVAL_CHUNK];
	int some = 0;
	struct chunk w;

	if (e->nargs == 2) {
		TRY(eval_node(x, e->arg[1]));
		guard = eval_ints(e->arg[1], x->n);
		for (int i = 0; i < x->n; i++) {
			*good &= guard[i] != TRI_UNKNOWN;
			some += mask[i] = guard[i] == TRI_TRUE;
		}
		if (some == 0)
			return ST_OK;
	}
	TRY(guard && some < x->n ? eval_masked(x, a->w, mask) : eval_node(x, a->w));
	w = eval_chunk(x, a->w, x->n);
	*good &= !a->w->odd;
	for (int i = 0; i < x->n; i++) {
		if (guard && !mask[i])
			continue;
		x->loops->axpy((size_t)lanes, acc, a->rows + (first + i) * lanes, eval_elem(&w, i));
		++*count;
	}
	return ST_OK;
}

static enum st add_all(struct eval *x, struct enode *e, struct chunk_acc acc, int64_t *count,
                       bool *good)
{
	int vec = x->vec, lanes = x->n, j = e->axpy->j;
	int64_t terms = x->inst->extent[j];
	const int64_t *mask = x->mask;
	uint64_t mask_id = x->mask_id;
	enum st rc = ST_OK;

	x->vec = j;
	x->mask = NULL;
	x->mask_id = 0;
	for (int64_t base = 0; base < terms && rc == ST_OK && *good; base += x->n) {
		x->n = terms - base < EVAL_CHUNK ? (int)(terms - base) : EVAL_CHUNK;
		eval_set(x, j, base);
		rc = add_terms(x, e, lanes, acc, count, good);
	}
	x->vec = vec;
	x->n = lanes;
	x->mask = mask;
	x->mask_id = mask_id;
	return rc;
}

enum st eval_axpy(struct eval *x, struct enode *e, struct chunk_acc acc, int64_t *count,
                  bool *served)
{
	bool good = true;

	*served = false;
	if (e->axpy_vec != x->vec) {
		e->axpy_vec = x->vec;
		e->axpy = find(x, e, x->vec);
	}
	if (!e->axpy)
		return ST_OK;
	if (!current(x, e->axpy))
		TRY(keep_rows(x, e->axpy));
	if (!e->axpy->plain)
		return ST_OK;
	TRY(add_all(x, e, acc, count, &good));
	for (int i = 0; i < e->lanes && good; i++) {
		acc.r[i] += LOOP_U * acc.a[i] + (double)*count * LOOP_TINY;
		acc.s[i] += acc.a[i] + (double)*count * x->k.eta;
	}
	*served = good;
	return ST_OK;
}

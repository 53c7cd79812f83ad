/* eval_table.c - values of reductions kept by the values of their free indices, for those that the
 * order of the loops would compute again and again: mean(k: x[a,k,b]^2) below y[a,n,b]. */
#include "oracles/eval.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_MAX ((int64_t)1 << 22) /* elements */

struct etable {
	int nidx;
	int idx[LANG_MAX_RANK];
	int64_t stride[LANG_MAX_RANK];
	int64_t size;
	double *v, *r, *s;
	uint8_t *have;
	struct etable *next;
};

/* Is there a loop outside one of e's indices that e does not depend on? order: outermost first. */
static bool repeats(const struct eval *x, const struct enode *e, const int *order, int n)
{
	bool skipped = false;

	for (int i = 0; i < n; i++) {
		if (x->inst->extent[order[i]] <= 1)
			continue;
		if (!(e->free >> order[i] & 1))
			skipped = true;
		else if (skipped)
			return true;
	}
	return false;
}

static void attach(struct eval *x, struct enode *e)
{
	struct etable *t = arena_alloc(x->arena, sizeof *t);

	t->size = 1;
	for (uint64_t m = e->free; m; m &= m - 1) {
		int i = __builtin_ctzll(m);
		if (t->nidx == LANG_MAX_RANK)
			return;
		t->idx[t->nidx] = i;
		t->stride[t->nidx++] = t->size;
		t->size *= x->inst->extent[i];
		if (t->size > TABLE_MAX)
			return;
	}
	t->next = x->tables;
	e->table = x->tables = t;
}

void eval_tables(struct eval *x, const struct lang_def *def, struct enode *e, int from, int vec)
{
	int order[LANG_MAX_RANK], n = 0;

	for (int a = from; a < def->rank; a++)
		if (def->idx[a]->number != vec)
			order[n++] = def->idx[a]->number;
	if (vec >= 0)
		order[n++] = vec;
	if (e->kind == N_REDUCE && e->type == LT_REAL && !e->dot && !e->table &&
	    repeats(x, e, order, n))
		attach(x, e);
	for (int i = 0; i < e->nargs && e->kind != N_REDUCE; i++)
		eval_tables(x, def, e->arg[i], from, vec);
}

void eval_tables_free(struct eval *x)
{
	for (struct etable *t = x->tables; t; t = t->next) {
		free(t->v);
		free(t->r);
		free(t->s);
		free(t->have);
	}
}

/* Where the lanes lie in the table: at *at + lane·(returned step). */
static int64_t place(const struct eval *x, const struct etable *t, int64_t *at)
{
	int64_t step = 0;

	*at = 0;
	for (int i = 0; i < t->nidx; i++) {
		*at += x->var[t->idx[i]].at * t->stride[i];
		step += t->idx[i] == x->vec ? t->stride[i] : 0;
	}
	return step;
}

bool eval_table_get(struct eval *x, struct enode *e)
{
	const struct etable *t = e->table;
	int64_t at, step;

	if (!t || !t->v || x->mask)
		return false;
	step = place(x, t, &at);
	for (int i = 0; i < e->lanes; i++)
		if (!t->have[at + i * step])
			return false;
	e->odd = false;
	for (int i = 0; i < e->lanes; i++) {
		int64_t k = at + i * step;
		e->c.v[i] = t->v[k];
		e->c.r[i] = t->r[k];
		if (x->scaling)
			e->c.s[i] = t->s[k];
		e->odd |= !(fabs(t->v[k]) <= x->lim) || !isfinite(t->r[k]) || !isfinite(t->s[k]);
	}
	return true;
}

void eval_table_put(struct eval *x, const struct enode *e)
{
	struct etable *t = e->table;
	int64_t at, step;

	if (!t || x->mask)
		return;
	if (!t->v) {
		t->v = mem_alloc((size_t)t->size * sizeof *t->v);
		t->r = mem_alloc((size_t)t->size * sizeof *t->r);
		t->s = mem_alloc((size_t)t->size * sizeof *t->s);
		t->have = mem_zalloc((size_t)t->size, 1);
	}
	step = place(x, t, &at);
	for (int i = 0; i < e->lanes; i++) {
		int64_t k = at + i * step;
		t->v[k] = e->c.v[i];
		t->r[k] = e->c.r[i];
		t->s[k] = x->scaling ? e->c.s[i] : 0;
		t->have[k] = 1;
	}
}

/* lang_mark.c - when two expressions are the same, and the forms that the evaluator treats
 * specially: contractions, scans, ratios of sums with common weights, absent optional inputs. */
#include "oracles/lang_parse.h"

#include <string.h>

/* Indices bound by corresponding reductions, innermost first. */
struct pairing {
	const struct lang_index *a, *b;
	const struct pairing *next;
};

static bool equal(const struct lang_node *a, const struct lang_node *b, const struct pairing *p);

static bool same_index(const struct lang_index *a, const struct lang_index *b,
                       const struct pairing *p)
{
	for (; p; p = p->next)
		if (p->a == a || p->b == b)
			return p->a == a && p->b == b;
	return a == b;
}

static bool equal_args(const struct lang_node *a, const struct lang_node *b,
                       const struct pairing *p)
{
	if (a->nargs != b->nargs)
		return false;
	for (int i = 0; i < a->nargs; i++)
		if (!equal(a->arg[i], b->arg[i], p))
			return false;
	return true;
}

static bool equal_extent(const struct lang_index *a, const struct lang_index *b)
{
	return a->extent && b->extent && equal(a->extent, b->extent, NULL);
}

/* Bodies and guards of two reductions under one more pair of indices at a time. */
static bool equal_bound(const struct lang_node *a, const struct lang_node *b, int i,
                        const struct pairing *p)
{
	struct pairing more;

	if (i == a->nidx)
		return equal_args(a, b, p);
	more = (struct pairing){a->idx[i], b->idx[i], p};
	return equal_extent(a->idx[i], b->idx[i]) && equal_bound(a, b, i + 1, &more);
}

static bool equal(const struct lang_node *a, const struct lang_node *b, const struct pairing *p)
{
	if (a == b && (a->free == 0 || !p))
		return true;
	if (a->kind != b->kind || a->type != b->type || a->k != b->k || a->ival != b->ival ||
	    a->has_else != b->has_else || a->let != b->let)
		return false;
	switch (a->kind) {
	case N_REAL:
		return a->dexact && b->dexact ? a->dval == b->dval : strcmp(a->text, b->text) == 0;
	case N_INDEX:
		return same_index(a->index, b->index, p);
	case N_FN:
		return a->fn == b->fn && equal_args(a, b, p);
	case N_CMP:
		return a->cmp == b->cmp && equal_args(a, b, p);
	case N_CAST:
		return a->cast_to.var == b->cast_to.var && a->cast_to.dt == b->cast_to.dt &&
		       a->cast_rnd == b->cast_rnd && a->cast_sat == b->cast_sat &&
		       equal_args(a, b, p);
	case N_REDUCE:
		return a->red == b->red && a->nidx == b->nidx && equal_bound(a, b, 0, p);
	default:
		return equal_args(a, b, p);
	}
}

bool lang_equal(const struct lang_node *a, const struct lang_node *b,
                struct lang_index *const (*pairs)[2], int npairs)
{
	struct pairing list[LANG_MAX_INDICES];

	if (npairs > LANG_MAX_INDICES)
		return false;
	for (int i = 0; i < npairs; i++)
		list[i] = (struct pairing){pairs[i][0], pairs[i][1], i ? &list[i - 1] : NULL};
	return equal(a, b, npairs ? &list[npairs - 1] : NULL);
}

/* ---- reductions ---- */

static bool is_element(const struct lang_node *n)
{
	return n->kind == N_READ || n->kind == N_LET;
}

static void mark_contraction(struct lang_node *n)
{
	const struct lang_node *body = n->arg[0];

	if (n->red != RED_SUM || body->kind != N_MUL || body->type != LT_REAL ||
	    !is_element(body->arg[0]) || !is_element(body->arg[1]))
		return;
	n->contraction = true;
	n->con_a = body->arg[0];
	n->con_b = body->arg[1];
}

/* The guards k <= j, k < j, j >= k, j > k. */
static void mark_scan(struct lang_node *n)
{
	const struct lang_node *g = n->nargs == 2 ? n->arg[1] : NULL, *k, *j;
	bool flipped;

	if (!g || n->nidx != 1 || g->kind != N_CMP || g->cmp == CMP_EQ || g->cmp == CMP_NE)
		return;
	flipped = g->cmp == CMP_GT || g->cmp == CMP_GE;
	k = g->arg[flipped];
	j = g->arg[!flipped];
	if (k->kind != N_INDEX || j->kind != N_INDEX || k->index != n->idx[0] ||
	    j->index == k->index)
		return;
	if (n->arg[0]->free & UINT64_C(1) << j->index->number)
		return;
	n->scan = true;
	n->scan_strict = g->cmp == CMP_LT || g->cmp == CMP_GT;
	n->scan_to = j->index;
}

void mark_reduce(struct lang_node *n)
{
	mark_contraction(n);
	mark_scan(n);
}

/* ---- ratios of sums ---- */

#define MAX_FACTORS 16

static int flatten(struct lang_node *n, struct lang_node **f, int nf)
{
	if (n->kind != N_MUL)
		return nf < MAX_FACTORS ? (f[nf] = n, nf + 1) : MAX_FACTORS + 1;
	nf = flatten(n->arg[0], f, nf);
	return nf > MAX_FACTORS ? nf : flatten(n->arg[1], f, nf);
}

/* Splits body = w·v, w being equal to `weight` under p; *v is NULL for v = 1. */
static bool split_weight(struct lang_parser *ps, struct lang_node *body,
                         const struct lang_node *weight, const struct pairing *p,
                         struct lang_node **w, struct lang_node **v)
{
	struct lang_node *f[MAX_FACTORS];
	int n, at;

	*v = NULL;
	*w = body;
	if (equal(body, weight, p))
		return true;
	for (int i = 0; body->kind == N_MUL && i < 2; i++)
		if (equal(body->arg[i], weight, p)) {
			*w = body->arg[i];
			*v = body->arg[!i];
			return true;
		}
	n = flatten(body, f, 0);
	for (at = 0; at < n && n <= MAX_FACTORS && !equal(f[at], weight, p); at++)
		;
	if (n > MAX_FACTORS || at == n)
		return false;
	*w = f[at];
	for (int i = 0; i < n; i++)
		if (i != at)
			*v = *v ? node_arith(ps, N_MUL, body->pos, *v, f[i]) : f[i];
	return true;
}

bool mark_ratio(struct lang_parser *ps, struct lang_node *n)
{
	struct lang_node *num = n->arg[0], *den = n->arg[1];
	struct pairing list[LANG_MAX_RANK];
	const struct pairing *p = NULL;

	if (num->kind != N_REDUCE || den->kind != N_REDUCE || num->red != RED_SUM ||
	    den->red != RED_SUM || num->nidx != den->nidx || num->nargs != den->nargs)
		return true;
	for (int i = 0; i < num->nidx; i++) {
		if (!equal_extent(num->idx[i], den->idx[i]))
			return true;
		list[i] = (struct pairing){num->idx[i], den->idx[i], p};
		p = &list[i];
	}
	if (num->nargs == 2 && !equal(num->arg[1], den->arg[1], p))
		return true;
	n->ratio = split_weight(ps, num->arg[0], den->arg[0], p, &n->ratio_w, &n->ratio_v);
	return ps->e->code == ST_OK;
}

/* ---- absent optional inputs ---- */

/* Is n a read of an absent input with this default? */
static bool absent_value(const struct op *op, const struct op_binding *b, const struct lang_node *n,
                         double value)
{
	const struct lang_node *d;

	if (n->kind != N_READ || b->present[n->k] || !op->schema.tensors[n->k].optional)
		return false;
	d = op->tensor[n->k].deflt;
	if (d->kind == N_TO_REAL)
		d = d->arg[0];
	return (d->kind == N_INT || d->kind == N_REAL) && d->dval == value;
}

const struct lang_node *lang_before_cast(const struct op *op, const struct lang_def *out)
{
	const struct lang_node *n = out->body;
	const struct lang_etype *t = &op->tensor[out->tensor].type;
	bool same = n->kind == N_CAST && n->cast_to.var == t->var &&
	            (t->var >= 0 || n->cast_to.dt == t->dt);

	return same && n->type == LT_INT && n->cast_rnd == RND_NE && n->cast_sat ? n->arg[0] : n;
}

const struct lang_node *lang_skip_absent(const struct op *op, const struct op_binding *b,
                                         const struct lang_node *n)
{
	for (;;) {
		double neutral = n->kind == N_MUL || n->kind == N_DIV ? 1 : 0;
		bool both = n->kind == N_MUL || n->kind == N_ADD;

		if (!both && n->kind != N_DIV && n->kind != N_SUB)
			return n;
		if (absent_value(op, b, n->arg[1], neutral))
			n = n->arg[0];
		else if (both && absent_value(op, b, n->arg[0], neutral))
			n = n->arg[1];
		else
			return n;
	}
}

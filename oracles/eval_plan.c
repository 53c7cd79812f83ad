/* eval_plan.c - which index each definition is vectorised over, and how much of a let is kept at a
 * time. */
#include "oracles/eval.h"

#include <string.h>

static int64_t extent(const struct eval *x, int index)
{
	return x->inst->extent[index];
}

static bool depends(const struct enode *e, int index)
{
	return index >= 0 && e->free >> index & 1;
}

/* The axis along which neighbours in memory differ: the last one that is longer than 1. */
static int inner_axis(const struct eval *x, const struct enode *e)
{
	const int64_t *dim;
	int64_t box[LANG_MAX_RANK];
	int rank;

	if (e->kind == N_LET) {
		rank = e->let->def->rank;
		for (int a = 0; a < rank; a++)
			box[a] = extent(x, e->let->def->idx[a]->number);
		dim = box;
	} else {
		rank = x->op->schema.tensors[e->n->k].rank;
		dim = x->inst->shape[e->n->k];
	}
	for (int a = rank - 1; a >= 0; a--)
		if (dim[a] > 1)
			return a;
	return -1;
}

/* Counts the reads whose inner axis moves with index a, and with index b. */
static void votes(const struct eval *x, const struct enode *e, int a, int b, int *va, int *vb)
{
	if (e->kind == N_READ || e->kind == N_LET) {
		int axis = inner_axis(x, e);
		if (axis >= 0) {
			*va += depends(e->arg[axis], a);
			*vb += depends(e->arg[axis], b);
		}
	}
	for (int i = 0; i < e->nargs; i++)
		votes(x, e->arg[i], a, b, va, vb);
}

int eval_inner(const struct eval *x, const struct enode *e)
{
	int best = -1, most = -1;

	for (int i = e->n->nidx - 1; i >= 0; i--) {
		int j = e->n->idx[i]->number, v = 0, w = 0;
		if (extent(x, j) <= 1)
			continue;
		votes(x, e->arg[0], j, -1, &v, &w);
		if (v > most) {
			most = v;
			best = j;
		}
	}
	return best;
}

bool eval_across(const struct eval *x, const struct enode *e, int vec)
{
	int inner = eval_inner(x, e), v = 0, w = 0;
	int64_t terms = 1;

	if (e->n->red != RED_SUM && e->n->red != RED_MEAN)
		return false;
	if (vec < 0 || extent(x, vec) <= 1)
		return false;
	if (e->nargs == 2 && depends(e->arg[1], vec))
		return false;
	for (int i = 0; i < e->n->nidx; i++)
		if (__builtin_mul_overflow(terms, extent(x, e->n->idx[i]->number), &terms))
			return false;
	if (terms > EVAL_MAX_ACROSS)
		return false;
	if (inner < 0)
		return true;
	votes(x, e->arg[0], vec, inner, &v, &w);
	return v > w || (v == w && (extent(x, vec) >= 16 || extent(x, vec) >= extent(x, inner)));
}

/* Is there a reduction below e that depends on vec and is better made value by value? */
static bool wants_rows(const struct eval *x, const struct enode *e, int vec)
{
	if (!depends(e, vec))
		return false;
	if (e->kind == N_REDUCE && !eval_across(x, e, vec))
		return true;
	for (int i = 0; i < e->nargs; i++)
		if (wants_rows(x, e->arg[i], vec))
			return true;
	return false;
}

static int vector_index(const struct eval *x, const struct lang_def *def, const struct enode *body,
                        int from)
{
	for (int a = def->rank - 1; a >= from; a--) {
		int j = def->idx[a]->number;
		if (extent(x, j) > 1)
			return wants_rows(x, body, j) ? -1 : j;
	}
	return -1;
}

/* How many leading arguments of a read of a let are loop indices of the definition it stands in. */
static int leading(const struct enode *e, const struct lang_def *in, int vec)
{
	for (int a = 0; a < e->let->def->rank; a++) {
		bool loop = false;
		for (int i = 0; i < in->rank; i++) {
			int j = in->idx[i]->number;
			loop |= e->arg[a]->kind == N_INDEX && depends(e->arg[a], j) && j != vec;
		}
		if (!loop)
			return a;
	}
	return e->let->def->rank;
}

/* The prefix of every let read below e, definition `in` being evaluated for one value each of its
 * first `limit` indices at a time: a let that several definitions read may be kept for no smaller
 * part. */
struct reader {
	int count;
	int last; /* the definition that read it: number of the let, or LANG_MAX_LETS for the output
	           */
};

static void read_by(struct eval *x, struct enode *e, const struct lang_def *in, int vec, int limit,
                    struct reader *readers, int who)
{
	if (e->kind == N_LET) {
		struct reader *r = &readers[e->let->def->number];
		int p = leading(e, in, vec);
		if (r->count == 0 || r->last != who)
			r->count++;
		r->last = who;
		e->let->prefix = p < e->let->prefix ? p : e->let->prefix;
		if (limit < e->let->shared_prefix)
			e->let->shared_prefix = limit;
	}
	for (int i = 0; i < e->nargs; i++)
		read_by(x, e->arg[i], in, vec, limit, readers, who);
}

static void ratio_reads(struct eval *x, struct enode *e, const struct lang_def *in, int vec,
                        int limit, struct reader *readers, int who)
{
	if (e->ratio) {
		read_by(x, e->ratio->w, in, vec, limit, readers, who);
		if (e->ratio->v)
			read_by(x, e->ratio->v, in, vec, limit, readers, who);
		if (e->ratio->guard)
			read_by(x, e->ratio->guard, in, vec, limit, readers, who);
		if (e->ratio->w->kind == N_LET)
			e->ratio->w->let->want_rho = true;
	}
	for (int i = 0; i < e->nargs; i++)
		ratio_reads(x, e->arg[i], in, vec, limit, readers, who);
}

static void reads_of(struct eval *x, struct enode *body, const struct lang_def *in, int vec,
                     int limit, struct reader *readers, int who)
{
	read_by(x, body, in, vec, limit, readers, who);
	ratio_reads(x, body, in, vec, limit, readers, who);
}

enum st eval_plan(struct eval *x, const struct lang_def *out, struct enode *body, int *vec)
{
	struct reader readers[LANG_MAX_LETS];

	memset(readers, 0, sizeof readers);
	x->slab_doubles = 0;
	for (int i = 0; i < x->op->nlets; i++) {
		x->lets[i].prefix = x->lets[i].shared_prefix = LANG_MAX_RANK;
		eval_let_free(&x->lets[i]); /* another output may have kept other parts of it */
	}
	*vec = vector_index(x, out, body, 0);
	reads_of(x, body, out, *vec, LANG_MAX_RANK, readers, LANG_MAX_LETS);
	for (int i = x->op->nlets - 1; i >= 0; i--) {
		struct elet *let = &x->lets[i];
		if (readers[i].count == 0)
			continue;
		if (readers[i].count > 1 && let->shared_prefix < let->prefix)
			let->prefix = let->shared_prefix;
		let->vec = vector_index(x, let->def, let->body, let->prefix);
		reads_of(x, let->body, let->def, let->vec, let->prefix, readers, i);
	}
	return ST_OK;
}

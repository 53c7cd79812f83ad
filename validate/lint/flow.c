/* flow.c - the graph of an entry: predecessors, dominators, control dependence, loops, reachability. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

int flow_successors(const struct ir_func *f, int block, int32_t *out, int max)
{
	const struct ir_block *b = &f->block[block];
	int n = 0;

	if (b->next >= 0 && n < max)
		out[n++] = b->next;
	if (b->taken >= 0 && b->taken != b->next && n < max)
		out[n++] = b->taken;
	for (int i = 0; b->brx >= 0 && i < f->table[b->brx].n && n < max; i++)
		out[n++] = f->label[f->table[b->brx].label[i]].block;
	return n;
}

#define MAX_SUCC 256

static void list_add(struct arena *a, struct list *l, int32_t v)
{
	if ((l->n & (l->n - 1)) == 0) { /* at powers of two the room doubles */
		int32_t *more = arena_alloc(a, sizeof *more * (size_t)(l->n ? 2 * l->n : 1));

		if (l->n)
			memcpy(more, l->v, sizeof *more * (size_t)l->n);
		l->v = more;
	}
	l->v[l->n++] = v;
}

static int common(const struct lint_fn *f, const int32_t *idom, int a, int b)
{
	while (a != b)
		if (f->f->block[a].rpo > f->f->block[b].rpo)
			a = idom[a];
		else
			b = idom[b];
	return a;
}

static void dominators(struct lint_fn *f)
{
	int n = f->f->nblock;
	bool changed = true;

	f->idom = arena_alloc(f->a, sizeof *f->idom * ((size_t)n + 1));
	for (int i = 0; i < n; i++)
		f->idom[i] = -1;
	f->idom[f->f->rpo[0]] = f->f->rpo[0];
	while (changed) {
		changed = false;
		for (int k = 1; k < f->f->nrpo; k++) {
			int v = f->f->rpo[k], d = -1;

			for (int p = 0; p < f->pred[v].n; p++) {
				int u = f->pred[v].v[p];

				if (f->idom[u] >= 0)
					d = d < 0 ? u : common(f, f->idom, d, u);
			}
			changed |= d != f->idom[v];
			f->idom[v] = d;
		}
	}
	f->idom[f->f->rpo[0]] = -1;
}

bool flow_dominates(const struct lint_fn *f, int a, int b)
{
	while (b >= 0 && b != a)
		b = f->idom[b];
	return b == a;
}

/* A block depends on a branch when it lies on the way, in the tree of post-dominators, from one of the branch's successors to the
 * branch's own post-dominator. */
static void control_dependence(struct lint_fn *f)
{
	int32_t succ[MAX_SUCC];

	f->depends = arena_alloc(f->a, sizeof *f->depends * ((size_t)f->f->nblock + 1));
	for (int k = 0; k < f->f->nrpo; k++) {
		int b = f->f->rpo[k], n = flow_successors(f->f, b, succ, MAX_SUCC);

		if (n < 2 && f->f->insn[f->f->block[b].first + f->f->block[b].n - 1].guard < 0)
			continue;
		for (int s = 0; s < n; s++)
			for (int w = succ[s], steps = 0; w >= 0 && w != f->f->block[b].ipdom && steps <= f->f->nblock;
			     w = f->f->block[w].ipdom, steps++)
				if (f->depends[w].n == 0 || f->depends[w].v[f->depends[w].n - 1] != b)
					list_add(f->a, &f->depends[w], b);
	}
}

static void mark_loop(struct lint_fn *f, int head, int from, int32_t *work)
{
	int n = 0;

	work[n++] = from;
	while (n > 0) {
		int b = work[--n];

		if (f->loop[b] == head)
			continue;
		f->loop[b] = head;
		for (int p = 0; b != head && p < f->pred[b].n; p++)
			if (f->loop[f->pred[b].v[p]] != head && f->f->block[f->pred[b].v[p]].rpo >= 0)
				work[n++] = f->pred[b].v[p];
	}
}

/* Outer loops first (their headers come first in reverse post-order), so that inner ones overwrite. */
static void loops(struct lint_fn *f)
{
	size_t edges = 2;
	int32_t *work;

	f->loop = arena_alloc(f->a, sizeof *f->loop * ((size_t)f->f->nblock + 1));
	for (int i = 0; i < f->f->nblock; i++) {
		f->loop[i] = -1;
		edges += (size_t)f->pred[i].n;
	}
	work = mem_alloc(sizeof *work * 2 * edges);
	for (int k = 0; k < f->f->nrpo; k++) {
		int h = f->f->rpo[k];

		for (int p = 0; p < f->pred[h].n; p++)
			if (f->f->block[f->pred[h].v[p]].rpo >= 0 && flow_dominates(f, h, f->pred[h].v[p]))
				mark_loop(f, h, f->pred[h].v[p], work);
	}
	free(work);
}

void flow_analyse(struct lint_fn *f)
{
	int32_t succ[MAX_SUCC];

	f->block_of = arena_alloc(f->a, sizeof *f->block_of * ((size_t)f->f->ninsn + 1));
	f->pred = arena_alloc(f->a, sizeof *f->pred * ((size_t)f->f->nblock + 1));
	for (int b = 0; b < f->f->nblock; b++) {
		int n = flow_successors(f->f, b, succ, MAX_SUCC);

		for (int i = 0; i < f->f->block[b].n; i++)
			f->block_of[f->f->block[b].first + i] = b;
		for (int s = 0; f->f->block[b].rpo >= 0 && s < n; s++)
			list_add(f->a, &f->pred[succ[s]], b);
	}
	dominators(f);
	control_dependence(f);
	loops(f);
}

void flow_visit(const struct ir_func *f, int from, bool (*on)(void *ctx, int block), void *ctx)
{
	int32_t *work = mem_alloc(sizeof *work * ((size_t)f->nblock + 2)), succ[MAX_SUCC];
	char *seen = mem_zalloc((size_t)f->nblock + 1, 1);
	int n = 0;

	for (int b = from, go = true;; b = work[--n], go = on(ctx, b)) {
		int k = go ? flow_successors(f, b, succ, MAX_SUCC) : 0;

		for (int s = 0; s < k; s++)
			if (!seen[succ[s]]) {
				seen[succ[s]] = 1;
				work[n++] = succ[s];
			}
		if (n == 0)
			break;
	}
	free(work);
	free(seen);
}

struct reaching {
	const struct lint_fn *f;
	int to;
	bool (*stop)(const struct lint_fn *f, const struct ir_insn *i);
	bool found;
};

/* From instruction `at` to the end of its block; true: control goes on behind it. */
static bool pass(struct reaching *r, int at, int block)
{
	int end = r->f->f->block[block].first + r->f->f->block[block].n;

	while (at < end && at != r->to && !r->stop(r->f, &r->f->f->insn[at]))
		at++;
	r->found |= at < end && at == r->to;
	return at == end;
}

static bool pass_block(void *ctx, int block)
{
	struct reaching *r = ctx;

	return !r->found && pass(r, r->f->f->block[block].first, block);
}

bool flow_reaches(const struct lint_fn *f, int i, int j, bool (*stop)(const struct lint_fn *f, const struct ir_insn *i))
{
	struct reaching r = {f, j, stop, false};

	if (pass(&r, i + 1, f->block_of[i]))
		flow_visit(f->f, f->block_of[i], pass_block, &r);
	return r.found;
}

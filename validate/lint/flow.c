/* flow.c - the graph of an entry: predecessors, dominators, control dependence, loops, reachability. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

int flow_successor(const struct ir_func *f, int block, int s)
{
	const struct ir_block *b = &f->block[block];

	if (b->brx >= 0 && s < f->table[b->brx].n)
		return f->label[f->table[b->brx].label[s]].block;
	if (b->brx >= 0) /* under a guard it may be passed over */
		return s == f->table[b->brx].n && b->next >= 0 ? b->next : -1;
	if (b->next < 0 || b->taken == b->next)
		return s > 0 ? -1 : b->next >= 0 ? b->next : b->taken;
	return s == 0 ? b->next : s == 1 ? b->taken : -1;
}

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

			for (int p = f->pred[v].n - 1; p >= 0; p--) { /* from the deepest: a row of branches to one end would be climbed again and again */
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

/* Blocks numbered so that those that one dominates follow it: a block comes behind its dominator in reverse post-order. */
static void number_dominated(struct lint_fn *f)
{
	int n = f->f->nblock;
	int32_t *next = mem_zalloc((size_t)n + 1, sizeof *next);

	f->dom_first = arena_alloc(f->a, sizeof *f->dom_first * ((size_t)n + 1));
	f->dom_n = arena_alloc(f->a, sizeof *f->dom_n * ((size_t)n + 1));
	for (int k = f->f->nrpo - 1; k >= 0; k--) {
		int b = f->f->rpo[k];

		f->dom_n[b]++;
		if (k > 0)
			f->dom_n[f->idom[b]] += f->dom_n[b];
	}
	for (int k = 0; k < f->f->nrpo; k++) {
		int b = f->f->rpo[k];

		if (k > 0) {
			f->dom_first[b] = next[f->idom[b]];
			next[f->idom[b]] += f->dom_n[b];
		}
		next[b] = f->dom_first[b] + 1;
	}
	free(next);
}

bool flow_dominates(const struct lint_fn *f, int a, int b)
{
	return f->dom_n[b] > 0 && f->dom_first[b] >= f->dom_first[a] && f->dom_first[b] < f->dom_first[a] + f->dom_n[a];
}

#define MAX_DEPENDS (1 << 23) /* branches that blocks depend on, in sum: deep nests have the square of their depth */

/* A block depends on a branch when it lies on the way, in the tree of post-dominators, from one of the branch's successors to the
 * branch's own post-dominator. */
static void control_dependence(struct lint_fn *f)
{
	int64_t room = MAX_DEPENDS;

	f->depends = arena_alloc(f->a, sizeof *f->depends * ((size_t)f->f->nblock + 1));
	for (int k = 0; k < f->f->nrpo; k++) {
		int b = f->f->rpo[k];

		if (flow_successor(f->f, b, 1) < 0 && f->f->insn[f->f->block[b].first + f->f->block[b].n - 1].guard < 0)
			continue;
		for (int s = 0, to; (to = flow_successor(f->f, b, s)) >= 0; s++)
			for (int w = to, steps = 0; w >= 0 && w != f->f->block[b].ipdom && steps <= f->f->nblock && (*f->fuel)-- > 0;
			     w = f->f->block[w].ipdom, steps++)
				if (f->depends[w].n == 0 || f->depends[w].v[f->depends[w].n - 1] != b) {
					list_add(f->a, &f->depends[w], b);
					if (--room == 0)
						*f->fuel = 0;
				}
	}
}

static void mark_loop(struct lint_fn *f, int head, int from, int32_t *work)
{
	int n = 0;

	work[n++] = from;
	while (n > 0 && (*f->fuel)-- > 0) {
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

#define FUEL (INT64_C(1) << 27) /* about a second; the largest entries of CUB, CUTLASS and Thrust use 1 % of it */

void flow_analyse(struct lint_fn *f)
{
	f->fuel = arena_alloc(f->a, sizeof *f->fuel);
	*f->fuel = FUEL;
	f->block_of = arena_alloc(f->a, sizeof *f->block_of * ((size_t)f->f->ninsn + 1));
	f->pred = arena_alloc(f->a, sizeof *f->pred * ((size_t)f->f->nblock + 1));
	for (int b = 0; b < f->f->nblock; b++) {
		for (int i = 0; i < f->f->block[b].n; i++)
			f->block_of[f->f->block[b].first + i] = b;
		for (int s = 0, to; f->f->block[b].rpo >= 0 && (to = flow_successor(f->f, b, s)) >= 0; s++)
			list_add(f->a, &f->pred[to], b);
	}
	dominators(f);
	number_dominated(f);
	control_dependence(f);
	loops(f);
}

void flow_visit(const struct ir_func *f, int from, bool (*on)(void *ctx, int block), void *ctx)
{
	int32_t *work = mem_alloc(sizeof *work * ((size_t)f->nblock + 2));
	char *seen = mem_zalloc((size_t)f->nblock + 1, 1);
	int n = 0;

	for (int b = from, go = true;; b = work[--n], go = on(ctx, b)) {
		for (int s = 0, to; go && (to = flow_successor(f, b, s)) >= 0; s++)
			if (!seen[to]) {
				seen[to] = 1;
				work[n++] = to;
			}
		if (n == 0)
			break;
	}
	free(work);
	free(seen);
}

struct reaching {
	const struct lint_fn *f;
	flow_test from, stop;
	int only;      /* the instruction to start behind; -1: every one for which from() is true */
	char *reached; /* by instruction */
};

/* Through a block from its instruction `at` on; on: control comes there from a source. Returns whether it leaves the block from one. */
static bool pass(struct reaching *r, int block, int at, bool on)
{
	int end = r->f->f->block[block].first + r->f->f->block[block].n;

	for (; at < end; at++) {
		const struct ir_insn *i = &r->f->f->insn[at];

		if (on) {
			r->reached[at] = 1;
			on = !r->stop || !r->stop(r->f, i);
		}
		on |= r->only < 0 ? r->from(r->f, i) : r->only == at;
	}
	return on;
}

struct entering {
	int32_t *work;
	char *entered; /* blocks */
	int n;
};

static void enter_successors(const struct ir_func *f, int block, struct entering *e)
{
	for (int s = 0, to; (to = flow_successor(f, block, s)) >= 0; s++)
		if (!e->entered[to]) {
			e->entered[to] = 1;
			e->work[e->n++] = to;
		}
}

/* Each block is passed once for the sources in it, and once more if control comes to its begin from one: linear. */
static void reach(struct reaching *r)
{
	const struct ir_func *f = r->f->f;
	struct entering e = {mem_alloc(sizeof *e.work * ((size_t)f->nblock + 1)), mem_zalloc((size_t)f->nblock + 1, 1), 0};

	if (r->only >= 0 && pass(r, r->f->block_of[r->only], r->only, false))
		enter_successors(f, r->f->block_of[r->only], &e);
	for (int k = 0; r->only < 0 && k < f->nrpo; k++)
		if (pass(r, f->rpo[k], f->block[f->rpo[k]].first, false))
			enter_successors(f, f->rpo[k], &e);
	while (e.n > 0) {
		int b = e.work[--e.n];

		*r->f->fuel -= f->block[b].n;
		if (pass(r, b, f->block[b].first, true))
			enter_successors(f, b, &e);
	}
	free(e.work);
	free(e.entered);
}

char *flow_reached(const struct lint_fn *f, flow_test from, flow_test stop)
{
	struct reaching r = {f, from, stop, -1, mem_zalloc((size_t)f->f->ninsn + 1, 1)};

	reach(&r);
	return r.reached;
}

bool flow_reaches(const struct lint_fn *f, int i, int j, flow_test stop)
{
	struct reaching r = {f, NULL, stop, i, mem_zalloc((size_t)f->f->ninsn + 1, 1)};
	bool found = false;

	*f->fuel -= f->f->ninsn / 8;
	if (*f->fuel > 0) {
		reach(&r);
		found = r.reached[j];
	}
	free(r.reached);
	return found;
}

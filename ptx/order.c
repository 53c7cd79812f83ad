/* order.c - the order in which basic blocks are laid out: topological, every loop contiguous, so
 * that running the lanes with the least pc makes all meet again at the earliest join.
 *
 * The strongly connected components of the graph, in topological order; a component of several
 * blocks is a loop: its first block (the header, in reverse post-order), then the rest ordered the
 * same way. Irreducible flow is ordered too, if not always best. */
#include "ptx/order.h"
#include <stdlib.h>
#include <string.h>

#define MAX_NESTING 64 /* deeper loops keep the order in which they were found */

struct order {
	const int *succ; /* two a node, -1: none; more in `more` */
	const int *const *more;
	const int *nmore;
	int *out, nout;
	int *level;       /* which subset a node belongs to at the moment; -1: done */
	int *index, *low; /* Tarjan; index -1: not seen */
	bool *on;
	int *stack, nstack;
	struct {
		int node, next;
	} * dfs;
	int nesting;
};

static int successor(const struct order *o, int v, int k)
{
	if (k < 2)
		return o->succ[2 * v + k];
	return k - 2 < o->nmore[v] ? o->more[v][k - 2] : -2; /* -2: no more */
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Components of the nodes of subset `level` reached from root, appended to comp (each: size,
 * members) in reverse topological order. */
static int components(struct order *o, int root, int level, int *counter, int *comp, int ncomp)
{
	int depth = 0;
	o->dfs[depth].node = root;
	o->dfs[depth++].next = 0;
	o->index[root] = o->low[root] = (*counter)++;
	o->stack[o->nstack++] = root;
	o->on[root] = true;
	while (depth) {
		int v = o->dfs[depth - 1].node, s = successor(o, v, o->dfs[depth - 1].next++);
		if (s >= 0 && o->level[s] == level) {
			if (o->index[s] < 0) {
				o->index[s] = o->low[s] = (*counter)++;
				o->stack[o->nstack++] = s;
				o->on[s] = true;
				o->dfs[depth].node = s;
				o->dfs[depth++].next = 0;
			} else if (o->on[s] && o->index[s] < o->low[v]) {
				o->low[v] = o->index[s];
			}
			continue;
		}
		if (s != -2)
			continue;
		depth--;
		if (depth && o->low[v] < o->low[o->dfs[depth - 1].node])
			o->low[o->dfs[depth - 1].node] = o->low[v];
		if (o->low[v] != o->index[v])
			continue;
		int first = ncomp++, w;
		do {
			w = o->stack[--o->nstack];
			o->on[w] = false;
			comp[ncomp++] = w;
		} while (w != v);
		comp[first] = ncomp - first - 1;
	}
	return ncomp;
}

/* Appends the n nodes (ascending, all of subset `level`) to the order. */
static void arrange(struct order *o, const int *node, int n, int level, int *levels)
{
	int *comp = mem_alloc((2 * (size_t)n + 1) * sizeof *comp), ncomp = 0, counter = 0,
	    ngroup = 0;
	int *start = mem_alloc(((size_t)n + 1) * sizeof *start);
	for (int i = 0; i < n; i++)
		o->index[node[i]] = -1;
	for (int i = 0; i < n; i++)
		if (o->index[node[i]] < 0)
			ncomp = components(o, node[i], level, &counter, comp, ncomp);
	for (int i = 0; i < ncomp; i += comp[i] + 1)
		start[ngroup++] = i;
	for (int g = ngroup - 1; g >= 0; g--) {
		int *member = comp + start[g] + 1, size = comp[start[g]];
		qsort(member, (size_t)size, sizeof *member, compare);
		o->out[o->nout++] = member[0];
		o->level[member[0]] = -1;
		if (size == 1)
			continue;
		int inner = ++*levels;
		for (int i = 1; i < size; i++)
			o->level[member[i]] = inner;
		o->nesting++;
		if (o->nesting <= MAX_NESTING)
			arrange(o, member + 1, size - 1, inner, levels);
		else
			for (int i = 1; i < size; i++)
				o->out[o->nout++] = member[i];
		o->nesting--;
	}
	free(comp);
	free(start);
}

/* Numbers the nodes reached from 0 in reverse post-order; returns how many. rpo: -1 where not
 * reached. */
static int reverse_post_order(struct order *o, int n, int *by_rpo, int *rpo)
{
	int depth = 0, left = n;
	for (int i = 0; i < n; i++)
		rpo[i] = -1;
	o->dfs[depth].node = 0;
	o->dfs[depth++].next = 0;
	rpo[0] = n;
	while (depth) {
		int v = o->dfs[depth - 1].node, s = successor(o, v, o->dfs[depth - 1].next++);
		if (s >= 0 && rpo[s] < 0) {
			rpo[s] = n;
			o->dfs[depth].node = s;
			o->dfs[depth++].next = 0;
		} else if (s == -2) {
			depth--;
			by_rpo[--left] = v;
			rpo[v] = left;
		}
	}
	memmove(by_rpo, by_rpo + left, (size_t)(n - left) * sizeof *by_rpo);
	for (int i = 0; i < n; i++)
		if (rpo[i] >= 0)
			rpo[i] -= left;
	return n - left;
}

int emu_order(int n, const int *succ, const int *const *more, const int *nmore, int *out)
{
	struct order o = {0};
	size_t k = (size_t)n + 1;
	int *by_rpo = mem_alloc(k * sizeof(int)), *rpo = mem_alloc(k * sizeof(int)), levels = 0;
	int *node = mem_alloc(k * sizeof(int)), *nm = mem_zalloc(k, sizeof(int));
	int *s2 = mem_alloc(2 * k * sizeof(int));
	const int **m2 = mem_zalloc(k, sizeof *m2);
	int **renamed = mem_zalloc(k, sizeof *renamed);
	o.succ = succ;
	o.more = more;
	o.nmore = nmore;
	o.dfs = mem_alloc(k * sizeof *o.dfs);
	int reached = reverse_post_order(&o, n, by_rpo, rpo);
	/* from here on nodes go by their number in reverse post-order: the least is the header */
	for (int i = 0; i < reached; i++) {
		int v = by_rpo[i];
		node[i] = i;
		for (int j = 0; j < 2; j++)
			s2[2 * i + j] = succ[2 * v + j] < 0 ? -1 : rpo[succ[2 * v + j]];
		nm[i] = nmore[v];
		renamed[i] = mem_alloc(((size_t)nm[i] + 1) * sizeof(int));
		for (int j = 0; j < nm[i]; j++)
			renamed[i][j] = rpo[more[v][j]];
		m2[i] = renamed[i];
	}
	o.succ = s2;
	o.more = m2;
	o.nmore = nm;
	o.out = out;
	o.level = mem_zalloc(k, sizeof(int));
	o.index = mem_alloc(k * sizeof(int));
	o.low = mem_alloc(k * sizeof(int));
	o.on = mem_zalloc(k, sizeof(bool));
	o.stack = mem_alloc(k * sizeof(int));
	arrange(&o, node, reached, 0, &levels);
	for (int i = 0; i < reached; i++) {
		out[i] = by_rpo[out[i]];
		free(renamed[i]);
	}
	free(by_rpo), free(rpo), free(node), free(nm), free(s2), free(m2), free(renamed);
	free(o.dfs), free(o.level), free(o.index), free(o.low), free(o.on), free(o.stack);
	return reached;
}

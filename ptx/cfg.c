/* cfg.c - basic blocks of a function: edges, reverse post-order, immediate post-dominators. */
#include "ptx/ir.h"

#include <stdlib.h>
#include <string.h>

static bool ends_block(const struct ir_insn *i)
{
	return i->op == OP_BRA || i->op == OP_BRX || i->op == OP_RET || i->op == OP_EXIT ||
	       i->op == OP_TRAP;
}

/* Cuts the instructions at labels and behind branches; returns the number of blocks. */
static int cut(const struct ir_func *f, int32_t *block_of)
{
	int n = 0;

	memset(block_of, 0, (size_t)f->ninsn * sizeof *block_of);
	for (int i = 0; i < f->nlabel; i++) {
		if (f->label[i].insn < f->ninsn)
			block_of[f->label[i].insn] = 1;
	}
	for (int i = 0; i < f->ninsn; i++) {
		bool leader = i == 0 || block_of[i] == 1 || ends_block(&f->insn[i - 1]);

		n += leader;
		block_of[i] = n - 1;
	}
	return n;
}

static void set_edges(struct ir_func *f, struct ir_block *b, int index)
{
	const struct ir_insn *last = &f->insn[b->first + b->n - 1];
	bool falls = !ends_block(last) || last->guard >= 0;

	b->next = falls && index + 1 < f->nblock ? index + 1 : -1;
	b->taken = b->brx = -1;
	if (last->op == OP_BRA)
		b->taken = f->label[last->label].block;
	if (last->op == OP_BRX)
		b->brx = last->label;
}

/* Does control leave the function at the end of this block? */
static bool leaves(const struct ir_func *f, const struct ir_block *b)
{
	const struct ir_insn *last = &f->insn[b->first + b->n - 1];

	return last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP ||
	       (b->next < 0 && b->taken < 0 && b->brx < 0);
}

/* The k-th successor of a block, the exit being block nblock; -1 none, -2 no more. */
static int successor(const struct ir_func *f, const struct ir_block *b, int k)
{
	if (k == 0)
		return b->next;
	if (k == 1)
		return leaves(f, b) ? f->nblock : b->taken;
	if (b->brx < 0 || k - 2 >= f->table[b->brx].n)
		return -2;
	return f->label[f->table[b->brx].label[k - 2]].block;
}

/* A graph as lists of edges: those of node v are to[first[v]] … to[first[v + 1] - 1]. */
struct graph {
	int n;
	int32_t *first, *to;
};

static void graph_free(struct graph *g)
{
	free(g->first);
	free(g->to);
}

/* Control flow with the exit as node nblock; reversed: every edge turned round. */
static struct graph make_graph(const struct ir_func *f, bool reversed)
{
	struct graph g = { .n = f->nblock + 1 };
	int32_t *at;

	g.first = mem_zalloc((size_t)g.n + 1, sizeof *g.first);
	for (int pass = 0; pass < 2; pass++) {
		at = mem_zalloc((size_t)g.n, sizeof *at);
		for (int v = 0; v < f->nblock; v++) {
			for (int k = 0, s; (s = successor(f, &f->block[v], k)) != -2; k++) {
				int from = reversed ? s : v, to = reversed ? v : s;

				if (s < 0)
					continue;
				if (pass == 1)
					g.to[g.first[from] + at[from]] = to;
				at[from]++;
			}
		}
		if (pass == 0) {
			for (int v = 0; v < g.n; v++)
				g.first[v + 1] = g.first[v] + at[v];
			g.to = mem_zalloc((size_t)g.first[g.n] + 1, sizeof *g.to);
		}
		free(at);
	}
	return g;
}

/* Depth-first from a root, without recursion: the nodes reached in post-order; returns how many. */
static int post_order(const struct graph *g, int root, int32_t *order)
{
	int32_t *stack = mem_zalloc((size_t)g->n + 1, sizeof *stack);
	int32_t *at = mem_zalloc((size_t)g->n + 1, sizeof *at);
	char *seen = mem_zalloc((size_t)g->n + 1, 1);
	int depth = 0, n = 0;

	stack[depth++] = root;
	seen[root] = 1;
	while (depth > 0) {
		int v = stack[depth - 1];
		int e = g->first[v] + at[v]++;

		if (e >= g->first[v + 1]) {
			order[n++] = v;
			depth--;
		} else if (!seen[g->to[e]]) {
			seen[g->to[e]] = 1;
			stack[depth++] = g->to[e];
		}
	}
	free(stack);
	free(at);
	free(seen);
	return n;
}

static void number_blocks(struct arena *a, struct ir_func *f)
{
	struct graph g = make_graph(f, false);
	int32_t *order = mem_zalloc((size_t)g.n, sizeof *order);
	int n = post_order(&g, 0, order), k = 0;

	f->rpo = arena_alloc(a, ((size_t)n + 1) * sizeof *f->rpo);
	for (int i = n - 1; i >= 0; i--) {
		if (order[i] == f->nblock)
			continue;
		f->block[order[i]].rpo = k;
		f->rpo[k++] = order[i];
	}
	f->nrpo = k;
	free(order);
	graph_free(&g);
}

/* The nearest common ancestor in the tree so far; number rises towards the root. */
static int meet(int a, int b, const int32_t *idom, const int32_t *number)
{
	while (a != b) {
		while (number[a] < number[b])
			a = idom[a];
		while (number[b] < number[a])
			b = idom[b];
	}
	return a;
}

/* Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph.
 * Blocks that cannot reach the exit keep -1. Compilers' graphs settle in two or three passes; when
 * MAX_PASSES do not do, all get -1, the exit, which is always a sound answer. */
#define MAX_PASSES 64

static void post_dominators(struct ir_func *f)
{
	struct graph back = make_graph(f, true), forth = make_graph(f, false);
	int exit = f->nblock, n;
	int32_t *order = mem_zalloc((size_t)back.n, sizeof *order);
	int32_t *number = mem_zalloc((size_t)back.n, sizeof *number);
	int32_t *idom = mem_alloc((size_t)back.n * sizeof *idom);
	bool changed = true;

	n = post_order(&back, exit, order);
	for (int i = 0; i < n; i++)
		number[order[i]] = i;
	for (int v = 0; v < back.n; v++)
		idom[v] = -1;
	idom[exit] = exit;
	for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
		changed = false;
		for (int i = n - 2; i >= 0; i--) {
			int v = order[i], d = -1;

			for (int e = forth.first[v]; e < forth.first[v + 1]; e++) {
				int s = forth.to[e];

				if (idom[s] >= 0)
					d = d < 0 ? s : meet(d, s, idom, number);
			}
			changed |= idom[v] != d;
			idom[v] = d;
		}
	}
	for (int v = 0; v < exit; v++)
		f->block[v].ipdom = changed || idom[v] == exit ? -1 : idom[v];
	free(order);
	free(number);
	free(idom);
	graph_free(&back);
	graph_free(&forth);
}

void ir_build_cfg(struct arena *a, struct ir_func *f)
{
	int32_t *block_of = mem_zalloc((size_t)f->ninsn + 1, sizeof *block_of);

	f->nblock = f->ninsn ? cut(f, block_of) : 0;
	f->block = arena_alloc(a, ((size_t)f->nblock + 1) * sizeof *f->block);
	for (int i = 0; i < f->ninsn; i++) {
		struct ir_block *b = &f->block[block_of[i]];

		if (b->n++ == 0)
			b->first = i;
		b->rpo = -1;
	}
	for (int i = 0; i < f->nlabel; i++)
		f->label[i].block = block_of[f->label[i].insn];
	for (int i = 0; i < f->nblock; i++)
		set_edges(f, &f->block[i], i);
	free(block_of);
	if (f->nblock > 0) {
		number_blocks(a, f);
		post_dominators(f);
	}
}

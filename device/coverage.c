/* coverage.c - coverage of a whole module, by entry, gathered over runs; empty on a device that cannot
 * tell it. */
#include "device/backend.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct dev_coverage {
	pthread_mutex_t lock; /* of this object as the target of a merge */
	int n;
	struct ptx_coverage **entries; /* NULL where the entry could not be lowered */
};

struct dev_coverage *dev_coverage_new(const struct dev_module *m)
{
	struct dev_coverage *c = mem_zalloc(1, sizeof *c);

	pthread_mutex_init(&c->lock, NULL);
	c->n = m->backend->program && m->ptx ? ptx_entry_count(m->ptx) : 0;
	c->entries = mem_zalloc((size_t)c->n + 1, sizeof *c->entries);
	for (int i = 0; i < c->n; i++) {
		const struct ptx_program *p = m->backend->program(m, i);

		if (p)
			c->entries[i] = ptx_coverage_new(p);
	}
	return c;
}

struct ptx_coverage *dev_coverage_entry(const struct dev_coverage *c, int entry)
{
	return c && entry < c->n ? c->entries[entry] : NULL;
}

void dev_coverage_free(struct dev_coverage *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->n; i++)
		ptx_coverage_free(c->entries[i]);
	free(c->entries);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void dev_coverage_merge(struct dev_coverage *into, const struct dev_coverage *from)
{
	pthread_mutex_lock(&into->lock);
	for (int i = 0; i < into->n && i < from->n; i++)
		if (into->entries[i] && from->entries[i])
			ptx_coverage_merge(into->entries[i], from->entries[i]);
	pthread_mutex_unlock(&into->lock);
}

int dev_coverage_new_edges(const struct dev_coverage *seen, const struct dev_coverage *c)
{
	int n = 0;

	for (int i = 0; i < seen->n && i < c->n; i++)
		if (seen->entries[i] && c->entries[i])
			n += ptx_coverage_new_edges(seen->entries[i], c->entries[i]);
	return n;
}

bool dev_coverage_reached(const struct dev_coverage *c, int ptx_line)
{
	for (int i = 0; i < c->n; i++)
		if (c->entries[i] && ptx_coverage_reached(c->entries[i], ptx_line))
			return true;
	return false;
}

struct ptx_coverage_sum dev_coverage_total(const struct dev_coverage *c)
{
	struct ptx_coverage_sum sum = {0};

	for (int i = 0; i < c->n; i++) {
		struct ptx_coverage_sum s = {0};

		if (c->entries[i])
			s = ptx_coverage_total(c->entries[i]);
		sum.blocks += s.blocks;
		sum.blocks_hit += s.blocks_hit;
		sum.edges += s.edges;
		sum.edges_hit += s.edges_hit;
	}
	return sum;
}

/* Entries of one source (a type each) have the same lines: their hits are added. */
struct line_hits {
	const char *file;
	int line;
	uint64_t hits;
};
struct line_list {
	struct line_hits *v;
	size_t n, cap;
};

static void add_line(void *ctx, const char *file, int line, uint64_t hits)
{
	struct line_list *l = ctx;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->v = mem_realloc(l->v, l->cap * sizeof *l->v);
	}
	l->v[l->n++] = (struct line_hits){file, line, hits};
}

static int by_place(const void *a, const void *b)
{
	const struct line_hits *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	return c ? c : (x->line > y->line) - (x->line < y->line);
}

void dev_coverage_lines(const struct dev_coverage *c,
                        void (*fn)(void *ctx, const char *file, int line, uint64_t hits), void *ctx)
{
	struct line_list l = {0};

	for (int i = 0; i < c->n; i++)
		if (c->entries[i])
			ptx_coverage_lines(c->entries[i], add_line, &l);
	if (l.n)
		qsort(l.v, l.n, sizeof *l.v, by_place);
	for (size_t i = 0; i < l.n;) {
		size_t first = i;
		uint64_t hits = 0;

		for (; i < l.n && by_place(&l.v[first], &l.v[i]) == 0; i++)
			hits += l.v[i].hits;
		fn(ctx, l.v[first].file, l.v[first].line, hits);
	}
	free(l.v);
}

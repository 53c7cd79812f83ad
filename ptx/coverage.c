/* coverage.c - which blocks and which ways of predicated branches were executed. */
#include "ptx/emu.h"
#include <stdlib.h>
#include <string.h>

static size_t counters(const struct ptx_program *p)
{
	return p->nblock + 2 * (size_t)p->nbranch;
}

struct ptx_coverage *ptx_coverage_new(const struct ptx_program *p)
{
	struct ptx_coverage *c = mem_zalloc(1, sizeof *c);
	c->p = p;
	c->hits = mem_zalloc(counters(p) + 1, sizeof *c->hits);
	return c;
}
void ptx_coverage_free(struct ptx_coverage *c)
{
	if (!c)
		return;
	free(c->hits);
	free(c);
}
void ptx_coverage_merge(struct ptx_coverage *into, const struct ptx_coverage *from)
{
	for (size_t i = 0; i < counters(into->p); i++)
		into->hits[i] += from->hits[i];
}
struct ptx_coverage_sum ptx_coverage_total(const struct ptx_coverage *c)
{
	struct ptx_coverage_sum s = {(int)c->p->nblock, 0, 2 * (int)c->p->nbranch, 0};
	for (size_t i = 0; i < counters(c->p); i++) {
		if (i < c->p->nblock)
			s.blocks_hit += c->hits[i] != 0;
		else
			s.edges_hit += c->hits[i] != 0;
	}
	return s;
}
int ptx_coverage_new_edges(const struct ptx_coverage *seen, const struct ptx_coverage *c)
{
	int n = 0;
	for (size_t i = 0; i < counters(c->p); i++)
		n += c->hits[i] != 0 && seen->hits[i] == 0;
	return n;
}

struct line_hits {
	const char *file;
	int line;
	uint64_t hits;
};
static int by_place(const void *a, const void *b)
{
	const struct line_hits *x = a, *y = b;
	int c = strcmp(x->file, y->file);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}
/* A line's count is the largest of its blocks'. */
void ptx_coverage_lines(const struct ptx_coverage *c,
                        void (*fn)(void *ctx, const char *file, int line, uint64_t hits), void *ctx)
{
	const struct ptx_program *p = c->p;
	struct line_hits *all = mem_zalloc(p->nline + 1, sizeof *all);
	size_t n = 0;
	for (uint32_t i = 0; i < p->nline; i++) {
		const struct emu_line *l = &p->line[i];
		if (l->file && l->line)
			all[n++] = (struct line_hits){l->file, l->line, c->hits[l->block]};
	}
	if (n)
		qsort(all, n, sizeof *all, by_place);
	for (size_t i = 0; i < n;) {
		struct line_hits l = all[i];
		for (i++; i < n && by_place(&all[i], &l) == 0; i++)
			l.hits = all[i].hits > l.hits ? all[i].hits : l.hits;
		fn(ctx, l.file, l.line, l.hits);
	}
	free(all);
}
bool ptx_coverage_reached(const struct ptx_coverage *c, int ptx_line)
{
	for (uint32_t i = 0; i < c->p->nline; i++)
		if (c->p->line[i].ptx_line == ptx_line && c->hits[c->p->line[i].block])
			return true;
	return false;
}

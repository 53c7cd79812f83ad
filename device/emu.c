/* emu.c - the device "emu": modules, coverage and runs on the PTX emulator, and what can be seen of
 * a run only from outside: outputs never written, inputs and guards changed. */
#include "device/device.h"
#include "device/check_buffers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET ((uint64_t)1 << 34)

struct device {
	const char *name, *text;
};

/* An entry that cannot be lowered is an error when it is run, not before: others still can be. */
struct entry {
	const char *name;
	struct ptx_program *program; /* NULL: failed */
	struct err failed;
};
struct dev_module {
	struct ptx_module *ptx;
	int n;
	struct entry *entries;
};

struct dev_coverage {
	pthread_mutex_t lock; /* of this object as the target of a merge */
	int n;
	struct ptx_coverage **entries; /* NULL where the entry could not be lowered */
};

/* ---- device and module ---- */

enum st device_open(const char *name, struct device **out, struct err *e)
{
	if (strncmp(name, "cuda:", 5) == 0)
		return FAIL(e, UNSUP, "device '%s': running on a GPU is not there yet; use emu",
		            name);
	if (strcmp(name, "emu") != 0)
		return FAIL(e, INPUT, "unknown device '%s'; known is emu", name);
	*out = mem_zalloc(1, sizeof **out);
	(*out)->name = "emu";
	(*out)->text = "sm_90 in software (reference H200)";
	return ST_OK;
}

void device_close(struct device *d)
{
	free(d);
}

const char *device_name(const struct device *d)
{
	return d->name;
}

const char *device_text(const struct device *d)
{
	return d->text;
}

enum st device_load(struct device *d, const char *ptx, size_t len, const char *name,
                    struct dev_module **out, struct err *e)
{
	struct ptx_module *parsed;
	struct dev_module *m;

	(void)d;
	TRY(ptx_parse(ptx, len, name, &parsed, e));
	m = mem_zalloc(1, sizeof *m);
	m->ptx = parsed;
	m->n = ptx_entry_count(parsed);
	m->entries = mem_zalloc((size_t)m->n + 1, sizeof *m->entries);
	for (int i = 0; i < m->n; i++) {
		struct entry *t = &m->entries[i];

		t->name = ptx_entry_name(parsed, i);
		if (ptx_lower(parsed, t->name, NULL, &t->program, &t->failed) != ST_OK)
			t->program = NULL;
	}
	*out = m;
	return ST_OK;
}

void dev_module_free(struct dev_module *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->n; i++)
		ptx_program_free(m->entries[i].program);
	free(m->entries);
	ptx_module_free(m->ptx);
	free(m);
}

const struct ptx_module *dev_module_ptx(const struct dev_module *m)
{
	return m->ptx;
}

static enum st find_entry(const struct dev_module *m, const char *name, int *index, struct err *e)
{
	struct buf known = {0};

	for (int i = 0; i < m->n; i++) {
		const struct entry *t = &m->entries[i];

		buf_printf(&known, "%s%s", i ? ", " : "", t->name);
		if (strcmp(t->name, name) != 0)
			continue;
		buf_free(&known);
		*index = i;
		return t->program ? ST_OK
		                  : err_set(e, t->failed.code, t->failed.file, t->failed.line, "%s",
		                            t->failed.msg);
	}
	FAIL(e, INPUT, "the PTX has no entry '%s'; it has %s", name, known.s ? known.s : "none");
	buf_free(&known);
	return e->code;
}

/* ---- coverage ---- */

struct dev_coverage *dev_coverage_new(const struct dev_module *m)
{
	struct dev_coverage *c = mem_zalloc(1, sizeof *c);

	pthread_mutex_init(&c->lock, NULL);
	c->n = m->n;
	c->entries = mem_zalloc((size_t)m->n + 1, sizeof *c->entries);
	for (int i = 0; i < m->n; i++)
		if (m->entries[i].program)
			c->entries[i] = ptx_coverage_new(m->entries[i].program);
	return c;
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

/* ---- running ---- */

static bool grid_is_empty(const struct run_launch *l)
{
	return l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0;
}

/* Runs the launches in order until one does not end; r->complete says whether all did. */
static enum st run_launches(const struct dev_module *m, const struct run_plan *plan,
                            const struct dev_run_options *o, struct run_report *r, struct err *e)
{
	uint64_t budget = o->budget ? o->budget : DEFAULT_BUDGET;

	r->complete = true;
	for (int i = 0; i < plan->nlaunches && r->complete; i++) {
		const struct run_launch *l = &plan->launches[i];
		struct ptx_run_options po = {.sanitize = o->sanitize, .order_seed = o->order_seed};
		int entry = 0;

		if (grid_is_empty(l))
			continue;
		TRY(find_entry(m, l->entry, &entry, e));
		/* Even a spent budget lets a launch begin, so that the finding names the entry. */
		po.budget = budget > r->lane_instructions ? budget - r->lane_instructions : 1;
		po.coverage = o->coverage ? o->coverage->entries[entry] : NULL;
		TRY(ptx_run(m->entries[entry].program, l, plan->buffers, plan->nbuffers, &po, r,
		            e));
	}
	return ST_OK;
}

enum st device_run(const struct dev_module *m, const struct run_plan *plan,
                   const struct dev_run_options *o, struct run_report *r, struct err *e)
{
	struct buffer_watch *w;
	double start = clock_seconds();
	enum st rc;

	memset(r, 0, sizeof *r);
	w = buffer_watch_begin(plan, o->sanitize);
	rc = run_launches(m, plan, o, r, e);
	if (rc == ST_OK)
		buffer_watch_report(w, plan, r);
	buffer_watch_end(w, plan);
	r->seconds = clock_seconds() - start;
	return rc;
}

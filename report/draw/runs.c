/* runs.c - the runs of a calibration as points: charts_runs in chart.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/cells.h"

/* What follows ,"key": in a record, which is one flat object: in a text of it a quotation mark
 * would have a backslash before it. NULL: no such key. */
static const char *field(const char *line, const char *key)
{
	char pattern[40];
	const char *at;

	snprintf(pattern, sizeof pattern, ",\"%s\":", key);
	at = strstr(line, pattern);
	return at ? at + strlen(pattern) : NULL;
}

static double number_of(const char *line, const char *key)
{
	const char *at = field(line, key);
	char *end;
	double v;

	if (!at)
		return NAN;
	if (strncmp(at, "\"inf\"", 5) == 0)
		return INFINITY;
	v = strtod(at, &end);
	return end == at || v < 0 ? NAN : v;
}

#define MAX_RUNS ((size_t)8 << 20)

/* The cell of the records before: they come a cell after the other. */
struct reader {
	const struct tolerance_table *t;
	char label[300];
	int cell; /* -1: none of the table's */
	struct run_points *p;
	size_t cap;
};

static int cell_named(const struct tolerance_table *t, const char *name)
{
	char label[300];

	for (size_t i = 0; i < t->n; i++) {
		cell_label(&t->cell[i], true, label);
		if (strcmp(label, name) == 0)
			return (int)i;
	}
	return -1;
}

static int cell_of(struct reader *r, const char *line)
{
	const char *at = field(line, "cell");
	size_t n = at && *at == '"' ? strcspn(at + 1, "\"") : 0;

	if (n == 0 || n >= sizeof r->label)
		return -1;
	if (strncmp(r->label, at + 1, n) != 0 || r->label[n]) {
		memcpy(r->label, at + 1, n);
		r->label[n] = 0;
		r->cell = cell_named(r->t, r->label);
	}
	return r->cell;
}

static void add_run(struct reader *r, const char *line)
{
	const char *heldout = field(line, "heldout");
	struct run_points *p = r->p;
	struct run_point run = {.cell = cell_of(r, line),
	                        .heldout = heldout && strncmp(heldout, "true", 4) == 0,
	                        .r = number_of(line, "r"),
	                        .chain = number_of(line, "L"),
	                        .elements = number_of(line, "n")};

	if (run.cell < 0 || isnan(run.r) || !(run.chain >= 1) || !(run.elements >= 1) ||
	    p->n >= MAX_RUNS)
		return;
	if (p->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 4096;
		p->point = mem_realloc(p->point, r->cap * sizeof *p->point);
	}
	p->point[p->n++] = run;
}

/* A calibration's file mixes the cells of an operator, for a run belongs to the group of its case:
 * each cell's runs are put together, in their order, which the extreme value fit reads in blocks. */
static void sort_runs(struct run_points *p, size_t ncells)
{
	struct run_point *out = mem_zalloc(p->n + 1, sizeof *out);
	size_t *at = mem_zalloc(ncells + 1, sizeof *at);

	for (size_t i = 0; i < p->n; i++)
		at[p->point[i].cell + 1]++;
	for (size_t k = 1; k < ncells; k++)
		at[k] += at[k - 1];
	for (size_t i = 0; i < p->n; i++)
		out[at[p->point[i].cell]++] = p->point[i];
	free(at);
	free(p->point);
	p->point = out;
}

static void read_runs(const struct charts *in)
{
	struct reader r = {.t = in->table[0], .cell = -1, .p = in->runs};
	char *line = NULL;
	size_t size = 0;

	in->runs->read = true;
	for (int i = 0; i < in->src->nruns && r.t; i++) {
		FILE *f = fopen(in->src->runs[i], "r");

		while (f && getline(&line, &size, f) > 0)
			add_run(&r, line);
		if (f)
			fclose(f);
	}
	free(line);
	if (in->runs->n)
		sort_runs(in->runs, r.t->n);
}

const struct run_point *charts_runs(const struct charts *in, int cell, size_t *n)
{
	const struct run_point *p;
	size_t from = 0, end;

	if (!in->runs->read)
		read_runs(in);
	p = in->runs->point;
	while (from < in->runs->n && p[from].cell != cell)
		from++;
	for (end = from; end < in->runs->n && p[end].cell == cell; end++)
		;
	*n = end - from;
	return p ? p + from : NULL;
}

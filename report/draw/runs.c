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

/* The cell that a record names; -1: none of the table's. The last one is tried first. */
static int cell_of(const struct tolerance_table *t, const char *line, int last)
{
	const char *at = field(line, "cell");
	char label[300];

	for (size_t i = 0; at && *at == '"' && i < t->n; i++) {
		int k = (int)(((size_t)last + i) % t->n);
		size_t n;

		cell_label(&t->cell[k], true, label);
		n = strlen(label);
		if (strncmp(at + 1, label, n) == 0 && at[n + 1] == '"')
			return k;
	}
	return -1;
}

static void add_run(struct run_points *p, size_t *cap, const struct tolerance_table *t,
                    const char *line, int *last)
{
	const char *heldout = field(line, "heldout");
	int cell = cell_of(t, line, *last);
	struct run_point r = {.cell = cell,
	                      .heldout = heldout && strncmp(heldout, "true", 4) == 0,
	                      .r = number_of(line, "r"),
	                      .chain = number_of(line, "L"),
	                      .elements = number_of(line, "n")};

	if (cell < 0 || isnan(r.r) || !(r.chain >= 1) || !(r.elements >= 1) || p->n >= MAX_RUNS)
		return;
	if (p->n == *cap) {
		*cap = *cap ? 2 * *cap : 4096;
		p->point = mem_realloc(p->point, *cap * sizeof *p->point);
	}
	p->point[p->n++] = r;
	*last = cell;
}

static void read_runs(const struct charts *in)
{
	char *line = NULL;
	size_t cap = 0, size = 0;
	int last = 0;

	in->runs->read = true;
	for (int i = 0; i < in->src->nruns && in->table[0] && in->table[0]->n; i++) {
		FILE *f = fopen(in->src->runs[i], "r");

		while (f && getline(&line, &size, f) > 0)
			add_run(in->runs, &cap, in->table[0], line, &last);
		if (f)
			fclose(f);
	}
	free(line);
}

/* Files hold cells one after the other: the first stretch of a cell is all of it. */
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

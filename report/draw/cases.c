/* cases.c - the cases of a campaign and the runs of a calibration as points: charts_cases and
 * charts_runs in chart.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/cells.h"

#define MAX_POINTS ((size_t)4 << 20)

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

/* The row of the kernel that the record is of, -1: none. Records come a kernel after the other: the
 * row of the last one is tried first. */
static int row_of(const struct model *m, const char *line, int last)
{
	static const char head[] = "{\"kernel\":\"";
	const char *name = line + sizeof head - 1;

	if (strncmp(line, head, sizeof head - 1) != 0)
		return -1;
	for (int i = 0; i < m->nrows; i++) {
		int row = (last + i) % m->nrows;
		size_t n = strlen(m->rows[row].name);

		if (strncmp(name, m->rows[row].name, n) == 0 && name[n] == '"')
			return row;
	}
	return -1;
}

static void dtype_of(const char *line, char out[8])
{
	const char *at = field(line, "dtype");
	size_t n = at && *at == '"' ? strcspn(at + 1, "\"") : 0;

	snprintf(out, 8, "%.*s", n < 8 ? (int)n : 0, n ? at + 1 : "");
}

static void add(struct case_points *p, size_t *cap, const struct model *m, const char *line,
                int *last)
{
	int row = row_of(m, line, *last);
	const char *value = field(line, "value");

	if (row < 0 || p->n >= MAX_POINTS)
		return;
	if (p->n == *cap) {
		*cap = *cap ? 2 * *cap : 4096;
		p->point = mem_realloc(p->point, *cap * sizeof *p->point);
	}
	p->point[p->n] = (struct case_point){.row = row,
	                                     .failed = value && strncmp(value, "\"FAIL\"", 6) == 0,
	                                     .r = number_of(line, "r"),
	                                     .T = number_of(line, "T"),
	                                     .chain = number_of(line, "L"),
	                                     .elements = number_of(line, "elements")};
	dtype_of(line, p->point[p->n++].dtype);
	*last = row;
}

static int by_row(const void *a, const void *b)
{
	const struct case_point *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	/* any order that depends on the points alone */
	return memcmp(x, y, sizeof *x);
}

static char *beside(const char *evidence)
{
	const char *slash = strrchr(evidence, '/');
	char *dir = mem_strndup(evidence, slash ? (size_t)(slash - evidence) : 0);
	char *path = path_join(slash ? dir : ".", "cases.jsonl");

	free(dir);
	return path;
}

static void read_all(const struct charts *in)
{
	const char *evidence = in->src->path[SRC_EVIDENCE];
	size_t cap = 0, size = 0;
	char *path, *line = NULL;
	int last = 0;
	FILE *f;

	in->cases->read = true;
	if (!evidence || in->model.nrows == 0)
		return;
	path = beside(evidence);
	f = fopen(path, "r");
	while (f && getline(&line, &size, f) > 0)
		add(in->cases, &cap, &in->model, line, &last);
	if (f)
		fclose(f);
	free(line);
	free(path);
	if (in->cases->n)
		qsort(in->cases->point, in->cases->n, sizeof *in->cases->point, by_row);
}

const struct case_point *charts_cases(const struct charts *in, int row, size_t *n)
{
	const struct case_point *p;
	size_t lo = 0, hi, end;

	if (!in->cases->read)
		read_all(in);
	p = in->cases->point;
	hi = in->cases->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p[mid].row < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (end = lo; end < in->cases->n && p[end].row == row; end++)
		;
	*n = end - lo;
	return p ? p + lo : NULL;
}

/* ---- runs ---- */

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

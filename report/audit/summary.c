/* summary.c - what came out, counted; the verdict grid; the index of all kernels. */
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"
#include "report/draw/grid.h"
#include "report/draw/prose.h"

/* ---- sentences and counts ---- */

#define MAX_LINTED 6 /* names of kernels that lint speaks against */

static void sentences(struct audit *a)
{
	struct face s = face_body;
	struct buf b = {0};

	s.markup = true;
	prose_verdicts(a->m, &b);
	prose_passing(a->m, &b);
	prose_sets(a->m, &b);
	for (char *line = b.s, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		flow_item(&a->f, s, line);
	}
	buf_free(&b);
}

/* What weakens the verdicts, or speaks against them: told without being asked. */
static void adverse(struct audit *a)
{
	double cases = 0, weak = 0, open = 0;
	struct buf b = {0}, lint = {0};
	int errors = 0;

	for (int i = 0; i < a->m->nrows; i++) {
		const struct row *r = &a->m->rows[i];

		cases += r->n.cases;
		weak += r->n.no_power;
		open += r->n.unknown + r->n.unsupported;
		if (strcmp(ev_text(r->kernel, "verdict"), "PASS") != 0 ||
		    !(ev_number(ev_get(r->kernel, "lint"), "errors") > 0))
			continue;
		if (errors++ < MAX_LINTED)
			buf_printf(&lint, "%s%.60s", errors > 1 ? ", " : "", kernel_title(r));
	}
	if (weak > 0) {
		put_count(&b, weak);
		buf_puts(&b, " of ");
		put_plural(&b, cases, "case is", "cases are");
		buf_puts(&b, " without power: a kernel that computes nothing would pass them too, "
		             "so that "
		             "passing them says nothing.");
		flow_item(&a->f, face_body, b.s);
		b.len = 0;
	}
	if (open > 0) {
		put_count(&b, open);
		buf_puts(&b, " of ");
		put_plural(&b, cases, "case has", "cases have");
		buf_puts(&b, " no verdict (UNKNOWN or UNSUPPORTED); a kernel passes if others were "
		             "decided.");
		flow_item(&a->f, face_body, b.s);
		b.len = 0;
	}
	if (errors) {
		buf_printf(&b, "Lint reports an error in %d kernel%s that pass%s every case: %s%s.",
		           errors, errors == 1 ? "" : "s", errors == 1 ? "es" : "", lint.s,
		           errors > MAX_LINTED ? " and others" : "");
		flow_item(&a->f, face_body, b.s);
	}
	buf_free(&b);
	buf_free(&lint);
}

static void counts_row(struct table *t, const struct audit *a, const struct prose_column *columns,
                       int n, int row)
{
	char value[PROSE_MAX_COLUMNS][64], note[PROSE_MAX_COLUMNS][64];
	struct td cells[1 + 2 * PROSE_MAX_COLUMNS] = {{.text = prose_label(row)}};
	bool some = false;

	for (int i = 0; i < n; i++) {
		prose_value(a->m, &columns[i], row, value[i], note[i]);
		cells[1 + 2 * i] = (struct td){.text = value[i]};
		cells[2 + 2 * i] = (struct td){.text = note[i], .coloured = true, .colour = C_SOFT};
		some |= value[i][0] != 0;
	}
	if (some)
		table_row(t, cells);
}

static void counts(struct audit *a)
{
	struct column columns[1 + 2 * PROSE_MAX_COLUMNS] = {{.title = "Counted", .w = -1}};
	struct prose_column sets[PROSE_MAX_COLUMNS];
	char titles[PROSE_MAX_COLUMNS][64];
	int n = prose_columns(a->m, sets);
	struct table t;

	if (n == 0)
		return;
	for (int i = 0; i < n; i++) {
		struct buf title = {0};

		if (sets[i].set)
			ev_put_set(&title, sets[i].title);
		else
			buf_puts(&title, sets[i].title);
		snprintf(titles[i], sizeof titles[i], "%.40s", title.s);
		buf_free(&title);
		columns[1 + 2 * i] = (struct column){
		        .title = titles[i], .w = 72, .align = ALIGN_RIGHT, .fit = true};
		columns[2 + 2 * i] = (struct column){.title = sets[i].set ? "95 %" : "", .w = 54};
	}
	flow_heading(&a->f, 2, DEST_NONE, "Counts", "Counts");
	flow_lead(&a->f, face_note,
	          "Beside shares their two-sided 95 % Clopper–Pearson interval. An interval speaks "
	          "of kernels "
	          "and cases drawn as these were; a corpus is no sample of all kernels.");
	table_begin(&t, &a->f, columns, 1 + 2 * n, TABLE_SIZE);
	for (int row = 0; row < prose_rows(); row++)
		counts_row(&t, a, sets, n, row);
	table_end(&t);
}

static void nulls(struct audit *a)
{
	struct face s = face_body;
	struct buf b = {0};

	if (!a->m->nprofiles)
		return;
	s.markup = true;
	prose_nulls(a->m, &b);
	buf_puts(&b, " A null kernel computes nothing; a check that accepts one on an input says "
	             "nothing on it.");
	flow_heading(&a->f, 2, DEST_NONE, "What computes nothing and is accepted", NULL);
	flow_par(&a->f, s, b.s);
	buf_free(&b);
}

#define MAX_REPLAYS 6

/* Failures that nobody has planted, with the lines that replay them; without any, one of a buggy
 * kernel. */
static void replays(struct audit *a)
{
	const struct row *r;
	const cJSON *minimal;
	struct buf b = {0};
	int i = 0;

	for (; i < MAX_REPLAYS && (minimal = prose_replay(a->m, i, &r)) != NULL; i++) {
		if (i == 0)
			flow_heading(&a->f, 2, DEST_NONE,
			             r->group == GROUP_BUGGY
			                     ? "A failure, and the line that replays it"
			                     : "Failures, and the lines that replay them",
			             "Failures to replay");
		if (i > 0 && r->group == GROUP_BUGGY)
			break;
		b.len = 0;
		buf_puts(&b, kernel_title(r));
		if (!a->f.html)
			buf_printf(&b, " (page %d)",
			           flow_page_of(&a->f, kernel_dest((int)(r - a->m->rows))));
		buf_printf(&b, ": %s", ev_text(minimal, "reason"));
		flow_lead(&a->f, face_body, b.s);
		flow_code(&a->f, ev_text(minimal, "replay"));
	}
	if (i == MAX_REPLAYS)
		flow_par(&a->f, face_note, "Further ones stand on the kernels' pages.");
	buf_free(&b);
}

static void left_out(struct audit *a)
{
	static const struct column columns[] = {{.title = "Folder", .w = 190, .mono = true},
	                                        {.title = "Why it was left out", .w = -1}};
	const cJSON *list = ev_get(a->evidence, "left_out"), *x;
	struct table t;

	if (cJSON_GetArraySize(list) == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Left out", "Left out");
	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	cJSON_ArrayForEach(x, list)
	{
		struct td cells[2] = {{.text = ev_text(x, "folder")},
		                      {.text = ev_text(x, "reason")}};

		table_row(&t, cells);
	}
	table_end(&t);
}

/* ---- the grid of verdicts ---- */

#define GRID_CELL 9.3
#define HEADING_H 40.0 /* the heading above it, with its gap */

static void grid_top(struct audit *a, const struct grid *g, struct canvas *c)
{
	if (a->f.drawing)
		grid_head(g, c, a->f.y);
	a->f.y += g->head_h;
}

static void grid_title(struct audit *a, const struct grid *g, struct canvas *c, enum group group)
{
	if (a->f.drawing)
		grid_group(g, c, a->f.y, group, false);
	a->f.y += g->group_h;
}

static void grid_rows(struct audit *a, const struct grid *g, struct canvas *c)
{
	const struct row *rows = a->m->rows;

	for (int i = 0; i < a->m->nrows; i++) {
		bool first = i == 0 || rows[i].group != rows[i - 1].group;

		/* a group's heading does not stand alone at the foot of a page */
		if (flow_need(&a->f, g->row_h * (first ? 2 : 1) + (first ? g->group_h : 0))) {
			grid_top(a, g, c);
			grid_title(a, g, c, rows[i].group);
		} else if (first) {
			grid_title(a, g, c, rows[i].group);
		}
		if (a->f.drawing) {
			bool link = flow_link(&a->f, kernel_dest(i), NULL);

			grid_row(g, c, a->f.y, &rows[i]);
			if (link)
				flow_link_end(&a->f);
		}
		a->f.y += g->row_h;
	}
}

static int grid_groups(const struct model *m)
{
	int n = 0;

	for (int g = 0; g < GROUP_COUNT; g++)
		n += m->size[g] > 0;
	return n;
}

static void grid(struct audit *a)
{
	struct canvas c = {.cr = a->f.cr, .layout = pango_layout_copy(a->f.layout)};
	struct grid g;
	double legend, whole;

	if (a->m->nrows == 0) {
		g_object_unref(c.layout);
		return;
	}
	grid_layout(&g, &c, a->m, PAGE_LEFT, PAGE_TEXT, GRID_CELL, true);
	legend = grid_legend(&g, &c, 0, false);
	flow_heading(&a->f, 2, DEST_NONE, "Verdicts of every oracle", "Verdicts of every oracle");
	/* whole on a page of its own rather than begun at the foot of one */
	whole = legend + 4 + g.head_h + grid_groups(a->m) * g.group_h + a->m->nrows * g.row_h;
	flow_need(&a->f, whole <= PAGE_END - PAGE_TOP - HEADING_H
	                         ? whole
	                         : legend + 4 + g.head_h + g.group_h + 3 * g.row_h);
	flow_tag(&a->f, "Figure");
	a->f.tag = "Figure";
	grid_legend(&g, &c, a->f.y, a->f.drawing);
	a->f.y += legend + 4;
	grid_top(a, &g, &c);
	grid_rows(a, &g, &c);
	a->f.tag = NULL;
	flow_untag(&a->f, "Figure");
	a->f.y += 6;
	g_object_unref(c.layout);
}

/* ---- all kernels ---- */

void audit_why(struct buf *b, const struct row *r)
{
	const char *kind = ev_first_finding(r->kernel);
	struct buf pass = {0};

	if (strcmp(ev_text(ev_minimal(r->kernel), "by"), "value") == 0)
		buf_puts(b, "wrong values");
	if (kind[0])
		buf_printf(b, "%s%s", b->len ? "; " : "", kind);
	if (strcmp(ev_text(r->kernel, "verdict"), "FAIL") == 0 &&
	    ev_put_dtypes(&pass, r->kernel, "PASS"))
		buf_printf(b, "%s%s pass%s", b->len ? "; " : "", pass.s,
		           strchr(pass.s, ',') ? "" : "es");
	buf_free(&pass);
	if (!kernel_as_expected(r) && r->group != GROUP_USER)
		buf_printf(b, "%snot as it should be", b->len ? "; " : "");
}

static void index_row(struct table *t, const struct audit *a, int i)
{
	const struct row *r = &a->m->rows[i];
	const char *verdict = kernel_verdict(r);
	struct buf failed = {0}, why = {0};
	char page[16];
	struct td cells[6] = {{.text = kernel_title(r), .dest = kernel_dest(i)},
	                      {.text = ev_text(r->kernel, "operator")},
	                      {.text = verdict,
	                       .bold = true,
	                       .coloured = true,
	                       .colour = verdict_colour(verdict)}};

	put_count(&failed, r->n.failed);
	buf_puts(&failed, " of ");
	put_count(&failed, r->n.cases);
	audit_why(&why, r);
	snprintf(page, sizeof page, "%d", flow_page_of(&a->f, kernel_dest(i)));
	cells[3].text = failed.s;
	cells[4].text = why.len ? why.s : "";
	cells[5].text = page;
	table_row(t, cells);
	buf_free(&failed);
	buf_free(&why);
}

static void all_kernels(struct audit *a)
{
	static const struct column columns[] = {
	        {.title = "Kernel", .w = -1},
	        {.title = "Operator", .w = 82},
	        {.title = "Verdict", .w = 72, .fit = true},
	        {.title = "Cases failed", .w = 66, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "By", .w = 122},
	        {.title = "Page", .w = 30, .align = ALIGN_RIGHT}};
	struct table t;

	audit_part(a, DEST_INDEX, "All kernels");
	if (a->m->nrows == 0) {
		flow_par(&a->f, face_body, "None: the evidence holds no kernel.");
		return;
	}
	table_begin(&t, &a->f, columns, 6, TABLE_SIZE);
	for (int i = 0; i < a->m->nrows; i++) {
		if (i == 0 || a->m->rows[i].group != a->m->rows[i - 1].group)
			table_group(&t, group_title(a->m->rows[i].group));
		index_row(&t, a, i);
	}
	table_end(&t);
}

void audit_counts(struct audit *a)
{
	audit_part(a, DEST_SUMMARY, "Summary");
	sentences(a);
	adverse(a);
	counts(a);
	replays(a);
	nulls(a);
	left_out(a);
}

void audit_summary(struct audit *a)
{
	audit_counts(a);
	grid(a);
	all_kernels(a);
}

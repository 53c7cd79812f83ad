/* findings.c - of one kernel: what the sanitizers and lint found, and why it is wrong, put
 * together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audit/audit.h"

#define MAX_DTYPES 8
#define MAX_ROWS   40 /* of a kernel; the evidence has all */

/* ---- findings of all dtypes, alike ones together ---- */

struct group_of {
	const cJSON *first;
	const char *dtype[MAX_DTYPES];
	double cases[MAX_DTYPES]; /* in the finding of that dtype with most */
	int n, places;
};

static bool same_place(const cJSON *a, const cJSON *b)
{
	double line = ev_number(a, "source_line");

	return strcmp(ev_text(a, "kind"), ev_text(b, "kind")) == 0 &&
	       strcmp(ev_text(a, "buffer"), ev_text(b, "buffer")) == 0 &&
	       line == ev_number(b, "source_line") &&
	       (line > 0 || ev_number(a, "ptx_line") == ev_number(b, "ptx_line"));
}

static void add_to(struct group_of *g, const char *dtype, double cases)
{
	g->places++;
	for (int i = 0; i < g->n; i++)
		if (strcmp(g->dtype[i], dtype) == 0) {
			g->cases[i] = cases > g->cases[i] ? cases : g->cases[i];
			return;
		}
	if (g->n == MAX_DTYPES)
		return;
	g->dtype[g->n] = dtype;
	g->cases[g->n++] = cases;
}

/* The first groups of a kernel, errors before the others. */
struct groups {
	struct group_of v[MAX_ROWS];
	int n, left; /* left: findings that are in none of them */
};

static void group(struct groups *g, int begin, const char *dtype, const cJSON *f)
{
	int i = begin;

	while (i < g->n && !same_place(g->v[i].first, f))
		i++;
	if (i == MAX_ROWS) {
		g->left++;
		return;
	}
	if (i == g->n)
		g->v[g->n++] = (struct group_of){.first = f};
	add_to(&g->v[i], dtype, ev_number(f, "cases"));
}

static void group_findings(struct groups *g, const cJSON *kernel)
{
	*g = (struct groups){.n = 0};
	for (int error = 1; error >= 0; error--) {
		const cJSON *d, *f;
		int begin = g->n;

		cJSON_ArrayForEach(d, ev_get(kernel, "dtypes")) cJSON_ArrayForEach(
		        f, ev_get(d, "findings")) if (cJSON_IsTrue(ev_get(f, "error")) == error)
		        group(g, begin, ev_text(d, "dtype"), f);
	}
}

/* The line of the source that a finding is at, on a line of its own. */
static void put_source(struct buf *b, const cJSON *kernel, const cJSON *finding)
{
	const char *text = source_line(kernel, ev_number(finding, "source_line"));

	if (text[0])
		buf_printf(b, BREAK "%.0f: %s", ev_number(finding, "source_line"), text);
}

static void put_place(struct buf *b, const cJSON *f)
{
	if (ev_number(f, "source_line") > 0)
		buf_printf(b, "line %.0f, ", ev_number(f, "source_line"));
	if (ev_number(f, "ptx_line") <= 0) {
		buf_puts(b, "not known");
		return;
	}
	buf_printf(b, "PTX line %.0f; block ", ev_number(f, "ptx_line"));
	put_index(b, ev_get(f, "block"), "", "");
	buf_puts(b, " thread ");
	put_index(b, ev_get(f, "thread"), "", "");
}

static void finding_row(struct table *t, const cJSON *kernel, const struct group_of *g)
{
	bool error = cJSON_IsTrue(ev_get(g->first, "error"));
	struct buf where = {0}, what = {0}, cases = {0};
	struct td cells[4] = {{.text = ev_text(g->first, "kind"),
	                       .bold = error,
	                       .coloured = true,
	                       .colour = error ? C_WRONG : C_SOFT}};

	put_place(&where, g->first);
	buf_puts(&what, ev_text(g->first, "text"));
	if (g->places > g->n)
		buf_printf(&what, " (and %d more places of this line)", g->places - g->n);
	put_source(&what, kernel, g->first);
	buf_printf(&what, BREAK "%s", ev_text(g->first, "case"));
	for (int i = 0; i < g->n; i++)
		buf_printf(&cases, "%s%s %.15g", i ? BREAK : "", g->dtype[i], g->cases[i]);
	cells[1].text = where.s;
	cells[2].text = what.s;
	cells[3].text = cases.s;
	table_row(t, cells);
	buf_free(&where);
	buf_free(&what);
	buf_free(&cases);
}

void kernel_findings(struct audit *a, const struct row *r)
{
	static const struct column columns[] = {{.title = "Finding", .w = 92},
	                                        {.title = "Where it was first seen", .w = 106},
	                                        {.title = "What, and in which case first", .w = -1},
	                                        {.title = "Cases", .w = 56, .align = ALIGN_RIGHT}};
	struct buf note = {0};
	struct groups g;
	struct table t;

	group_findings(&g, r->kernel);
	if (g.n == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Findings of the sanitizers", NULL);
	buf_puts(&note, "Any case in this part replays by ");
	ev_put_replay(&note, r->kernel);
	buf_puts(&note,
	         " 'CASE'. Those in bold are errors and make their cases fail; the others are "
	         "information. What each kind means is in the glossary");
	put_page(&note, a, DEST_GLOSSARY);
	buf_puts(&note, ".");
	flow_lead(&a->f, face_note, note.s);
	table_begin(&t, &a->f, columns, 4, TABLE_SIZE);
	for (int i = 0; i < g.n; i++)
		finding_row(&t, r->kernel, &g.v[i]);
	table_end(&t);
	note.len = 0;
	put_plural(&note, g.left, "further finding stands", "further findings stand");
	buf_puts(&note, " in evidence.json.");
	if (g.left)
		flow_par(&a->f, face_note, note.s);
	buf_free(&note);
}

/* ---- diagnosis ---- */

/* The first error of lint, or NULL. */
static const cJSON *lint_error(const cJSON *kernel)
{
	const cJSON *f;

	cJSON_ArrayForEach(f, ev_get(ev_get(kernel, "lint"),
	                             "findings")) if (strcmp(ev_text(f, "severity"), "error") ==
	                                              0) return f;
	return NULL;
}

static const cJSON *first_error(const cJSON *kernel)
{
	const cJSON *d, *f;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes")) cJSON_ArrayForEach(
	        f, ev_get(d, "findings")) if (cJSON_IsTrue(ev_get(f, "error"))) return f;
	return NULL;
}

static void put_first_error(struct buf *b, const cJSON *kernel, bool watched)
{
	const cJSON *f = first_error(kernel);

	if (!f && !watched) {
		buf_puts(b, " Its accesses were not watched in this campaign (the emulator does "
		            "that, with sanitizers on), so that it does not tell whether one is "
		            "out of bounds or uninitialised.");
		return;
	}
	if (!f) {
		buf_puts(b, " No access is out of bounds or uninitialised: the arithmetic itself "
		            "is wrong.");
		return;
	}
	buf_printf(b, " The sanitizers report %s", ev_text(f, "kind"));
	if (ev_text(f, "buffer")[0])
		buf_printf(b, " of %s", ev_text(f, "buffer"));
	if (ev_number(f, "source_line") > 0)
		buf_printf(b, " at line %.0f of the source", ev_number(f, "source_line"));
	buf_puts(b, ".");
}

static void put_lint_error(struct buf *b, const cJSON *kernel)
{
	const cJSON *f = lint_error(kernel);

	if (!f)
		return;
	buf_printf(b, " Lint says %s", ev_text(f, "rule"));
	if (ev_number(f, "source_line") > 0)
		buf_printf(b, " at line %.0f", ev_number(f, "source_line"));
	buf_printf(b, " (%s).", ev_text(f, "confidence"));
}

static void put_dtypes_failing(struct buf *b, const cJSON *kernel)
{
	const cJSON *d;
	int n = 0, fail = 0;
	struct buf names = {0};

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		n++;
		if (strcmp(ev_text(d, "verdict"), "FAIL") != 0)
			continue;
		buf_printf(&names, "%s%s", fail ? ", " : "", ev_text(d, "dtype"));
		fail++;
	}
	if (fail == 0)
		buf_puts(b, "No case of it fails, and it could not be decided.");
	else if (fail == n)
		buf_puts(b, n > 1 ? "It fails in every dtype." : "It fails.");
	else
		buf_printf(b, "It fails in %s and not in the other dtypes.",
		           names.s ? names.s : "");
	buf_free(&names);
}

/* What the parts of the evidence say together; nothing is guessed beyond them. */
void kernel_diagnosis(struct audit *a, const struct row *r)
{
	const cJSON *m = ev_minimal(r->kernel);
	const char *twin = ev_text(m, "twin_verdict");
	struct buf b = {0};

	if (!m)
		return;
	put_dtypes_failing(&b, r->kernel);
	put_first_error(&b, r->kernel, ev_watched(a->evidence));
	put_lint_error(&b, r->kernel);
	if (strcmp(twin, "PASS") == 0)
		buf_printf(&b,
		           " Its good twin %s passes the same smallest case: what differs between "
		           "the two is the fault.",
		           ev_text(r->kernel, "twin"));
	flow_heading(&a->f, 2, DEST_NONE, "Diagnosis", NULL);
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
}

/* ---- lint ---- */

static void lint_row(struct table *t, const cJSON *kernel, const cJSON *f, int alike)
{
	const char *severity = ev_text(f, "severity");
	bool error = strcmp(severity, "error") == 0;
	struct buf where = {0}, what = {0};
	struct td cells[4] = {{.text = ev_text(f, "rule"),
	                       .bold = error,
	                       .coloured = true,
	                       .colour = error ? C_WRONG : C_SOFT}};
	char sure[80];

	snprintf(sure, sizeof sure, "%.30s, %.30s", severity, ev_text(f, "confidence"));
	if (ev_number(f, "source_line") > 0)
		buf_printf(&where, "line %.0f, ", ev_number(f, "source_line"));
	buf_printf(&where, "PTX line %.0f", ev_number(f, "ptx_line"));
	buf_puts(&what, ev_text(f, "message"));
	if (alike > 1)
		buf_printf(&what, " (%d places alike)", alike);
	put_source(&what, kernel, f);
	cells[1].text = sure;
	cells[2].text = where.s;
	cells[3].text = what.s;
	table_row(t, cells);
	buf_free(&where);
	buf_free(&what);
}

static bool same_rule(const cJSON *a, const cJSON *b)
{
	return strcmp(ev_text(a, "rule"), ev_text(b, "rule")) == 0 &&
	       strcmp(ev_text(a, "severity"), ev_text(b, "severity")) == 0 &&
	       ev_number(a, "source_line") == ev_number(b, "source_line");
}

/* Rows of lint: a rule at a source line each. */
struct lint_groups {
	const cJSON *first[MAX_ROWS];
	int alike[MAX_ROWS], n, left;
};

static void group_lint(struct lint_groups *g, const cJSON *list, const char *severity)
{
	const cJSON *f;

	cJSON_ArrayForEach(f, list)
	{
		int i = 0;

		if (strcmp(ev_text(f, "severity"), severity) != 0)
			continue;
		while (i < g->n && !same_rule(g->first[i], f))
			i++;
		if (i == MAX_ROWS) {
			g->left++;
			continue;
		}
		if (i == g->n) {
			g->first[g->n] = f;
			g->alike[g->n++] = 0;
		}
		g->alike[i]++;
	}
}

void kernel_lint(struct audit *a, const struct row *r)
{
	static const struct column columns[] = {{.title = "Rule", .w = 106},
	                                        {.title = "Severity, how sure", .w = 84},
	                                        {.title = "Where", .w = 92},
	                                        {.title = "What", .w = -1}};
	const cJSON *lint = ev_get(r->kernel, "lint"), *list = ev_get(lint, "findings");
	struct buf b = {0};
	struct lint_groups g = {.n = 0};
	struct table t;

	if (!lint)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Lint: what the PTX itself says", NULL);
	put_plural(&b, ev_number(lint, "errors"), "error, ", "errors, ");
	put_plural(&b, ev_number(lint, "warnings"), "warning, ", "warnings, ");
	put_plural(&b, ev_number(lint, "notes"), "note.", "notes.");
	if (ev_text(lint, "assumed")[0])
		buf_printf(&b, " Held against %s.", ev_text(lint, "assumed"));
	if (ev_text(lint, "problem")[0])
		buf_printf(&b, " %s", ev_text(lint, "problem"));
	if (cJSON_GetArraySize(list) == 0) {
		flow_par(&a->f, face_body, b.s);
		buf_free(&b);
		return;
	}
	flow_lead(&a->f, face_body, b.s);
	b.len = 0;
	group_lint(&g, list, "error");
	group_lint(&g, list, "warning");
	group_lint(&g, list, "note");
	table_begin(&t, &a->f, columns, 4, TABLE_SIZE);
	for (int i = 0; i < g.n; i++)
		lint_row(&t, r->kernel, g.first[i], g.alike[i]);
	table_end(&t);
	put_plural(&b, g.left, "further finding of lint stands", "further findings of lint stand");
	buf_puts(&b, " in evidence.json.");
	if (g.left)
		flow_par(&a->f, face_note, b.s);
	buf_free(&b);
}

/* page.c - report.pdf: A4 pages that flow, one for the seed corpus: see draw.h. */
#include <stdio.h>
#include <string.h>

#include <cairo-pdf.h>

#include "report/draw/draw.h"
#include "report/draw/grid.h"
#include "report/draw/prose.h"
#include "report/draw/surface.h"

#define A4_W       595.276
#define A4_H       841.890
#define LEFT       36.0
#define RIGHT_EDGE (A4_W - 36.0)
#define WIDTH      (RIGHT_EDGE - LEFT)
#define TOP        32.0
#define BOTTOM     (A4_H - 40.0) /* the footer stands below */
#define CELL       10.15
#define TITLE      "gpuemu evidence"

struct page {
	struct canvas c;
	cairo_surface_t *surface;
	const struct model *m;
	struct grid g;
	double y;
	int number, total; /* total 0: the first pass, which only counts */
};

static const struct style small = {.size = 7.2, .colour = C_INK};
static const struct style label = {.size = 7.2, .colour = C_SOFT};

/* ---- pages ---- */

static void footer(struct page *p)
{
	struct style left = {.size = 6.6, .colour = C_SOFT, .width = WIDTH - 80}, right = left;
	struct buf b = {0};
	char text[40];

	buf_printf(&b, "%s %s · %s · seed %s", ev_text(ev_get(p->m->evidence, "tool"), "name"),
	           ev_text(ev_get(p->m->evidence, "tool"), "version"),
	           ev_text(p->m->evidence, "date"), ev_text(p->m->evidence, "seed"));
	draw_line(&p->c, C_RULE, 0.5, LEFT, BOTTOM + 6, RIGHT_EDGE, BOTTOM + 6);
	text_draw(&p->c, left, LEFT, BOTTOM + 9, b.s);
	snprintf(text, sizeof text, "page %d of %d", p->number, p->total);
	right.width = 80;
	right.right = true;
	text_draw(&p->c, right, RIGHT_EDGE - 80, BOTTOM + 9, text);
	buf_free(&b);
}

static void next_page(struct page *p)
{
	footer(p);
	cairo_show_page(p->c.cr);
	p->number++;
	p->y = TOP +
	       text_draw(&p->c, (struct style){.size = 9, .colour = C_SOFT}, LEFT, TOP,
	                 TITLE ", continued") +
	       8;
}

/* Goes to the next page unless h points fit here. */
static void need(struct page *p, double h)
{
	if (p->y + h > BOTTOM)
		next_page(p);
}

static void outline(struct page *p, const char *name)
{
	char link[80];

	snprintf(link, sizeof link, "page=%d pos=[%d %d]", p->number, (int)LEFT, (int)p->y);
	cairo_pdf_surface_add_outline(p->surface, CAIRO_PDF_OUTLINE_ROOT, name, link,
	                              CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

static double heading(struct page *p, double x, double y, double w, const char *text)
{
	double h = text_draw(&p->c,
	                     (struct style){.size = 8.6, .colour = C_INK, .bold = true, .width = w},
	                     x, y, text);

	draw_line(&p->c, C_RULE, 0.6, x, y + h + 1.5, x + w, y + h + 1.5);
	return h + 5;
}

/* ---- title, identities, verdicts ---- */

/* One "label value" line; returns the y below it. */
static double identity(struct page *p, double x, double y, double w, const char *name,
                       const char *value)
{
	struct style v = small;

	v.width = w - 46;
	text_draw(&p->c, label, x, y, name);
	return y + text_draw(&p->c, v, x + 46, y, value[0] ? value : "–") + 1;
}

/* The check that the headline speaks of, as the evidence describes it. */
static void put_check(struct buf *b, const struct model *m)
{
	const cJSON *check;

	cJSON_ArrayForEach(check,
	                   ev_get(m->evidence, "profiles")) if (strcmp(ev_text(check, "name"),
	                                                               MODEL_HEADLINE) == 0) break;
	if (check)
		buf_printf(b, "the profile %s: %s with atol %g, rtol %g in f32",
		           ev_text(check, "name"), ev_text(check, "rule"),
		           ev_number(check, "atol_f32"), ev_number(check, "rtol_f32"));
}

static void identities(struct page *p)
{
	const cJSON *e = p->m->evidence, *tool = ev_get(e, "tool"), *t = ev_get(e, "tolerance");
	double half = WIDTH / 2 - 6, x = LEFT + WIDTH / 2 + 6, y = p->y;
	struct buf b[6] = {{0}};

	buf_printf(&b[0], "%s %s; %.3g s of cases, %.3g s of benchmarks", ev_text(tool, "name"),
	           ev_text(tool, "version"), ev_number(e, "seconds"),
	           ev_number(e, "bench_seconds"));
	buf_printf(&b[1], "%s; seed %s", ev_text(e, "date"), ev_text(e, "seed"));
	buf_printf(&b[2], "%s: %s", ev_text(t, "name"), ev_text(t, "text"));
	buf_printf(&b[3], "%.15g kernels, sha256 %s", ev_number(ev_get(e, "corpus"), "kernels"),
	           ev_text(ev_get(e, "corpus"), "sha256"));
	buf_printf(&b[4], "%s (%.15g cases per kernel and dtype)", ev_text(tool, "command"),
	           ev_number(ev_get(e, "options"), "cases"));
	put_check(&b[5], p->m);
	identity(p, x, y, half, "device", ev_text(ev_get(e, "device"), "text"));
	y = identity(p, LEFT, y, half, "tool", b[0].s);
	identity(p, x, y, half, "tolerance", b[2].s);
	y = identity(p, LEFT, y, half, "date", b[1].s);
	y = identity(p, LEFT, y, WIDTH, "corpus", b[3].s);
	y = identity(p, LEFT, y, WIDTH, "run", b[4].s);
	if (b[5].len)
		y = identity(p, LEFT, y, WIDTH, "one-shape", b[5].s);
	p->y = y + 7;
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		buf_free(&b[i]);
}

static void title(struct page *p)
{
	struct style name = {.size = 17, .colour = C_INK, .bold = true};
	struct style question = {.size = 8, .colour = C_SOFT, .right = true};
	double w = text_width(&p->c, name, TITLE), h = text_height(&p->c, name, TITLE);

	outline(p, "Verdict");
	text_draw(&p->c, name, LEFT, p->y - 4, TITLE);
	question.width = WIDTH - w - 16;
	text_draw(
	        &p->c, question, LEFT + w + 16, p->y + h - 15.5,
	        "Is each kernel right on its whole domain, and what would a one-shape check say?");
	draw_line(&p->c, C_RULE, 0.6, LEFT, p->y + h - 2, RIGHT_EDGE, p->y + h - 2);
	p->y += h + 2;
	identities(p);
}

static void verdicts(struct page *p)
{
	struct style s = {
	        .size = 8.6, .colour = C_INK, .width = WIDTH - 12, .lines = 3, .markup = true};
	struct buf b = {0};
	double top = p->y;

	prose_verdicts(p->m, &b);
	p->y += 2;
	for (char *line = b.s, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		p->y += text_draw(&p->c, s, LEFT + 10, p->y, line) + 3;
	}
	p->y -= 1.5;
	draw_rect(&p->c, C_BAR, LEFT, top, 3, p->y - top);
	p->y += 10;
	buf_free(&b);
}

/* ---- the grid ---- */

static void grid_begin(struct page *p)
{
	grid_head(&p->g, &p->c, p->y);
	p->y += p->g.head_h;
}

static void group_begin(struct page *p, enum group g, bool continued)
{
	grid_group(&p->g, &p->c, p->y, g, continued);
	p->y += p->g.group_h;
}

static void table(struct page *p)
{
	const struct model *m = p->m;

	outline(p, "Verdict grid");
	p->y += grid_legend(&p->g, &p->c, p->y, true) + 4;
	grid_begin(p);
	for (int i = 0; i < m->nrows; i++) {
		bool first = i == 0 || m->rows[i].group != m->rows[i - 1].group;

		/* a group's heading does not stand alone at the foot of a page */
		if (p->y + p->g.row_h * (first ? 2 : 1) + (first ? p->g.group_h : 0) > BOTTOM) {
			next_page(p);
			grid_begin(p);
			group_begin(p, m->rows[i].group, !first);
		} else if (first) {
			group_begin(p, m->rows[i].group, false);
		}
		grid_row(&p->g, &p->c, p->y, &m->rows[i]);
		p->y += p->g.row_h;
	}
	p->y += 10;
}

/* ---- what stands below: counts on the left, nulls and replay on the right ---- */

#define COUNTS_W  328.0
#define NOTE_W    37.0
#define HEADING_H 15.0
#define SIDE_X    (LEFT + COUNTS_W + 14)
#define SIDE_W    (WIDTH - COUNTS_W - 14)

static bool row_has_value(struct page *p, const struct prose_column *columns, int n, int row)
{
	char value[64], note[64];

	for (int i = 0; i < n; i++) {
		prose_value(p->m, &columns[i], row, value, note);
		if (value[0])
			return true;
	}
	return false;
}

/* Of a column: the value, and beside it the interval where there is room for one. */
static double column_width(int n)
{
	return n > 2 ? 58 : 92;
}

/* The style made smaller if a long number needs it: numbers are not cut. */
static struct style fitted(struct page *p, struct style s, const char *text)
{
	double room = s.width, w;

	s.width = 0;
	w = text_width(&p->c, s, text);
	s.width = room;
	if (w > room)
		s.size *= 0.99 * room / w;
	return s;
}

static void counts_row(struct page *p, const struct prose_column *columns, int n, int row, double y)
{
	double w = column_width(n), note_w = n > 2 ? 0 : NOTE_W, h = text_height(&p->c, small, "0");
	struct style name = label, value = small, note = label;
	char v[64], t[64];

	name.width = COUNTS_W - n * w - 2;
	value.width = w - note_w - 2;
	value.right = true;
	note.width = note_w;
	note.size = 5.8;
	text_draw(&p->c, name, LEFT, y, prose_label(row));
	for (int i = 0; i < n; i++) {
		double x = LEFT + COUNTS_W - (n - i) * w;

		prose_value(p->m, &columns[i], row, v, t);
		text_draw_middle(&p->c, fitted(p, value, v), x, y + h / 2, v);
		if (note_w > 0)
			text_draw_middle(&p->c, fitted(p, note, t), x + w - note_w + 2,
			                 y + h / 2 + 0.3, t);
	}
}

static void counts_head(struct page *p, const struct prose_column *columns, int n, double y)
{
	double w = column_width(n), note_w = n > 2 ? 0 : NOTE_W;
	struct style head = small;

	head.bold = head.right = true;
	head.width = w - note_w - 2;
	heading(p, LEFT, y, COUNTS_W,
	        n && columns[n - 1].set && n < 3 ? "Counts (95 % intervals)" : "Counts");
	for (int i = 0; i < n; i++)
		text_draw(&p->c, head, LEFT + COUNTS_W - (n - i) * w, y + 1.5, columns[i].title);
}

/* The table of counts; returns its height. */
static double counts(struct page *p, double top, bool draw)
{
	struct prose_column columns[PROSE_MAX_COLUMNS];
	int n = prose_columns(p->m, columns);
	double y = top + HEADING_H;

	if (draw)
		counts_head(p, columns, n, top);
	for (int row = 0; row < prose_rows(); row++) {
		if (!row_has_value(p, columns, n, row))
			continue;
		if (draw)
			counts_row(p, columns, n, row, y);
		y += text_height(&p->c, small, "0") + 0.3;
	}
	if (n == 0)
		y += draw ? text_draw(&p->c, label, LEFT, y, "Nothing to count.") : 10;
	return y - top;
}

static double paragraph(struct page *p, struct style s, double y, const char *text, bool draw)
{
	s.width = SIDE_W;
	return draw ? text_draw(&p->c, s, SIDE_X, y, text) : text_height(&p->c, s, text);
}

/* One failure: whose, the command, what to expect. */
static double replay(struct page *p, const struct row *r, const cJSON *minimal, double y, bool draw)
{
	struct style mono = {.size = 6.4, .colour = C_INK, .mono = true, .lines = 18}, note = label;
	const char *twin = ev_text(minimal, "twin_verdict");
	double top = y;
	struct buf b = {0};

	note.lines = r->group == GROUP_BUGGY ? 2 : 4;
	y += paragraph(p, mono, y, ev_text(minimal, "replay"), draw) + 1;
	if (r->group == GROUP_BUGGY)
		buf_printf(&b, "fails by %s", ev_text(minimal, "by"));
	else
		buf_printf(&b, "%s: %s", r->name, ev_text(minimal, "reason"));
	if (twin[0])
		buf_printf(&b, "; its twin %s: %s", ev_text(r->kernel, "twin"), twin);
	buf_printf(&b, "; outputs sha256 %.12s…", ev_text(minimal, "outputs_sha256"));
	y += paragraph(p, note, y, b.s, draw) + 4;
	buf_free(&b);
	return y - top;
}

#define MAX_REPLAYS 3

static double replays(struct page *p, double y, bool draw)
{
	struct style note = label;
	double top = y;
	int i = 0;

	note.lines = 3;
	for (const struct row *r; i < MAX_REPLAYS; i++) {
		const cJSON *minimal = prose_replay(p->m, i, &r);

		if (!minimal || (i && r->group == GROUP_BUGGY))
			break;
		y += replay(p, r, minimal, y, draw);
	}
	y += paragraph(p, note, y,
	               i ? "report.md has such a line for every failing kernel. Same bytes on any "
	                   "machine, no GPU."
	                 : "Nothing failed: there is nothing to replay.",
	               draw);
	return y - top;
}

/* The column at the right; returns its height. */
static double side(struct page *p, double top, bool draw)
{
	struct style s = {.size = 7.2, .colour = C_INK, .lines = 20, .markup = true};
	struct buf b = {0};
	double y = top;

	prose_nulls(p->m, &b);
	if (draw)
		heading(p, SIDE_X, y, SIDE_W, "Null kernels accepted");
	y += HEADING_H;
	y += paragraph(p, s, y, b.s, draw) + 9;
	if (draw)
		heading(p, SIDE_X, y, SIDE_W, "To replay a failure");
	y += HEADING_H;
	y += replays(p, y, draw);
	buf_free(&b);
	return y - top;
}

static void below(struct page *p)
{
	double left = counts(p, 0, false), right = side(p, 0, false);

	need(p, left > right ? left : right);
	outline(p, "Counts, null kernels, replay");
	counts(p, p->y, true);
	side(p, p->y, true);
	p->y += left > right ? left : right;
}

/* ---- the document ---- */

/* The date as PDF wants it; a text that is no date is left out and cairo sets none: see metadata.
 */
static bool is_date(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	for (size_t i = 0; i < sizeof form; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	return true;
}

/* The evidence's date, not the clock's, so that the same evidence gives the same bytes. */
static void metadata(struct page *p)
{
	const char *date = ev_text(p->m->evidence, "date");
	struct buf b = {0};
	char *author;

	date = is_date(date) ? date : "1970-01-01T00:00:00Z";
	buf_printf(&b, "%s %s", ev_text(ev_get(p->m->evidence, "tool"), "name"),
	           ev_text(ev_get(p->m->evidence, "tool"), "version"));
	cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_TITLE, TITLE);
	author = text_clean(b.s);
	cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_AUTHOR, author);
	g_free(author);
	cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_SUBJECT,
	                               "Verdicts on GPU kernels, beside those of one-shape checks");
	cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_MOD_DATE, date);
	buf_free(&b);
}

/* Draws all pages into out; *pages: how many, and on entry how many the footers are to tell of. */
static enum st draw_once(const struct model *m, struct buf *out, int *pages, struct err *e)
{
	struct page p = {.m = m, .y = TOP, .number = 1, .total = *pages};
	cairo_status_t status;

	p.surface = surface_open(SURFACE_PDF, out, A4_W, A4_H, 72);
	canvas_open(&p.c, p.surface);
	grid_layout(&p.g, &p.c, m, LEFT, WIDTH, CELL, true);
	metadata(&p);
	title(&p);
	verdicts(&p);
	if (m->nrows)
		table(&p);
	below(&p);
	footer(&p);
	status = canvas_close(&p.c);
	*pages = p.number;
	return surface_close(p.surface, status, "report.pdf", e);
}

enum st draw_pages(const struct model *m, struct buf *out, struct err *e)
{
	struct buf scratch = {0};
	int pages = 0;
	enum st rc;

	rc = draw_once(m, &scratch, &pages, e);
	buf_free(&scratch);
	return rc == ST_OK ? draw_once(m, out, &pages, e) : rc;
}

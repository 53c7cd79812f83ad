/* grid.c - the verdict grid: see grid.h. */
#include <stdio.h>
#include <string.h>

#include "report/draw/bars.h"
#include "report/draw/grid.h"
#include "report/draw/marks.h"

static const char *const block_titles[] = {"one friendly input per operator",
                                           "KernelBench's own inputs"},
                         *const block_briefs[] = {"friendly inputs", "KernelBench's own"};

const char *group_title(enum group g)
{
	static const char *const titles[] = {"Your kernels", "Buggy kernels: to be rejected",
	                                     "Controls: to be accepted"};

	return titles[g];
}

/* ---- layout ---- */

/* Names of columns stand upright: no larger than a column is wide. */
static double label_size(const struct grid *g)
{
	double most = g->col;

	return 0.88 * g->text < most ? 0.88 * g->text : most;
}

static double longest_label(const struct grid *g, struct canvas *c)
{
	struct style s = {.size = label_size(g), .bold = true, .width = 12 * g->text};
	double w = 0;

	for (int i = 0; i < g->m->nprofiles; i++) {
		double t = text_width(c, s, g->m->profiles[i].title);

		w = t > w ? t : w;
	}
	s.size = 0.88 * g->text;
	for (int i = 0; i < g->m->ndtypes; i++) {
		double t = text_width(c, s, g->m->dtypes[i]);

		w = t > w ? t : w;
	}
	return w;
}

/* Where the columns stand, when their widths are set; returns where they end. */
static double place_columns(struct grid *g, double gap)
{
	double at = g->x + g->name_w + gap;

	for (int b = 0; b < 2 && g->m->nprofiles; b++) {
		g->block_x[b] = at;
		g->block_w = g->m->nprofiles * g->col;
		at += g->block_w + gap;
	}
	g->dtype_x = at;
	return at + (g->m->ndtypes ? g->m->ndtypes : 1) * g->dtype_w;
}

void grid_layout(struct grid *g, struct canvas *c, const struct model *m, double x, double width,
                 double cell, bool bars)
{
	double at, gap = 0.75 * cell;

	*g = (struct grid){.m = m, .x = x, .text = 0.72 * cell, .col = cell, .row_h = 1.13 * cell};
	g->group_h = 1.4 * g->row_h;
	g->name_w = 9.3 * cell;
	/* more profiles than the 13 that there are today: narrower columns, the same width */
	if (m->nprofiles > 13)
		g->col = 13 * cell / m->nprofiles;
	g->dtype_w = 1.45 * cell;
	at = place_columns(g, gap);
	if (bars) {
		g->bar_x = at + gap;
		g->label_w = 3.4 * cell;
		g->bar_w = x + width - g->bar_x - g->label_w;
		at = x + width;
	}
	g->width = at - x;
	g->head_h = 2.9 * g->text + longest_label(g, c) + 0.6 * g->text;
}

#define MAX_COLUMN 13.0

void grid_fit(struct grid *g, struct canvas *c, const struct model *m, double width, double text)
{
	struct style s = {.size = text};
	int cols = 2 * m->nprofiles, types = m->ndtypes ? m->ndtypes : 1;
	double gap = 0.8 * text, free;

	*g = (struct grid){.m = m, .text = text, .row_h = 1.35 * text, .width = width};
	g->group_h = 1.4 * g->row_h;
	for (int i = 0; i < m->nrows; i++) {
		double w = text_width(c, s, m->rows[i].name) + 1;

		g->name_w = w > g->name_w ? w : g->name_w;
	}
	/* at least the heading of a group, at most a third */
	g->name_w = g->name_w < 13 * text ? 13 * text : g->name_w;
	g->name_w = g->name_w > width / 3 ? width / 3 : g->name_w;
	free = width - g->name_w - (m->nprofiles ? 3 : 1) * gap;
	g->col = free / (cols + 1.6 * types);
	g->col = g->col > MAX_COLUMN ? MAX_COLUMN : g->col;
	g->dtype_w = 1.6 * g->col;
	place_columns(g, gap);
	g->head_h = 2.9 * g->text + longest_label(g, c) + 0.6 * g->text;
}

/* ---- head ---- */

/* A title over columns, with a line beneath that spans them; the short one where the other does not
 * fit. */
static void span_title(const struct grid *g, struct canvas *c, double x, double w, double y,
                       bool bold, const char *text, const char *brief)
{
	struct style s = {.size = (bold ? 0.95 : 0.86) * g->text,
	                  .colour = bold ? C_INK : C_SOFT,
	                  .bold = bold};

	if (text_width(c, s, text) > w)
		text = brief;
	s.width = w;
	text_draw(c, s, x, y, text);
	if (!bold)
		draw_line(c, C_RULE, 0.6, x, y + 1.3 * g->text, x + w - 0.1 * g->col,
		          y + 1.3 * g->text);
}

static void block_head(const struct grid *g, struct canvas *c, double y, double bottom, int b)
{
	struct style s = {.size = label_size(g), .colour = C_SOFT, .width = 12 * g->text};

	span_title(g, c, g->block_x[b], g->block_w, y + 1.35 * g->text, false, block_titles[b],
	           block_briefs[b]);
	for (int i = 0; i < g->m->nprofiles; i++) {
		/* the check of the headline */
		s.bold = strcmp(g->m->profiles[i].name, MODEL_HEADLINE) == 0;
		s.colour = s.bold ? C_INK : C_SOFT;
		text_draw_up(c, s, g->block_x[b] + (i + 0.45) * g->col, bottom,
		             g->m->profiles[i].title);
	}
}

void grid_head(const struct grid *g, struct canvas *c, double y)
{
	struct style up = {
	        .size = 0.88 * g->text, .colour = C_INK, .width = 12 * g->text, .bold = true};
	double bottom = y + g->head_h - 0.5 * g->text, w = g->m->ndtypes * g->dtype_w;
	struct style name = {
	        .size = 0.95 * g->text, .colour = C_INK, .width = g->name_w, .bold = true};

	text_draw(c, name, g->x, bottom - text_height(c, name, "k"), "kernel");
	for (int b = 0; b < 2 && g->m->nprofiles; b++)
		block_head(g, c, y, bottom, b);
	if (g->m->nprofiles)
		span_title(g, c, g->block_x[0], g->dtype_x - g->block_x[0], y, true,
		           "One-shape checks in f32 (accepted: at every seed)",
		           "One-shape checks in f32");
	if (w > 0) {
		span_title(g, c, g->dtype_x, w + 0.5 * g->col, y, true, "gpuemu", "ours");
		span_title(g, c, g->dtype_x, w, y + 1.35 * g->text, false, "by dtype", "dtype");
	}
	for (int i = 0; i < g->m->ndtypes; i++)
		text_draw_up(c, up, g->dtype_x + (i + 0.47) * g->dtype_w, bottom, g->m->dtypes[i]);
	if (g->bar_w > 0) {
		span_title(g, c, g->bar_x, g->bar_w + g->label_w, y, true, "failing cases",
		           "failing");
		span_title(g, c, g->bar_x, g->bar_w + g->label_w, y + 1.35 * g->text, false,
		           "over all dtypes", "all dtypes");
		bar_scale(c, 0.8 * g->text, g->bar_x, bottom, g->bar_w);
	}
}

/* ---- rows ---- */

/* A number under a column. All of a group are of one size; where the largest would be too small to
 * read, they stand upright. */
static void put_count(const struct grid *g, struct canvas *c, double x, double w, double mid, int n,
                      int largest)
{
	int digits = snprintf(NULL, 0, "%d", largest);
	double size = 0.8 * g->text, fits = 1.3 * w / digits;
	struct style s = {
	        .size = size < fits ? size : fits, .colour = C_INK, .bold = true, .width = w + 4};
	char text[16];

	snprintf(text, sizeof text, "%d", n);
	if (s.size > 0.55 * g->text) {
		s.centred = true;
		text_draw_middle(c, s, x - 2, mid, text);
		return;
	}
	s = (struct style){.size = 0.7 * g->text, .colour = C_INK};
	text_draw_up(c, s, x + w / 2, mid + text_width(c, s, text) / 2, text);
}

static void group_counts(const struct grid *g, struct canvas *c, double mid, enum group group)
{
	int most = g->m->size[group];

	for (int b = 0; b < INPUT_COUNT && g->m->nprofiles; b++)
		for (int i = 0; i < g->m->nprofiles; i++) {
			struct tally t = g->m->bench[group][b][i];

			if (t.judged)
				put_count(g, c, g->block_x[b] + i * g->col, 0.88 * g->col, mid,
				          t.accepted, most);
		}
	for (int i = 0; i < g->m->ndtypes; i++) {
		struct tally t = g->m->dtype[group][i];

		if (t.judged)
			put_count(g, c, g->dtype_x + i * g->dtype_w, 0.94 * g->dtype_w, mid,
			          t.accepted, most);
	}
}

void grid_group(const struct grid *g, struct canvas *c, double y, enum group group, bool continued)
{
	static const char *const names[] = {"Yours", "Buggy", "Controls"};
	char text[80];
	double h = g->row_h, top = y + 0.25 * g->row_h, mid = top + h / 2;
	struct style s = {
	        .size = 0.95 * g->text, .colour = C_INK, .bold = true, .width = g->name_w};
	struct style note = {
	        .size = 0.82 * g->text, .colour = C_SOFT, .width = g->name_w, .right = true};

	draw_rect(c, C_BAND, g->x - 3, top - 0.5, g->width + 6, h + 1);
	snprintf(text, sizeof text, "%s (%d)", names[group], g->m->size[group]);
	text_draw_middle(c, s, g->x, mid, text);
	text_draw_middle(c, note, g->x, mid, continued ? "cont., accepted:" : "accepted:");
	group_counts(g, c, mid, group);
}

/* Numbers at the right of w points; smaller where they would be wider. */
static void count_draw(struct canvas *c, double size, double x, double w, double mid,
                       const char *text)
{
	struct style s = {.size = size, .colour = C_SOFT};
	double wide = text_width(c, s, text);

	if (wide > w)
		s.size *= 0.98 * w / wide;
	s.width = w;
	s.right = true;
	text_draw_middle(c, s, x, mid, text);
}

void grid_row(const struct grid *g, struct canvas *c, double y, const struct row *r)
{
	double mid = y + g->row_h / 2, h = g->row_h - 1.4, top = y + 0.7;
	char text[64];

	text_draw_middle(
	        c,
	        (struct style){
	                .size = g->text, .colour = C_INK, .width = g->name_w, .middle = true},
	        g->x, mid, r->name);
	for (int b = 0; b < 2 && g->m->nprofiles; b++)
		for (int i = 0; i < g->m->nprofiles; i++)
			mark_draw(c, model_bench(g->m, r, (enum input)b, i),
			          g->block_x[b] + i * g->col, top, 0.88 * g->col, h);
	for (int i = 0; i < g->m->ndtypes; i++)
		mark_draw(c, model_dtype(g->m, r, i), g->dtype_x + i * g->dtype_w, top,
		          0.94 * g->dtype_w, h);
	if (g->bar_w <= 0)
		return;
	bar_rules(c, g->bar_x, y, g->bar_w, g->row_h);
	bar_draw(c, r, g->bar_x, y + 0.2 * g->row_h, g->bar_w, 0.6 * g->row_h);
	bar_label(r, text);
	count_draw(c, 0.88 * g->text, g->bar_x + g->bar_w + 4, g->label_w - 4, mid, text);
}

/* ---- legend ---- */

struct flow {
	const struct grid *g;
	struct canvas *c;
	double x, y;
	bool draw;
};

/* Room for a sign of width w and its text; the next line when this one is full. */
static double flow_place(struct flow *f, double w, const char *text, struct style *s)
{
	double pad = 0.4 * f->g->text, need, x;

	*s = (struct style){.size = 0.88 * f->g->text, .colour = C_SOFT};
	need = w + pad + text_width(f->c, *s, text);
	if (f->x > f->g->x && f->x + need > f->g->x + f->g->width) {
		f->x = f->g->x;
		f->y += 1.7 * f->g->text;
	}
	x = f->x;
	f->x += need + 1.6 * f->g->text;
	if (f->draw)
		text_draw_middle(f->c, *s, x + w + pad, f->y + 0.8 * f->g->text, text);
	return x;
}

static void flow_cell(struct flow *f, enum mark mark, enum sense sense, const char *text)
{
	struct style s;
	double w = 0.88 * f->g->col, h = 1.5 * f->g->text, x = flow_place(f, w, text, &s);

	if (f->draw)
		mark_draw(f->c, (struct cell){mark, sense}, x, f->y + 0.05 * f->g->text, w, h);
}

static void flow_swatch(struct flow *f, enum colour colour, const char *text)
{
	struct style s;
	double x = flow_place(f, 1.6 * f->g->text, text, &s);

	if (f->draw)
		draw_rect(f->c, colour, x, f->y + 0.35 * f->g->text, 1.6 * f->g->text,
		          0.9 * f->g->text);
}

double grid_legend(const struct grid *g, struct canvas *c, double y, bool draw)
{
	const struct model *m = g->m;
	struct flow f = {g, c, g->x, y, draw};

	if (m->size[GROUP_BUGGY]) {
		flow_cell(&f, MARK_ACCEPT, SENSE_WRONG, "accepted a buggy kernel: wrong");
		flow_cell(&f, MARK_REJECT, SENSE_RIGHT, "rejected it: right");
	}
	if (m->size[GROUP_CONTROL]) {
		flow_cell(&f, MARK_ACCEPT, SENSE_RIGHT, "accepted a control: right");
		flow_cell(&f, MARK_REJECT, SENSE_WRONG, "rejected it: wrong");
	}
	if (m->size[GROUP_USER]) {
		flow_cell(&f, MARK_ACCEPT, SENSE_OPEN, "your kernel accepted");
		flow_cell(&f, MARK_REJECT, SENSE_OPEN, "rejected");
	}
	if (m->nprofiles) {
		flow_cell(&f, MARK_SOME, SENSE_NONE, "accepted at some seeds only: rejected");
		flow_cell(&f, MARK_NONE, SENSE_NONE, "no such input");
	}
	flow_cell(&f, MARK_UNKNOWN, SENSE_NONE, "unknown");
	flow_cell(&f, MARK_UNSUPPORTED, SENSE_NONE, "unsupported");
	if (g->bar_w > 0) {
		flow_swatch(&f, C_BAR, "failing by value");
		flow_swatch(&f, C_BAR_PALE, "by a sanitizer finding alone");
	}
	if (m->hidden_profiles || m->hidden_dtypes)
		flow_cell(&f, MARK_NONE, SENSE_NONE,
		          "more columns are in the evidence than are drawn");
	return f.y - y + 1.7 * g->text;
}

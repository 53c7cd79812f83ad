/* chart_cases.c - the cases of one kernel against their tolerance: scaled error over chain length,
 * a panel an element type. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"

#define PANEL_H   92.0
#define STRIP     12.0 /* where errors of 0 and beyond the scale stand, below and above it */
#define MOST      1e9  /* the scale's end: an error beyond is as wrong as infinity */
#define GAP       15.0
#define MAX_PANEL 3

/* The kernel asked for, else the first (users' kernels, buggy ones, controls) of which cases are
 * known. -1: none. */
static int row_of(const struct charts *in)
{
	size_t n;

	for (int i = 0; i < in->model.nrows; i++) {
		if (in->kernel && strcmp(in->model.rows[i].name, in->kernel) != 0)
			continue;
		charts_cases(in, i, &n);
		if (n)
			return i;
	}
	return -1;
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	return row_of(in) >= 0
	               ? NULL
	               : "no cases of the kernel are known (cases.jsonl, which gpuemu validate "
	                 "writes beside the evidence)";
}

struct panel {
	struct canvas *c;
	struct axis x, y;
	const struct case_point *p;
	size_t n;
	const char *dtype;
};

static bool is_shown(const struct panel *q, const struct case_point *p)
{
	return strcmp(p->dtype, q->dtype) == 0 && p->chain >= 1 && !isnan(p->r);
}

static double height_of(const struct panel *q, double r)
{
	if (isinf(r) || r > q->y.hi)
		return q->y.to - STRIP / 2;
	return r < q->y.lo ? q->y.from + STRIP / 2 : axis_at(&q->y, r);
}

static void put_points(const struct panel *q, bool failed)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct case_point *p = &q->p[i];
		double x;

		if (!is_shown(q, p) || p->failed != failed)
			continue;
		x = axis_at(&q->x, p->chain);
		if (failed)
			shape_draw(q->c, SHAPE_TRIANGLE, C_RED, false, x, height_of(q, p->r), 1.6);
		else
			shape_draw(q->c, SHAPE_DISC, C_BLUE, true, x, height_of(q, p->r), 1.5);
	}
}

static void put_limits(const struct panel *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct case_point *p = &q->p[i];
		double x = axis_at(&q->x, p->chain), y;

		if (!is_shown(q, p) || !(p->T > 0))
			continue;
		y = height_of(q, p->T);
		draw_line(q->c, C_INK, 0.7, x - 2, y, x + 2, y);
	}
}

/* The name of a strip at the left. */
static void put_strip(const struct panel *q, double y, const char *text)
{
	struct style s = {.size = TEXT_SMALL, .colour = C_SOFT};

	text_draw_middle(q->c, s, q->x.from - 3.5 - text_width(q->c, s, text), y, text);
}

static void put_panel(const struct panel *q, double top, double bottom, bool first,
                      const char *below)
{
	struct style s = {
	        .size = TEXT_BODY, .colour = C_INK, .centred = true, .width = q->x.to - q->x.from};

	draw_rect(q->c, C_BAND, q->x.from, top, q->x.to - q->x.from, STRIP);
	draw_rect(q->c, C_BAND, q->x.from, bottom - STRIP, q->x.to - q->x.from, STRIP);
	if (first) {
		axis_left(q->c, &q->y, TICK_NUMBER, q->x.from, q->x.to, 4,
		          "largest scaled error r");
		put_strip(q, top + STRIP / 2 - 1.5, q->y.hi >= MOST ? "more" : "∞");
		put_strip(q, bottom - STRIP / 2, "0");
	}
	axis_below(q->c, &q->x, TICK_NUMBER, bottom, top, below);
	text_draw(q->c, s, q->x.from, top - 10, q->dtype);
	put_limits(q);
	put_points(q, false);
	put_points(q, true);
}

/* Scales that hold every finite error from 1e-3 on and every limit. */
static void scales(const struct charts *in, int row, struct axis *x, struct axis *y)
{
	size_t n;
	const struct case_point *p = charts_cases(in, row, &n);

	*x = (struct axis){.lo = 1, .hi = 10, .log = true};
	*y = (struct axis){.lo = 1, .hi = 10, .log = true};
	for (size_t i = 0; i < n; i++) {
		if (p[i].chain >= 1 && isfinite(p[i].chain))
			x->hi = fmax(x->hi, p[i].chain);
		if (p[i].r > 0 && isfinite(p[i].r)) {
			y->lo = fmin(y->lo, fmax(p[i].r, 1e-3));
			y->hi = fmax(y->hi, p[i].r);
		}
		if (p[i].T > 0 && isfinite(p[i].T))
			y->hi = fmax(y->hi, p[i].T);
	}
	y->hi = fmin(y->hi, MOST);
	axis_decades(x);
	axis_decades(y);
}

static double put_legend(struct canvas *c, const struct charts *in, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	(void)in;
	legend_shape(&l, SHAPE_DISC, C_BLUE, true, "case that passes");
	legend_shape(&l, SHAPE_TRIANGLE, C_RED, false, "case that fails by value");
	legend_line(&l, C_INK, 0.7, false, "its tolerance T");
	return legend_end(&l) + 2;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	return 10 + put_legend(c, in, w, false) + 10 + PANEL_H + axis_below_height(c, "x");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	int row = row_of(in),
	    panels = in->model.ndtypes < MAX_PANEL ? in->model.ndtypes : MAX_PANEL;
	struct style name = {
	        .size = TEXT_BODY, .colour = C_INK, .bold = true, .width = w, .middle = true};
	double top, bottom = h - axis_below_height(c, "x"), width;
	struct panel q = {.c = c};
	struct axis x;

	text_draw(c, name, 0, 0, in->model.rows[row].name);
	cairo_save(c->cr);
	cairo_translate(c->cr, 0, 10);
	top = 10 + put_legend(c, in, w, true) + 10;
	cairo_restore(c->cr);
	scales(in, row, &x, &q.y);
	q.p = charts_cases(in, row, &q.n);
	q.y.from = bottom - STRIP;
	q.y.to = top + STRIP;
	panels = in->dtype ? 1 : panels;
	width = (w - AXIS_LEFT_W - 14 - panels * GAP) / panels;
	for (int i = 0; i < panels; i++) {
		q.dtype = in->dtype ? in->dtype : in->model.dtypes[i];
		q.x = x;
		q.x.from = AXIS_LEFT_W + 14 + i * (width + GAP);
		q.x.to = q.x.from + width;
		put_panel(&q, top, bottom, i == 0, i == panels / 2 ? "chain length L" : NULL);
	}
}

const struct chart chart_cases = {
        .name = "cases",
        .title = "The cases of a kernel against their tolerance",
        .shows = "Of every case of the campaign the largest scaled error of its elements, r, and "
                 "the "
                 "tolerance T that the case is judged by, over the longest chain of dependent "
                 "additions.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

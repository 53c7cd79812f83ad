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

/* Cases that are alike, by the one with the largest r/T: [L, T, r, cases, failed] in the evidence.
 */
struct alike {
	double chain, T, r, cases, failed;
};

/* A number of evidence; NaN when it is none. */
static double real_at(const cJSON *list, int i)
{
	const cJSON *v = cJSON_GetArrayItem(list, i);

	if (cJSON_IsString(v))
		return strcmp(v->valuestring, "inf") == 0 ? INFINITY : NAN;
	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

/* false: not to be drawn. */
static bool read_alike(const cJSON *run, struct alike *p)
{
	*p = (struct alike){real_at(run, 0), real_at(run, 1), real_at(run, 2), real_at(run, 3),
	                    real_at(run, 4)};
	return p->chain >= 1 && isfinite(p->chain) && p->r >= 0 && p->cases >= 1;
}

static const cJSON *runs_of(const struct row *r, const char *dtype)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) if (strcmp(ev_text(d, "dtype"), dtype) ==
	                                                       0) return ev_get(d, "runs");
	return NULL;
}

static bool has_runs(const struct charts *in, const struct row *r)
{
	const cJSON *run;
	struct alike p;

	for (int i = 0; i < in->model.ndtypes; i++)
		cJSON_ArrayForEach(
		        run, runs_of(r, in->model.dtypes[i])) if (read_alike(run, &p)) return true;
	return false;
}

/* The kernel asked for, else the first (users' kernels, buggy ones, controls) with judged cases.
 * NULL: none. */
static const struct row *row_of(const struct charts *in)
{
	for (int i = 0; i < in->model.nrows; i++) {
		const struct row *r = &in->model.rows[i];

		if ((!in->kernel || strcmp(r->name, in->kernel) == 0) && has_runs(in, r))
			return r;
	}
	return NULL;
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	return row_of(in) ? NULL : "the evidence has no judged case of the kernel";
}

struct panel {
	struct canvas *c;
	struct axis x, y;
	const cJSON *runs;
	const char *dtype;
};

static double height_of(const struct panel *q, double r)
{
	if (isinf(r) || r > q->y.hi)
		return q->y.to - STRIP / 2;
	return r < q->y.lo ? q->y.from + STRIP / 2 : axis_at(&q->y, r);
}

/* The more cases the larger. */
static double radius(const struct alike *p)
{
	return fmin(1.3 + 0.6 * log10(p->cases), 4);
}

static void put_points(const struct panel *q, bool failed)
{
	const cJSON *run;
	struct alike p;

	cJSON_ArrayForEach(run, q->runs)
	{
		double x;

		if (!read_alike(run, &p) || (p.failed > 0) != failed)
			continue;
		x = axis_at(&q->x, p.chain);
		if (failed)
			shape_draw(q->c, SHAPE_TRIANGLE, C_RED, false, x, height_of(q, p.r),
			           radius(&p));
		else
			shape_draw(q->c, SHAPE_DISC, C_BLUE, true, x, height_of(q, p.r),
			           radius(&p));
	}
}

static void put_limits(const struct panel *q)
{
	const cJSON *run;
	struct alike p;

	cJSON_ArrayForEach(run, q->runs) if (read_alike(run, &p) && p.T > 0)
	{
		double x = axis_at(&q->x, p.chain), y = height_of(q, p.T);

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
		put_strip(q, bottom - STRIP / 2 + 1.5, "0");
	}
	axis_below(q->c, &q->x, TICK_NUMBER, bottom, top, below);
	text_draw(q->c, s, q->x.from, top - 10, q->dtype);
	put_limits(q);
	put_points(q, false);
	put_points(q, true);
}

/* Widens the scales to hold every finite error from 1e-3 on and every limit. */
static void scale(const cJSON *runs, struct axis *x, struct axis *y)
{
	const cJSON *run;
	struct alike p;

	cJSON_ArrayForEach(run, runs)
	{
		if (!read_alike(run, &p))
			continue;
		x->hi = fmax(x->hi, p.chain);
		if (p.r > 0 && isfinite(p.r)) {
			y->lo = fmin(y->lo, fmax(p.r, 1e-3));
			y->hi = fmax(y->hi, p.r);
		}
		if (p.T > 0 && isfinite(p.T))
			y->hi = fmax(y->hi, p.T);
	}
}

static void scales(const struct charts *in, const struct row *r, struct axis *x, struct axis *y)
{
	*x = (struct axis){.lo = 1, .hi = 10, .log = true};
	*y = (struct axis){.lo = 1, .hi = 10, .log = true};
	for (int i = 0; i < in->model.ndtypes; i++)
		scale(runs_of(r, in->model.dtypes[i]), x, y);
	y->hi = fmin(y->hi, MOST);
	axis_decades(x);
	axis_decades(y);
}

static double put_legend(struct canvas *c, const struct charts *in, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	(void)in;
	legend_shape(&l, SHAPE_DISC, C_BLUE, true, "cases that pass");
	legend_shape(&l, SHAPE_TRIANGLE, C_RED, false, "fail by value");
	legend_line(&l, C_INK, 0.7, false, "their tolerance T");
	return legend_end(&l) + 2;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	return 10 + put_legend(c, in, w, false) + 10 + PANEL_H + axis_below_height(c, "x");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const struct row *row = row_of(in);
	int panels = in->model.ndtypes < MAX_PANEL ? in->model.ndtypes : MAX_PANEL;
	struct style name = {
	        .size = TEXT_BODY, .colour = C_INK, .bold = true, .width = w, .middle = true};
	double top, bottom = h - axis_below_height(c, "x"), width;
	struct panel q = {.c = c};
	struct axis x;

	text_draw(c, name, 0, 0, row->name);
	cairo_save(c->cr);
	cairo_translate(c->cr, 0, 10);
	top = 10 + put_legend(c, in, w, true) + 10;
	cairo_restore(c->cr);
	scales(in, row, &x, &q.y);
	q.y.from = bottom - STRIP;
	q.y.to = top + STRIP;
	panels = in->dtype ? 1 : panels;
	width = (w - AXIS_LEFT_W - 14 - panels * GAP) / panels;
	for (int i = 0; i < panels; i++) {
		q.dtype = in->dtype ? in->dtype : in->model.dtypes[i];
		q.runs = runs_of(row, q.dtype);
		q.x = x;
		q.x.from = AXIS_LEFT_W + 14 + i * (width + GAP);
		q.x.to = q.x.from + width;
		put_panel(&q, top, bottom, i == 0, i == panels / 2 ? "chain length L" : NULL);
	}
}

const struct chart chart_cases = {
        .name = "cases",
        .title = "The cases of a kernel against their tolerance",
        .shows = "The largest scaled error of the elements of the campaign's cases, r, and the "
                 "tolerance T that "
                 "they are judged by, over the longest chain of dependent additions. A mark stands "
                 "for "
                 "cases that are alike, a larger one for more.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

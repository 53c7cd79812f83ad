/* chart_power.c - power: how often an error of k times the tolerance is seen, by element type. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/cells.h"
#include "report/draw/chart_list.h"
#include "stats/stats.h"

#define PANEL_H 74.0
#define GAP     9.0
#define NTYPES  3
#define NPOINT  5

static const char *const types[NTYPES] = {"f32", "f16", "bf16"};
/* the factors of tolerance_cell.power */
static const double factors[NPOINT] = {0.5, 1, 2, 4, 10};

static bool shown(const struct tolerance_cell *k, int type)
{
	return k->fit.state == FIT_ENVELOPE && strcmp(k->types, types[type]) == 0;
}

/* The p-quantile over the cells of a type at one factor; *n: how many there are. */
static double quantile(const struct tolerance_table *t, int type, int point, double p, int *n)
{
	double *x = mem_zalloc(t->n + 1, sizeof *x), q = NAN;

	*n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (shown(&t->cell[i], type))
			x[(*n)++] = t->cell[i].power[point];
	stats_sort(x, (size_t)*n);
	if (*n)
		q = stats_quantile(x, (size_t)*n, p);
	free(x);
	return q;
}

static void curve(struct canvas *c, const struct axis *ax, const struct axis *ay,
                  const double *share)
{
	for (int i = 0; i < NPOINT; i++)
		cairo_line_to(c->cr, axis_at(ax, factors[i]), axis_at(ay, share[i]));
	cairo_stroke(c->cr);
}

/* The band between two quantiles, and the median. */
static void put_band(struct canvas *c, const struct tolerance_table *t, const struct axis *ax,
                     const struct axis *ay, int type)
{
	double median[NPOINT];
	int n;

	for (int i = 0; i < NPOINT; i++)
		cairo_line_to(c->cr, axis_at(ax, factors[i]),
		              axis_at(ay, quantile(t, type, i, 0.25, &n)));
	for (int i = NPOINT - 1; i >= 0; i--)
		cairo_line_to(c->cr, axis_at(ax, factors[i]),
		              axis_at(ay, quantile(t, type, i, 0.75, &n)));
	cairo_close_path(c->cr);
	colour_set(c->cr, C_BAR_PALE);
	cairo_fill(c->cr);
	colour_set(c->cr, C_SOFT);
	cairo_set_line_width(c->cr, 0.25);
	for (size_t i = 0; i < t->n; i++)
		if (shown(&t->cell[i], type))
			curve(c, ax, ay, t->cell[i].power);
	for (int i = 0; i < NPOINT; i++)
		median[i] = quantile(t, type, i, 0.5, &n);
	colour_set(c->cr, C_RIGHT_INK);
	cairo_set_line_width(c->cr, 1.4);
	curve(c, ax, ay, median);
	for (int i = 0; i < NPOINT; i++)
		shape_draw(c, SHAPE_DISC, C_RIGHT_INK, false, axis_at(ax, factors[i]),
		           axis_at(ay, median[i]), 1.8);
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_line(&l, C_RIGHT_INK, 1.4, false, "median cell");
	legend_box(&l, C_BAR_PALE, "middle half");
	legend_line(&l, C_SOFT, 0.25, false, "each cell");
	return legend_end(&l) + 3;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	(void)in;
	return put_legend(c, w, false) + 10 + PANEL_H + axis_below_height(c, "x");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double top = put_legend(c, w, true) + 10, bottom = h - axis_below_height(c, "x");
	double panel = (w - AXIS_LEFT_W - 12 - NTYPES * GAP) / NTYPES;
	struct axis ay = {.lo = 0, .hi = 1, .from = bottom, .to = top};
	struct style s = {.size = TEXT_BODY, .colour = C_INK, .centred = true, .width = panel};
	char text[80];
	int n;

	for (int t = 0; t < NTYPES; t++) {
		struct axis ax = {.lo = 0.5, .hi = 10, .log = true};

		ax.from = AXIS_LEFT_W + 12 + t * (panel + GAP);
		ax.to = ax.from + panel;
		if (t == 0)
			axis_left(c, &ay, TICK_PERCENT, ax.from, ax.to, 4,
			          "runs in which it is seen");
		axis_below(c, &ax, TICK_NUMBER, bottom, top,
		           t == 1 ? "error put in, in units of T" : NULL);
		quantile(in->table[0], t, 0, 0.5, &n);
		snprintf(text, sizeof text, "%s, %d cell%s", types[t], n, n == 1 ? "" : "s");
		text_draw(c, s, ax.from, top - 10, text);
		if (n)
			put_band(c, in->table[0], &ax, &ay, t);
	}
}

#define MAX_TOLD 5

/* Cells in which an error of `factors[point]` times T is seen least, below a share: "a, b and 3
 * more"; returns how many. */
static int put_weak(struct buf *b, const struct tolerance_table *t, int point, double below)
{
	int n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *k = &t->cell[i];
		char label[300];

		if (k->fit.state != FIT_ENVELOPE || !(k->power[point] < below))
			continue;
		cell_label(k, true, label);
		if (n++ < MAX_TOLD)
			buf_printf(b, "%s%s (%.3g %%)", n > 1 ? ", " : "", label,
			           100 * k->power[point]);
	}
	if (n > MAX_TOLD)
		buf_printf(b, " and %d more", n - MAX_TOLD);
	return n;
}

/* What a cell that sees little means. Below T nothing need be seen; at T it is a matter of the
 * error that is there already. */
static void remarks(const struct charts *in, struct buf *out)
{
	const struct tolerance_table *t = in->table[0];
	bool all = true;

	for (int point = 2; point < NPOINT; point++) {
		struct buf names = {0};
		int n = put_weak(&names, t, point, 1);

		if (n) {
			buf_printf(
			        out,
			        "An error of %g T is not seen in every run of %d cell%s: %s.%s\n",
			        factors[point], n, n == 1 ? "" : "s", names.s,
			        all ? " A fault of this size may pass there: the run's own error, "
			              "or the rounding of its output, hides it."
			            : "");
			all = false;
		}
		buf_free(&names);
	}
	if (all)
		buf_puts(out,
		         "From 2 T on every error put in is seen in every run of every cell.\n");
	buf_puts(out, "An error of up to T is allowed, so that one of T alone is seen only where "
	              "the run's own error adds to it.\n");
}

const struct chart chart_power = {
        .name = "power",
        .title = "Power: how often an error of some times the tolerance is seen",
        .shows = "An error of 0.5 to 10 times T is put into one element of known-good results; "
                 "drawn is, for "
                 "every cell with an envelope, the share of the runs in which gpuemu then says "
                 "FAIL.",
        .width = CHART_COLUMN,
        .absent = cells_absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

/* chart_devices.c - the tolerances of two devices against each other, cell by cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/cells.h"
#include "report/draw/chart_list.h"

/* A factor beyond which a cell is named in the picture. */
#define APART     2.0
#define MAX_NAMES 12

static const struct tolerance_cell *twin(const struct charts *in, const struct tolerance_cell *k)
{
	const struct tolerance_cell *t =
	        tolerance_find(in->table[1], k->op, k->types, k->family, k->group);

	return t && t->fit.state == FIT_ENVELOPE && k->fit.state == FIT_ENVELOPE ? t : NULL;
}

/* Both limits at the end of the range that both were fitted on. */
static void limits(const struct tolerance_cell *a, const struct tolerance_cell *b, double *x,
                   double *y)
{
	double chain = fmin(a->fit.chain_hi, b->fit.chain_hi),
	       n = fmin(a->fit.elements_hi, b->fit.elements_hi);

	*x = cell_fit_limit(&a->fit, chain, n, NULL) - a->fit.options.narrow;
	*y = cell_fit_limit(&b->fit, chain, n, NULL) - b->fit.options.narrow;
}

static const char *absent(const struct charts *in)
{
	if (!in->table[0])
		return source_missing(SRC_TABLE);
	if (!in->table[1])
		return source_missing(SRC_TABLE2);
	for (size_t i = 0; i < in->table[0]->n; i++)
		if (twin(in, &in->table[0]->cell[i]))
			return NULL;
	return "no cell has an envelope in both tolerance tables";
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_shape(&l, SHAPE_DISC, C_BLUE, true, "f32");
	legend_shape(&l, SHAPE_SQUARE, C_RED, true, "f16");
	legend_shape(&l, SHAPE_TRIANGLE, C_GREEN, true, "bf16");
	legend_line(&l, C_SOFT, 0.7, false, "equal");
	legend_line(&l, C_SOFT, 0.7, true, "a factor of 2 apart");
	return legend_end(&l) + 3;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	double side = (w < 300 ? w : 300) - AXIS_LEFT_W - 24;

	(void)in;
	return put_legend(c, w, false) + side + axis_below_height(c, "x");
}

static void shape_of(const char *types, enum shape *s, enum colour *colour)
{
	bool f16 = strncmp(types, "f16", 3) == 0, bf16 = strncmp(types, "bf16", 4) == 0;

	*s = f16 ? SHAPE_SQUARE : bf16 ? SHAPE_TRIANGLE : SHAPE_DISC;
	*colour = f16 ? C_RED : bf16 ? C_GREEN : C_BLUE;
}

/* The line y = factor·x within the square. */
static void diagonal(struct canvas *c, const struct axis *ax, const struct axis *ay, double factor)
{
	double lo = fmax(ax->lo, ay->lo / factor), hi = fmin(ax->hi, ay->hi / factor);

	dash_set(c, factor != 1);
	draw_line(c, C_SOFT, 0.7, axis_at(ax, lo), axis_at(ay, factor * lo), axis_at(ax, hi),
	          axis_at(ay, factor * hi));
	dash_set(c, false);
}

static void scales(const struct charts *in, struct axis *ax, struct axis *ay)
{
	double x, y;

	for (size_t i = 0; i < in->table[0]->n; i++) {
		const struct tolerance_cell *k = &in->table[0]->cell[i], *t = twin(in, k);

		if (!t)
			continue;
		limits(k, t, &x, &y);
		ax->lo = fmin(ax->lo, fmin(x, y));
		ax->hi = fmax(ax->hi, fmax(x, y));
	}
	axis_decades(ax);
	ay->lo = ax->lo;
	ay->hi = ax->hi;
}

/* "T on NVIDIA H200": driver and toolkit stand in the table. */
static void title_of(const struct tolerance_table *t, char out[400])
{
	const char *name = t->device_text[0] ? t->device_text : t->device;

	snprintf(out, 400, "T on %.*s", (int)strcspn(name, ","), name);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double top = put_legend(c, w, true), bottom = h - axis_below_height(c, "x");
	struct axis ax = {.lo = 1, .hi = 1.1, .log = true, .from = AXIS_LEFT_W + 12},
	            ay = {.log = true, .from = bottom, .to = top};
	char title[400];

	ax.to = ax.from + (bottom - top);
	scales(in, &ax, &ay);
	title_of(in->table[0], title);
	axis_below(c, &ax, TICK_NUMBER, bottom, top, title);
	title_of(in->table[1], title);
	axis_left(c, &ay, TICK_NUMBER, ax.from, ax.to, 5, title);
	diagonal(c, &ax, &ay, APART);
	diagonal(c, &ax, &ay, 1);
	diagonal(c, &ax, &ay, 1 / APART);
	for (size_t i = 0; i < in->table[0]->n; i++) {
		const struct tolerance_cell *k = &in->table[0]->cell[i], *t = twin(in, k);
		enum colour colour;
		enum shape s;
		double x, y;

		if (!t)
			continue;
		limits(k, t, &x, &y);
		shape_of(k->types, &s, &colour);
		shape_draw(c, s, colour, true, axis_at(&ax, x), axis_at(&ay, y), 2);
	}
}

#define MAX_TOLD 6

/* Which cells differ, and why a difference need not be one of the devices. */
static void remarks(const struct charts *in, struct buf *out)
{
	const struct tolerance_table *a = in->table[0], *b = in->table[1];
	int n = 0, differ = 0, one = 0;
	struct buf names = {0};
	double x, y;

	for (size_t i = 0; i < a->n; i++) {
		const struct tolerance_cell *k = &a->cell[i], *t = twin(in, k);
		char label[300];

		if (!t) {
			one += k->fit.state == FIT_ENVELOPE;
			continue;
		}
		n++;
		limits(k, t, &x, &y);
		if (!(x > APART * y || y > APART * x))
			continue;
		cell_label(k, true, label);
		if (differ++ < MAX_TOLD)
			buf_printf(&names, "%s%s (%.3g and %.3g)", names.len ? ", " : "", label, x,
			           y);
	}
	if (differ)
		buf_printf(out, "%d of %d cells differ%s by more than a factor of %g: %s%s.\n",
		           differ, n, differ == 1 ? "s" : "", APART, names.s,
		           differ > MAX_TOLD ? " and others" : "");
	else
		buf_printf(out, "None of the %d cells differs by more than a factor of %g.\n", n,
		           APART);
	if (one)
		buf_printf(out,
		           "Not drawn are cells without an envelope in the second table: %d of the "
		           "first's.\n",
		           one);
	if (strcmp(a->plan, b->plan) != 0)
		buf_printf(out,
		           "The tables were made by different plans, %s and %s, which cover "
		           "different shares of good runs with "
		           "different numbers of them: another T is no sign by itself that the "
		           "devices compute differently.\n",
		           a->plan, b->plan);
	else
		buf_printf(out, "Both tables were made by the plan %s.\n", a->plan);
	buf_free(&names);
}

const struct chart chart_devices = {
        .name = "devices",
        .title = "The tolerances of two devices",
        .shows = "Every cell that has an envelope on both devices: the largest scaled error T that "
                 "it allows, "
                 "in units of u·S, at the longest chain and the most elements on which both were "
                 "fitted.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .widest = 300,
        .remarks = remarks,
};

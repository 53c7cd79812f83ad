/* chart_tightening.c - how much tighter the envelopes are than what else there is: the
 * deterministic bound, and the published rtol. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/cells.h"
#include "report/draw/chart_list.h"

#define ROW_H 7.4
#define GAP   22.0

/* What is drawn in a row: the envelopes of an operator with one list of types, over families and
 * groups. */
struct line {
	const struct tolerance_cell *first;
	double t_lo, t_hi, bound, seen; /* over its envelopes; seen: largest error */
	double rtol_lo, rtol_hi;
};

static struct line *lines_of(const struct tolerance_table *t, int *n)
{
	struct line *out = mem_zalloc(t->n + 1, sizeof *out);

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *k = &t->cell[i];
		struct line *l = NULL;
		double T;

		if (k->fit.state != FIT_ENVELOPE)
			continue;
		for (int j = 0; j < *n && !l; j++)
			if (strcmp(out[j].first->op, k->op) == 0 &&
			    strcmp(out[j].first->types, k->types) == 0)
				l = &out[j];
		if (!l) {
			l = &out[(*n)++];
			*l = (struct line){.first = k, .t_lo = INFINITY, .rtol_lo = INFINITY};
		}
		T = cell_limit_at_end(k);
		l->t_lo = fmin(l->t_lo, T);
		l->t_hi = fmax(l->t_hi, T);
		l->bound = fmax(l->bound, cell_bound_at_end(k));
		l->seen = fmax(l->seen, k->fit.max);
		l->rtol_lo = fmin(l->rtol_lo, k->rtol);
		l->rtol_hi = fmax(l->rtol_hi, k->rtol);
	}
	return out;
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_shape(&l, SHAPE_DISC, C_BLUE, false, "envelope, lowest and highest of its cells");
	legend_shape(&l, SHAPE_DIAMOND, C_RED, true, "deterministic bound");
	legend_line(&l, C_INK, 0.9, false, "largest error of a known-good run");
	legend_line(&l, C_RED, 0.9, true, "the published rtol of 0.01");
	return legend_end(&l) + 3;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	int n;

	free(lines_of(in->table[0], &n));
	return put_legend(c, w, false) + ROW_H * n + axis_below_height(c, "x");
}

static void range(struct canvas *c, const struct axis *a, double lo, double hi, double y)
{
	draw_line(c, C_BLUE, 1.2, axis_at(a, lo), y, axis_at(a, hi), y);
	shape_draw(c, SHAPE_DISC, C_BLUE, false, axis_at(a, lo), y, 1.9);
	shape_draw(c, SHAPE_DISC, C_BLUE, false, axis_at(a, hi), y, 1.9);
}

static void put_line(struct canvas *c, const struct axis *t, const struct axis *rtol,
                     const struct line *l, double y)
{
	struct style s = {
	        .size = TEXT_SMALL, .colour = C_INK, .width = t->from - 5, .middle = true};
	char text[300];

	cell_label(l->first, false, text);
	text_draw_middle(c, s, 0, y, text);
	draw_line(c, C_RULE, 0.4, t->from, y, t->to, y);
	draw_line(c, C_RULE, 0.4, rtol->from, y, rtol->to, y);
	if (l->seen > 0)
		draw_line(c, C_INK, 0.9, axis_at(t, l->seen), y - 2.6, axis_at(t, l->seen),
		          y + 2.6);
	if (isfinite(l->bound))
		shape_draw(c, SHAPE_DIAMOND, C_RED, true, axis_at(t, l->bound), y, 1.9);
	range(c, t, l->t_lo, l->t_hi, y);
	if (l->rtol_lo > 0)
		range(c, rtol, l->rtol_lo, l->rtol_hi, y);
}

static void scales(const struct line *l, int n, struct axis *t, struct axis *rtol)
{
	for (int i = 0; i < n; i++) {
		t->lo = fmin(t->lo, l[i].seen > 0 ? fmin(l[i].seen, l[i].t_lo) : l[i].t_lo);
		t->hi = fmax(t->hi, isfinite(l[i].bound) ? fmax(l[i].bound, l[i].t_hi) : l[i].t_hi);
		rtol->lo = l[i].rtol_lo > 0 ? fmin(rtol->lo, l[i].rtol_lo) : rtol->lo;
		rtol->hi = fmax(rtol->hi, l[i].rtol_hi);
	}
	axis_decades(t);
	axis_decades(rtol);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double top = put_legend(c, w, true), bottom = h - axis_below_height(c, "x"), panel;
	double name_w = w * 0.26;
	struct axis t = {.lo = 1, .hi = 10, .log = true, .from = name_w},
	            rtol = {.lo = 1e-2, .hi = 1e-2, .log = true};
	struct line *l;
	int n;

	panel = w - name_w - GAP - 8;
	t.to = t.from + 0.58 * panel;
	rtol.from = t.to + GAP;
	rtol.to = w - 8;
	l = lines_of(in->table[0], &n);
	scales(l, n, &t, &rtol);
	axis_below(c, &t, TICK_NUMBER, bottom, top, "error in units of u·S");
	axis_below(c, &rtol, TICK_NUMBER, bottom, top, "as an rtol");
	for (int i = 0; i < n; i++)
		put_line(c, &t, &rtol, &l[i], top + (i + 0.5) * ROW_H);
	dash_set(c, true);
	draw_line(c, C_RED, 0.9, axis_at(&rtol, 1e-2), top, axis_at(&rtol, 1e-2), bottom);
	dash_set(c, false);
	free(l);
}

/* Cells without an envelope are not drawn: how many, and where an operator has none at all. */
static void remarks(const struct charts *in, struct buf *out)
{
	const struct tolerance_table *t = in->table[0];
	size_t refused = 0;

	for (size_t i = 0; i < t->n; i++)
		refused += t->cell[i].fit.state >= FIT_LOOSE;
	if (refused)
		buf_printf(out,
		           "%zu of the table's %zu cells are refused or loose and not drawn: there the "
		           "bound or a wider limit stands, and errors between what good "
		           "kernels do and that are not seen.\n",
		           refused, t->n);
}

const struct chart chart_tightening = {
        .name = "tightening",
        .title = "How tight the envelopes are",
        .shows = "Per operator and element type the error that the fitted envelopes allow at the "
                 "end of their "
                 "range, between what was seen of known-good kernels and the deterministic bound; "
                 "and the "
                 "relative tolerance that it amounts to, beside that of the published one-shape "
                 "check.",
        .width = CHART_COLUMN,
        .absent = cells_absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

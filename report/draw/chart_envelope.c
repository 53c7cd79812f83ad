/* chart_envelope.c - the fit of one cell: its runs over chain length with the envelope, and how
 * often a share of the envelope is exceeded, with the extreme value distribution that continues it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/cells.h"
#include "report/draw/chart_list.h"
#include "report/number.h"
#include "stats/stats.h"

#define PANEL_H 104.0
#define STRIP   13.0 /* where errors of 0 stand, below the scale */
#define STEPS   60   /* of a curve */

/* More runs than the cell was fitted to: what is drawn beside its envelope would not be its own. */
static bool of_another_table(const struct charts *in, int cell)
{
	const struct tolerance_cell *k = &in->table[0]->cell[cell];
	size_t n, heldout = 0;
	const struct run_point *p = charts_runs(in, cell, &n);

	for (size_t i = 0; i < n; i++)
		heldout += p[i].heldout;
	return n - heldout > k->fit.runs || (double)heldout > k->heldout;
}

static const char *absent(const struct charts *in)
{
	const char *why = cells_absent(in);
	int cell;

	if (why)
		return why;
	if (in->src->nruns == 0)
		return "no runs given (FILE.runs.jsonl, which gpuemu calibrate -o FILE leaves "
		       "beside the "
		       "table)";
	if ((cell = cell_chosen(in)) < 0)
		return "the files of runs have none of the cell (or were written by an older "
		       "gpuemu, which did not name cells)";
	return of_another_table(in, cell)
	               ? "the files of runs have more of the cell than the tolerance table (the first "
	                 "given) was fitted to: they are another table's"
	               : NULL;
}

struct picture {
	struct canvas *c;
	const struct tolerance_cell *k;
	const struct run_point *p;
	size_t n;
	struct axis x, y;
};

/* The envelope, without the rounding of a 16-bit output, which the runs have not. A refused cell
 * has none. */
static double limit(const struct tolerance_cell *k, double chain, double elements)
{
	return cell_fit_limit(&k->fit, chain, elements, NULL) - k->fit.options.narrow;
}

/* ---- runs over chain length ---- */

static double height_of(const struct axis *y, double r)
{
	return r < y->lo ? y->from + STRIP / 2 : axis_at(y, fmin(r, y->hi));
}

enum curve { CURVE_FEW, CURVE_MANY, CURVE_BOUND };

static void put_curve(const struct picture *q, enum curve which)
{
	const struct cell_fit *f = &q->k->fit;

	for (int i = 0; i <= STEPS; i++) {
		double chain = f->chain_lo * pow(f->chain_hi / f->chain_lo, (double)i / STEPS);
		double T = which == CURVE_BOUND
		                   ? fit_bound(&f->options, chain)
		                   : limit(q->k, chain,
		                           which == CURVE_FEW ? f->elements_lo : f->elements_hi);

		if (T > 0 && isfinite(T))
			cairo_line_to(q->c->cr, axis_at(&q->x, chain), height_of(&q->y, T));
	}
	colour_set(q->c->cr, which == CURVE_BOUND ? C_RED : C_INK);
	cairo_set_line_width(q->c->cr, 0.9);
	dash_set(q->c, which == CURVE_BOUND);
	cairo_stroke(q->c->cr);
	dash_set(q->c, false);
}

static void scale_runs(struct picture *q)
{
	const struct cell_fit *f = &q->k->fit;

	q->x = (struct axis){.lo = f->chain_lo, .hi = f->chain_hi, .log = true};
	q->y = (struct axis){.lo = 1, .hi = fit_bound(&f->options, f->chain_hi), .log = true};
	if (!isfinite(q->y.hi))
		q->y.hi = 10;
	for (size_t i = 0; i < q->n; i++) {
		const struct run_point *p = &q->p[i];

		q->x.lo = fmin(q->x.lo, p->chain);
		q->x.hi = fmax(q->x.hi, p->chain);
		if (p->r > 0 && isfinite(p->r)) {
			q->y.lo = fmin(q->y.lo, fmax(p->r, 1e-4));
			q->y.hi = fmax(q->y.hi, p->r);
		}
	}
	axis_decades(&q->x);
	axis_decades(&q->y);
}

static void put_runs(struct picture *q, double left, double right, double top, double bottom)
{
	struct style s = {.size = TEXT_SMALL, .colour = C_SOFT};

	scale_runs(q);
	q->x.from = left;
	q->x.to = right;
	q->y.from = bottom - STRIP;
	q->y.to = top;
	draw_rect(q->c, C_BAND, left, bottom - STRIP, right - left, STRIP);
	text_draw_middle(q->c, s, left - 7, bottom - STRIP / 2, "0");
	axis_left(q->c, &q->y, TICK_NUMBER, left, right, 4, "largest scaled error r");
	axis_below(q->c, &q->x, TICK_NUMBER, bottom, top, "chain length L");
	for (size_t i = 0; i < q->n; i++)
		shape_draw(q->c, q->p[i].heldout ? SHAPE_DIAMOND : SHAPE_DISC,
		           q->p[i].heldout ? C_ORANGE : C_BLUE, true, axis_at(&q->x, q->p[i].chain),
		           height_of(&q->y, q->p[i].r), 1.2);
	put_curve(q, CURVE_BOUND);
	if (q->k->fit.state == FIT_ENVELOPE) {
		put_curve(q, CURVE_FEW);
		put_curve(q, CURVE_MANY);
	}
}

/* ---- how often a share of the envelope is exceeded ---- */

/* r/T of the runs, ascending; those held out or beyond the fitted range left out. Caller frees. */
static double *shares(const struct picture *q, size_t *n)
{
	double *out = mem_zalloc(q->n + 1, sizeof *out);

	*n = 0;
	for (size_t i = 0; i < q->n; i++) {
		const struct run_point *p = &q->p[i];
		double T = limit(q->k, p->chain, p->elements);

		if (!p->heldout && T > 0 && isfinite(p->r) && p->chain <= q->k->fit.chain_hi)
			out[(*n)++] = p->r / T;
	}
	return out;
}

/* The largest of each block of runs, in their order, has an extreme value distribution; a single
 * run exceeds x with 1 - F(x)^(1/block). */
static bool extreme_fit(const double *share, size_t n, struct gev *g, size_t *block)
{
	double *most = mem_zalloc(n + 1, sizeof *most);
	size_t blocks;
	bool ok;

	*block = n / 60 < 1 ? 1 : n / 60 > 16 ? 16 : n / 60;
	blocks = n / *block;
	for (size_t i = 0; i < blocks * *block; i++)
		most[i / *block] = fmax(most[i / *block], share[i]);
	stats_sort(most, blocks);
	ok = blocks >= 20 && most[0] < most[blocks - 1];
	if (ok)
		*g = gev_from_lmoments(stats_lmoments(most, blocks));
	free(most);
	return ok && g->scale > 0;
}

static void put_extremes(const struct picture *q, const struct gev *g, size_t block)
{
	bool open = false;

	for (int i = 0; i <= STEPS; i++) {
		double x = q->x.lo * pow(q->x.hi / q->x.lo, (double)i / STEPS), F = gev_cdf(*g, x),
		       p = -expm1(log(F > 0 ? F : 1e-300) / (double)block);

		/* where blocks are exceeded half of the time and less it is a tail */
		if (F < 0.5 || p < q->y.lo || p > q->y.hi)
			continue;
		cairo_line_to(q->c->cr, axis_at(&q->x, x), axis_at(&q->y, p));
		open = true;
	}
	colour_set(q->c->cr, C_GREEN);
	cairo_set_line_width(q->c->cr, 1.1);
	if (open)
		cairo_stroke(q->c->cr);
	cairo_new_path(q->c->cr);
}

static void put_tail(struct picture *q, double left, double right, double top, double bottom)
{
	size_t n, block;
	double *share = shares(q, &n), exceed = q->k->fit.options.exceed;
	struct gev g;
	bool fits = extreme_fit(share, n, &g, &block);

	stats_sort(share, n);
	q->x = (struct axis){.lo = 1e-2, .hi = 2, .log = true, .from = left, .to = right};
	q->y = (struct axis){.lo = exceed, .hi = 1, .log = true, .from = bottom, .to = top};
	axis_decades(&q->y);
	axis_left(q->c, &q->y, TICK_NUMBER, left, right, left - AXIS_LEFT_W - 4,
	          "share of runs beyond");
	axis_below(q->c, &q->x, TICK_NUMBER, bottom, top, "r/T");
	for (size_t i = 0; i < n; i++)
		if (share[i] >= q->x.lo)
			shape_draw(q->c, SHAPE_DISC, C_BLUE, true,
			           axis_at(&q->x, fmin(share[i], 2)),
			           axis_at(&q->y, (double)(n - i) / (double)(n + 1)), 1.2);
	if (fits)
		put_extremes(q, &g, block);
	dash_set(q->c, true);
	draw_line(q->c, C_SOFT, 0.7, axis_at(&q->x, 0.5), top, axis_at(&q->x, 0.5), bottom);
	dash_set(q->c, false);
	draw_line(q->c, C_INK, 0.9, axis_at(&q->x, 1), top, axis_at(&q->x, 1), bottom);
	free(share);
}

/* ---- the whole ---- */

static double put_legend(struct canvas *c, bool tail, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_shape(&l, SHAPE_DISC, C_BLUE, true, "run");
	legend_shape(&l, SHAPE_DIAMOND, C_ORANGE, true, "held-out run");
	if (tail)
		legend_line(&l, C_INK, 0.9, false, "envelope T (of fewest and most elements)");
	legend_line(&l, C_RED, 0.9, true, "deterministic bound");
	if (tail) {
		legend_line(&l, C_GREEN, 1.1, false, "extreme value fit");
		legend_line(&l, C_SOFT, 0.7, true, "halved envelope");
	}
	return legend_end(&l) + 4;
}

/* A refused cell has no envelope to be held against: only its runs. */
static bool has_tail(const struct tolerance_cell *k)
{
	return k->fit.state == FIT_ENVELOPE;
}

static const struct tolerance_cell *shown(const struct charts *in)
{
	return &in->table[0]->cell[cell_chosen(in)];
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	return 20 + put_legend(c, has_tail(shown(in)), w, false) + PANEL_H +
	       axis_below_height(c, "x");
}

/* Name of the cell and its figures. */
static void put_head(struct canvas *c, const struct tolerance_cell *k, double w)
{
	struct style name = {.size = TEXT_BODY, .colour = C_INK, .bold = true, .width = w},
	             note = {.size = TEXT_SMALL, .colour = C_SOFT, .width = w, .markup = true};
	char label[300], runs[NUM_SIZE], cover[NUM_SIZE], tight[NUM_SIZE], text[4 * NUM_SIZE + 200];
	char *reason = g_markup_escape_text(k->fit.reason, -1);

	cell_label(k, true, label);
	text_draw(c, name, 0, 0, label);
	num_count((double)k->fit.runs, NUM_MARKUP, runs);
	num_value(100 * k->fit.options.coverage, 3, NUM_MARKUP, cover);
	num_value(k->fit.tightness, 2, NUM_MARKUP, tight);
	if (has_tail(k))
		snprintf(text, sizeof text,
		         "%s runs, made to hold at least %s %% of them, largest r/T %s", runs,
		         cover, tight);
	else
		snprintf(text, sizeof text, "%s runs; refused: %.240s", runs, reason);
	text_draw(c, note, 0, 9.5, text);
	g_free(reason);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	struct picture q = {.c = c, .k = shown(in)};
	bool tail = has_tail(q.k);
	double bottom = h - axis_below_height(c, "x"), top, left = AXIS_LEFT_W + 12, half;

	q.p = charts_runs(in, cell_chosen(in), &q.n);
	put_head(c, q.k, w);
	cairo_save(c->cr);
	cairo_translate(c->cr, 0, 20);
	top = 20 + put_legend(c, tail, w, true);
	cairo_restore(c->cr);
	half = tail ? (w - 2 * left - 16) * 0.56 : w - left - 8;
	put_runs(&q, left, left + half, top, bottom);
	if (tail)
		put_tail(&q, 2 * left + half + 6, w - 8, top, bottom);
}

/* How the cell stands its tests. */
static void remarks(const struct charts *in, struct buf *out)
{
	const struct tolerance_cell *k = &in->table[0]->cell[cell_chosen(in)];
	char label[300];

	cell_label(k, true, label);
	buf_printf(out, "%s: %.15g of %.15g held-out runs lie over the envelope", label,
	           k->heldout_over, k->heldout);
	if (k->sizes_out > 0)
		buf_printf(out,
		           "; of the longest chains' %.15g runs %.15g lie over the power law "
		           "fitted without them. Beyond the longest chain "
		           "that was run no envelope is used, the bound stands",
		           k->sizes_out, k->sizes_out_over);
	buf_puts(out, ".\n");
	if (k->fit.state != FIT_ENVELOPE)
		buf_printf(out, "The cell is refused: %s.\n", k->fit.reason);
}

const struct chart chart_envelope = {
        .name = "envelope",
        .title = "The fit of one envelope",
        .shows = "Left, known-good runs of a cell of the tolerance table, their largest scaled "
                 "error over the "
                 "chain of dependent additions, with the envelope fitted to them. Right, how often "
                 "a "
                 "share of the envelope is exceeded, continued to the level that it is made for.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

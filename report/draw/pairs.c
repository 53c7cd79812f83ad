/* pairs.c - see pairs.h. */
#include <math.h>

#include "report/draw/axes.h"
#include "report/draw/pairs.h"
#include "report/number.h"

#define ROW_H 21.0
#define GAP   31.0

/* The scales of both panels: what is caught from the lowest lower limit on, alarms in decades. */
static void scales(const struct pair *p, int n, struct axis *caught, struct axis *alarms)
{
	double lo, hi;

	for (int i = 0; i < n; i++) {
		if (num_are_counts(p[i].caught, p[i].wrong)) {
			num_interval(p[i].caught, p[i].wrong, &lo, &hi);
			caught->lo = fmin(caught->lo, floor(20 * lo) / 20);
		}
		if (num_are_counts(p[i].alarms, p[i].good)) {
			num_interval(p[i].alarms, p[i].good, &lo, &hi);
			alarms->lo = fmin(alarms->lo, (p[i].alarms > 0 ? lo : hi) / 2);
			alarms->hi = fmax(alarms->hi, hi);
		}
	}
	alarms->log = true;
	axis_decades(alarms);
}

/* A share with its interval on an axis; none at all on a logarithmic axis is an open mark at its
 * end. */
static void put_share(struct canvas *c, const struct axis *a, double x, double n, bool ours,
                      double y)
{
	enum colour colour = ours ? C_BLUE : C_SOFT;
	struct style s = {.size = TEXT_SMALL, .colour = C_INK, .bold = ours};
	bool none = a->log && x == 0;
	double lo, hi, at, w;
	char text[NUM_SIZE];

	if (!num_are_counts(x, n))
		return;
	num_interval(x, n, &lo, &hi);
	lo = lo < a->lo ? a->lo : lo;
	interval_draw(c, colour, axis_at(a, lo), axis_at(a, hi), y);
	at = none ? axis_at(a, lo) : axis_at(a, x / n);
	shape_draw(c, SHAPE_DISC, colour, none, at, y, 2.6);
	num_share(x, n, NUM_PLAIN, text);
	w = text_width(c, s, text);
	at = at + w / 2 > a->to + 3 ? a->to + 3 - w / 2
	     : at - w / 2 < a->from ? a->from + w / 2
	                            : at;
	text_draw(c, s, at - w / 2, y - 3.4 - text_height(c, s, text), text);
}

double pairs_height(struct canvas *c, int n)
{
	return ROW_H * n + axis_below_height(c, "x");
}

void pairs_draw(struct canvas *c, const struct pair *p, int n, struct pair_titles titles, double w)
{
	double name_w = w / 3.6, panel = (w - name_w - 2 * GAP - 9) / 2, bottom = ROW_H * n;
	struct axis caught = {.lo = 0.95, .hi = 1, .from = name_w + GAP},
	            alarms = {.lo = 1, .hi = 0.01, .from = name_w + 2 * GAP + panel};
	struct style s = {.size = TEXT_BODY, .colour = C_INK, .width = name_w, .lines = 2};

	caught.to = caught.from + panel;
	alarms.to = alarms.from + panel;
	scales(p, n, &caught, &alarms);
	axis_below(c, &caught, TICK_PERCENT, bottom, 0, titles.caught);
	axis_below(c, &alarms, TICK_PERCENT, bottom, 0, titles.alarms);
	for (int i = 0; i < n; i++) {
		double y = ROW_H * (i + 0.62);

		s.bold = p[i].ours;
		text_draw_middle(c, s, 0, y, p[i].name);
		put_share(c, &caught, p[i].caught, p[i].wrong, p[i].ours, y);
		put_share(c, &alarms, p[i].alarms, p[i].good, p[i].ours, y);
	}
}

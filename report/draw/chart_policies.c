/* chart_policies.c - recall and false alarms of tolerance policies on the same cases, with
 * intervals. */
#include <math.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"
#include "report/number.h"

#define ROW_H 21.0
#define GAP   24.0

struct policy {
	const char *name;
	double caught, wrong, alarms, controls;
};

static struct policy policy_of(const cJSON *p)
{
	return (struct policy){ev_text(p, "policy"), ev_number(p, "caught"),
	                       ev_number(p, "wrong_cases"), ev_number(p, "false_alarms"),
	                       ev_number(p, "control_cases")};
}

static const cJSON *policies_of(const struct charts *in)
{
	return ev_get(in->src->file[SRC_CALIBRATION], "policies");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_CALIBRATION])
		return source_missing(SRC_CALIBRATION);
	return cJSON_GetArraySize(policies_of(in)) > 0 ? NULL
	                                               : "the calibration figures have no policies";
}

/* The scales of both panels: recall from the lowest lower limit, alarms in decades. */
static void scales(const struct charts *in, struct axis *recall, struct axis *alarms)
{
	const cJSON *p;
	double lo, hi;

	cJSON_ArrayForEach(p, policies_of(in))
	{
		struct policy q = policy_of(p);

		num_interval(q.caught, q.wrong, &lo, &hi);
		recall->lo = fmin(recall->lo, floor(20 * lo) / 20);
		num_interval(q.alarms, q.controls, &lo, &hi);
		alarms->lo = fmin(alarms->lo, (q.alarms > 0 ? lo : hi) / 2);
		alarms->hi = fmax(alarms->hi, hi);
	}
	alarms->log = true;
	axis_decades(alarms);
}

/* A share with its interval on an axis; none at all on a logarithmic axis is an arrow downwards
 * from the upper limit. */
static void put_share(struct canvas *c, const struct axis *a, double x, double n, bool ours,
                      double y)
{
	enum colour colour = ours ? C_BLUE : C_SOFT;
	struct style s = {.size = TEXT_SMALL, .colour = C_INK, .bold = ours};
	bool none = a->log && x == 0;
	double lo, hi, at, w;
	char text[NUM_SIZE];

	if (!(n > 0))
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

static double height(struct canvas *c, const struct charts *in, double w)
{
	(void)w;
	return ROW_H * cJSON_GetArraySize(policies_of(in)) + axis_below_height(c, "r");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double name_w = w / 3.6, panel = (w - name_w - 2 * GAP - 9) / 2;
	struct axis recall = {.lo = 0.95, .hi = 1, .from = name_w + GAP},
	            alarms = {.lo = 1, .hi = 0.01, .from = name_w + 2 * GAP + panel};
	struct style s = {.size = TEXT_BODY, .colour = C_INK, .width = name_w, .lines = 2};
	double bottom = h - axis_below_height(c, "r"), y = ROW_H * 0.62;
	const cJSON *p;

	recall.to = recall.from + panel;
	alarms.to = alarms.from + panel;
	scales(in, &recall, &alarms);
	axis_below(c, &recall, TICK_PERCENT, bottom, 0, "wrong cases caught");
	axis_below(c, &alarms, TICK_PERCENT, bottom, 0, "good cases flagged");
	cJSON_ArrayForEach(p, policies_of(in))
	{
		struct policy q = policy_of(p);

		/* the last is the tool's own; the others are what it is compared with */
		s.bold = p->next == NULL;
		text_draw_middle(c, s, 0, y, q.name);
		put_share(c, &recall, q.caught, q.wrong, s.bold, y);
		put_share(c, &alarms, q.alarms, q.controls, s.bold, y);
		y += ROW_H;
	}
}

const struct chart chart_policies = {
        .name = "policies",
        .title = "What tolerance policies catch, and how often they cry wolf",
        .shows = "The same cases judged by four tolerances: of the cases that are observably wrong "
                 "the share that is caught, and of those of known-good kernels the share that is "
                 "flagged. Bars: 95 % Clopper-Pearson intervals; open: none at all.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

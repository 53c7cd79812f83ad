/* chart_checks.c - the published one-shape checks as detectors: which share of the buggy kernels
 * each accepts, on the two inputs, with intervals. */
#include <stdio.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"
#include "report/number.h"

#define ROW_H   14.6
#define COUNT_W 26.0

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	if (!in->model.nprofiles)
		return "the benchmark checks were not run (gpuemu validate without --no-bench)";
	return in->model.size[GROUP_BUGGY] ? NULL : "the evidence holds no buggy kernel";
}

/* Tallies of gpuemu itself: a kernel is accepted when its verdict is PASS. */
static struct tally own(const struct model *m)
{
	struct tally t = {0};

	for (int i = 0; i < m->nrows; i++)
		if (m->rows[i].group == GROUP_BUGGY) {
			t.accepted += strcmp(ev_text(m->rows[i].kernel, "verdict"), "PASS") == 0;
			t.judged++;
		}
	return t;
}

static void put_tally(struct canvas *c, const struct axis *a, struct tally t, enum input input,
                      double y, double count_x)
{
	enum colour colour = input == INPUT_FRIENDLY ? C_RED : C_BLUE;
	struct style s = {.size = TEXT_SMALL, .colour = C_SOFT, .width = COUNT_W, .right = true};
	double lo, hi;
	char text[64];

	if (!t.judged)
		return;
	num_interval(t.accepted, t.judged, &lo, &hi);
	interval_draw(c, colour, axis_at(a, lo), axis_at(a, hi), y);
	shape_draw(c, input == INPUT_FRIENDLY ? SHAPE_DISC : SHAPE_SQUARE, colour, false,
	           axis_at(a, (double)t.accepted / t.judged), y, 2.2);
	snprintf(text, sizeof text, "%d/%d", t.accepted, t.judged);
	text_draw_middle(c, s, count_x, y, text);
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_shape(&l, SHAPE_DISC, C_RED, false, "one friendly input per operator");
	legend_shape(&l, SHAPE_SQUARE, C_BLUE, false,
	             "KernelBench's own inputs; gpuemu: its cases");
	return legend_end(&l) + 3;
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	return put_legend(c, w, false) + ROW_H * (in->model.nprofiles + 1) +
	       axis_below_height(c, "x");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const struct model *m = &in->model;
	double name_w = w * 0.28, top = put_legend(c, w, true), y = top + ROW_H / 2;
	double bottom = h - axis_below_height(c, "x");
	struct axis a = {.lo = 0, .hi = 1, .from = name_w + 8, .to = w - COUNT_W - 12};
	struct style s = {.size = TEXT_BODY, .colour = C_INK, .width = name_w};

	axis_below(c, &a, TICK_PERCENT, bottom, top, "buggy kernels accepted");
	for (int i = 0; i < m->nprofiles; i++, y += ROW_H) {
		s.bold = strcmp(m->profiles[i].name, MODEL_HEADLINE) == 0;
		text_draw_middle(c, s, 0, y, m->profiles[i].title);
		put_tally(c, &a, m->bench[GROUP_BUGGY][INPUT_FRIENDLY][i], INPUT_FRIENDLY, y - 3.3,
		          w - COUNT_W);
		put_tally(c, &a, m->bench[GROUP_BUGGY][INPUT_OWN][i], INPUT_OWN, y + 3.3,
		          w - COUNT_W);
	}
	s.bold = true;
	text_draw_middle(c, s, 0, y, "gpuemu");
	put_tally(c, &a, own(m), INPUT_OWN, y, w - COUNT_W);
}

const struct chart chart_checks = {
        .name = "checks",
        .title = "Buggy kernels that published checks accept",
        .shows = "Share of the buggy kernels that each published one-shape check accepts at every "
                 "seed, "
                 "in f32, on one input chosen for the operator and on KernelBench's own inputs; "
                 "below "
                 "it gpuemu's verdict. Bars: 95 % Clopper-Pearson intervals.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

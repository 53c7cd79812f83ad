/* chart_coverage.c - what one shape runs of a buggy kernel, and what the campaign does. */
#include <stdio.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"
#include "report/draw/marks.h"

#define ROW_H  11.0
#define HEAD_H 30.0
#define CELL   11.0
#define GAP    9.0

static const cJSON *kernels_of(const struct charts *in)
{
	return ev_get(in->src->file[SRC_COVERAGE], "coverage");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_COVERAGE])
		return source_missing(SRC_COVERAGE);
	return cJSON_GetArraySize(kernels_of(in)) > 0 ? NULL
	                                              : "the figures of coverage have no kernel";
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_shape(&l, SHAPE_DISC, C_RED, true, "one shape");
	legend_shape(&l, SHAPE_DISC, C_BLUE, false, "the campaign");
	return legend_end(&l);
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	return put_legend(c, w, false) + HEAD_H + ROW_H * cJSON_GetArraySize(kernels_of(in)) +
	       axis_below_height(c, "x");
}

/* All of the lines, some, none. */
static void put_lines(struct canvas *c, double run, double lines, double x, double y)
{
	struct cell cell = {lines > 0 && run >= lines ? MARK_ACCEPT
	                    : run > 0                 ? MARK_SOME
	                                              : MARK_REJECT,
	                    SENSE_NONE};

	mark_draw(c, cell, x, y - 4, CELL - 1, 8);
}

static void put_row(struct canvas *c, const cJSON *k, const struct axis *a, double x, double y)
{
	struct style s = {
	        .size = TEXT_SMALL, .colour = C_INK, .width = a->from - 5, .middle = true};
	double edges = ev_number(k, "edges"), one, all, lines = ev_number(k, "bug_lines");

	text_draw_middle(c, s, 0, y, ev_text(k, "kernel"));
	put_lines(c, ev_number(k, "one_shape_bug_lines"), lines, x, y);
	put_lines(c, ev_number(k, "campaign_bug_lines"), lines, x + CELL, y);
	if (!(edges > 0))
		return;
	one = axis_at(a, ev_number(k, "one_shape_edges") / edges);
	all = axis_at(a, ev_number(k, "campaign_edges") / edges);
	draw_line(c, C_BLUE, 1, one, y, all, y);
	shape_draw(c, SHAPE_DISC, C_BLUE, false, all, y, 2.3);
	shape_draw(c, SHAPE_DISC, C_RED, true, one, y, 2.3);
}

/* The columns of marks have upright names. */
static void put_head(struct canvas *c, double x, double bottom)
{
	struct style s = {.size = TEXT_SMALL, .colour = C_SOFT};

	text_draw_up(c, s, x + CELL / 2, bottom - 1, "one");
	text_draw_up(c, s, x + 1.5 * CELL, bottom - 1, "all");
	s.width = 60;
	s.right = true;
	s.colour = C_INK;
	text_draw(c, s, x + 2 * CELL - 60, bottom - 27, "bug's lines run");
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double top = put_legend(c, w, true) + HEAD_H, bottom = h - axis_below_height(c, "x");
	double name_w = 0.34 * w, x = w - 2 * CELL, y = top + ROW_H / 2;
	struct axis a = {.lo = 0, .hi = 1, .from = name_w, .to = x - GAP - 8};
	const cJSON *k;

	axis_below(c, &a, TICK_PERCENT, bottom, top, "branches taken");
	put_head(c, x, top);
	cJSON_ArrayForEach(k, kernels_of(in))
	{
		put_row(c, k, &a, x, y);
		y += ROW_H;
	}
}

static double sum(const cJSON *list, const char *key)
{
	const cJSON *k;
	double n = 0;

	cJSON_ArrayForEach(k, list) n += ev_number(k, key);
	return n;
}

/* Which campaign this is: not that of the evidence, whose coverage stands on the kernels' pages. */
static void remarks(const struct charts *in, struct buf *out)
{
	const cJSON *j = in->src->file[SRC_COVERAGE], *list = kernels_of(in), *k;

	buf_printf(out,
	           "These are figures of a study of its own (%s, %s, campaign seed %s), and “the "
	           "campaign” is its campaign. The kernels' "
	           "pages tell of the campaign of this evidence, with other cases, so that the "
	           "shares there differ.\n",
	           ev_text(j, "command"), ev_text(j, "date"), ev_text(j, "seed"));
	cJSON_ArrayForEach(k,
	                   list) if (ev_number(k, "campaign_bug_lines") < ev_number(k, "bug_lines"))
	        buf_printf(out,
	                   "Lines with the bug of %s that the campaign does not run: %.15g of "
	                   "%.15g.\n",
	                   ev_text(k, "kernel"),
	                   ev_number(k, "bug_lines") - ev_number(k, "campaign_bug_lines"),
	                   ev_number(k, "bug_lines"));
	if (sum(list, "edges") > 0)
		buf_printf(out,
		           "Of all ways of their branches that campaign takes %.3g %%; what it "
		           "does not take is not tested.\n",
		           100 * sum(list, "campaign_edges") / sum(list, "edges"));
}

const struct chart chart_coverage = {
        .name = "coverage",
        .title = "What one shape runs of a buggy kernel, and what the campaign runs",
        .shows = "Of every buggy kernel the share of its branches that are taken by one shape with "
                 "normal "
                 "values and by the campaign, and whether the lines with the bug are run by the "
                 "one and "
                 "by the other. A line that is run need not show its bug.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

/* chart_mutation.c - what became of the mutants of good kernels, by class of faults. */
#include <stdio.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"

#define ROW_H   10.0
#define BAR_H   6.4
#define COUNT_W 24.0

/* Parts of a bar from left to right: the first two were caught. */
static const struct part {
	const char *keys[3], *text;
	enum colour colour;
} parts[] = {
        {{"value"}, "caught by its outputs", C_BAR},
        {{"finding", "endless"}, "by findings alone, or it does not end", C_BAR_PALE},
        {{"within", "undecided"}, "other bits within the tolerance, or undecided", C_ORANGE},
        {{"same"}, "no difference seen", C_RULE},
        {{"not_reached"}, "fault never reached", C_BAND},
};

static const cJSON *classes_of(const struct charts *in)
{
	return ev_get(in->src->file[SRC_MUTATION], "mutation");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_MUTATION])
		return source_missing(SRC_MUTATION);
	return cJSON_GetArraySize(classes_of(in)) > 0 ? NULL : "the figures of mutants have none";
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		legend_box(&l, parts[i].colour, parts[i].text);
	legend_shape(&l, SHAPE_DISC, C_RED, true, "share that the one-shape check rejects");
	return legend_end(&l) + 3;
}

/* The classes and a row for all of them. */
static double height(struct canvas *c, const struct charts *in, double w)
{
	return put_legend(c, w, false) + ROW_H * (cJSON_GetArraySize(classes_of(in)) + 1) +
	       axis_below_height(c, "x");
}

static double part_of(const cJSON *m, const struct part *p)
{
	double n = 0;

	for (size_t k = 0; k < ARRAY_LEN(p->keys) && p->keys[k]; k++)
		n += ev_number(m, p->keys[k]);
	return n;
}

static void put_row(struct canvas *c, const char *name, bool bold, const cJSON *m,
                    const struct axis *a, double w, double y)
{
	struct style s = {
	        .size = TEXT_SMALL, .colour = C_INK, .width = a->from - 5, .bold = bold};
	double all = ev_number(m, "mutants"), judged = ev_number(m, "friendly_judged"), at = 0;
	char text[NUM_SIZE];

	text_draw_middle(c, s, 0, y, name);
	for (size_t i = 0; i < ARRAY_LEN(parts) && all > 0; i++) {
		double n = part_of(m, &parts[i]);

		draw_rect(c, parts[i].colour, axis_at(a, at / all), y - BAR_H / 2,
		          axis_at(a, (at + n) / all) - axis_at(a, at / all), BAR_H);
		at += n;
	}
	if (judged > 0)
		shape_draw(c, SHAPE_DISC, C_RED, true,
		           axis_at(a, 1 - ev_number(m, "friendly_accepted") / judged), y, 2.2);
	s.colour = C_SOFT;
	s.width = COUNT_W;
	s.right = true;
	num_count(all, NUM_PLAIN, text);
	text_draw_middle(c, s, w - COUNT_W, y, text);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double top = put_legend(c, w, true), bottom = h - axis_below_height(c, "x"),
	       y = top + ROW_H / 2;
	struct axis a = {.lo = 0, .hi = 1, .from = 0.22 * w, .to = w - COUNT_W - 4};
	const cJSON *m;

	axis_below(c, &a, TICK_PERCENT, bottom, top, "mutants of a class; at the right how many");
	cJSON_ArrayForEach(m, classes_of(in))
	{
		put_row(c, ev_text(m, "class"), false, m, &a, w, y);
		y += ROW_H;
	}
	put_row(c, "all", true, ev_get(in->src->file[SRC_MUTATION], "total"), &a, w, y);
}

/* What was drawn, and what the parts of a bar that were not caught mean. */
static void remarks(const struct charts *in, struct buf *out)
{
	const cJSON *j = in->src->file[SRC_MUTATION];
	char mutants[NUM_SIZE];

	num_count(ev_number(ev_get(j, "total"), "mutants"), NUM_PLAIN, mutants);
	buf_printf(out,
	           "A study of its own (%s, %s, seed %s): %s mutants of %.15g good kernels, %.15g "
	           "cases each. A mutant without a difference may be the same kernel in other words, "
	           "or one whose fault no case shows.\n",
	           ev_text(j, "command"), ev_text(j, "date"), ev_text(j, "seed"),
	           mutants, ev_number(j, "kernels"), ev_number(j, "cases"));
}

const struct chart chart_mutation = {
        .name = "mutation",
        .title = "Mutants that survive, by class",
        .shows = "Of the mutants of good kernels (one instruction of the PTX changed) of each class "
                 "of faults the share that a campaign catches, and what became of the others: "
                 "outputs with other bits within the tolerance, the same bits in every case, the "
                 "changed instruction never reached. Circles: the share that the published "
                 "one-shape check rejects on one input chosen per operator.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

/* chart_failing.c - failing shares of the cases of every kernel, as bars. */
#include "report/draw/axes.h"
#include "report/draw/bars.h"
#include "report/draw/chart_list.h"
#include "report/draw/grid.h"

#define ROW_H   9.5
#define HEAD_H  12.0
#define WHY_MIN 110.0 /* less room than this is no room for a sentence */

struct layout {
	double name_w, bar_x, bar_w, label_x, label_w, why_x, why_w; /* why_w 0: not shown */
};

static const struct style label_style = {.size = TEXT_SMALL, .colour = C_SOFT, .right = true};

/* As wide as the longest of the numbers. */
static double label_width(struct canvas *c, const struct model *m)
{
	double most = text_width(c, label_style, "cases");
	char text[64];

	for (int i = 0; i < m->nrows; i++) {
		double w;

		bar_label(&m->rows[i], text);
		w = text_width(c, label_style, text);
		most = w > most ? w : most;
	}
	return most + 1;
}

static struct layout layout_of(struct canvas *c, const struct model *m, double w)
{
	struct style s = {.size = TEXT_BODY};
	struct layout l = {.name_w = 60, .label_w = label_width(c, m)};

	for (int i = 0; i < m->nrows; i++) {
		double t = text_width(c, s, m->rows[i].name) + 1;

		l.name_w = t > l.name_w ? t : l.name_w;
	}
	l.name_w = l.name_w > 0.4 * w && l.name_w > 90 ? (0.4 * w > 90 ? 0.4 * w : 90) : l.name_w;
	l.bar_x = l.name_w + 6;
	l.bar_w = w - l.bar_x - l.label_w - 8;
	if (l.bar_w > 110 + WHY_MIN) {
		l.bar_w = 110;
		l.why_x = l.bar_x + l.bar_w + l.label_w + 16;
		l.why_w = w - l.why_x;
	}
	l.label_x = l.bar_x + l.bar_w + 8;
	return l;
}

/* What is wrong with it: the manifest's words for a corpus kernel, else the first finding or
 * reason. */
static const char *why_of(const struct row *r)
{
	const cJSON *minimal = ev_minimal(r->kernel);
	const char *text = ev_text(r->kernel, "bug");

	if (!text[0])
		text = ev_first_finding(r->kernel);
	return text[0] || !minimal ? text : ev_text(minimal, "reason");
}

static void put_row(struct canvas *c, const struct layout *l, const struct row *r, double y)
{
	struct style name = {
	        .size = TEXT_BODY, .colour = C_INK, .width = l->name_w, .middle = true};
	struct style label = label_style;
	struct style why = {.size = TEXT_SMALL, .colour = C_SOFT, .width = l->why_w};
	double mid = y + ROW_H / 2;
	char text[64];

	text_draw_middle(c, name, 0, mid, r->name);
	bar_rules(c, l->bar_x, y, l->bar_w, ROW_H);
	bar_draw(c, r, l->bar_x, y + 1.8, l->bar_w, ROW_H - 3.6);
	bar_label(r, text);
	label.width = l->label_w;
	text_draw_middle(c, label, l->label_x, mid, text);
	if (l->why_w > 0)
		text_draw_middle(c, why, l->why_x, mid, why_of(r));
}

static double put_legend(struct canvas *c, const struct model *m, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	legend_box(&l, C_BAR, "fails by its output values");
	legend_box(&l, C_BAR_PALE, "by a finding of the sanitizers alone");
	if (m->size[GROUP_CONTROL])
		legend_box(&l, C_WRONG, "a control that fails: a false alarm");
	return legend_end(&l);
}

static void put_head(struct canvas *c, const struct layout *l, double bottom)
{
	struct style note = {.size = TEXT_SMALL, .colour = C_SOFT}, right = label_style;

	bar_scale(c, TEXT_SMALL, l->bar_x, bottom, l->bar_w);
	right.width = l->label_w;
	text_draw(c, right, l->label_x, bottom - text_height(c, right, "f"), "cases");
	if (l->why_w > 0)
		text_draw(c, note, l->why_x, bottom - text_height(c, note, "w"), "what is wrong");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	return in->model.nrows ? NULL : "the evidence holds no kernel";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	int groups = 0;

	for (int g = 0; g < GROUP_COUNT; g++)
		groups += in->model.size[g] > 0;
	return put_legend(c, &in->model, w, false) + HEAD_H +
	       ROW_H * (in->model.nrows + 1.4 * groups);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const struct model *m = &in->model;
	struct style heading = {.size = TEXT_BODY, .colour = C_INK, .bold = true, .width = w};
	struct layout l = layout_of(c, m, w);
	double y = put_legend(c, m, w, true) + HEAD_H;

	(void)h;
	put_head(c, &l, y - 1);
	for (int i = 0; i < m->nrows; i++) {
		const struct row *r = &m->rows[i];

		if (i == 0 || r->group != m->rows[i - 1].group) {
			draw_rect(c, C_BAND, 0, y + 0.3 * ROW_H, w, ROW_H);
			text_draw_middle(c, heading, 2, y + 0.8 * ROW_H, group_title(r->group));
			y += 1.4 * ROW_H;
		}
		put_row(c, &l, r, y);
		y += ROW_H;
	}
}

const struct chart chart_failing = {
        .name = "failing",
        .title = "Failing share of the cases, per kernel",
        .shows = "Of the cases that gpuemu ran on each kernel, over all element types, the share "
                 "that "
                 "fails.",
        .width = 2 * CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

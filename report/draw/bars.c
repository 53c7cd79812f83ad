/* bars.c - failing fractions: see bars.h. */
#include <stdio.h>

#include "report/draw/bars.h"
#include "report/draw/grid.h"

void bar_draw(struct canvas *c, const struct row *r, double x, double y, double w, double h)
{
	double all = w * model_failing(r, false), value = w * model_failing(r, true);

	if (all <= 0)
		return;
	/* too small a share to see is half a point: what fails does not look like nothing */
	all = all < 0.5 ? 0.5 : all;
	if (r->group == GROUP_CONTROL) {
		draw_rect(c, C_WRONG, x, y, all, h);
		return;
	}
	draw_rect(c, C_BAR_PALE, x, y, all, h);
	draw_rect(c, C_BAR, x, y, value < all ? value : all, h);
}

void bar_rules(struct canvas *c, double x, double y, double w, double h)
{
	for (int i = 0; i <= 2; i++)
		draw_line(c, C_RULE, 0.5, x + i * w / 2, y, x + i * w / 2, y + h);
}

void bar_scale(struct canvas *c, double size, double x, double y, double w)
{
	static const char *const texts[] = {"0", "50", "100 %"};
	struct style s = {.size = size, .colour = C_SOFT};

	for (int i = 0; i <= 2; i++) {
		double tw = text_width(c, s, texts[i]);
		/* the digits stand over the line, the unit hangs over */
		double digits = i < 2 ? tw : text_width(c, s, "100");

		text_draw(c, s, x + i * w / 2 - (i ? digits / 2 : 0),
		          y - text_height(c, s, texts[i]), texts[i]);
	}
}

void bar_label(const struct row *r, char out[64])
{
	snprintf(out, 64, "%.6g/%.6g", r->n.failed, r->n.cases);
}

/* ---- the chart of its own ---- */

#define MARGIN  18.0
#define HEAD_H  66.0
#define ROW_H   17.0
#define NAME_W  160.0
#define BAR_W   240.0
#define LABEL_W 60.0
#define WHY_W   400.0 /* at most */

static const struct style why_style = {.size = 9, .colour = C_SOFT, .width = WHY_W};

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

static double why_width(struct canvas *c, const struct model *m)
{
	double w = text_width(c, why_style, "what is wrong");

	for (int i = 0; i < m->nrows; i++) {
		double t = text_width(c, why_style, why_of(&m->rows[i]));

		w = t > w ? t : w;
	}
	return w < WHY_W ? w : WHY_W;
}

void bars_chart_size(struct canvas *c, const struct model *m, double *w, double *h)
{
	int groups = 0;

	for (int g = 0; g < GROUP_COUNT; g++)
		groups += m->size[g] > 0;
	*w = 2 * MARGIN + NAME_W + 12 + BAR_W + 8 + LABEL_W + 14 + why_width(c, m);
	*h = 2 * MARGIN + HEAD_H + ROW_H * (m->nrows + 1.4 * groups) + (m->nrows ? 0 : 2 * ROW_H);
}

static void chart_row(struct canvas *c, const struct row *r, double y)
{
	struct style name = {.size = 10, .colour = C_INK, .width = NAME_W};
	struct style label = {.size = 9, .colour = C_SOFT, .width = LABEL_W, .right = true};
	double x = MARGIN, mid = y + ROW_H / 2;
	char text[64];

	text_draw_middle(c, name, x, mid, r->name);
	x += NAME_W + 12;
	bar_rules(c, x, y, BAR_W, ROW_H);
	bar_draw(c, r, x, y + 3, BAR_W, ROW_H - 6);
	x += BAR_W + 8;
	bar_label(r, text);
	text_draw_middle(c, label, x, mid, text);
	text_draw_middle(c, why_style, x + LABEL_W + 14, mid, why_of(r));
}

static double legend_item(struct canvas *c, enum colour colour, double x, double y,
                          const char *text)
{
	struct style s = {.size = 9, .colour = C_SOFT};

	draw_rect(c, colour, x, y - 4, 14, 8);
	text_draw_middle(c, s, x + 19, y, text);
	return x + 19 + text_width(c, s, text) + 20;
}

static void chart_head(struct canvas *c, const struct model *m)
{
	struct style title = {.size = 14, .colour = C_INK, .bold = true};
	struct style note = {.size = 9, .colour = C_SOFT}, right = note;
	double x = MARGIN, y = MARGIN + 30;

	text_draw(c, title, x, MARGIN - 2, "Failing share of the cases, per kernel");
	x = legend_item(c, C_BAR, x, y, "fails by its output values");
	x = legend_item(c, C_BAR_PALE, x, y, "only by a finding of the sanitizers");
	if (m->size[GROUP_CONTROL])
		legend_item(c, C_WRONG, x, y, "a control that fails: a false alarm");
	y = MARGIN + HEAD_H - 3;
	x = MARGIN + NAME_W + 12;
	bar_scale(c, 9, x, y, BAR_W);
	x += BAR_W + 8;
	right.right = true;
	right.width = LABEL_W;
	text_draw(c, right, x, y - text_height(c, right, "f"), "cases");
	text_draw(c, note, x + LABEL_W + 14, y - text_height(c, note, "w"), "what is wrong");
}

void bars_chart(struct canvas *c, const struct model *m)
{
	struct style heading = {.size = 10, .colour = C_INK, .bold = true};
	double y = MARGIN + HEAD_H, w, h;
	int last = -1;

	bars_chart_size(c, m, &w, &h);
	draw_rect(c, C_WHITE, 0, 0, w, h);
	chart_head(c, m);
	for (int i = 0; i < m->nrows; i++) {
		const struct row *r = &m->rows[i];

		if ((int)r->group != last) {
			draw_rect(c, C_BAND, MARGIN - 4, y + 0.25 * ROW_H, w - 2 * MARGIN + 8,
			          ROW_H);
			text_draw_middle(c, heading, MARGIN, y + 0.75 * ROW_H,
			                 group_title(r->group));
			y += 1.4 * ROW_H;
			last = (int)r->group;
		}
		chart_row(c, r, y);
		y += ROW_H;
	}
	if (!m->nrows)
		text_draw(c, (struct style){.size = 10, .colour = C_SOFT}, MARGIN, y + 6,
		          "The evidence holds no kernel.");
}

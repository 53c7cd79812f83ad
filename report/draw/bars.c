/* bars.c - failing fractions: see bars.h. */
#include <stdio.h>

#include "report/draw/bars.h"

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

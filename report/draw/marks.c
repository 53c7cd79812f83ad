/* marks.c - the signs of the grid, drawn as lines so that they need no font: see marks.h. */
#include "report/draw/marks.h"

struct look {
	enum colour ground, sign;
	bool framed;
};

static struct look look_of(struct cell cell)
{
	switch (cell.sense) {
	case SENSE_RIGHT:
		return (struct look){C_RIGHT, C_RIGHT_INK, false};
	case SENSE_WRONG:
		return (struct look){C_WRONG, C_WHITE, false};
	case SENSE_OPEN:
		if (cell.mark != MARK_ACCEPT)
			return (struct look){C_OPEN, C_WHITE, false};
		return (struct look){C_WHITE, C_OPEN, true};
	case SENSE_NONE:
		break;
	}
	return (struct look){C_WHITE, C_SOFT, cell.mark != MARK_NONE};
}

/* A polyline round (x, y) in units of `size`. */
static void stroke(struct canvas *c, double x, double y, double size, const double (*at)[2], int n)
{
	cairo_set_line_width(c->cr, 0.15 * size);
	cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
	cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
	for (int i = 0; i < n; i++)
		cairo_line_to(c->cr, x + size * at[i][0], y + size * at[i][1]);
	cairo_stroke(c->cr);
}

static void draw_sign(struct canvas *c, enum mark mark, double x, double y, double size)
{
	static const double tick[][2] = {{-0.30, 0.02}, {-0.10, 0.23}, {0.30, -0.25}},
	                    down[][2] = {{-0.24, -0.24}, {0.24, 0.24}},
	                    up[][2] = {{-0.24, 0.24}, {0.24, -0.24}},
	                    dash[][2] = {{-0.22, 0}, {0.22, 0}};

	switch (mark) {
	case MARK_ACCEPT:
		stroke(c, x, y, size, tick, 3);
		break;
	case MARK_REJECT:
		stroke(c, x, y, size, down, 2);
		stroke(c, x, y, size, up, 2);
		break;
	case MARK_SOME:
		stroke(c, x, y, size, up, 2);
		break;
	case MARK_UNSUPPORTED:
		stroke(c, x, y, size, dash, 2);
		break;
	case MARK_NONE:
		cairo_arc(c->cr, x, y, 0.09 * size, 0, 2 * G_PI);
		cairo_fill(c->cr);
		break;
	case MARK_UNKNOWN:
		break; /* a letter: mark_draw */
	}
}

void mark_draw(struct canvas *c, struct cell cell, double x, double y, double w, double h)
{
	struct look look = look_of(cell);
	double size = w < h ? w : h;

	if (look.ground != C_WHITE)
		draw_rect(c, look.ground, x, y, w, h);
	if (look.framed) {
		colour_set(c->cr, C_FAINT);
		cairo_set_line_width(c->cr, 0.6);
		cairo_rectangle(c->cr, x + 0.3, y + 0.3, w - 0.6, h - 0.6);
		cairo_stroke(c->cr);
	}
	if (cell.mark == MARK_UNKNOWN) {
		struct style s = {.size = 0.8 * size,
		                  .colour = look.sign,
		                  .width = w,
		                  .centred = true,
		                  .bold = true};

		text_draw_middle(c, s, x, y + h / 2, "?");
		return;
	}
	colour_set(c->cr, cell.mark == MARK_NONE ? C_FAINT : look.sign);
	draw_sign(c, cell.mark, x + w / 2, y + h / 2, size);
}

/* axes.c - see axes.h. */
#include <math.h>
#include <stdio.h>

#include "report/draw/axes.h"

double axis_at(const struct axis *a, double v)
{
	double t = a->log ? (log10(v) - log10(a->lo)) / (log10(a->hi) - log10(a->lo))
	                  : (v - a->lo) / (a->hi - a->lo);

	/* fmax also turns what is no number into the lower end */
	return a->from + fmin(fmax(t, -0.5), 1.5) * (a->to - a->from);
}

/* Files may hold any number. */
#define LEAST 1e-300
#define MOST  1e300

void axis_decades(struct axis *a)
{
	a->lo = fmin(fmax(a->lo, LEAST), MOST);
	a->hi = fmin(fmax(a->hi, LEAST), MOST);
	/* a hair beyond a decade is that decade */
	a->lo = pow(10, floor(log10(a->lo) + 1e-9));
	a->hi = pow(10, ceil(log10(a->hi) - 1e-9));
	if (a->hi <= a->lo)
		a->hi = 10 * a->lo;
}

/* ---- ticks ---- */

#define MAX_TICKS 40

struct ticks {
	double at[MAX_TICKS];
	int n;
	int decimals; /* of labels on a linear axis */
};

/* The nice step (1, 2 or 5 times a power of ten) of which at most `most` fit. */
static double nice_step(double span, int most)
{
	double step = pow(10, floor(log10(span / most)));

	for (int i = 0; i < 3 && span / step > most; i++)
		step *= i == 1 ? 2.5 : 2;
	return step;
}

static void linear_ticks(const struct axis *a, int most, enum tick tick, struct ticks *t)
{
	double step = nice_step(a->hi - a->lo, most), d = tick == TICK_PERCENT ? 100 * step : step;

	t->decimals = d < 1 ? (int)ceil(-log10(d) - 1e-9) : 0;
	for (double k = ceil(a->lo / step - 1e-9);
	     k * step <= a->hi + 1e-9 * step && t->n < MAX_TICKS; k++)
		t->at[t->n++] = k * step + 0.0; /* no -0 */
}

static void log_ticks(const struct axis *a, int most, struct ticks *t)
{
	int lo = (int)ceil(log10(a->lo) - 1e-9), hi = (int)floor(log10(a->hi) + 1e-9), step = 1;

	while ((hi - lo) / step + 1 > most)
		step++;
	/* a step of decades counts from 1, so that 1 is among them */
	for (int k = lo; k <= hi && t->n < MAX_TICKS; k++)
		if (k % step == 0)
			t->at[t->n++] = pow(10, k);
}

static struct ticks ticks_of(const struct axis *a, enum tick tick, double room)
{
	struct ticks t = {0};
	int most = (int)(fabs(a->to - a->from) / room);

	most = most < 2 ? 2 : most > MAX_TICKS - 1 ? MAX_TICKS - 1 : most;
	if (a->log)
		log_ticks(a, most, &t);
	else
		linear_ticks(a, most, tick, &t);
	return t;
}

/* Markup. */
static void label_of(const struct axis *a, enum tick tick, const struct ticks *t, double v,
                     char out[64])
{
	int e = (int)lround(log10(v > 0 ? v : 1));

	if (tick == TICK_PERCENT)
		snprintf(out, 64, "%.*f %%", !a->log ? t->decimals : e < -2 ? -2 - e : 0, 100 * v);
	else if (a->log && (e < -1 || e > 3))
		snprintf(out, 64, "10<sup>%s%d</sup>", e < 0 ? "−" : "", abs(e));
	else if (a->log)
		snprintf(out, 64, "%g", v);
	else
		snprintf(out, 64, "%.*f", t->decimals, v);
}

static const struct style tick_style = {.size = TEXT_SMALL, .colour = C_SOFT, .markup = true};
static const struct style axis_style = {.size = TEXT_BODY, .colour = C_INK};

static double label_height(struct canvas *c)
{
	return text_height(c, tick_style, "10<sup>−5</sup>");
}

double axis_below_height(struct canvas *c, const char *title)
{
	return 3 + label_height(c) + (title ? text_height(c, axis_style, title) : 0);
}

double axis_below(struct canvas *c, const struct axis *a, enum tick tick, double y, double y_top,
                  const char *title)
{
	struct ticks t = ticks_of(a, tick, tick == TICK_PERCENT ? 30 : 22);
	double h = label_height(c);
	struct style s = axis_style;
	char text[64];

	for (int i = 0; i < t.n; i++) {
		double x = axis_at(a, t.at[i]), w;

		draw_line(c, C_RULE, 0.4, x, y_top, x, y);
		draw_line(c, C_SOFT, 0.5, x, y, x, y + 2);
		label_of(a, tick, &t, t.at[i], text);
		w = text_width(c, tick_style, text);
		text_draw(c, tick_style, x - w / 2, y + 3, text);
	}
	draw_line(c, C_SOFT, 0.5, a->from, y, a->to, y);
	if (title) {
		s.width = fabs(a->to - a->from) + 40;
		s.centred = true;
		text_draw(c, s, fmin(a->from, a->to) - 20, y + 3 + h, title);
	}
	return axis_below_height(c, title);
}

static void put_upright(struct canvas *c, const struct axis *a, double x, const char *title)
{
	struct style s = axis_style;
	double w;

	s.width = fabs(a->from - a->to) + 16;
	w = text_width(c, axis_style, title);
	w = w < s.width ? w : s.width;
	text_draw_up(c, s, x, (a->from + a->to) / 2 + w / 2, title);
}

void axis_left(struct canvas *c, const struct axis *a, enum tick tick, double x, double x_right,
               double title_x, const char *title)
{
	struct ticks t = ticks_of(a, tick, 14);
	char text[64];

	for (int i = 0; i < t.n; i++) {
		double y = axis_at(a, t.at[i]);
		struct style s = tick_style;

		draw_line(c, C_RULE, 0.4, x, y, x_right, y);
		draw_line(c, C_SOFT, 0.5, x - 2, y, x, y);
		label_of(a, tick, &t, t.at[i], text);
		text_draw_middle(c, s, x - 3.5 - text_width(c, s, text), y, text);
	}
	draw_line(c, C_SOFT, 0.5, x, a->from, x, a->to);
	if (title)
		put_upright(c, a, title_x, title);
}

/* ---- marks ---- */

static void outline(cairo_t *cr, enum shape s, double x, double y, double r)
{
	switch (s) {
	case SHAPE_DISC:
	case SHAPE_COUNT:
		cairo_arc(cr, x, y, r, 0, 2 * G_PI);
		break;
	case SHAPE_SQUARE:
		cairo_rectangle(cr, x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
		break;
	case SHAPE_TRIANGLE:
		cairo_move_to(cr, x, y - 1.2 * r);
		cairo_line_to(cr, x + 1.1 * r, y + 0.8 * r);
		cairo_line_to(cr, x - 1.1 * r, y + 0.8 * r);
		break;
	case SHAPE_DIAMOND:
		cairo_move_to(cr, x, y - 1.3 * r);
		cairo_line_to(cr, x + 1.3 * r, y);
		cairo_line_to(cr, x, y + 1.3 * r);
		cairo_line_to(cr, x - 1.3 * r, y);
		break;
	}
	cairo_close_path(cr);
}

void shape_draw(struct canvas *c, enum shape s, enum colour colour, bool open, double x, double y,
                double r)
{
	cairo_new_path(c->cr);
	outline(c->cr, s, x, y, open ? 0.9 * r : r);
	colour_set(c->cr, open ? C_WHITE : colour);
	cairo_fill_preserve(c->cr);
	colour_set(c->cr, colour);
	cairo_set_line_width(c->cr, open ? 0.3 * r : 0.1);
	cairo_stroke(c->cr);
}

void interval_draw(struct canvas *c, enum colour colour, double x0, double x1, double y)
{
	draw_line(c, colour, 1, x0, y, x1, y);
	draw_line(c, colour, 1, x0, y - 1.7, x0, y + 1.7);
	draw_line(c, colour, 1, x1, y - 1.7, x1, y + 1.7);
}

void dash_set(struct canvas *c, bool dashed)
{
	static const double dashes[] = {2.4, 1.6};

	cairo_set_dash(c->cr, dashes, dashed ? 2 : 0, 0);
}

/* ---- legend ---- */

#define SIGN_W 13.0

static const struct style legend_style = {.size = TEXT_SMALL, .colour = C_SOFT};
#define LEGEND_LINE 9.0

/* Room for a sign and its text; where the sign's middle is. */
static double legend_place(struct legend *l, const char *text)
{
	double need = SIGN_W + text_width(l->c, legend_style, text), x;

	if (l->x > 0 && l->x + need > l->w) {
		l->x = 0;
		l->y += LEGEND_LINE;
	}
	x = l->x0 + l->x;
	if (l->draw)
		text_draw_middle(l->c, legend_style, x + SIGN_W, l->y + LEGEND_LINE / 2, text);
	l->x += need + 9;
	return x + SIGN_W / 2 - 1.5;
}

void legend_shape(struct legend *l, enum shape s, enum colour colour, bool open, const char *text)
{
	double x = legend_place(l, text);

	if (l->draw)
		shape_draw(l->c, s, colour, open, x, l->y + LEGEND_LINE / 2, 2.4);
}

void legend_line(struct legend *l, enum colour colour, double width, bool dashed, const char *text)
{
	double x = legend_place(l, text), y = l->y + LEGEND_LINE / 2;

	if (!l->draw)
		return;
	dash_set(l->c, dashed);
	draw_line(l->c, colour, width, x - 4.5, y, x + 4.5, y);
	dash_set(l->c, false);
}

void legend_box(struct legend *l, enum colour colour, const char *text)
{
	double x = legend_place(l, text);

	if (l->draw)
		draw_rect(l->c, colour, x - 4.5, l->y + LEGEND_LINE / 2 - 2.5, 9, 5);
}

double legend_end(struct legend *l)
{
	return l->y + LEGEND_LINE;
}

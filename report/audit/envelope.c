/* envelope.c - a kernel's runs against their tolerances, drawn: see audit.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"

#define PLOT_H  132.0
#define PLOT_W  (PAGE_TEXT - 60)
#define PLOT_X  (PAGE_LEFT + 36)
#define DECADES 8 /* of r/T, the top one is 100 */

/* The evidence's [L, T, r, cases, failed]. */
struct run {
	double L, T, r, cases, failed;
};

static double real_of(const cJSON *v)
{
	if (cJSON_IsString(v))
		return v->valuestring[0] == '-' ? -INFINITY : INFINITY;
	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static bool read_run(const cJSON *x, struct run *r)
{
	if (cJSON_GetArraySize(x) != 5)
		return false;
	r->L = real_of(cJSON_GetArrayItem(x, 0));
	r->T = real_of(cJSON_GetArrayItem(x, 1));
	r->r = real_of(cJSON_GetArrayItem(x, 2));
	r->cases = real_of(cJSON_GetArrayItem(x, 3));
	r->failed = real_of(cJSON_GetArrayItem(x, 4));
	return r->L >= 1 && r->L < 1e18 && r->r >= 0 && r->T >= 0;
}

/* Axis of L: powers of 2 up to a power of 4 that holds all. */
static double last_octave(const cJSON *kernel)
{
	const cJSON *d, *x;
	double most = 4;
	struct run r;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	        cJSON_ArrayForEach(x, ev_get(d, "runs")) if (read_run(x, &r)) most =
	                fmax(most, ceil(log2(r.L)));
	return most;
}

static double plot_x(double L, double octaves)
{
	return PLOT_X + 8 + (PLOT_W - 16) * log2(L) / octaves;
}

/* r/T from 10^-6 to 100; what is below lies at the foot, infinity at the top. */
static double plot_y(double top, double q)
{
	double d = q > 0 ? log10(q) : -INFINITY;

	d = d > 2 ? 2 : d < 2 - DECADES ? 2 - DECADES : d;
	return top + PLOT_H * (2 - d) / DECADES;
}

static void axes(struct audit *a, double top, double octaves)
{
	static const char *const labels[] = {"100", "", "1", "", "0.01", "", "10⁻⁴", "", "≤10⁻⁶"};
	struct face s = {.size = 6.6, .colour = C_SOFT, .align = ALIGN_RIGHT}, below = s, axis = s;
	int step = octaves > 12 ? 2 : 1;
	struct flow *f = &a->f;

	below.align = ALIGN_CENTRE;
	for (int i = 0; i <= DECADES; i++) {
		double y = top + PLOT_H * i / DECADES;

		flow_line(f, C_RULE, i == 2 ? 0 : 0.4, PLOT_X, y, PLOT_X + PLOT_W, y);
		flow_text(f, s, PAGE_LEFT, y - 4.4, 32, 1, labels[i]);
	}
	flow_line(f, C_INK, 0.9, PLOT_X, plot_y(top, 1), PLOT_X + PLOT_W, plot_y(top, 1));
	for (int k = 0; k <= (int)octaves; k += step) {
		char text[24];

		snprintf(text, sizeof text, "%.0f", exp2(k));
		flow_text(f, below, plot_x(exp2(k), octaves) - 18, top + PLOT_H + 3, 36, 1, text);
	}
	axis.align = ALIGN_LEFT;
	axis.colour = C_INK;
	flow_text(f, axis, PLOT_X + PLOT_W - 74, plot_y(top, 1) - 10, 80, 1, "T: what is allowed");
	flow_text(f, axis, PLOT_X + PLOT_W + 4, top + PLOT_H + 3, 24, 1, "L");
	flow_text(f, axis, PAGE_LEFT, top - 14, 40, 1, "r/T");
}

/* Passing: an open circle; failing: a cross; larger for more cases. Dtypes are told apart in
 * the captions, not here: what matters is on which side of the line they lie. */
static void mark(struct audit *a, const struct run *r, double top, double octaves)
{
	double x = plot_x(r->L, octaves),
	       y = plot_y(top, r->T > 0   ? r->r / r->T
	                       : r->r > 0 ? INFINITY
	                                  : 0),
	       size = 1.5 + 0.5 * log10(fmax(1, r->cases));
	cairo_t *cr = a->f.cr;

	if (!a->f.drawing)
		return;
	cairo_set_line_width(cr, 0.8);
	if (r->failed > 0) {
		colour_set(cr, C_WRONG);
		cairo_move_to(cr, x - size, y - size);
		cairo_line_to(cr, x + size, y + size);
		cairo_move_to(cr, x - size, y + size);
		cairo_line_to(cr, x + size, y - size);
	} else {
		colour_set(cr, C_BAR);
		cairo_new_sub_path(cr);
		cairo_arc(cr, x, y, size, 0, 2 * G_PI);
	}
	cairo_stroke(cr);
}

static void put_caption(struct buf *b, const cJSON *kernel)
{
	const cJSON *d;

	buf_puts(b, "Circles are cases that pass by value, crosses cases that fail; each stands "
	            "for the cases near it, with "
	            "the largest r/T of them. An exact run lies at the foot, an infinite error at "
	            "the top.");
	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		const cJSON *w = ev_get(d, "worst");

		if (!w)
			continue;
		buf_printf(b, BREAK "%s: nearest to its tolerance among the passing is r = ",
		           ev_text(d, "dtype"));
		put_real(b, ev_get(w, "r"), 3);
		buf_puts(b, " of T = ");
		put_real(b, ev_get(w, "T"), 3);
		buf_printf(b, " (%s): %s", ev_text(w, "envelope"), ev_text(w, "case"));
	}
}

void kernel_envelope(struct audit *a, const struct row *r)
{
	double octaves = last_octave(r->kernel), top;
	struct buf b = {0};
	const cJSON *d, *x;
	int n = 0;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) n +=
	        cJSON_GetArraySize(ev_get(d, "runs"));
	if (n == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Errors against their tolerance, by chain length L", NULL,
	             PLOT_H + 60);
	top = a->f.y + 16;
	flow_tag(&a->f, "Figure");
	axes(a, top, octaves);
	/* failing ones on top */
	for (int failed = 0; failed < 2; failed++)
		cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes"))
		        cJSON_ArrayForEach(x, ev_get(d, "runs"))
		{
			struct run run;

			if (read_run(x, &run) && (run.failed > 0) == failed)
				mark(a, &run, top, octaves);
		}
	flow_untag(&a->f, "Figure");
	a->f.y = top + PLOT_H + 17;
	put_caption(&b, r->kernel);
	flow_par(&a->f, face_note, b.s);
	buf_free(&b);
}

/* chart_math.c - CUDA's math functions: the largest error over all inputs against NVIDIA's bound.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"

#define ROW_H 7.6

struct function {
	const char *name;
	double of_bound;
};

static int by_share(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->of_bound != y->of_bound ? (x->of_bound < y->of_bound ? 1 : -1)
	                                  : strcmp(x->name, y->name);
}

/* Functions with a bound, the worst first; caller frees. */
static struct function *functions(const struct charts *in, int *n)
{
	const cJSON *list = ev_get(in->src->file[SRC_MATH], "functions"), *f;
	struct function *out = mem_zalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *out);

	*n = 0;
	cJSON_ArrayForEach(f, list) if (cJSON_IsNumber(ev_get(f, "of_bound")) &&
	                                ev_number(f, "of_bound") > 0) out[(*n)++] =
	        (struct function){ev_text(f, "name"), ev_number(f, "of_bound")};
	qsort(out, (size_t)*n, sizeof *out, by_share);
	return out;
}

static const char *absent(const struct charts *in)
{
	int n;

	if (!in->src->file[SRC_MATH])
		return source_missing(SRC_MATH);
	free(functions(in, &n));
	return n ? NULL : "the record of the math functions has none with a bound";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	int n;

	free(functions(in, &n));
	(void)w;
	return ROW_H * ((n + 1) / 2) + axis_below_height(c, "x");
}

static void put_row(struct canvas *c, const struct axis *a, const struct function *f, double name_w,
                    double y)
{
	struct style s = {.size = TEXT_SMALL, .colour = C_INK, .width = name_w - 5, .middle = true};
	bool over = f->of_bound > 1;
	double x = axis_at(a, fmin(f->of_bound, a->hi));

	text_draw_middle(c, s, a->from - name_w, y, f->name);
	draw_line(c, C_RULE, 0.4, a->from, y, a->to, y);
	draw_line(c, over ? C_RED : C_BLUE, 1, a->from, y, x, y);
	shape_draw(c, over ? SHAPE_DIAMOND : SHAPE_DISC, over ? C_RED : C_BLUE, false, x, y, 1.9);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	double half = w / 2, name_w = 0.42 * half, bottom = h - axis_below_height(c, "x");
	struct function *f;
	int n, rows;

	f = functions(in, &n);
	rows = (n + 1) / 2;
	for (int side = 0; side < 2; side++) {
		struct axis a = {.lo = 0, .hi = 1.2, .from = side * half + name_w};

		a.to = side * half + half - 10;
		axis_below(c, &a, TICK_NUMBER, bottom, 0, "error / bound");
		draw_line(c, C_INK, 0.7, axis_at(&a, 1), 0, axis_at(&a, 1), bottom);
		for (int i = side * rows; i < n && i < (side + 1) * rows; i++)
			put_row(c, &a, &f[i], name_w, (i - side * rows + 0.5) * ROW_H);
	}
	free(f);
}

/* Functions that err beyond what NVIDIA publishes: where, and how far. */
static void remarks(const struct charts *in, struct buf *out)
{
	const cJSON *j = in->src->file[SRC_MATH], *list = ev_get(j, "functions"), *f;
	int over = 0, n = 0;

	cJSON_ArrayForEach(f, list)
	{
		if (!(ev_number(f, "of_bound") > 0))
			continue;
		n++;
		if (!(ev_number(f, "of_bound") > 1))
			continue;
		over++;
		buf_printf(
		        out,
		        "%s errs beyond the bound that NVIDIA publishes for it (%s): by %.4g times "
		        "it "
		        "at the input with the bits %s. It is the GPU's own function that does "
		        "(%s)%s.\n",
		        ev_text(f, "name"), ev_text(f, "bound"), ev_number(f, "of_bound"),
		        ev_text(f, "of_bound_at"), ev_text(j, "device"),
		        over == 1
		                ? ", measured over all inputs; no verdict rests on the bound, for "
		                  "a kernel is held against its operator's exact value, whatever "
		                  "functions it calls"
		                : "");
	}
	if (n)
		buf_printf(out, "%d of %d functions with a bound keep it.\n", n - over, n);
}

const struct chart chart_math = {
        .name = "math",
        .title = "CUDA's math functions: worst error over all inputs, as a share of the bound",
        .shows = "The largest error over every input of the type, measured on the GPU, over the "
                 "bound that "
                 "NVIDIA states. Diamond: beyond the bound.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

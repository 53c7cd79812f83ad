/* chart_fidelity.c - the emulator against hardware: how much was compared, and what share can
 * differ and not have been seen. */
#include <math.h>
#include <stdio.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"
#include "report/number.h"
#include "stats/stats.h"

#define ROW_H   20.0
#define MAX_ROW 5

/* What was compared; differ: how many differ. */
struct comparison {
	const char *what;
	double n, differ;
};

static int comparisons(const struct charts *in, struct comparison out[MAX_ROW])
{
	const cJSON *f = in->src->file[SRC_FIDELITY];
	double corpus = ev_number(f, "corpus_cases");
	int n = 0;

	out[n++] = (struct comparison){"instruction forms", ev_number(f, "forms"),
	                               ev_number(f, "forms") - ev_number(f, "forms_covered")};
	out[n++] = (struct comparison){"operand tuples of forms", ev_number(f, "vectors"),
	                               ev_number(f, "differences")};
	out[n++] = (struct comparison){"corpus cases", corpus,
	                               corpus - ev_number(f, "corpus_identical")};
	if (corpus > 0 && ev_number(f, "corpus_identical") == corpus)
		out[n++] = (struct comparison){"output elements of them",
		                               ev_number(f, "corpus_elements"), 0};
	return n;
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_FIDELITY])
		return source_missing(SRC_FIDELITY);
	return ev_number(in->src->file[SRC_FIDELITY], "forms") > 0 ? NULL : "no form was compared";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	struct comparison k[MAX_ROW];

	(void)w;
	return ROW_H * comparisons(in, k) + axis_below_height(c, "x");
}

static void put_row(struct canvas *c, const struct axis *a, const struct comparison *k, double y)
{
	struct style name = {.size = TEXT_BODY, .colour = C_INK, .width = a->from - 8},
	             note = {.size = TEXT_SMALL, .colour = C_SOFT, .width = a->from - 8};
	double upper = binomial_upper((int64_t)k->differ, (int64_t)k->n, 0.95), x;
	char n[NUM_SIZE], d[NUM_SIZE], text[2 * NUM_SIZE + 40];

	num_count(k->n, NUM_PLAIN, n);
	num_count(k->differ, NUM_PLAIN, d);
	snprintf(text, sizeof text, "%s compared, %s differ", n, d);
	text_draw(c, name, 0, y - 8.5, k->what);
	text_draw(c, note, 0, y + 0.2, text);
	x = axis_at(a, fmax(upper, a->lo));
	draw_line(c, C_BLUE, 1, a->from, y, x, y);
	draw_line(c, C_BLUE, 1, x, y - 3, x, y + 3);
	if (k->differ > 0)
		shape_draw(c, SHAPE_DISC, C_RED, false, axis_at(a, k->differ / k->n), y, 2.6);
	else
		shape_draw(c, SHAPE_DISC, C_BLUE, true, a->from, y, 2.6);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	struct comparison k[MAX_ROW];
	struct axis a = {.lo = 1e-9, .hi = 1e-2, .log = true, .from = 0.5 * w, .to = w - 8};
	double bottom = h - axis_below_height(c, "x");
	int n = comparisons(in, k);

	for (int i = 0; i < n; i++)
		a.hi = fmax(a.hi, binomial_upper((int64_t)k[i].differ, (int64_t)k[i].n, 0.95));
	axis_decades(&a);
	axis_below(c, &a, TICK_NUMBER, bottom, 0, "share that may differ, 95 % upper limit");
	for (int i = 0; i < n; i++)
		if (k[i].n > 0)
			put_row(c, &a, &k[i], (i + 0.5) * ROW_H);
}

static void remarks(const struct charts *in, struct buf *out)
{
	struct comparison k[MAX_ROW];
	int n = comparisons(in, k), differ = 0;

	for (int i = 0; i < n; i++)
		differ += k[i].differ > 0;
	for (int i = 0; i < n; i++)
		if (k[i].differ > 0)
			buf_printf(out,
			           "Of the %s %.15g of %.15g differ: there the emulator is not the "
			           "hardware.\n",
			           k[i].what, k[i].differ, k[i].n);
	if (!differ)
		buf_puts(out, "Nothing differs. The upper limits are no proof beyond what was "
		              "compared: operands and cases "
		              "were chosen, not drawn at random.\n");
}

const struct chart chart_fidelity = {
        .name = "fidelity",
        .title = "The emulator held against hardware, bit by bit",
        .shows = "What was run on the GPU and in the emulator, how much of it differs in any bit, "
                 "and the "
                 "95 % upper limit of the share that could differ and have stayed unseen, were the "
                 "comparisons drawn at random.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};

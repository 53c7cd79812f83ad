/* chart_verdicts.c - the chart of verdicts: a row a kernel, a column an oracle. */
#include "report/draw/chart_list.h"
#include "report/draw/grid.h"

#define TEXT 6.4

static double grid_height(const struct grid *g)
{
	double h = g->head_h;

	for (int i = 0; i < g->m->nrows; i++) {
		h += g->row_h;
		if (i == 0 || g->m->rows[i].group != g->m->rows[i - 1].group)
			h += g->group_h;
	}
	return h;
}

static void draw_grid(const struct grid *g, struct canvas *c, double y)
{
	grid_head(g, c, y);
	y += g->head_h;
	for (int i = 0; i < g->m->nrows; i++) {
		const struct row *r = &g->m->rows[i];

		if (i == 0 || r->group != g->m->rows[i - 1].group) {
			grid_group(g, c, y, r->group, false);
			y += g->group_h;
		}
		grid_row(g, c, y, r);
		y += g->row_h;
	}
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	return in->model.nrows ? NULL : "the evidence holds no kernel";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	struct grid g;

	grid_fit(&g, c, &in->model, w, TEXT);
	return grid_legend(&g, c, 0, false) + 5 + grid_height(&g);
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	struct grid g;

	(void)h;
	grid_fit(&g, c, &in->model, w, TEXT);
	draw_grid(&g, c, grid_legend(&g, c, 0, true) + 5);
}

const struct chart chart_verdicts = {
        .name = "verdicts",
        .title = "Verdicts of every kernel, by oracle",
        .shows =
                "Which published one-shape checks accept a kernel, in f32 at every seed, on one "
                "input "
                "chosen for its operator and on KernelBench's own; and gpuemu's verdict by element "
                "type. Dark: the oracle is wrong.",
        .width = 2 * CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

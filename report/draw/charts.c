/* charts.c - the charts that stand alone, as SVG: see draw.h. */
#include "report/draw/bars.h"
#include "report/draw/draw.h"
#include "report/draw/grid.h"
#include "report/draw/surface.h"

#define MARGIN  18.0
#define TITLE_H 34.0
#define CELL    14.5

static double grid_height(const struct grid *g)
{
	double h = g->head_h;

	for (int i = 0; i < g->m->nrows; i++) {
		h += g->row_h;
		if (i == 0 || g->m->rows[i].group != g->m->rows[i - 1].group)
			h += g->group_h;
	}
	return h + (g->m->nrows ? 0 : 2 * g->row_h);
}

/* The grid with its legend above; grid_y is where the head begins. */
static void layout_verdicts(const struct model *m, struct canvas *c, struct grid *g, double *grid_y,
                            double *w, double *h)
{
	double least = 420;

	grid_layout(g, c, m, MARGIN, 0, CELL, false);
	/* title and legend need some width even when there are few columns */
	g->width = g->width < least ? least : g->width;
	*grid_y = MARGIN + TITLE_H + grid_legend(g, c, 0, false) + 12;
	*w = g->width + 2 * MARGIN;
	*h = *grid_y + grid_height(g) + MARGIN;
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
	if (!g->m->nrows)
		text_draw(c, (struct style){.size = g->text, .colour = C_SOFT}, g->x, y + 6,
		          "The evidence holds no kernel.");
}

/* The size of a chart, by laying it out where nothing is drawn. */
static enum st measure(const struct model *m, bool verdicts, double *w, double *h, struct err *e)
{
	cairo_surface_t *s = surface_measure();
	struct canvas c;
	struct grid g;
	double grid_y;

	canvas_open(&c, s);
	if (verdicts)
		layout_verdicts(m, &c, &g, &grid_y, w, h);
	else
		bars_chart_size(&c, m, w, h);
	return surface_close(s, canvas_close(&c), "a chart", e);
}

static void chart_verdicts(struct canvas *c, const struct model *m)
{
	struct style title = {.size = 14, .colour = C_INK, .bold = true};
	struct grid g;
	double grid_y, w, h;

	layout_verdicts(m, c, &g, &grid_y, &w, &h);
	draw_rect(c, C_WHITE, 0, 0, w, h);
	text_draw(c, title, MARGIN, MARGIN - 2, "Verdicts of every kernel, by oracle");
	grid_legend(&g, c, MARGIN + TITLE_H, true);
	draw_grid(&g, c, grid_y);
}

static enum st draw_chart(const struct model *m, bool verdicts, struct buf *out, struct err *e)
{
	cairo_surface_t *s;
	struct canvas c;
	double w, h;

	TRY(measure(m, verdicts, &w, &h, e));
	s = surface_open(SURFACE_SVG, out, w, h);
	canvas_open(&c, s);
	if (verdicts)
		chart_verdicts(&c, m);
	else
		bars_chart(&c, m);
	return surface_close(s, canvas_close(&c), verdicts ? "verdicts.svg" : "failing.svg", e);
}

enum st draw_verdicts(const struct model *m, struct buf *out, struct err *e)
{
	return draw_chart(m, true, out, e);
}

enum st draw_failing(const struct model *m, struct buf *out, struct err *e)
{
	return draw_chart(m, false, out, e);
}

/* chart.c - the table of charts, and a chart as a file: see chart.h. */
#include <stdlib.h>
#include <string.h>

#include "report/draw/chart.h"
#include "report/draw/chart_list.h"
#include "report/draw/surface.h"
#include "tolerances/tolerances.h"

const struct chart *const charts[] = {
#define X(name) &chart_##name,
        CHART_LIST(X)
#undef X
};
const size_t ncharts = ARRAY_LEN(charts);

const struct chart *chart_find(const char *name)
{
	for (size_t i = 0; i < ncharts; i++)
		if (strcmp(charts[i]->name, name) == 0)
			return charts[i];
	return NULL;
}

enum st charts_init(struct charts *in, const struct sources *src, struct err *e)
{
	static const enum source tables[] = {SRC_TABLE, SRC_TABLE2};

	*in = (struct charts){.src = src, .runs = mem_zalloc(1, sizeof *in->runs)};
	model_init(&in->model, src->file[SRC_EVIDENCE]);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (src->path[tables[i]])
			TRY(tolerance_read(src->path[tables[i]], &in->table[i], e));
	return ST_OK;
}

void charts_clear(struct charts *in)
{
	model_clear(&in->model);
	if (in->runs)
		free(in->runs->point);
	free(in->runs);
	for (size_t i = 0; i < ARRAY_LEN(in->table); i++)
		tolerance_free(in->table[i]);
}

double chart_height(const struct chart *k, const struct charts *in, double w)
{
	cairo_surface_t *s = surface_measure();
	struct canvas c;
	double h;

	canvas_open(&c, s);
	h = k->height(&c, in, w);
	canvas_close(&c);
	cairo_surface_destroy(s);
	return h;
}

void chart_draw(const struct chart *k, cairo_t *cr, const struct charts *in, double x, double y,
                double w)
{
	struct canvas c;

	cairo_save(cr);
	cairo_translate(cr, x, y);
	canvas_on(&c, cr);
	k->draw(&c, in, w, k->height(&c, in, w));
	canvas_close(&c);
	cairo_restore(cr);
}

/* ---- a file ---- */

#define MARGIN 8.0

const char *const chart_formats[CHART_FORMATS] = {"svg", "pdf", "png"};

static const struct style title_style = {.size = 9, .colour = C_INK, .bold = true, .lines = 3};
static const struct style shows_style = {.size = 6.5, .colour = C_SOFT, .lines = 12};

/* Title and caption; returns their height. */
static double head(struct canvas *c, const struct chart *k, double w, bool draw)
{
	struct style t = title_style, s = shows_style;
	double y = MARGIN;

	t.width = s.width = w;
	y += draw ? text_draw(c, t, MARGIN, y, k->title) : text_height(c, t, k->title);
	y += 2;
	y += draw ? text_draw(c, s, MARGIN, y, k->shows) : text_height(c, s, k->shows);
	return y - MARGIN + 6;
}

static void draw_all(struct canvas *c, const struct chart *k, const struct charts *in,
                     struct chart_style s)
{
	double above = s.plain ? 0 : head(c, k, s.width, false);

	colour_set(c->cr, C_WHITE);
	cairo_paint(c->cr);
	if (!s.plain)
		head(c, k, s.width, true);
	chart_draw(k, c->cr, in, MARGIN, MARGIN + above, s.width);
}

static void metadata(cairo_surface_t *s, const struct chart *k, const struct charts *in)
{
	char date[32];

	sources_date(in->src, date);
	surface_metadata(s, k->title, k->shows, date);
}

/* The height of title and caption, measured. */
static double head_height(const struct chart *k, double w)
{
	cairo_surface_t *s = surface_measure();
	struct canvas c;
	double h;

	canvas_open(&c, s);
	h = head(&c, k, w, false);
	canvas_close(&c);
	cairo_surface_destroy(s);
	return h;
}

enum st chart_file(const struct chart *k, const struct charts *in, struct chart_style s,
                   struct buf *out, struct err *e)
{
	static const enum surface_kind kinds[] = {SURFACE_SVG, SURFACE_PDF, SURFACE_PNG};
	cairo_surface_t *surface;
	struct canvas c;
	double h, full;

	s.width = s.width > 0 ? s.width : k->width;
	s.dpi = s.dpi > 0 ? s.dpi : 200;
	h = chart_height(k, in, s.width);
	full = h + 2 * MARGIN + (s.plain ? 0 : head_height(k, s.width));
	surface = surface_open(kinds[s.format], out, s.width + 2 * MARGIN, full, s.dpi);
	if (s.format == CHART_PDF)
		metadata(surface, k, in);
	canvas_open(&c, surface);
	draw_all(&c, k, in, s);
	return surface_close(surface, canvas_close(&c), k->name, e);
}

/* chart_heat.c - where in an output the error of a failing case lies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/draw/axes.h"
#include "report/draw/chart_list.h"
#include "report/number.h"

#define CELL_MAX 9.0
#define LEFT     30.0

/* Classes of the error as a share of what is allowed; darker is more, in grey as well. */
static const struct {
	double above;
	enum colour colour;
	const char *text;
} classes[] = {
        {-1, C_RIGHT, "within the tolerance"},
        {1, C_HEAT_1, "up to 10 times it"},
        {10, C_HEAT_2, "up to 1000 times"},
        {1000, C_HEAT_3, "more, or another class"},
};

static const cJSON *map_in(const cJSON *kernel, const char *dtype, const char **found)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		const cJSON *m = ev_get(d, "error_map");

		*found = ev_text(d, "dtype");
		if (m && (!dtype || strcmp(*found, dtype) == 0))
			return m;
	}
	return NULL;
}

/* The map shown: of the kernel and element type asked for, else the first that there is. */
static const cJSON *map_of(const struct charts *in, const char **kernel, const char **dtype)
{
	for (int i = 0; i < in->model.nrows; i++) {
		const struct row *r = &in->model.rows[i];
		const cJSON *m;

		if (in->kernel && strcmp(r->name, in->kernel) != 0)
			continue;
		*kernel = r->name;
		if ((m = map_in(r->kernel, in->dtype, dtype)) != NULL)
			return m;
	}
	return NULL;
}

static int rows_of(const cJSON *map)
{
	return cJSON_GetArraySize(ev_get(map, "r_over_T"));
}

static int columns_of(const cJSON *map)
{
	return cJSON_GetArraySize(cJSON_GetArrayItem(ev_get(map, "r_over_T"), 0));
}

static const char *absent(const struct charts *in)
{
	const char *kernel, *dtype;
	const cJSON *m;

	if (!in->src->file[SRC_EVIDENCE])
		return source_missing(SRC_EVIDENCE);
	m = map_of(in, &kernel, &dtype);
	return m && rows_of(m) && columns_of(m)
	               ? NULL
	               : "the evidence has no error map: no case fails by its "
	                 "values";
}

static double side(const cJSON *map, double w)
{
	double s = (w - LEFT) / columns_of(map);

	return s < CELL_MAX ? s : CELL_MAX;
}

/* Rows are as high as columns are wide where that can be seen and does not need half a page. */
static double row_height(const cJSON *map, double w)
{
	double most = 110.0 / rows_of(map), s = side(map, w);

	s = s > most ? most : s;
	s = s < 5 ? 5 : s;
	/* the indices of first and last row stand below each other */
	return ev_number(map, "rows") > 1 && s * rows_of(map) < 15 ? 15.0 / rows_of(map) : s;
}

static double put_legend(struct canvas *c, double w, bool draw)
{
	struct legend l = {.c = c, .w = w, .draw = draw};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		legend_box(&l, classes[i].colour, classes[i].text);
	legend_shape(&l, SHAPE_SQUARE, C_FAINT, true, "no verdict");
	return legend_end(&l) + 3;
}

static const struct style note_style = {.size = TEXT_SMALL, .colour = C_SOFT, .lines = 6};

/* The kernel's line and the case. */
static double head_height(struct canvas *c, const cJSON *map, double w)
{
	struct style note = note_style;

	note.width = w;
	return 13 + text_height(c, note, ev_text(map, "case"));
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	const char *kernel, *dtype;
	const cJSON *map = map_of(in, &kernel, &dtype);

	return head_height(c, map, w) + put_legend(c, w, false) + 9 +
	       rows_of(map) * row_height(map, w) + 2;
}

static enum colour colour_of(const cJSON *v)
{
	double share = cJSON_IsString(v) ? INFINITY : v->valuedouble;
	enum colour colour = classes[0].colour;

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (share > classes[i].above)
			colour = classes[i].colour;
	return colour;
}

/* Indices of the first and last row or column, small, at both ends. */
static void put_index(struct canvas *c, double x, double y, double at, bool right)
{
	struct style s = {.size = TEXT_SMALL, .colour = C_SOFT};
	char text[NUM_SIZE];

	num_count(at, NUM_PLAIN, text);
	text_draw(c, s, right ? x - text_width(c, s, text) : x, y, text);
}

#define GAP_FROM 6.0 /* cells of this size are told apart by a gap */
#define GAP      0.9

/* One cell at (x, y). Small ones lie edge to edge, each under the ones right of it and below, since
 * hairs between them would show as stripes, at other places at every zoom. */
static void put_cell(struct canvas *c, const cJSON *v, double x, double y, double w, double h,
                     bool last_column, bool last_row)
{
	bool apart = w >= GAP_FROM && h >= GAP_FROM;

	if (cJSON_IsNull(v)) {
		if (!apart)
			draw_rect(c, C_WHITE, x, y, w, h);
		shape_draw(c, SHAPE_SQUARE, C_FAINT, true, x + w / 2, y + h / 2, 1.6);
	} else if (apart) {
		draw_rect(c, colour_of(v), x + GAP / 2, y + GAP / 2, w - GAP, h - GAP);
	} else {
		draw_rect(c, colour_of(v), x, y, w + (last_column ? 0 : 0.4),
		          h + (last_row ? 0 : 0.4));
	}
}

static void put_grid(struct canvas *c, const cJSON *map, double y, double w)
{
	double size = side(map, w), high = row_height(map, w), rows = ev_number(map, "rows"),
	       columns = ev_number(map, "cols"), x, top = y + 9;
	const cJSON *row, *v;

	put_index(c, LEFT, y, 0, false);
	if (columns > 1)
		put_index(c, LEFT + size * columns_of(map), y, columns - 1, true);
	put_index(c, LEFT - 4, top, 0, true);
	if (rows > 1)
		put_index(c, LEFT - 4, top + high * rows_of(map) - 8, rows - 1, true);
	cJSON_ArrayForEach(row, ev_get(map, "r_over_T"))
	{
		x = LEFT;
		cJSON_ArrayForEach(v, row)
		{
			put_cell(c, v, x, top, size, high, !v->next, !row->next);
			x += size;
		}
		top += high;
	}
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const char *kernel, *dtype;
	const cJSON *map = map_of(in, &kernel, &dtype);
	struct style name = {.size = TEXT_BODY,
	                     .colour = C_INK,
	                     .bold = true,
	                     .width = w,
	                     .middle = true},
	             note = note_style;
	char text[700], rows[NUM_SIZE], columns[NUM_SIZE];
	double y;

	(void)h;
	num_count(ev_number(map, "rows"), NUM_PLAIN, rows);
	num_count(ev_number(map, "cols"), NUM_PLAIN, columns);
	snprintf(text, sizeof text, "%.400s, %.20s: output %.60s, %s × %s", kernel, dtype,
	         ev_text(map, "output"), rows, columns);
	text_draw(c, name, 0, 0, text);
	note.width = w;
	text_draw(c, note, 0, 10, ev_text(map, "case"));
	cairo_save(c->cr);
	cairo_translate(c->cr, 0, head_height(c, map, w));
	y = put_legend(c, w, true);
	put_grid(c, map, y, w);
	cairo_restore(c->cr);
}

const struct chart chart_heat = {
        .name = "heat",
        .title = "Where the error lies",
        .shows = "An output of the first case that fails by its values, as a matrix whose columns "
                 "are the last "
                 "dimension, in tiles: the largest error of a tile's elements against what is "
                 "allowed.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
};

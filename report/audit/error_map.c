/* error_map.c - where in an output the errors of the first failing case lie, drawn: see audit.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"

#define MAP_W 280.0 /* at most */
#define MAP_H 78.0  /* at most */
#define TILE  7.0   /* at most */

/* Steps of r/T, each darker than the one before: seen in grey too. */
static const struct {
	double to; /* up to, inclusive */
	double red, green, blue;
	const char *label;
} steps[] = {{1, 0.84, 0.91, 0.95, "r ≤ T"},
             {10, 0.98, 0.80, 0.64, "to 10 T"},
             {1e3, 0.93, 0.56, 0.28, "to 1000 T"},
             {1e6, 0.75, 0.27, 0.00, "to 10⁶ T"},
             {INFINITY, 0.36, 0.11, 0.00, "above, or not a number"}};

static void fill(struct flow *f, const cJSON *v, double x, double y, double w, double h)
{
	double q = cJSON_IsString(v) ? INFINITY : cJSON_IsNumber(v) ? v->valuedouble : NAN;
	size_t i = 0;

	if (!f->drawing)
		return;
	if (isnan(q)) { /* no verdict */
		colour_set(f->cr, C_BAND);
	} else {
		while (i + 1 < ARRAY_LEN(steps) && q > steps[i].to)
			i++;
		cairo_set_source_rgb(f->cr, steps[i].red, steps[i].green, steps[i].blue);
	}
	cairo_rectangle(f->cr, x, y, w, h);
	cairo_fill(f->cr);
}

static double legend(struct flow *f, double y)
{
	struct face s = {.size = 6.8, .colour = C_SOFT};
	double x = PAGE_LEFT;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (f->drawing) {
			cairo_set_source_rgb(f->cr, steps[i].red, steps[i].green, steps[i].blue);
			cairo_rectangle(f->cr, x, y + 1.5, 8, 7);
			cairo_fill(f->cr);
		}
		flow_text(f, s, x + 11, y, 0, 1, steps[i].label);
		x += 11 + flow_width(f, s, steps[i].label) + 12;
	}
	flow_rect(f, C_BAND, x, y + 1.5, 8, 7);
	flow_text(f, s, x + 11, y, 0, 1, "no verdict");
	return 13;
}

static void caption(struct buf *b, const cJSON *d, const cJSON *m)
{
	buf_printf(b,
	           "%s: output %s of %.15g × %.15g elements (all dimensions but the last down the "
	           "side)",
	           ev_text(d, "dtype"), ev_text(m, "output"), ev_number(m, "rows"),
	           ev_number(m, "cols"));
	if (ev_number(m, "tile_rows") * ev_number(m, "tile_cols") > 1)
		buf_printf(b, ", a tile being %.15g × %.15g of them and showing the largest error",
		           ev_number(m, "tile_rows"), ev_number(m, "tile_cols"));
	buf_printf(b, ". Case: %s", ev_text(m, "case"));
}

static void tiles(struct audit *a, const cJSON *rows, double w, double h)
{
	const cJSON *row, *v;
	double y = a->f.y;

	cJSON_ArrayForEach(row, rows)
	{
		double x = PAGE_LEFT;

		cJSON_ArrayForEach(v, row)
		{
			fill(&a->f, v, x, y, w, h);
			x += w;
		}
		y += h;
	}
}

static int most_columns(const cJSON *rows)
{
	const cJSON *row;
	int n = 0;

	cJSON_ArrayForEach(row, rows)
	{
		int size = cJSON_GetArraySize(row);

		n = size > n ? size : n;
	}
	return n;
}

static void one_map(struct audit *a, const cJSON *d, const cJSON *m)
{
	const cJSON *rows = ev_get(m, "r_over_T");
	int down = cJSON_GetArraySize(rows), across = most_columns(rows);
	struct buf b = {0};
	double w, h, room, text;

	if (down == 0 || across == 0)
		return;
	w = fmin(TILE, MAP_W / across);
	h = fmin(TILE, MAP_H / down);
	room = PAGE_TEXT - across * w - 12;
	caption(&b, d, m);
	text = flow_height(&a->f, face_note, room, 12, b.s);
	flow_need(&a->f, fmax(down * h, text));
	flow_tag(&a->f, "Figure");
	tiles(a, rows, w, h);
	flow_untag(&a->f, "Figure");
	flow_tag(&a->f, "P");
	flow_text(&a->f, face_note, PAGE_LEFT + across * w + 12, a->f.y - 1.5, room, 12, b.s);
	flow_untag(&a->f, "P");
	a->f.y += fmax(down * h, text) + 7;
	buf_free(&b);
}

void kernel_error_maps(struct audit *a, const struct row *r)
{
	const cJSON *d;
	bool some = false;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) some |= ev_get(d, "error_map") != NULL;
	if (!some)
		return;
	flow_heading(&a->f, 2, DEST_NONE,
	             "Where the errors lie, in the first case that fails by value", NULL, 90);
	flow_tag(&a->f, "Figure");
	a->f.y += legend(&a->f, a->f.y);
	flow_untag(&a->f, "Figure");
	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) if (ev_get(d, "error_map"))
	        one_map(a, d, ev_get(d, "error_map"));
}

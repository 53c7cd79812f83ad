/* compare_png.c - compare_png REFERENCE GOT OUT: are two pictures the same but for how letters are drawn?
 *
 * They are averaged over blocks of 4 by 4 pixels. Letters are nearly grey: blocks may differ in lightness (by more than
 * 48 of 255 in at most 2 % of them), but what has a colour must have it (colourfulness, the largest less the smallest channel, may
 * differ by more than 48 in at most 3 blocks). Sizes may differ by 3 pixels. When they are not the same, OUT is a picture of
 * reference, got and the blocks that differ, side by side. Exit status: 0 the same, 1 not, 2 a file cannot be read. */
#include <cairo.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK    4
#define LIMIT    48
#define LIGHT    0.02
#define COLOURED 3

struct picture {
	cairo_surface_t *s;
	const unsigned char *data;
	int w, h, stride;
};

static int open_picture(const char *path, struct picture *p)
{
	p->s = cairo_image_surface_create_from_png(path);
	if (cairo_surface_status(p->s) != CAIRO_STATUS_SUCCESS) {
		fprintf(stderr, "compare_png: %s: %s\n", path,
		        cairo_status_to_string(cairo_surface_status(p->s)));
		return 2;
	}
	p->data = cairo_image_surface_get_data(p->s);
	p->w = cairo_image_surface_get_width(p->s);
	p->h = cairo_image_surface_get_height(p->s);
	p->stride = cairo_image_surface_get_stride(p->s);
	return 0;
}

/* Mean of the three channels of a block, 0..255. */
static void mean(const struct picture *p, int bx, int by, double out[3])
{
	out[0] = out[1] = out[2] = 0;
	for (int y = by; y < by + BLOCK; y++)
		for (int x = bx; x < bx + BLOCK; x++) {
			const unsigned *row = (const unsigned *)(const void *)(p->data + (size_t)y * (size_t)p->stride);

			for (int k = 0; k < 3; k++)
				out[k] += (row[x] >> (8 * k) & 255) / (double)(BLOCK * BLOCK);
		}
}

static double lightness(const double c[3])
{
	return 0.114 * c[0] + 0.587 * c[1] + 0.299 * c[2];
}

static double colourfulness(const double c[3])
{
	double lo = c[0], hi = c[0];

	for (int k = 1; k < 3; k++) {
		lo = c[k] < lo ? c[k] : lo;
		hi = c[k] > hi ? c[k] : hi;
	}
	return hi - lo;
}

static double apart(double a, double b)
{
	return a > b ? a - b : b - a;
}

struct result {
	int blocks, light, coloured;
};

/* cr, or NULL: draws the blocks that differ. */
static struct result compare(const struct picture *a, const struct picture *b, cairo_t *cr)
{
	struct result r = {0};
	int w = a->w < b->w ? a->w : b->w, h = a->h < b->h ? a->h : b->h;

	for (int y = 0; y + BLOCK <= h; y += BLOCK)
		for (int x = 0; x + BLOCK <= w; x += BLOCK) {
			double p[3], q[3];
			int light, coloured;

			mean(a, x, y, p);
			mean(b, x, y, q);
			light = apart(lightness(p), lightness(q)) > LIMIT;
			coloured = apart(colourfulness(p), colourfulness(q)) > LIMIT;
			r.blocks++;
			r.light += light;
			r.coloured += coloured;
			if (!cr || (!light && !coloured))
				continue;
			cairo_set_source_rgb(cr, coloured ? 0.8 : 0.4, 0.3, coloured ? 0 : 0.4);
			cairo_rectangle(cr, x, y, BLOCK, BLOCK);
			cairo_fill(cr);
		}
	return r;
}

static int same(const struct picture *a, const struct picture *b, struct result r)
{
	return apart(a->w, b->w) <= 3 && apart(a->h, b->h) <= 3 && r.light <= LIGHT * r.blocks &&
	       r.coloured <= COLOURED;
}

static int side_by_side(const struct picture *a, const struct picture *b, const char *out)
{
	int w = a->w > b->w ? a->w : b->w, h = a->h > b->h ? a->h : b->h;
	cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 3 * w + 20, h);
	cairo_t *cr = cairo_create(s);
	cairo_status_t status;

	cairo_set_source_rgb(cr, 0.9, 0.9, 0.9);
	cairo_paint(cr);
	cairo_set_source_surface(cr, a->s, 0, 0);
	cairo_paint(cr);
	cairo_set_source_surface(cr, b->s, w + 10, 0);
	cairo_paint(cr);
	cairo_translate(cr, 2 * w + 20, 0);
	compare(a, b, cr);
	cairo_destroy(cr);
	status = cairo_surface_write_to_png(s, out);
	cairo_surface_destroy(s);
	if (status != CAIRO_STATUS_SUCCESS)
		fprintf(stderr, "compare_png: %s: %s\n", out, cairo_status_to_string(status));
	return status == CAIRO_STATUS_SUCCESS ? 1 : 2;
}

int main(int argc, char **argv)
{
	struct picture a, b;
	struct result r;
	int rc;

	if (argc != 4) {
		fprintf(stderr, "usage: compare_png REFERENCE GOT OUT\n");
		return 2;
	}
	rc = open_picture(argv[1], &a);
	if (open_picture(argv[2], &b) || rc) {
		rc = 2;
	} else {
		r = compare(&a, &b, NULL);
		if (!same(&a, &b, r)) {
			printf("%d of %d blocks differ in lightness, %d in colour; %d×%d is %d×%d pixels; see %s\n",
			       r.light, r.blocks, r.coloured, a.w, a.h, b.w, b.h, argv[3]);
			rc = side_by_side(&a, &b, argv[3]);
		}
	}
	cairo_surface_destroy(a.s);
	cairo_surface_destroy(b.s);
	return rc;
}

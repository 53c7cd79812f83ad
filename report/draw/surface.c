/* surface.c - see surface.h. */
#include <math.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "report/draw/canvas.h"
#include "report/draw/surface.h"

static cairo_status_t append(void *closure, const unsigned char *data, unsigned int n)
{
	buf_add(closure, data, n);
	return CAIRO_STATUS_SUCCESS;
}

/* A PNG is written when the surface is closed; until then it knows where to. */
static const cairo_user_data_key_t png_out;

static cairo_surface_t *open_png(struct buf *out, double w, double h, double dpi)
{
	double scale = dpi / 72;
	cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale),
	                                                (int)ceil(h * scale));

	cairo_surface_set_device_scale(s, scale, scale);
	/* an error of this leaves none to write to: surface_close says so */
	cairo_surface_set_user_data(s, &png_out, out, NULL);
	return s;
}

cairo_surface_t *surface_open(enum surface_kind kind, struct buf *out, double w, double h,
                              double dpi)
{
	switch (kind) {
	case SURFACE_PDF:
		return cairo_pdf_surface_create_for_stream(append, out, w, h);
	case SURFACE_SVG:
		return cairo_svg_surface_create_for_stream(append, out, w, h);
	case SURFACE_PNG:
		break;
	}
	return open_png(out, w, h, dpi);
}

void surface_metadata(cairo_surface_t *s, const char *title, const char *subject, const char *date)
{
	char *t = text_clean(title), *u = text_clean(subject);

	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, t);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_SUBJECT, u);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_MOD_DATE, date);
	g_free(t);
	g_free(u);
}

cairo_surface_t *surface_measure(void)
{
	return cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
}

/* What kind of surface: only a PNG's is an image. */
static cairo_status_t finish(cairo_surface_t *s)
{
	struct buf *out = cairo_surface_get_user_data(s, &png_out);

	if (cairo_surface_get_type(s) != CAIRO_SURFACE_TYPE_IMAGE)
		return CAIRO_STATUS_SUCCESS;
	return out ? cairo_surface_write_to_png_stream(s, append, out) : CAIRO_STATUS_NO_MEMORY;
}

enum st surface_close(cairo_surface_t *s, cairo_status_t drawn, const char *what, struct err *e)
{
	if (drawn == CAIRO_STATUS_SUCCESS)
		drawn = finish(s);
	cairo_surface_finish(s);
	if (drawn == CAIRO_STATUS_SUCCESS)
		drawn = cairo_surface_status(s);
	cairo_surface_destroy(s);
	if (drawn == CAIRO_STATUS_SUCCESS)
		return ST_OK;
	if (drawn == CAIRO_STATUS_NO_MEMORY)
		return FAIL(e, NOMEM, "drawing %s: out of memory", what);
	return FAIL(e, LIMIT, "drawing %s: %s", what, cairo_status_to_string(drawn));
}

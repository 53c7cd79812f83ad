/* surface.c - see surface.h. */
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "report/draw/surface.h"

static cairo_status_t append(void *closure, const unsigned char *data, unsigned int n)
{
	buf_add(closure, data, n);
	return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *surface_open(enum surface_kind kind, struct buf *out, double w, double h)
{
	return kind == SURFACE_PDF ? cairo_pdf_surface_create_for_stream(append, out, w, h)
	                           : cairo_svg_surface_create_for_stream(append, out, w, h);
}

cairo_surface_t *surface_measure(void)
{
	return cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
}

enum st surface_close(cairo_surface_t *s, cairo_status_t drawn, const char *what, struct err *e)
{
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

/* surface.h - Cairo surfaces that write into memory (private to report/draw/). Files are written
 * whole, so that a full disk or an unwritable folder leaves no half of one. */
#ifndef REPORT_DRAW_SURFACE_H
#define REPORT_DRAW_SURFACE_H

#include <cairo.h>

#include "base/base.h"

enum surface_kind { SURFACE_PDF, SURFACE_SVG, SURFACE_PNG };

/* Of w by h points; what it writes is appended to out when it is closed. dpi: of a PNG. */
cairo_surface_t *surface_open(enum surface_kind kind, struct buf *out, double w, double h,
                              double dpi);
/* Of a PDF: its texts, and the date of the evidence (2026-12-02T00:00:00Z) instead of the clock's,
 * so that the same evidence gives the same bytes. */
void surface_metadata(cairo_surface_t *s, const char *title, const char *subject, const char *date);
/* Draws nowhere: to measure. */
cairo_surface_t *surface_measure(void);
/* Finishes and frees the surface. `drawn`: the status of the context that drew. what: for the
 * message. */
MUST_USE enum st surface_close(cairo_surface_t *s, cairo_status_t drawn, const char *what,
                               struct err *e);

#endif

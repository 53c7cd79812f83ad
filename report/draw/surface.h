/* surface.h - Cairo surfaces that write into memory (private to report/draw/). Files are written
 * whole, so that a full disk or an unwritable folder leaves no half of one. */
#ifndef REPORT_DRAW_SURFACE_H
#define REPORT_DRAW_SURFACE_H

#include <cairo.h>

#include "base/base.h"

enum surface_kind { SURFACE_PDF, SURFACE_SVG };

/* What it writes is appended to out when it is closed. */
cairo_surface_t *surface_open(enum surface_kind kind, struct buf *out, double w, double h);
/* Draws nowhere: to measure. */
cairo_surface_t *surface_measure(void);
/* Finishes and frees the surface. `drawn`: the status of the context that drew. what: for the
 * message. */
MUST_USE enum st surface_close(cairo_surface_t *s, cairo_status_t drawn, const char *what,
                               struct err *e);

#endif

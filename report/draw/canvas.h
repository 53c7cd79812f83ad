/* canvas.h - a Cairo context with Pango text set in a few sizes (private to report/draw/).
 *
 * Units are points, y grows downwards. Positions of text are its top left corner. Nothing here
 * depends on the screen: hinting is off, so that a text has the same width in PDF and SVG and on
 * every machine with the same fonts. */
#ifndef REPORT_DRAW_CANVAS_H
#define REPORT_DRAW_CANVAS_H

#include <stdbool.h>

#include <pango/pangocairo.h>

#include "report/draw/palette.h"

/* By name, and what the machine takes for such where they are missing: a preference of the machine
 * (which another package of fonts changes) would make other bytes of the same evidence. */
#define FONT_SANS "DejaVu Sans,Sans"
#define FONT_MONO "DejaVu Sans Mono,Monospace"

struct canvas {
	cairo_t *cr;
	PangoLayout *layout;
};

/* A context on the surface; canvas_close gives back the first error of the context. */
void canvas_open(struct canvas *c, cairo_surface_t *surface);
/* The same on a context that is there already, of which it takes a reference. */
void canvas_on(struct canvas *c, cairo_t *cr);
cairo_status_t canvas_close(struct canvas *c);

/* A copy in which what Cairo refuses to draw (bytes that are not UTF-8, Unicode's noncharacters) is
 * U+FFFD, and control characters are blanks; g_free. The functions below do it themselves. */
char *text_clean(const char *text);

/* How a text is set. size in points; width 0: one line as long as it is; else it is cut with an
 * ellipsis after `lines` lines (0: one; lines > 1 wrap at words). middle: cut there, so that both
 * ends of a name are seen. markup: Pango markup, dynamic parts escaped. */
struct style {
	double size;
	enum colour colour;
	double width;
	int lines;
	bool bold, mono, right, centred, markup, middle;
};

/* Draws a text and returns its height. */
double text_draw(struct canvas *c, struct style s, double x, double y, const char *text);
double text_height(struct canvas *c, struct style s, const char *text);
double text_width(struct canvas *c, struct style s, const char *text);
/* Draws one line upwards (rotated by 90 degrees): it begins at (x, y), its lines' middle at x.
 * s.width cuts. */
void text_draw_up(struct canvas *c, struct style s, double x, double y, const char *text);
/* Draws a text with its middle at height y. */
void text_draw_middle(struct canvas *c, struct style s, double x, double y, const char *text);

void draw_rect(struct canvas *c, enum colour fill, double x, double y, double w, double h);
void draw_line(struct canvas *c, enum colour colour, double width, double x0, double y0, double x1,
               double y1);

#endif

/* axes.h - scales, their ticks and labels, and the marks of data (private to report/draw/). */
#ifndef REPORT_DRAW_AXES_H
#define REPORT_DRAW_AXES_H

#include "report/draw/canvas.h"

#define TEXT_BODY  6.8 /* points: names of rows, titles of axes */
#define TEXT_SMALL 6.0 /* labels of ticks, notes */

/* Values lo..hi on points from..to (from > to: an axis upwards). log: by decades, lo > 0. */
struct axis {
	double lo, hi, from, to;
	bool log;
};

/* Where v stands; what is far beyond an end, or no number, half an axis beyond it. */
double axis_at(const struct axis *a, double v);
/* Widens lo..hi of a logarithmic axis to whole decades; what no axis can show is cut off. */
void axis_decades(struct axis *a);

/* How ticks are labelled. */
enum tick { TICK_NUMBER, TICK_PERCENT };

/* The axis below a plot at height y: a line, ticks, labels, title (may be NULL) in the middle
 * below; faint lines up to y_top at the ticks. Returns the height of what stands below y. */
double axis_below(struct canvas *c, const struct axis *a, enum tick tick, double y, double y_top,
                  const char *title);
/* The axis at the left of a plot at x, faint lines to x_right; the title stands upright at
 * title_x. */
void axis_left(struct canvas *c, const struct axis *a, enum tick tick, double x, double x_right,
               double title_x, const char *title);
/* Heights and widths that they take. */
double axis_below_height(struct canvas *c, const char *title);
#define AXIS_LEFT_W 26.0

/* Marks differ by shape as well as by colour. */
enum shape { SHAPE_DISC, SHAPE_SQUARE, SHAPE_TRIANGLE, SHAPE_DIAMOND, SHAPE_COUNT };
/* Of radius r at (x, y); open: an outline on white. */
void shape_draw(struct canvas *c, enum shape s, enum colour colour, bool open, double x, double y,
                double r);
/* A horizontal interval with small ends. */
void interval_draw(struct canvas *c, enum colour colour, double x0, double x1, double y);

/* A legend that flows over lines within w; entries are added from left to right. Zero-initialise
 * all but c, w, x0, y. draw false: only measures. */
struct legend {
	struct canvas *c;
	double w, x0, x, y;
	bool draw;
};
void legend_shape(struct legend *l, enum shape s, enum colour colour, bool open, const char *text);
/* dashed: as the line of the plot is. */
void legend_line(struct legend *l, enum colour colour, double width, bool dashed, const char *text);
void legend_box(struct legend *l, enum colour colour, const char *text);
/* Where the legend ends. */
double legend_end(struct legend *l);

void dash_set(struct canvas *c, bool dashed);

#endif

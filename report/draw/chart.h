/* chart.h - charts: one entry of a table each (private to report/draw/).
 *
 * A chart is laid out in the width that it is given: texts keep their size, so that the same chart
 * stands in a column of 85 mm (241 points), on a page, or alone. Its title is not part of it.
 * Whoever adds a chart writes one file and one line in the table of chart.c. */
#ifndef REPORT_DRAW_CHART_H
#define REPORT_DRAW_CHART_H

#include "report/draw/canvas.h"
#include "report/draw/model.h"
#include "report/sources.h"

#define CHART_COLUMN 241.0 /* points: 85 mm, the narrowest that a chart is drawn in */

struct tolerance_table; /* tolerances/tolerances.h */

/* One run of a calibration (a line of NAME.runs.jsonl): largest scaled error, chain, elements. */
struct run_point {
	int cell; /* of the first tolerance table */
	bool heldout;
	double r, chain, elements;
};
struct run_points {
	bool read;
	struct run_point *point;
	size_t n;
};

/* What charts draw. A chart that shows one kernel, element type or cell takes the one named, or,
 * with NULL, chooses the most telling by a rule that it states in its picture. */
struct charts {
	const struct sources *src;
	struct model model;               /* of the evidence; without one it has no rows */
	struct tolerance_table *table[2]; /* NULL: not given */
	struct run_points *runs;          /* charts_runs */
	const char *kernel, *dtype;
	const char *cell; /* "softmax/f32", and with blanks its family and group: "softmax/f32 f32
	                     same" */
};

/* src outlives it. A table that cannot be read is ST_INPUT; charts_clear in any case. */
MUST_USE enum st charts_init(struct charts *in, const struct sources *src, struct err *e);
void charts_clear(struct charts *in);

/* The runs of a cell of the first table, in their order, of all files of runs that were given; *n
 * 0: none are known. */
const struct run_point *charts_runs(const struct charts *in, int cell, size_t *n);

struct chart {
	const char *name, *title;
	const char *shows; /* what it shows, a sentence for a caption */
	double width;      /* natural, in points; never below CHART_COLUMN */
	/* NULL when it can be drawn, else why not. Lives as long as the program. */
	const char *(*absent)(const struct charts *in);
	/* The height that it needs in width w. c: to measure texts, nothing is drawn. */
	double (*height)(struct canvas *c, const struct charts *in, double w);
	/* Draws with its top left corner at the origin. height and draw are NULL where absent
	 * always says why. */
	void (*draw)(struct canvas *c, const struct charts *in, double w, double h);
	double widest; /* wider than this it shows no more; 0: any width is used */
	/* What a reader should not overlook in these figures, and what it means: a line each,
	 * generated from them. NULL: there is never anything. */
	void (*remarks)(const struct charts *in, struct buf *out);
};

extern const struct chart *const charts[];
extern const size_t ncharts;
const struct chart *chart_find(const char *name); /* NULL: none of that name */

/* For documents with a context of their own: the height in width w, and the drawing with its top
 * left corner at (x, y). cr's state is kept. The chart must not be absent. */
double chart_height(const struct chart *k, const struct charts *in, double w);
void chart_draw(const struct chart *k, cairo_t *cr, const struct charts *in, double x, double y,
                double w);

enum chart_format { CHART_SVG, CHART_PDF, CHART_PNG, CHART_FORMATS };
extern const char *const chart_formats[CHART_FORMATS]; /* "svg", "pdf", "png" */
struct chart_style {
	enum chart_format format;
	double width; /* of the chart in points, 0: its natural one */
	double dpi;   /* of a PNG, 0: 200 */
	bool plain;   /* without title and caption */
};
/* The chart as a whole file on white, appended to out. */
MUST_USE enum st chart_file(const struct chart *k, const struct charts *in, struct chart_style s,
                            struct buf *out, struct err *e);

#endif

/* grid.h - the verdict grid: a row a kernel, a column an oracle (private to report/draw/).
 *
 *   kernel | one-shape checks on friendly inputs | the same on the benchmarks' own | gpuemu a dtype
 * | failing
 *
 * The benchmark blocks are there when the evidence has profiles, the bars when asked for. */
#ifndef REPORT_DRAW_GRID_H
#define REPORT_DRAW_GRID_H

#include "report/draw/canvas.h"
#include "report/draw/model.h"

struct grid {
	const struct model *m;
	double x, width, text; /* text: size of names, points */
	double name_w, col, row_h, head_h, group_h,
	        title_h;                                /* title_h: of the head, its two lines */
	double block_x[2], block_w;                     /* by enum input */
	double dtype_x, dtype_w, bar_x, bar_w, label_w; /* bar_w 0: no bars */
};

/* Lays the columns out. cell: width of a benchmark's column; width 0: as wide as the columns are;
 * with a width, bars take what remains. */
void grid_layout(struct grid *g, struct canvas *c, const struct model *m, double x, double width,
                 double cell, bool bars);
/* For a chart: in the width, without bars, the texts of the size given; columns take what names
 * leave. */
void grid_fit(struct grid *g, struct canvas *c, const struct model *m, double width, double text);
/* Each draws with its top at y; heights are head_h, group_h, row_h. */
void grid_head(const struct grid *g, struct canvas *c, double y);
void grid_group(const struct grid *g, struct canvas *c, double y, enum group group, bool continued);
void grid_row(const struct grid *g, struct canvas *c, double y, const struct row *r);
/* What marks and colours mean, flowing over lines; returns its height. draw false: only measures.
 */
double grid_legend(const struct grid *g, struct canvas *c, double y, bool draw);

const char *group_title(enum group g);

#endif

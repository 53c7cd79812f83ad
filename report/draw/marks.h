/* marks.h - the small signs that stand in a cell of the grid (private to report/draw/). */
#ifndef REPORT_DRAW_MARKS_H
#define REPORT_DRAW_MARKS_H

#include "report/draw/canvas.h"
#include "report/draw/model.h"

/* A cell of w by h points with its top left corner at (x, y): ground by sense, sign by mark. */
void mark_draw(struct canvas *c, struct cell cell, double x, double y, double w, double h);

#endif

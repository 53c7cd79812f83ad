/* draw.h - the three drawings (private to report/draw/). Each appends a whole file to out. */
#ifndef REPORT_DRAW_DRAW_H
#define REPORT_DRAW_DRAW_H

#include "report/draw/model.h"

/* report.pdf: A4 pages, one for the seed corpus. */
MUST_USE enum st draw_pages(const struct model *m, struct buf *out, struct err *e);
/* verdicts.svg, failing.svg */
MUST_USE enum st draw_verdicts(const struct model *m, struct buf *out, struct err *e);
MUST_USE enum st draw_failing(const struct model *m, struct buf *out, struct err *e);

#endif

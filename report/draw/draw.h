/* draw.h - the report as a PDF (private to report/draw/): appends a whole file to out. */
#ifndef REPORT_DRAW_DRAW_H
#define REPORT_DRAW_DRAW_H

#include "report/draw/model.h"

/* report.pdf: A4 pages, one for the seed corpus. */
MUST_USE enum st draw_pages(const struct model *m, struct buf *out, struct err *e);
#endif

/* report.h - the audit report, report.pdf: see audit.h. */
#ifndef REPORT_AUDIT_REPORT_H
#define REPORT_AUDIT_REPORT_H

#include "report/draw/chart.h"

/* Draws the evidence of in->src, which must have one, as a PDF of A4 pages that is appended to out.
 * ST_INPUT: the evidence's file cannot be read again (for its SHA-256). */
MUST_USE enum st audit_report(const struct charts *in, struct buf *out, struct err *e);

#endif

/* report.h - evidence as text: a table for the terminal, Markdown, JUnit XML. Reads evidence.json
 * alone (schema: validate/evidence.schema.json) and prints nothing that is not in it. Drawing (PDF,
 * SVG) is the program gpuemu-report in report/draw/, so that gpuemu itself needs no Cairo. Knows
 * tolerances, stats and base. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/base.h"

/* Reads evidence and checks that it is evidence of a version this program knows. */
MUST_USE enum st report_read(const char *path, cJSON **evidence, struct err *e);

/* The table a campaign ends with: a line a kernel, then the headline sums. width: of the terminal,
 * at least 60. colour: ANSI colours. */
void report_table(const cJSON *evidence, int width, bool colour, struct buf *out);
/* The same as GitHub-flavoured Markdown, with minimal cases, nulls and the benchmark matrix. */
void report_markdown(const cJSON *evidence, struct buf *out);
/* JUnit XML: a test suite a kernel, a test case a dtype; a FAIL of a user's or control kernel is a
 * failure, UNKNOWN an error, UNSUPPORTED skipped; an expected FAIL of a buggy kernel passes. */
void report_junit(const cJSON *evidence, struct buf *out);

#endif

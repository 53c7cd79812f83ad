/* report.h - evidence as text: a table for the terminal, Markdown, and for continuous integration JUnit XML, SARIF, a summary
 * and a badge (baselines of gpuemu ci: baseline.h). Reads evidence.json
 * alone (schema: validate/evidence.schema.json) and prints nothing that is not in it. Drawing (PDF,
 * SVG) is the program gpuemu-report in report/draw/, so that gpuemu itself needs no Cairo. Knows
 * tolerances, stats and base. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/hosts.h"

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

/* SARIF 2.1.0: verdicts that are none to be glad of, findings of the sanitizers and of lint, each at its place in the source or the PTX.
 * What a buggy kernel of the corpus is expected to do is suppressed. rules: lint's, n of them, for their titles. Caller frees. */
cJSON *report_sarif(const cJSON *evidence, const struct sarif_rule *rules, int n);
/* Markdown for a step's summary on GitHub: one sentence, a table, failing cases with their replay lines; at most `most` bytes, and what is
 * left out is said. GitHub takes REPORT_SUMMARY_MOST of a step. */
#define REPORT_SUMMARY_MOST ((size_t)1 << 20)
void report_summary(const cJSON *evidence, size_t most, struct buf *out);
/* A badge as SVG, in one line of words: "gpuemu | PASS 3 kernels, 12 configurations", "gpuemu | 10 of 10 caught, 0 flagged". */
void report_badge(const cJSON *evidence, struct buf *out);

/* Tables of figures, made from evidence, tolerance tables and the figures of studies, which are known by what they
 * hold (paths: files and folders of them). Numbers have the digits that their intervals give a meaning, the same in
 * every format: "markdown", "latex" (booktabs), "csv", "json", "macros" (\newcommand, one a figure).
 *
 * One table, appended to out. No such table or format, or data that are not there: ST_INPUT. */
MUST_USE enum st report_figures(const char *name, const char *format, char *const *paths, int n,
                                struct buf *out, struct err *e);
/* Every table whose data are there in every format: dir/NAME.md, .tex, .csv, .json, .macros.tex. */
MUST_USE enum st report_figures_all(const char *dir, char *const *paths, int n, struct err *e);
/* A line a table; with paths, also why one cannot be made. */
MUST_USE enum st report_figures_list(char *const *paths, int n, struct buf *out, struct err *e);

#endif

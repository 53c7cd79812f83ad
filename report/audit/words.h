/* words.h - numbers and names as the audit report writes them (private to report/audit/). */
#ifndef REPORT_AUDIT_WORDS_H
#define REPORT_AUDIT_WORDS_H

#include "report/draw/prose.h"

/* 7800 as "7,800"; what is no count as %g. */
void put_count(struct buf *b, double v);
/* "1 kernel", "26 kernels" */
void put_plural(struct buf *b, double n, const char *one, const char *many);
/* A measured number with `digits` significant digits; "inf", "nan" and null as words. */
void put_real(struct buf *b, const cJSON *v, int digits);
/* "[3, 4]" of an array of numbers, "" of none. */
void put_index(struct buf *b, const cJSON *a, const char *open, const char *close);

/* The text of a kernel's source line as the evidence has it, without what stands before it; ""
 * where it has not. */
const char *source_line(const cJSON *kernel, double number);

/* PASS, FAIL, UNKNOWN, UNSUPPORTED in the colour of what they are. */
enum colour verdict_colour(const char *verdict);

/* Elements of a dtype's entry that have a verdict: the rest is out of contract, ill-conditioned or
 * undecidable. */
double elements_judged(const cJSON *dtype);

/* What a cell of the evidence's tolerance.cells gave to its cases. */
enum limit_kind {
	LIMIT_FITTED,  /* a fit to many runs, with a coverage and a confidence */
	LIMIT_LARGEST, /* no sums: the largest error of dense runs with a margin */
	LIMIT_EXACT,   /* every run was exact */
	LIMIT_BOUND,   /* an error bound of numerical analysis */
	LIMIT_NONE     /* the table has no such cell */
};
enum limit_kind limit_of(const cJSON *cell);

/* Sum of a number over the dtypes of a kernel. */
double sum_dtypes(const cJSON *kernel, const char *key);

#endif

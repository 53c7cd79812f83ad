/* number.h - how numbers are written, the same everywhere: tables, charts, macros (private to
 * report/). */
#ifndef REPORT_NUMBER_H
#define REPORT_NUMBER_H

#include "base/base.h"

/* Pango markup and LaTeX have real exponents and minus signs; plain is UTF-8; data: what programs
 * read, all the digits that a double has, no sign of percent or thousands. */
enum num_style { NUM_PLAIN, NUM_MARKUP, NUM_LATEX, NUM_DATA };

#define NUM_SIZE 96

/* Each writes into out[NUM_SIZE] and returns it. NaN is "", infinity "∞".
 *
 * A count: 17,274,334 (data: 17274334). */
char *num_count(double v, enum num_style s, char *out);
/* A value with so many significant digits, none of them dropped: 0.500, 12.3, 5300, 1.30·10⁻⁵
 * below 10⁻³ and from 10⁶ on. Data: %.17g. */
char *num_value(double v, int digits, enum num_style s, char *out);
/* x of n as a percentage with as many decimals as its 95 % Clopper-Pearson interval (stats.h) gives
 * a meaning: two significant digits of half the interval. "99.38 %"; all of them are "100 %", none
 * "0 %"; n = 0: "". Data: the fraction. */
char *num_share(double x, double n, enum num_style s, char *out);
/* The same and its interval, rounded outwards: "99.38 % [98.87, 99.69]". Data: "lo;hi". */
char *num_share_interval(double x, double n, enum num_style s, char *out);
/* Both limits of an interval of a share, given as fractions, as percentages without the sign and rounded
 * outwards: "98.87" and "99.69"; "" for what is no number. */
void num_limits(double lo, double hi, char *a, char *b);
/* Can x be so many of n trials? */
bool num_are_counts(double x, double n);
/* The interval as fractions; [0, 1] when n is 0 or the counts are none (negative, beyond n). */
void num_interval(double x, double n, double *lo, double *hi);

#endif

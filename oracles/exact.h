/* exact.h - intervals of MPFR numbers, the arithmetic of oracle_exact.
 *
 * A finite exact value lies in [lo, hi]; hi = +inf or lo = -inf say only that it is beyond MPFR's
 * range on that side. NaN and exact infinities are classes of their own; UNKNOWN is anything at
 * all. */
#ifndef ORACLES_EXACT_H
#define ORACLES_EXACT_H

#include "oracles/lang.h"

enum ival_class { IVAL_FINITE, IVAL_NAN, IVAL_PLUS, IVAL_MINUS, IVAL_UNKNOWN };

struct ival {
	enum ival_class cls;
	mpfr_t lo, hi;
};

void ival_init(struct ival *z, mpfr_prec_t prec);
void ival_clear(struct ival *z);
void ival_set(struct ival *z, const struct ival *a);
void ival_set_d(struct ival *z, double v);
/* z may be an operand. */
void ival_add(struct ival *z, const struct ival *a, const struct ival *b);
void ival_sub(struct ival *z, const struct ival *a, const struct ival *b);
void ival_mul(struct ival *z, const struct ival *a, const struct ival *b);
void ival_sqr(struct ival *z, const struct ival *a);
void ival_div(struct ival *z, const struct ival *a, const struct ival *b);
void ival_neg(struct ival *z, const struct ival *a);
void ival_abs(struct ival *z, const struct ival *a);
/* drop: a NaN loses instead of winning. */
void ival_max(struct ival *z, const struct ival *a, const struct ival *b, bool drop);
void ival_fn(struct ival *z, enum lang_fn f, const struct ival *a);
/* ival_fn for the functions of the table (lang_fn_in_table). a is not NaN and not unknown. */
void ival_table_fn(struct ival *z, enum lang_fn f, const struct ival *a);
/* More than double has, so that enclosures are hardly wider than their radius in double says. */
#define FN_BITS 96
/* For the error scale, in doubles that are the same on every machine: a bound or a close value of
 * |f(t) - f(x)|/|t - x| for |t - x| <= e, |f'(x)| when e is 0, where z is f(x), inf where f is not a number
 * all over there; what an implementation's own error is proportional to (|z| for most functions); and how
 * many roundoffs of it (2n + 1 for CUDA's published bound of n ulp). */
double fn_slope(enum lang_fn f, double x, double z, double e);
double fn_own(enum lang_fn f, double x, double z);
double fn_factor(enum lang_fn f);
void ival_pow(struct ival *z, const struct ival *a, const struct ival *b);
/* Is the value exactly zero? Its sign: -1, 0, 1 when known (0 only for zero), 2 when not. */
bool ival_zero(const struct ival *a);
int ival_sign(const struct ival *a);

#endif

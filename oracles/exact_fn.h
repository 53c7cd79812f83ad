/* exact_fn.h - the functions that MPFR alone evaluates: what a row of their table (exact_fn.c) is
 * made of.
 *
 * Each has an enclosure at a point: MPFR's own function rounded down and up, or one of ours made
 * from intervals (exact_point.c).  From points to intervals leads a shape (exact_shape.c): monotone
 * on its domain, or a bound of the slope.  Every step is rounded outwards, so that the enclosure
 * holds whatever the precision. */
#ifndef ORACLES_EXACT_FN_H
#define ORACLES_EXACT_FN_H

#include "oracles/exact.h"

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef void point_function(struct ival *z, mpfr_srcptr x);
struct fn_row;
typedef void shape_function(const struct fn_row *r, struct ival *z, const struct ival *a);

struct fn_row {
	mpfr_function *mpfr;   /* correctly rounded, or */
	point_function *point; /* an enclosure of f(x), x finite or infinite, not NaN */
	shape_function *shape;
	double from, to; /* the domain of a monotone one */
	int ulps;        /* n of the published bound: see fn_factor */
	double (*slope)(double x, double z);
	double (*own)(double x, double z); /* NULL: |z| */
};

/* f(x) for one x, finite or infinite. */
void fn_at_point(const struct fn_row *r, struct ival *z, mpfr_srcptr x);
void fn_set_class(struct ival *z, enum ival_class c);
/* Ends that are the same infinity are an exact one: an overflow rounds the lower end to a number.
 */
void fn_settle(struct ival *z);

/* Shapes: z = f over the interval a of numbers. */
shape_function shape_rises, shape_falls, shape_falls_but_at_0, shape_even, shape_tangent,
        shape_wave, shape_bessel_y, shape_log_gamma, shape_gamma;

/* log |gamma(x)| as MPFR's functions are called. */
mpfr_function log_abs_gamma;
point_function point_rcbrt, point_erfcx, point_normcdf, point_erfinv, point_erfcinv,
        point_normcdfinv, point_bessel_i0, point_bessel_i1;

#endif

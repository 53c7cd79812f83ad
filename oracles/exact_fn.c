/* exact_fn.c - the functions that MPFR alone evaluates: one line each in the table below, which is
 * all that a new one takes besides its name in lang.h. */
#include "oracles/exact_fn.h"

#include <math.h>

#include "oracles/vecmath.h"

/* ---- slopes, for the error scale --------------------------------------------------------------
 */

#define PI             0x1.921fb54442d18p+1
#define TWO_OVER_ROOT  0x1.20dd750429b6dp+0 /* 2/√π */
#define ROOT_OVER_TWO  0x1.c5bf891b4ef6bp-1 /* √π/2 */
#define ONE_OVER_ROOT2 0x1.9884533d43651p-2 /* 1/√(2π) */
#define ROOT2          0x1.40d931ff62706p+1 /* √(2π) */
#define ONE_OVER_LN10  0x1.bcb7b1526e50fp-2
#define LN10           0x1.26bb1bbb55516p+1

/* MPFR's value in double, in the same bits everywhere. */
static double value(mpfr_function *f, double x)
{
	mpfr_t t;
	double z;

	mpfr_init2(t, 53);
	mpfr_set_d(t, x, MPFR_RNDN);
	f(t, t, MPFR_RNDN);
	z = mpfr_get_d(t, MPFR_RNDN);
	mpfr_clear(t);
	return z;
}

static double exp_of(double x)
{
	vm_exp(&x, &x, 1);
	return x;
}

#define SLOPE(name, expression)                                                                    \
	static double slope_##name(double x, double z)                                             \
	{                                                                                          \
		(void)x, (void)z;                                                                  \
		return expression;                                                                 \
	}
SLOPE(exp10, LN10 *z)
SLOPE(log10, ONE_OVER_LN10 / x)
SLOPE(tan, 1 + z * z)
SLOPE(asin, 1 / sqrt((1 - x) * (1 + x))) /* and acos */
SLOPE(atan, 1 / (1 + x * x))
SLOPE(sinh, sqrt(1 + z * z))
SLOPE(cosh, sqrt((z - 1) * (z + 1)))
SLOPE(asinh, 1 / sqrt(1 + x * x))
SLOPE(acosh, 1 / sqrt((x - 1) * (x + 1)))
SLOPE(atanh, 1 / ((1 - x) * (1 + x)))
SLOPE(wavepi, PI)
SLOPE(cbrt, 1 / (3 * z * z))
SLOPE(rcbrt, z *z *z *z / 3)
SLOPE(erfc, TWO_OVER_ROOT *exp_of(-x *x))
/* x·erfcx(x) grows on x > 0, so that |f'| <= f/x there; elsewhere |f'| = 2/√π - 2x·f. */
SLOPE(erfcx, x > 1 ? z / x : TWO_OVER_ROOT + 2 * fabs(x) * z)
SLOPE(erfinv, ROOT_OVER_TWO *exp_of(z *z)) /* and erfcinv */
SLOPE(normcdf, ONE_OVER_ROOT2 *exp_of(-x *x / 2))
SLOPE(normcdfinv, ROOT2 *exp_of(z *z / 2))
SLOPE(lgamma, value(mpfr_digamma, x))
SLOPE(tgamma, z *value(mpfr_digamma, x))
SLOPE(j0, value(mpfr_j1, x))
SLOPE(y0, value(mpfr_y1, x))
SLOPE(j1, x == 0 ? 0.5 : value(mpfr_j0, x) - z / x)
SLOPE(y1, value(mpfr_y0, x) - z / x)
/* Bounds: I1 is below I0 and below x/2·I0; I1' = I0 - I1/x is below I0, and I0 below (1/2 +
 * 1/x)·2·I1. */
SLOPE(i0, fmin(fabs(x) / 2, 1) * z)
SLOPE(i1, fabs(x) < 1 ? 0.75 : (1 + 2 / fabs(x)) * z)

/* 2^(x log2(10)) moves by ln 10 |x| when the product is rounded; 5 roundoffs are `ulps`. */
static double own_exp10(double x, double z)
{
	return z * (1 + LN10 / 5 * fabs(x));
}

/* log|gamma(x)| for x < 0 is log(π/|x·sin πx|) - log gamma(-x): two terms that may cancel. */
static double own_lgamma(double x, double z)
{
	double t = x < 0 ? value(log_abs_gamma, -x) : 0;

	return fabs(z) + (isfinite(t) ? 2 * fabs(t) + (x < 0) : 0);
}

/* Bessel functions beyond 8 are bounded absolutely, by 2.2e-6: 37 roundoffs of f32 at 1, 19 of
 * which are `ulps`; and so near the zeros on this side. */
static double own_bessel(double x, double z)
{
	return fabs(x) >= 1 ? fmax(fabs(z), 2) : fabs(z);
}

/* ---- the table --------------------------------------------------------------------------------
 */

#define ALL -INFINITY, INFINITY
static const struct fn_row rows[FN_COUNT] = {
        /*                 MPFR          our own               shape      domain       ulps slope */
        [FN_EXP10] = {mpfr_exp10, NULL, shape_rises, ALL, 2, slope_exp10, own_exp10},
        [FN_LOG10] = {mpfr_log10, NULL, shape_rises, 0, INFINITY, 2, slope_log10, NULL},
        [FN_TAN] = {mpfr_tan, NULL, shape_tangent, ALL, 4, slope_tan, NULL},
        [FN_ASIN] = {mpfr_asin, NULL, shape_rises, -1, 1, 2, slope_asin, NULL},
        [FN_ACOS] = {mpfr_acos, NULL, shape_falls, -1, 1, 2, slope_asin, NULL},
        [FN_ATAN] = {mpfr_atan, NULL, shape_rises, ALL, 2, slope_atan, NULL},
        [FN_SINH] = {mpfr_sinh, NULL, shape_rises, ALL, 3, slope_sinh, NULL},
        [FN_COSH] = {mpfr_cosh, NULL, shape_even, ALL, 2, slope_cosh, NULL},
        [FN_ASINH] = {mpfr_asinh, NULL, shape_rises, ALL, 3, slope_asinh, NULL},
        [FN_ACOSH] = {mpfr_acosh, NULL, shape_rises, 1, INFINITY, 4, slope_acosh, NULL},
        [FN_ATANH] = {mpfr_atanh, NULL, shape_rises, -1, 1, 3, slope_atanh, NULL},
        [FN_SINPI] = {mpfr_sinpi, NULL, shape_wave, ALL, 1, slope_wavepi, NULL},
        [FN_COSPI] = {mpfr_cospi, NULL, shape_wave, ALL, 1, slope_wavepi, NULL},
        [FN_CBRT] = {mpfr_cbrt, NULL, shape_rises, ALL, 1, slope_cbrt, NULL},
        [FN_RCBRT] = {NULL, point_rcbrt, shape_falls_but_at_0, ALL, 1, slope_rcbrt, NULL},
        [FN_ERFC] = {mpfr_erfc, NULL, shape_falls, ALL, 4, slope_erfc, NULL},
        [FN_ERFCX] = {NULL, point_erfcx, shape_falls, ALL, 4, slope_erfcx, NULL},
        [FN_ERFINV] = {NULL, point_erfinv, shape_rises, -1, 1, 2, slope_erfinv, NULL},
        [FN_ERFCINV] = {NULL, point_erfcinv, shape_falls, 0, 2, 4, slope_erfinv, NULL},
        [FN_NORMCDF] = {NULL, point_normcdf, shape_rises, ALL, 5, slope_normcdf, NULL},
        [FN_NORMCDFINV] = {NULL, point_normcdfinv, shape_rises, 0, 1, 5, slope_normcdfinv, NULL},
        [FN_LGAMMA] = {log_abs_gamma, NULL, shape_log_gamma, ALL, 6, slope_lgamma, own_lgamma},
        [FN_TGAMMA] = {mpfr_gamma, NULL, shape_gamma, ALL, 5, slope_tgamma, NULL},
        [FN_J0] = {mpfr_j0, NULL, shape_wave, ALL, 9, slope_j0, own_bessel},
        [FN_J1] = {mpfr_j1, NULL, shape_wave, ALL, 9, slope_j1, own_bessel},
        [FN_Y0] = {mpfr_y0, NULL, shape_bessel_y, ALL, 9, slope_y0, own_bessel},
        [FN_Y1] = {mpfr_y1, NULL, shape_bessel_y, ALL, 9, slope_y1, own_bessel},
        [FN_I0] = {NULL, point_bessel_i0, shape_even, ALL, 6, slope_i0, NULL},
        [FN_I1] = {NULL, point_bessel_i1, shape_rises, ALL, 6, slope_i1, NULL},
};

void ival_table_fn(struct ival *z, enum lang_fn f, const struct ival *a)
{
	struct ival t;
	mpfr_prec_t p = mpfr_get_prec(z->lo), q = mpfr_get_prec(a->lo);

	ival_init(&t, p > q ? p : q);
	if (a->cls == IVAL_FINITE) {
		rows[f].shape(&rows[f], &t, a);
	} else {
		mpfr_set_inf(t.lo, a->cls == IVAL_PLUS ? 1 : -1);
		mpfr_set(t.hi, t.lo, MPFR_RNDN);
		fn_at_point(&rows[f], z, t.lo);
		ival_set(&t, z);
	}
	ival_set(z, &t);
	ival_clear(&t);
}

/* The largest |f(t) - f(x)|/e for |t - x| <= e, from enclosures. 0: the same NaN or infinity there.
 */
static double secant(enum lang_fn f, double x, double e)
{
	struct ival a, b;
	double d = INFINITY;

	ival_init(&a, FN_BITS);
	ival_init(&b, FN_BITS);
	ival_set_d(&b, x);
	ival_set_d(&a, x);
	mpfr_sub_d(a.lo, a.lo, e, MPFR_RNDD);
	mpfr_add_d(a.hi, a.hi, e, MPFR_RNDU);
	ival_table_fn(&a, f, &a);
	ival_table_fn(&b, f, &b);
	if (a.cls == IVAL_FINITE && b.cls == IVAL_FINITE) {
		mpfr_sub(a.hi, a.hi, b.lo, MPFR_RNDU);
		mpfr_sub(a.lo, b.hi, a.lo, MPFR_RNDU);
		mpfr_max(a.hi, a.hi, a.lo, MPFR_RNDU);
		d = mpfr_get_d(a.hi, MPFR_RNDU) / e;
	} else if (a.cls == b.cls && a.cls != IVAL_UNKNOWN) {
		d = 0;
	}
	ival_clear(&a);
	ival_clear(&b);
	return d;
}

double fn_slope(enum lang_fn f, double x, double z, double e)
{
	double slope, s;

	if (e > 0 && isfinite(x) && rows[f].shape != shape_wave) {
		s = secant(f, x, e);
		if (s == 0 || isinf(s))
			return s;
		slope = fabs(rows[f].slope(x, z));
		return isfinite(slope) ? fmax(s, slope) : s;
	}
	slope = fabs(rows[f].slope(x, z));
	return rows[f].shape == shape_wave ? fmin(slope + 5 * e, 4)
	                                   : slope; /* |f''| < 10, |f'| < 4 */
}

double fn_own(enum lang_fn f, double x, double z)
{
	return rows[f].own ? rows[f].own(x, z) : fabs(z);
}

double fn_factor(enum lang_fn f)
{
	return 2 * rows[f].ulps + 1;
}

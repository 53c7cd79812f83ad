/* math_table.c - the functions, NVIDIA's promises, and exact values by MPFR.
 *
 * Promises: CUDA C++ Programming Guide, appendix Mathematical Functions (facts/accuracy.md §1.1, §1.3). "n ulp" there is the
 * distance to the correctly rounded result. */
#include "calibrate/math.h"

#include <math.h>

#define ALL -INFINITY, INFINITY
#define ULP(n) {{ALL, MATH_ULP, n, 0}}
#define BESSEL {{-0x1.fffffep+2, 0x1.fffffep+2, MATH_ULP, 9, 0}, {ALL, MATH_ABS, 2.2e-6, 0}}

/* ---- functions that MPFR lacks ---- */

static void ex_rcp(mpfr_t z, const mpfr_t x)
{
	mpfr_ui_div(z, 1, x, MPFR_RNDN);
}

/* IEEE 754's rSqrt(-0) is -infinity, MPFR's +infinity. */
static void ex_rec_sqrt(mpfr_t z, const mpfr_t x)
{
	if (mpfr_zero_p(x))
		mpfr_set_inf(z, mpfr_signbit(x) ? -1 : 1);
	else
		mpfr_rec_sqrt(z, x, MPFR_RNDN);
}

static void ex_rcbrt(mpfr_t z, const mpfr_t x)
{
	mpfr_cbrt(z, x, MPFR_RNDN);
	mpfr_ui_div(z, 1, z, MPFR_RNDN);
}

/* For x > 2^12: 1/(x√π)·Σ (-1)^k·(2k-1)!!/(2x²)^k, whose error is below the first term left out. */
static void erfcx_far(mpfr_t z, const mpfr_t x)
{
	mpfr_t q, t, s;

	mpfr_inits2(2 * MATH_PREC, q, t, s, (mpfr_ptr)0);
	mpfr_sqr(q, x, MPFR_RNDN);
	mpfr_mul_si(q, q, -2, MPFR_RNDN);
	mpfr_set_ui(t, 1, MPFR_RNDN);
	mpfr_set_ui(s, 1, MPFR_RNDN);
	for (unsigned long k = 1; mpfr_regular_p(t) && mpfr_get_exp(t) > -MATH_PREC - 8; k++) {
		mpfr_mul_ui(t, t, 2 * k - 1, MPFR_RNDN);
		mpfr_div(t, t, q, MPFR_RNDN);
		mpfr_add(s, s, t, MPFR_RNDN);
	}
	mpfr_const_pi(t, MPFR_RNDN);
	mpfr_sqrt(t, t, MPFR_RNDN);
	mpfr_mul(t, t, x, MPFR_RNDN);
	mpfr_div(z, s, t, MPFR_RNDN);
	mpfr_clears(q, t, s, (mpfr_ptr)0);
}

/* exp(x²)·erfc(x) */
static void ex_erfcx(mpfr_t z, const mpfr_t x)
{
	mpfr_t t;

	mpfr_init2(t, 2 * MATH_PREC);
	if (mpfr_cmp_d(x, 0x1p12) > 0) {
		erfcx_far(z, x);
	} else if (mpfr_cmp_d(x, -1e5) < 0) {
		mpfr_set_inf(z, 1);
	} else {
		mpfr_sqr(t, x, MPFR_RNDN);
		mpfr_exp(t, t, MPFR_RNDN);
		mpfr_erfc(z, x, MPFR_RNDN);
		mpfr_mul(z, z, t, MPFR_RNDN);
	}
	mpfr_clear(t);
}

static void ex_normcdf(mpfr_t z, const mpfr_t x)
{
	mpfr_t t;

	mpfr_init2(t, 2 * MATH_PREC);
	mpfr_sqrt_ui(t, 2, MPFR_RNDN);
	mpfr_div(t, x, t, MPFR_RNDN);
	mpfr_neg(t, t, MPFR_RNDN);
	mpfr_erfc(z, t, MPFR_RNDN);
	mpfr_div_2ui(z, z, 1, MPFR_RNDN);
	mpfr_clear(t);
}

/* Newton on log erfc(y) = log p for 0 < p <= 1, from 0: log erfc is concave and decreasing, so that the first step lands
 * right of the root and the others fall to it; they end when a step is below the precision. */
static void inverse_erfc(mpfr_t y, const mpfr_t p)
{
	mpfr_t lp, e, d, s;

	mpfr_inits2(MATH_PREC + 64, lp, e, d, s, (mpfr_ptr)0);
	mpfr_set_zero(y, 1);
	mpfr_log(lp, p, MPFR_RNDN);
	for (int i = 0; i < 200; i++) {
		mpfr_erfc(e, y, MPFR_RNDN);
		/* d = -(2/√π) exp(-y²) / erfc(y), the derivative of log erfc */
		mpfr_sqr(d, y, MPFR_RNDN);
		mpfr_neg(d, d, MPFR_RNDN);
		mpfr_exp(d, d, MPFR_RNDN);
		mpfr_const_pi(s, MPFR_RNDN);
		mpfr_sqrt(s, s, MPFR_RNDN);
		mpfr_div(d, d, s, MPFR_RNDN);
		mpfr_mul_si(d, d, -2, MPFR_RNDN);
		mpfr_div(d, d, e, MPFR_RNDN);
		mpfr_log(e, e, MPFR_RNDN);
		mpfr_sub(e, e, lp, MPFR_RNDN);
		mpfr_div(s, e, d, MPFR_RNDN);
		mpfr_sub(y, y, s, MPFR_RNDN);
		if (mpfr_zero_p(s) || (!mpfr_zero_p(y) && mpfr_get_exp(s) < mpfr_get_exp(y) - MATH_PREC))
			break;
	}
	mpfr_clears(lp, e, d, s, (mpfr_ptr)0);
}

static void ex_erfcinv(mpfr_t z, const mpfr_t x)
{
	mpfr_t p, y;

	if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 2) > 0) {
		mpfr_set_nan(z);
		return;
	}
	if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0) {
		mpfr_set_inf(z, mpfr_zero_p(x) ? 1 : -1);
		return;
	}
	mpfr_inits2(MATH_PREC + 64, p, y, (mpfr_ptr)0);
	if (mpfr_cmp_ui(x, 1) > 0) {
		mpfr_ui_sub(p, 2, x, MPFR_RNDN);
		inverse_erfc(y, p);
		mpfr_neg(z, y, MPFR_RNDN);
	} else {
		mpfr_set(p, x, MPFR_RNDN);
		inverse_erfc(y, p);
		mpfr_set(z, y, MPFR_RNDN);
	}
	mpfr_clears(p, y, (mpfr_ptr)0);
}

/* erfinv(x) = erfcinv(1 - x) for x >= 0, and odd; 1 - x is exact in the bits of p. */
static void ex_erfinv(mpfr_t z, const mpfr_t x)
{
	mpfr_t p;

	if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) {
		mpfr_set_nan(z);
		return;
	}
	if (mpfr_zero_p(x)) {
		mpfr_set(z, x, MPFR_RNDN);
		return;
	}
	mpfr_init2(p, 4 * MATH_PREC);
	mpfr_abs(p, x, MPFR_RNDN);
	if (mpfr_get_exp(p) < -100) { /* x√π/2·(1 + πx²/12 …): the next term is below 2^-200 */
		mpfr_const_pi(p, MPFR_RNDN);
		mpfr_sqrt(p, p, MPFR_RNDN);
		mpfr_div_2ui(p, p, 1, MPFR_RNDN);
		mpfr_mul(z, x, p, MPFR_RNDN);
	} else {
		mpfr_ui_sub(p, 1, p, MPFR_RNDN);
		ex_erfcinv(z, p);
		if (mpfr_sgn(x) < 0)
			mpfr_neg(z, z, MPFR_RNDN);
	}
	mpfr_clear(p);
}

static void ex_normcdfinv(mpfr_t z, const mpfr_t x)
{
	mpfr_t t;

	mpfr_init2(t, 2 * MATH_PREC);
	mpfr_mul_2ui(t, x, 1, MPFR_RNDN);
	ex_erfcinv(z, t);
	mpfr_sqrt_ui(t, 2, MPFR_RNDN);
	mpfr_mul(z, z, t, MPFR_RNDN);
	mpfr_neg(z, z, MPFR_RNDN);
	mpfr_clear(t);
}

/* I_n(x) = Σ (x/2)^(2k+n) / (k! (k+n)!), n = 0 or 1: all terms of one sign. */
static void bessel_i(mpfr_t z, const mpfr_t x, unsigned n)
{
	mpfr_t q, t, s;

	if (!mpfr_number_p(x) || mpfr_cmpabs_ui(x, 200) > 0) {
		if (mpfr_nan_p(x))
			mpfr_set_nan(z);
		else
			mpfr_set_inf(z, n && mpfr_sgn(x) < 0 ? -1 : 1);
		return;
	}
	mpfr_inits2(MATH_PREC + 64, q, t, s, (mpfr_ptr)0);
	mpfr_div_2ui(q, x, 1, MPFR_RNDN);
	mpfr_set_ui(t, 1, MPFR_RNDN);
	if (n)
		mpfr_set(t, q, MPFR_RNDN);
	mpfr_sqr(q, q, MPFR_RNDN);
	mpfr_set(s, t, MPFR_RNDN);
	for (unsigned long k = 1; k < 2000 && !mpfr_zero_p(t) && mpfr_get_exp(t) > mpfr_get_exp(s) - MATH_PREC - 32; k++) {
		mpfr_mul(t, t, q, MPFR_RNDN);
		mpfr_div_ui(t, t, k * (k + n), MPFR_RNDN);
		mpfr_add(s, s, t, MPFR_RNDN);
	}
	mpfr_set(z, s, MPFR_RNDN);
	mpfr_clears(q, t, s, (mpfr_ptr)0);
}

static void ex_i0(mpfr_t z, const mpfr_t x)
{
	bessel_i(z, x, 0);
}

static void ex_i1(mpfr_t z, const mpfr_t x)
{
	bessel_i(z, x, 1);
}

static void ex_lgamma(mpfr_t z, const mpfr_t x)
{
	int sign;

	mpfr_lgamma(z, &sign, x, MPFR_RNDN);
}

#define MPFR_LIST(X)                                                                               \
	X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(sinpi) X(cospi) \
	X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(cbrt) \
	X(sqrt) X(gamma) X(j0) X(j1) X(y0) X(y1)
#define X(name)                                                                                    \
	static void ex_##name(mpfr_t z, const mpfr_t x)                                            \
	{                                                                                          \
		mpfr_##name(z, x, MPFR_RNDN);                                                      \
	}
MPFR_LIST(X)
#undef X

/* ---- the table ---- */

#define HALF(name, fn)                                                                             \
	{"half " #name, #name "(x)", NULL, "", "", ex_##fn, {{ALL, MATH_NOTHING, 0, 0}}, DT_F16},  \
	{"bfloat16 " #name, #name "(x)", NULL, "", "", ex_##fn, {{ALL, MATH_NOTHING, 0, 0}}, DT_BF16},

const struct math_fn math_fns[] = {
	{"expf", "expf(x)", "exp(x)", "2 ulp", "1.94", ex_exp, ULP(2), DT_F32},
	{"exp2f", "exp2f(x)", "exp2(x)", "2 ulp", "2.39", ex_exp2, ULP(2), DT_F32},
	{"exp10f", "exp10f(x)", "exp10(x)", "2 ulp", "2.07", ex_exp10, ULP(2), DT_F32},
	{"expm1f", "expm1f(x)", "expm1(x)", "1 ulp", "1.45", ex_expm1, ULP(1), DT_F32},
	{"logf", "logf(x)", "log(x)", "1 ulp", "0.865", ex_log, ULP(1), DT_F32},
	{"log2f", "log2f(x)", "log2(x)", "1 ulp", "0.919", ex_log2, ULP(1), DT_F32},
	{"log10f", "log10f(x)", "log10(x)", "2 ulp", "2.09", ex_log10, ULP(2), DT_F32},
	{"log1pf", "log1pf(x)", "log1p(x)", "1 ulp", "0.887", ex_log1p, ULP(1), DT_F32},
	{"sinf", "sinf(x)", "sin(x)", "2 ulp", "1.50", ex_sin, ULP(2), DT_F32},
	{"cosf", "cosf(x)", "cos(x)", "2 ulp", "1.52", ex_cos, ULP(2), DT_F32},
	{"tanf", "tanf(x)", "tan(x)", "4 ulp", "3.10", ex_tan, ULP(4), DT_F32},
	{"sinpif", "sinpif(x)", "sinpi(x)", "1 ulp", "", ex_sinpi, ULP(1), DT_F32},
	{"cospif", "cospif(x)", "cospi(x)", "1 ulp", "", ex_cospi, ULP(1), DT_F32},
	{"asinf", "asinf(x)", "asin(x)", "2 ulp", "2.05", ex_asin, ULP(2), DT_F32},
	{"acosf", "acosf(x)", "acos(x)", "2 ulp", "1.69", ex_acos, ULP(2), DT_F32},
	{"atanf", "atanf(x)", "atan(x)", "2 ulp", "2.06", ex_atan, ULP(2), DT_F32},
	{"sinhf", "sinhf(x)", "sinh(x)", "3 ulp", "2.94", ex_sinh, ULP(3), DT_F32},
	{"coshf", "coshf(x)", "cosh(x)", "2 ulp", "2.34", ex_cosh, ULP(2), DT_F32},
	{"tanhf", "tanhf(x)", "tanh(x)", "2 ulp", "1.82", ex_tanh, ULP(2), DT_F32},
	{"asinhf", "asinhf(x)", "asinh(x)", "3 ulp", "1.78", ex_asinh, ULP(3), DT_F32},
	{"acoshf", "acoshf(x)", "acosh(x)", "4 ulp", "2.18", ex_acosh, ULP(4), DT_F32},
	{"atanhf", "atanhf(x)", "atanh(x)", "3 ulp", "3.16", ex_atanh, ULP(3), DT_F32},
	{"erff", "erff(x)", "erf(x)", "2 ulp", "1.14", ex_erf, ULP(2), DT_F32},
	{"erfcf", "erfcf(x)", "erfc(x)", "4 ulp", "4.49", ex_erfc, ULP(4), DT_F32},
	{"erfinvf", "erfinvf(x)", "erfinv(x)", "2 ulp", "", ex_erfinv, ULP(2), DT_F32},
	{"erfcinvf", "erfcinvf(x)", "erfcinv(x)", "4 ulp", "", ex_erfcinv, ULP(4), DT_F32},
	{"erfcxf", "erfcxf(x)", "erfcx(x)", "4 ulp", "", ex_erfcx, ULP(4), DT_F32},
	{"normcdff", "normcdff(x)", "normcdf(x)", "5 ulp", "", ex_normcdf, ULP(5), DT_F32},
	{"normcdfinvf", "normcdfinvf(x)", "normcdfinv(x)", "5 ulp", "", ex_normcdfinv, ULP(5), DT_F32},
	{"lgammaf", "lgammaf(x)", "lgamma(x)", "6 ulp outside (-10.001, -2.264)", "", ex_lgamma,
	 {{-10.001, -2.264, MATH_NOTHING, 0, 0}, {ALL, MATH_ULP, 6, 0}}, DT_F32},
	{"tgammaf", "tgammaf(x)", "tgamma(x)", "5 ulp", "11.5", ex_gamma, ULP(5), DT_F32},
	{"j0f", "j0f(x)", "j0(x)", "9 ulp for abs(x) < 8, else 2.2e-6", "", ex_j0, BESSEL, DT_F32},
	{"j1f", "j1f(x)", "j1(x)", "9 ulp for abs(x) < 8, else 2.2e-6", "", ex_j1, BESSEL, DT_F32},
	{"y0f", "y0f(x)", "y0(x)", "9 ulp for abs(x) < 8, else 2.2e-6", "", ex_y0, BESSEL, DT_F32},
	{"y1f", "y1f(x)", "y1(x)", "9 ulp for abs(x) < 8, else 2.2e-6", "", ex_y1, BESSEL, DT_F32},
	{"cyl_bessel_i0f", "cyl_bessel_i0f(x)", "cyl_bessel_i0(x)", "6 ulp", "", ex_i0, ULP(6), DT_F32},
	{"cyl_bessel_i1f", "cyl_bessel_i1f(x)", "cyl_bessel_i1(x)", "6 ulp", "", ex_i1, ULP(6), DT_F32},
	{"cbrtf", "cbrtf(x)", "cbrt(x)", "1 ulp", "1.17", ex_cbrt, ULP(1), DT_F32},
	{"rcbrtf", "rcbrtf(x)", "rcbrt(x)", "1 ulp", "", ex_rcbrt, ULP(1), DT_F32},
	{"sqrtf", "sqrtf(x)", "sqrt(x)", "0 ulp", "0", ex_sqrt, ULP(0), DT_F32},
	{"rsqrtf", "rsqrtf(x)", "rsqrt(x)", "2 ulp", "", ex_rec_sqrt, ULP(2), DT_F32},
	{"1/x", "1.0f / x", "1.0 / x", "0 ulp", "", ex_rcp, ULP(0), DT_F32},
	{"__expf", "__expf(x)", "exp(x)", "2 + floor(abs(1.173 x)) ulp", "", ex_exp, {{ALL, MATH_ULP_X, 2, 1.173}}, DT_F32},
	{"__exp10f", "__exp10f(x)", "exp10(x)", "2 + floor(abs(2.97 x)) ulp", "", ex_exp10, {{ALL, MATH_ULP_X, 2, 2.97}}, DT_F32},
	{"__logf", "__logf(x)", "log(x)", "2^-21.41 on [0.5, 2], else 3 ulp", "", ex_log,
	 {{0.5, 2, MATH_ABS, 0x1.8157d9d08a78dp-22, 0}, {ALL, MATH_ULP, 3, 0}}, DT_F32}, /* 2^-21.41 */
	{"__log2f", "__log2f(x)", "log2(x)", "2^-22 on [0.5, 2], else 2 ulp", "", ex_log2,
	 {{0.5, 2, MATH_ABS, 0x1p-22, 0}, {ALL, MATH_ULP, 2, 0}}, DT_F32},
	{"__log10f", "__log10f(x)", "log10(x)", "2^-24 on [0.5, 2], else 3 ulp", "", ex_log10,
	 {{0.5, 2, MATH_ABS, 0x1p-24, 0}, {ALL, MATH_ULP, 3, 0}}, DT_F32},
	{"__sinf", "__sinf(x)", "sin(x)", "2^-21.41 on [-pi, pi]", "", ex_sin,
	 {{-0x1.921fb54442d18p+1, 0x1.921fb54442d18p+1, MATH_ABS, 0x1.8157d9d08a78dp-22, 0}, {ALL, MATH_NOTHING, 0, 0}}, DT_F32},
	{"__cosf", "__cosf(x)", "cos(x)", "2^-21.19 on [-pi, pi]", "", ex_cos,
	 {{-0x1.921fb54442d18p+1, 0x1.921fb54442d18p+1, MATH_ABS, 0x1.c0d2771113e52p-22, 0}, {ALL, MATH_NOTHING, 0, 0}}, DT_F32},
	{"__tanhf", "__tanhf(x)", "tanh(x)", "2^-11 relative", "", ex_tanh, {{ALL, MATH_REL, 0x1p-11, 0}}, DT_F32},
	{"__frcp_rn", "__frcp_rn(x)", "1.0 / x", "0 ulp", "", ex_rcp, ULP(0), DT_F32},
	{"__fsqrt_rn", "__fsqrt_rn(x)", "sqrt(x)", "0 ulp", "", ex_sqrt, ULP(0), DT_F32},
	{"__frsqrt_rn", "__frsqrt_rn(x)", "rsqrt(x)", "0 ulp", "", ex_rec_sqrt, ULP(0), DT_F32},
	HALF(hexp, exp) HALF(hexp2, exp2) HALF(hexp10, exp10) HALF(hlog, log) HALF(hlog2, log2)
	HALF(hlog10, log10) HALF(hsin, sin) HALF(hcos, cos) HALF(htanh, tanh) HALF(htanh_approx, tanh)
	HALF(hrcp, rcp) HALF(hrsqrt, rec_sqrt) HALF(hsqrt, sqrt)
};
const size_t math_nfns = ARRAY_LEN(math_fns);

/* ---- errors ---- */

static double ulp_at(double z)
{
	int e;

	if (z == 0 || isnan(z))
		return 0x1p-149;
	if (isinf(z))
		return 0x1p104;
	frexp(z, &e); /* 2^(e-1) <= |z| */
	return ldexp(1, e - 24 < -149 ? -149 : e - 24 > 104 ? 104 : e - 24);
}

double math_allowed(const struct math_fn *f, double x, double z, bool *ulps)
{
	const struct math_rule *r = f->rule;

	while (!(x >= r->lo && x <= r->hi) && !(isinf(r->lo) && isinf(r->hi)))
		r++;
	*ulps = r->promise == MATH_ULP || r->promise == MATH_ULP_X;
	switch (r->promise) {
	case MATH_ULP: return (r->a + 0.5) * ulp_at(z);
	case MATH_ULP_X: return (r->a + floor(fabs(r->b * x)) + 0.5) * ulp_at(z);
	case MATH_ABS: return r->a;
	case MATH_REL: return r->a * fabs(z);
	case MATH_NOTHING: break;
	}
	return INFINITY;
}

void math_exact(const struct math_fn *f, uint32_t bits, mpfr_t z)
{
	mpfr_t x;

	thread_at_exit(mpfr_free_cache);
	mpfr_init2(x, 53);
	mpfr_set_d(x, dtype_decode(f->dt, bits), MPFR_RNDN);
	f->exact(z, x);
	mpfr_clear(x);
}

/* Precision p, smallest exponent of an ulp, exponent behind the largest number. */
static void format_of(enum dtype dt, long *p, long *low, long *top)
{
	*p = dt == DT_F16 ? 11 : dt == DT_BF16 ? 8 : 24;
	*low = dt == DT_F16 ? -24 : dt == DT_BF16 ? -133 : -149;
	*top = dt == DT_F16 ? 16 : 128;
}

/* Exponent of the ulp at w, which is no larger than 2^top. */
static long ulp_exponent(enum dtype dt, const mpfr_t w)
{
	long p, low, top, e;

	format_of(dt, &p, &low, &top);
	e = mpfr_regular_p(w) ? mpfr_get_exp(w) - p : mpfr_inf_p(w) ? top - p : low;
	return e < low ? low : e > top - p ? top - p : e;
}

double math_ulp(enum dtype dt, const mpfr_t z)
{
	return ldexp(1, (int)ulp_exponent(dt, z));
}

double math_ulps(enum dtype dt, uint32_t bits, const mpfr_t z)
{
	double y = dtype_decode(dt, bits), out;
	long p, low, top;
	mpfr_t d, w;

	if (isnan(y) || mpfr_nan_p(z))
		return isnan(y) && mpfr_nan_p(z) ? 0 : INFINITY;
	format_of(dt, &p, &low, &top);
	mpfr_inits2(2 * MATH_PREC, d, w, (mpfr_ptr)0);
	if (isinf(y))
		mpfr_set_si_2exp(d, y > 0 ? 1 : -1, top, MPFR_RNDN);
	else
		mpfr_set_d(d, y, MPFR_RNDN);
	mpfr_set(w, z, MPFR_RNDN);
	if (mpfr_inf_p(z) || (!mpfr_zero_p(z) && mpfr_get_exp(z) > top))
		mpfr_set_si_2exp(w, mpfr_sgn(z), top, MPFR_RNDN);
	mpfr_sub(d, d, w, MPFR_RNDN);
	mpfr_abs(d, d, MPFR_RNDN);
	mpfr_div_2si(d, d, ulp_exponent(dt, w), MPFR_RNDN);
	out = mpfr_get_d(d, MPFR_RNDU);
	mpfr_clears(d, w, (mpfr_ptr)0);
	return out;
}

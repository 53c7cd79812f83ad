/* vecmath_coefs.c - the polynomials of oracles/vecmath_simd.c, computed and certified.
 *
 *	cc -O2 -o /tmp/coefs tools/vecmath_coefs.c -lmpfr -lgmp && /tmp/coefs
 *
 * Each function is interpolated at the Chebyshev points of its interval (within a small factor of
 *the best polynomial), written in powers of its variable and rounded to double. The error that is
 *printed is that of the rounded polynomial: the difference f - p is expanded in NCHEB Chebyshev
 *polynomials and |f - p| <= sum |a_k| holds up to the tail, whose size the last coefficient shows
 *(the functions are analytic in a neighbourhood of the interval, so the coefficients fall
 *geometrically). */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

enum { PREC = 600, MAXDEG = 40, NCHEB = 120 };

typedef void func(mpfr_t y, const mpfr_t x);

static const double erfc_c = 3; /* best of 1, 1.5, …, 4 at the smallest degree that suffices */

/* The middle point of an odd number of points is 0 but for rounding. */
static int is_zero(const mpfr_t x)
{
	return mpfr_zero_p(x) || mpfr_get_exp(x) < -PREC / 2;
}

/* (e^r - 1 - r)/r^2 */
static void f_exp(mpfr_t y, const mpfr_t x)
{
	if (is_zero(x)) {
		mpfr_set_d(y, 0.5, MPFR_RNDN);
		return;
	}
	mpfr_expm1(y, x, MPFR_RNDN);
	mpfr_sub(y, y, x, MPFR_RNDN);
	mpfr_div(y, y, x, MPFR_RNDN);
	mpfr_div(y, y, x, MPFR_RNDN);
}

/* (2^r - 1)/r */
static void f_exp2(mpfr_t y, const mpfr_t x)
{
	mpfr_t l;

	mpfr_init2(l, PREC);
	mpfr_const_log2(l, MPFR_RNDN);
	if (is_zero(x)) {
		mpfr_set(y, l, MPFR_RNDN);
	} else {
		mpfr_mul(y, x, l, MPFR_RNDN);
		mpfr_expm1(y, y, MPFR_RNDN);
		mpfr_div(y, y, x, MPFR_RNDN);
	}
	mpfr_clear(l);
}

/* (2 atanh(s)/s - 2)/s^2 of z = s^2 */
static void f_log(mpfr_t y, const mpfr_t z)
{
	mpfr_t s;

	if (is_zero(z)) {
		mpfr_set_ui(y, 2, MPFR_RNDN);
		mpfr_div_ui(y, y, 3, MPFR_RNDN);
		return;
	}
	mpfr_init2(s, PREC);
	mpfr_sqrt(s, z, MPFR_RNDN);
	mpfr_atanh(y, s, MPFR_RNDN);
	mpfr_div(y, y, s, MPFR_RNDN);
	mpfr_sub_ui(y, y, 1, MPFR_RNDN);
	mpfr_mul_ui(y, y, 2, MPFR_RNDN);
	mpfr_div(y, y, z, MPFR_RNDN);
	mpfr_clear(s);
}

/* erf(x)/x of z = x^2 */
static void f_erf(mpfr_t y, const mpfr_t z)
{
	mpfr_t x;

	mpfr_init2(x, PREC);
	if (is_zero(z)) {
		mpfr_const_pi(x, MPFR_RNDN);
		mpfr_rec_sqrt(y, x, MPFR_RNDN);
		mpfr_mul_ui(y, y, 2, MPFR_RNDN);
	} else {
		mpfr_sqrt(x, z, MPFR_RNDN);
		mpfr_erf(y, x, MPFR_RNDN);
		mpfr_div(y, y, x, MPFR_RNDN);
	}
	mpfr_clear(x);
}

/* (x + c) e^(x^2) erfc(x) of t = (x - c)/(x + c) */
static void f_erfc(mpfr_t y, const mpfr_t t)
{
	mpfr_t x, d;

	mpfr_init2(x, PREC);
	mpfr_init2(d, PREC);
	mpfr_ui_sub(d, 1, t, MPFR_RNDN);
	mpfr_add_ui(x, t, 1, MPFR_RNDN);
	mpfr_div(x, x, d, MPFR_RNDN);
	mpfr_mul_d(x, x, erfc_c, MPFR_RNDN);
	mpfr_erfc(y, x, MPFR_RNDN);
	mpfr_sqr(d, x, MPFR_RNDN);
	mpfr_exp(d, d, MPFR_RNDN);
	mpfr_mul(y, y, d, MPFR_RNDN);
	mpfr_add_d(x, x, erfc_c, MPFR_RNDN);
	mpfr_mul(y, y, x, MPFR_RNDN);
	mpfr_clear(x);
	mpfr_clear(d);
}

static mpfr_t *vec(int n)
{
	mpfr_t *v = malloc(sizeof(mpfr_t) * n);

	for (int i = 0; i < n; i++) {
		mpfr_init2(v[i], PREC);
		mpfr_set_zero(v[i], 1);
	}
	return v;
}

static void vec_free(mpfr_t *v, int n)
{
	for (int i = 0; i < n; i++)
		mpfr_clear(v[i]);
	free(v);
}

/* The i-th of n Chebyshev points of [a,b], and its angle. */
static void node(mpfr_t x, mpfr_t theta, int i, int n, const mpfr_t a, const mpfr_t b)
{
	mpfr_t w;

	mpfr_init2(w, PREC);
	mpfr_const_pi(theta, MPFR_RNDN);
	mpfr_mul_ui(theta, theta, 2 * i + 1, MPFR_RNDN);
	mpfr_div_ui(theta, theta, 2 * n, MPFR_RNDN);
	mpfr_cos(x, theta, MPFR_RNDN);
	mpfr_sub(w, b, a, MPFR_RNDN);
	mpfr_mul(x, x, w, MPFR_RNDN);
	mpfr_add(x, x, a, MPFR_RNDN);
	mpfr_add(x, x, b, MPFR_RNDN);
	mpfr_div_ui(x, x, 2, MPFR_RNDN);
	mpfr_clear(w);
}

/* Chebyshev coefficients a[0..n-1] of f - p on [a,b] from n points (p: deg+1 powers, may be NULL).
 */
static void chebyshev(mpfr_t *out, int n, func *f, const double *p, int deg, const mpfr_t a,
                      const mpfr_t b)
{
	mpfr_t x, th, y, s;

	mpfr_inits2(PREC, x, th, y, s, (mpfr_ptr)0);
	for (int k = 0; k < n; k++)
		mpfr_set_zero(out[k], 1);
	for (int i = 0; i < n; i++) {
		node(x, th, i, n, a, b);
		f(y, x);
		if (p) {
			mpfr_set_zero(s, 1);
			for (int j = deg; j >= 0; j--) {
				mpfr_mul(s, s, x, MPFR_RNDN);
				mpfr_add_d(s, s, p[j], MPFR_RNDN);
			}
			mpfr_sub(y, y, s, MPFR_RNDN);
		}
		for (int k = 0; k < n; k++) {
			mpfr_mul_ui(s, th, k, MPFR_RNDN);
			mpfr_cos(s, s, MPFR_RNDN);
			mpfr_mul(s, s, y, MPFR_RNDN);
			mpfr_add(out[k], out[k], s, MPFR_RNDN);
		}
	}
	for (int k = 0; k < n; k++) {
		mpfr_mul_ui(out[k], out[k], k ? 2 : 1, MPFR_RNDN);
		mpfr_div_ui(out[k], out[k], n, MPFR_RNDN);
	}
	mpfr_clears(x, th, y, s, (mpfr_ptr)0);
}

/* Powers of x from Chebyshev coefficients: T_{k+1} = 2 v T_k - T_{k-1}, v = (2x - a - b)/(b - a).
 */
static void powers(mpfr_t *out, mpfr_t *ch, int n, const mpfr_t a, const mpfr_t b)
{
	mpfr_t *t0 = vec(n + 1), *t1 = vec(n + 1), *t2 = vec(n + 1), m, c, w;

	mpfr_inits2(PREC, m, c, w, (mpfr_ptr)0);
	mpfr_sub(w, b, a, MPFR_RNDN);
	mpfr_ui_div(m, 2, w, MPFR_RNDN);
	mpfr_add(c, a, b, MPFR_RNDN);
	mpfr_div(c, c, w, MPFR_RNDN);
	mpfr_set_ui(t0[0], 1, MPFR_RNDN);
	mpfr_neg(t1[0], c, MPFR_RNDN);
	mpfr_set(t1[1], m, MPFR_RNDN);
	for (int k = 0; k < n; k++) {
		for (int j = 0; j < n; j++) {
			mpfr_mul(w, t0[j], ch[k], MPFR_RNDN);
			mpfr_add(out[j], out[j], w, MPFR_RNDN);
		}
		for (int j = 0; j <= n; j++) {
			mpfr_mul(t2[j], t1[j], c, MPFR_RNDN);
			mpfr_neg(t2[j], t2[j], MPFR_RNDN);
			if (j) {
				mpfr_mul(w, t1[j - 1], m, MPFR_RNDN);
				mpfr_add(t2[j], t2[j], w, MPFR_RNDN);
			}
			mpfr_mul_ui(t2[j], t2[j], 2, MPFR_RNDN);
			mpfr_sub(t2[j], t2[j], t0[j], MPFR_RNDN);
		}
		mpfr_t *r = t0;
		t0 = t1, t1 = t2, t2 = r;
	}
	vec_free(t0, n + 1);
	vec_free(t1, n + 1);
	vec_free(t2, n + 1);
	mpfr_clears(m, c, w, (mpfr_ptr)0);
}

/* Prints the polynomial of degree deg for f on [lo,hi] and its certified error. */
static void make(const char *name, func *f, double lo, double hi, int deg)
{
	int n = deg + 1;
	mpfr_t a, b, s, *ch = vec(n), *pw = vec(n + 1), *er = vec(NCHEB);
	double p[MAXDEG + 1];

	mpfr_inits2(PREC, a, b, s, (mpfr_ptr)0);
	mpfr_set_d(a, lo, MPFR_RNDN);
	mpfr_set_d(b, hi, MPFR_RNDN);
	chebyshev(ch, n, f, NULL, 0, a, b);
	powers(pw, ch, n, a, b);
	for (int i = 0; i < n; i++)
		p[i] = mpfr_get_d(pw[i], MPFR_RNDN);
	chebyshev(er, NCHEB, f, p, deg, a, b);
	mpfr_set_zero(s, 1);
	for (int k = 0; k < NCHEB; k++) {
		mpfr_abs(a, er[k], MPFR_RNDN);
		mpfr_add(s, s, a, MPFR_RNDU);
	}
	printf("/* %s: degree %d on [%g, %g]: |f - p| <= 2^%.2f (last coefficient 2^%.0f) */\n",
	       name, deg, lo, hi, log2(mpfr_get_d(s, MPFR_RNDU)),
	       (double)mpfr_get_exp(er[NCHEB - 1]));
	for (int i = 0; i < n; i++)
		printf("\t%a,\n", p[i]);
	vec_free(ch, n);
	vec_free(pw, n + 1);
	vec_free(er, NCHEB);
	mpfr_clears(a, b, s, (mpfr_ptr)0);
}

/* ln 2 in two parts, the first of 40 bits, so that k·LN2_HI is exact for |k| < 2^13. */
static void constants(void)
{
	mpfr_t l, h;

	mpfr_inits2(PREC, l, h, (mpfr_ptr)0);
	mpfr_const_log2(l, MPFR_RNDN);
	mpfr_set(h, l, MPFR_RNDN);
	mpfr_prec_round(h, 40, MPFR_RNDN);
	printf("#define LN2_HI %a\n", mpfr_get_d(h, MPFR_RNDN));
	mpfr_sub(l, l, h, MPFR_RNDN);
	printf("#define LN2_LO %a\n", mpfr_get_d(l, MPFR_RNDN));
	mpfr_const_log2(l, MPFR_RNDN);
	mpfr_ui_div(l, 1, l, MPFR_RNDN);
	printf("#define INV_LN2 %a\n", mpfr_get_d(l, MPFR_RNDN));
	mpfr_clears(l, h, (mpfr_ptr)0);
}

int main(void)
{
	constants();
	make("exp: (e^r - 1 - r)/r^2", f_exp, -0.3467, 0.3467, 9);
	make("exp2: (2^r - 1)/r", f_exp2, -0.5, 0.5, 10);
	make("log: (2 atanh(s)/s - 2)/s^2 of s^2", f_log, 0, 0.02945, 6);
	make("erf: erf(x)/x of x^2", f_erf, 0, 0.25, 8);
	make("erfc: (x+3) e^(x^2) erfc(x) of (x-3)/(x+3)", f_erfc, -1, 25. / 31, 22);
	return 0;
}

/* exact_point.c - enclosures at a point for functions that MPFR does not have (exact_fn.h). */
#include "oracles/exact_fn.h"

int log_abs_gamma(mpfr_t z, const mpfr_t x, mpfr_rnd_t rnd)
{
	int sign;

	return mpfr_lgamma(z, &sign, x, rnd);
}

/* z = x exactly: an interval wide enough for it and for z. */
static void exact_copy(struct ival *t, const struct ival *z, mpfr_srcptr x)
{
	mpfr_prec_t p = mpfr_get_prec(z->lo), q = mpfr_get_prec(x);

	ival_init(t, (p > q ? p : q) + 64);
	mpfr_set(t->lo, x, MPFR_RNDD);
	mpfr_set(t->hi, x, MPFR_RNDU);
}

static void take(struct ival *z, struct ival *t)
{
	ival_set(z, t);
	ival_clear(t);
}

void point_rcbrt(struct ival *z, mpfr_srcptr x)
{
	struct ival one;

	z->cls = IVAL_FINITE;
	mpfr_cbrt(z->lo, x, MPFR_RNDD);
	mpfr_cbrt(z->hi, x, MPFR_RNDU);
	fn_settle(z);
	ival_init(&one, 2);
	ival_set_d(&one, 1);
	ival_div(z, &one, z);
	ival_clear(&one);
}

static void complement(struct ival *z, const struct ival *a)
{
	struct ival t;

	ival_init(&t, mpfr_get_prec(z->lo));
	mpfr_erfc(t.lo, a->hi, MPFR_RNDD);
	mpfr_erfc(t.hi, a->lo, MPFR_RNDU);
	take(z, &t);
}

/* For large x: 1/(x·√π)·Σ (-1)^k·(2k-1)!!/(2x²)^k, whose partial sums lie on both sides of the
 * value in turn (DLMF 7.12.1: the error is smaller than the first term left out, and of its sign).
 */
static void erfcx_far(struct ival *z, mpfr_srcptr x)
{
	mpfr_prec_t prec = mpfr_get_prec(z->lo) + 32;
	struct ival term, sum, t, u;

	ival_init(&term, prec);
	ival_init(&sum, prec);
	ival_init(&u, prec);
	exact_copy(&t, z, x);
	ival_set_d(&term, 1);
	ival_set_d(&sum, 1);
	ival_sqr(&t, &t);
	ival_add(&t, &t, &t); /* 2x² */
	for (int k = 1; mpfr_regular_p(term.hi) && mpfr_get_exp(term.hi) > -prec; k++) {
		ival_set_d(&u, 1 - 2 * k);
		ival_mul(&term, &term, &u);
		ival_div(&term, &term, &t);
		ival_set(&u, &sum); /* the sum before and the sum after enclose the value */
		ival_add(&sum, &sum, &term);
	}
	mpfr_min(sum.lo, sum.lo, u.lo, MPFR_RNDD);
	mpfr_max(sum.hi, sum.hi, u.hi, MPFR_RNDU);
	mpfr_const_pi(u.lo, MPFR_RNDD);
	mpfr_const_pi(u.hi, MPFR_RNDU);
	ival_fn(&u, FN_SQRT, &u);
	ival_div(&sum, &sum, &u);
	mpfr_set(t.lo, x, MPFR_RNDD);
	mpfr_set(t.hi, x, MPFR_RNDU);
	ival_div(z, &sum, &t);
	ival_clear(&term);
	ival_clear(&t);
	ival_clear(&u);
	ival_clear(&sum);
}

/* exp(x²)·erfc(x) */
void point_erfcx(struct ival *z, mpfr_srcptr x)
{
	struct ival t, u;

	if (mpfr_inf_p(x)) {
		if (mpfr_sgn(x) > 0)
			ival_set_d(z, 0);
		else
			fn_set_class(z, IVAL_PLUS);
	} else if (mpfr_cmp_ui(x, 4096) > 0) { /* the exponents of exp(x²) end near x = 27,000 */
		erfcx_far(z, x);
	} else {
		exact_copy(&t, z, x);
		exact_copy(&u, z, x);
		complement(&u, &u);
		ival_sqr(&t, &t);
		ival_fn(&t, FN_EXP, &t);
		ival_mul(&t, &t, &u);
		ival_clear(&u);
		take(z, &t);
	}
}

/* z = √2, to multiply or divide by. */
static void root_of_two(struct ival *z)
{
	ival_set_d(z, 2);
	ival_fn(z, FN_SQRT, z);
}

/* erfc(-x/√2)/2 */
void point_normcdf(struct ival *z, mpfr_srcptr x)
{
	struct ival t, root;

	exact_copy(&t, z, x);
	if (!mpfr_inf_p(x)) {
		ival_init(&root, mpfr_get_prec(t.lo));
		root_of_two(&root);
		ival_div(&t, &t, &root);
		ival_clear(&root);
	}
	mpfr_neg(t.lo, t.lo, MPFR_RNDN);
	mpfr_neg(t.hi, t.hi, MPFR_RNDN);
	mpfr_swap(t.lo, t.hi);
	complement(&t, &t);
	mpfr_div_2ui(t.lo, t.lo, 1, MPFR_RNDD);
	mpfr_div_2ui(t.hi, t.hi, 1, MPFR_RNDU);
	take(z, &t);
}

/* Newton's step for f(y) = x, f = erf, 0 < x <= 1/2: y += (x - erf y)·√π/2·exp(y²). */
static void step_erf(mpfr_t y, mpfr_srcptr x, mpfr_t t, mpfr_t u)
{
	mpfr_erf(t, y, MPFR_RNDN);
	mpfr_sub(t, x, t, MPFR_RNDN);
	mpfr_sqr(u, y, MPFR_RNDN);
	mpfr_exp(u, u, MPFR_RNDN);
	mpfr_mul(t, t, u, MPFR_RNDN);
	mpfr_const_pi(u, MPFR_RNDN);
	mpfr_sqrt(u, u, MPFR_RNDN);
	mpfr_mul(t, t, u, MPFR_RNDN);
	mpfr_div_2ui(t, t, 1, MPFR_RNDN);
	mpfr_add(y, y, t, MPFR_RNDN);
}

/* For log erfc(y) = log x, 0 < x < 1/2, which is concave, so that Newton's method converges from
 * anywhere: y += (log erfc y - log x)·√π/2·exp(y²)·erfc y. */
static void step_erfc(mpfr_t y, mpfr_srcptr x, mpfr_t t, mpfr_t u)
{
	mpfr_t v;

	mpfr_init2(v, mpfr_get_prec(y));
	mpfr_erfc(t, y, MPFR_RNDN);
	mpfr_div(v, t, x, MPFR_RNDN);
	mpfr_log(v, v, MPFR_RNDN);
	mpfr_mul(v, v, t, MPFR_RNDN);
	mpfr_sqr(u, y, MPFR_RNDN);
	mpfr_exp(u, u, MPFR_RNDN);
	mpfr_mul(v, v, u, MPFR_RNDN);
	mpfr_const_pi(u, MPFR_RNDN);
	mpfr_sqrt(u, u, MPFR_RNDN);
	mpfr_mul(v, v, u, MPFR_RNDN);
	mpfr_div_2ui(v, v, 1, MPFR_RNDN);
	mpfr_add(y, y, v, MPFR_RNDN);
	mpfr_set(t, v, MPFR_RNDN);
	mpfr_clear(v);
}

/* Is f(lo) on one side of x and f(hi) on the other? */
static bool encloses(const struct ival *z, mpfr_function *f, bool f_falls, mpfr_srcptr x, mpfr_t t)
{
	bool ok;

	f(t, f_falls ? z->hi : z->lo, MPFR_RNDU);
	ok = mpfr_cmp(t, x) <= 0;
	f(t, f_falls ? z->lo : z->hi, MPFR_RNDD);
	return ok && mpfr_cmp(t, x) >= 0;
}

/* The y > 0 of f(y) = x by Newton's method, then a proof: f brackets x at y·(1 ± 2^-k), k as large
 * as it goes. No bracket: unknown. */
static void solve(struct ival *z, mpfr_function *f, bool f_falls, mpfr_srcptr x,
                  void (*newton)(mpfr_t, mpfr_srcptr, mpfr_t, mpfr_t))
{
	mpfr_prec_t prec = mpfr_get_prec(z->lo), work = prec + 64;
	mpfr_t y, t, u;
	bool ok = false;

	mpfr_inits2(work, y, t, u, (mpfr_ptr)0);
	if (f_falls)
		mpfr_set_ui(y, 1, MPFR_RNDN);
	else
		mpfr_set(y, x, MPFR_RNDN);
	for (int i = 0; i < 200; i++) {
		newton(y, x, t, u);
		if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(y) - work + 24)
			break;
	}
	z->cls = IVAL_FINITE;
	for (mpfr_prec_t k = prec + 8; !ok && k > 8; k -= 8) {
		mpfr_div_2ui(t, y, (unsigned long)k, MPFR_RNDU);
		mpfr_sub(z->lo, y, t, MPFR_RNDD);
		mpfr_add(z->hi, y, t, MPFR_RNDU);
		ok = encloses(z, f, f_falls, x, u);
	}
	mpfr_clears(y, t, u, (mpfr_ptr)0);
	if (!ok)
		fn_set_class(z, IVAL_UNKNOWN);
}

/* The y of erf(y) = ±size, where c = 1 - size; c counts where it is below 1/2, size elsewhere. */
static void inverse(struct ival *z, mpfr_srcptr size, mpfr_srcptr c, bool negative)
{
	if (mpfr_zero_p(c))
		fn_set_class(z, IVAL_PLUS);
	else if (mpfr_cmp_d(c, 0.5) < 0)
		solve(z, mpfr_erfc, true, c, step_erfc);
	else
		solve(z, mpfr_erf, false, size, step_erf);
	if (negative)
		ival_neg(z, z);
}

/* 1 - |x| is exact with enough bits: where |x| < 1/2 it need not be, as it is only compared. */
void point_erfinv(struct ival *z, mpfr_srcptr x)
{
	mpfr_t a, c;

	if (mpfr_cmpabs_ui(x, 1) > 0) {
		fn_set_class(z, IVAL_NAN);
		return;
	}
	if (mpfr_zero_p(x)) {
		mpfr_set(z->lo, x, MPFR_RNDD);
		mpfr_set(z->hi, x, MPFR_RNDU);
		z->cls = IVAL_FINITE;
		return;
	}
	mpfr_inits2(mpfr_get_prec(x) + 8, a, c, (mpfr_ptr)0);
	mpfr_abs(a, x, MPFR_RNDN);
	mpfr_ui_sub(c, 1, a, MPFR_RNDN);
	inverse(z, a, c, mpfr_sgn(x) < 0);
	mpfr_clears(a, c, (mpfr_ptr)0);
}

/* erfcinv(x) = erfinv(1 - x); for x near 0 and 2 from c = x or 2 - x. */
void point_erfcinv(struct ival *z, mpfr_srcptr x)
{
	mpfr_t a, c;
	bool upper = mpfr_cmp_ui(x, 1) > 0;

	if (mpfr_cmp_ui(x, 0) < 0 || mpfr_cmp_ui(x, 2) > 0) {
		fn_set_class(z, IVAL_NAN);
		return;
	}
	if (mpfr_cmp_ui(x, 1) == 0) {
		ival_set_d(z, 0);
		return;
	}
	mpfr_inits2(mpfr_get_prec(x) + 8, a, c, (mpfr_ptr)0);
	mpfr_set(c, x, MPFR_RNDN);
	if (upper)
		mpfr_ui_sub(c, 2, x, MPFR_RNDN);
	mpfr_ui_sub(a, 1, c, MPFR_RNDN);
	inverse(z, a, c, upper);
	mpfr_clears(a, c, (mpfr_ptr)0);
}

/* -√2·erfcinv(2x) */
void point_normcdfinv(struct ival *z, mpfr_srcptr x)
{
	struct ival t, root;
	mpfr_t twice;

	mpfr_init2(twice, mpfr_get_prec(x));
	mpfr_mul_2ui(twice, x, 1, MPFR_RNDN);
	exact_copy(&t, z, x);
	ival_init(&root, mpfr_get_prec(t.lo));
	root_of_two(&root);
	point_erfcinv(&t, twice);
	ival_mul(&t, &t, &root);
	ival_neg(&t, &t);
	ival_clear(&root);
	mpfr_clear(twice);
	take(z, &t);
}

/* For large x: (1/pi) times the integral of exp(x cos t), over t <= 1/sqrt(x) alone, where
 * x cos t >= x - 1/2, is more than exp(x - 1)/(7 sqrt(x)), also with cos t before it and less the
 * part beyond pi/2, which is less than 1/2. And it is at most exp(x). x > 0. */
static void bessel_i_far(struct ival *z, mpfr_srcptr x)
{
	mpfr_t t;

	mpfr_init2(t, mpfr_get_prec(z->lo));
	mpfr_sub_ui(t, x, 1, MPFR_RNDD);
	mpfr_exp(z->lo, t, MPFR_RNDD);
	mpfr_sqrt(t, x, MPFR_RNDU);
	mpfr_mul_ui(t, t, 7, MPFR_RNDU);
	mpfr_div(z->lo, z->lo, t, MPFR_RNDD);
	mpfr_exp(z->hi, x, MPFR_RNDU);
	z->cls = IVAL_FINITE;
	mpfr_clear(t);
}

/* The sum of (x/2)^(2k+n)/(k! (k+n)!), all of whose terms have one sign, for x > 0. From where a
 * term is less than half the one before it the rest is less than the last term. */
static void bessel_i_sum(struct ival *z, mpfr_srcptr x, int n)
{
	mpfr_prec_t prec = mpfr_get_prec(z->lo) + 32;
	struct ival q, term, f;
	bool done = false;

	exact_copy(&q, z, x);
	ival_init(&term, prec);
	ival_init(&f, prec);
	mpfr_div_2ui(q.lo, q.lo, 1, MPFR_RNDD);
	mpfr_div_2ui(q.hi, q.hi, 1, MPFR_RNDU);
	ival_set_d(&term, 1);
	if (n)
		ival_set(&term, &q);
	ival_sqr(&q, &q);
	ival_set(z, &term);
	for (int k = 1; !done; k++) {
		ival_set_d(&f, (double)k * (k + n));
		done = mpfr_cmp_d(q.hi, 0.5 * k * (k + n)) < 0 &&
		       mpfr_get_exp(term.hi) < mpfr_get_exp(z->hi) - prec;
		ival_mul(&term, &term, &q);
		ival_div(&term, &term, &f);
		ival_add(z, z, &term);
	}
	mpfr_add(z->hi, z->hi, term.hi, MPFR_RNDU);
	ival_clear(&q);
	ival_clear(&term);
	ival_clear(&f);
}

static void bessel_i(struct ival *z, mpfr_srcptr x, int n)
{
	struct ival t;
	bool negative = mpfr_signbit(x);
	mpfr_t size;

	mpfr_init2(size, mpfr_get_prec(x));
	mpfr_abs(size, x, MPFR_RNDN);
	ival_init(&t, mpfr_get_prec(z->lo) + 32);
	if (mpfr_inf_p(x))
		fn_set_class(&t, IVAL_PLUS);
	else if (mpfr_zero_p(x))
		ival_set_d(&t, n ? 0 : 1);
	else if (mpfr_cmp_ui(size, 1024) > 0)
		bessel_i_far(&t, size);
	else
		bessel_i_sum(&t, size, n);
	if (n && negative)
		ival_neg(&t, &t);
	mpfr_clear(size);
	take(z, &t);
}

void point_bessel_i0(struct ival *z, mpfr_srcptr x)
{
	bessel_i(z, x, 0);
}

void point_bessel_i1(struct ival *z, mpfr_srcptr x)
{
	bessel_i(z, x, 1);
}

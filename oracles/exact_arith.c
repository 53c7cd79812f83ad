/* exact_arith.c - interval arithmetic by MPFR's directed roundings, with IEEE's conventions for NaN
 * and infinities. */
#include "oracles/exact.h"

void ival_init(struct ival *z, mpfr_prec_t prec)
{
	z->cls = IVAL_FINITE;
	mpfr_init2(z->lo, prec);
	mpfr_init2(z->hi, prec);
	mpfr_set_zero(z->lo, 1);
	mpfr_set_zero(z->hi, 1);
}

void ival_clear(struct ival *z)
{
	mpfr_clear(z->lo);
	mpfr_clear(z->hi);
}

void ival_set(struct ival *z, const struct ival *a)
{
	z->cls = a->cls;
	mpfr_set(z->lo, a->lo, MPFR_RNDD);
	mpfr_set(z->hi, a->hi, MPFR_RNDU);
}

static void set_class(struct ival *z, enum ival_class c)
{
	z->cls = c;
	mpfr_set_zero(z->lo, 1);
	mpfr_set_zero(z->hi, 1);
}

void ival_set_d(struct ival *z, double v)
{
	if (v != v || v - v != 0) {
		set_class(z, v != v ? IVAL_NAN : v > 0 ? IVAL_PLUS : IVAL_MINUS);
		return;
	}
	z->cls = IVAL_FINITE;
	mpfr_set_d(z->lo, v, MPFR_RNDD);
	mpfr_set_d(z->hi, v, MPFR_RNDU);
}

bool ival_zero(const struct ival *a)
{
	return a->cls == IVAL_FINITE && mpfr_zero_p(a->lo) && mpfr_zero_p(a->hi);
}

int ival_sign(const struct ival *a)
{
	if (a->cls == IVAL_PLUS || a->cls == IVAL_MINUS)
		return a->cls == IVAL_PLUS ? 1 : -1;
	if (a->cls != IVAL_FINITE)
		return 2;
	if (mpfr_sgn(a->lo) > 0)
		return 1;
	if (mpfr_sgn(a->hi) < 0)
		return -1;
	return ival_zero(a) ? 0 : 2;
}

static bool infinite(const struct ival *a)
{
	return a->cls == IVAL_PLUS || a->cls == IVAL_MINUS;
}

/* NaN if one is NaN, else unknown if one is unknown; false when neither. */
static bool not_numbers(struct ival *z, const struct ival *a, const struct ival *b)
{
	if (a->cls == IVAL_NAN || b->cls == IVAL_NAN)
		set_class(z, IVAL_NAN);
	else if (a->cls == IVAL_UNKNOWN || b->cls == IVAL_UNKNOWN)
		set_class(z, IVAL_UNKNOWN);
	else
		return false;
	return true;
}

/* Bounds that the range of MPFR has made meaningless. */
static void settle(struct ival *z)
{
	if (mpfr_nan_p(z->lo) || mpfr_nan_p(z->hi))
		set_class(z, IVAL_UNKNOWN);
}

void ival_add(struct ival *z, const struct ival *a, const struct ival *b)
{
	if (not_numbers(z, a, b))
		return;
	if (infinite(a) || infinite(b)) {
		if (infinite(a) && infinite(b) && a->cls != b->cls)
			set_class(z, IVAL_NAN);
		else
			set_class(z, infinite(a) ? a->cls : b->cls);
		return;
	}
	z->cls = IVAL_FINITE;
	mpfr_add(z->lo, a->lo, b->lo, MPFR_RNDD);
	mpfr_add(z->hi, a->hi, b->hi, MPFR_RNDU);
	settle(z);
}

void ival_neg(struct ival *z, const struct ival *a)
{
	if (a->cls != IVAL_FINITE) {
		set_class(z, a->cls == IVAL_PLUS    ? IVAL_MINUS
		             : a->cls == IVAL_MINUS ? IVAL_PLUS
		                                    : a->cls);
		return;
	}
	if (z != a)
		ival_set(z, a);
	mpfr_swap(z->lo, z->hi);
	mpfr_neg(z->lo, z->lo, MPFR_RNDD);
	mpfr_neg(z->hi, z->hi, MPFR_RNDU);
}

void ival_sub(struct ival *z, const struct ival *a, const struct ival *b)
{
	struct ival t;

	ival_init(&t, mpfr_get_prec(b->lo));
	ival_neg(&t, b);
	ival_add(z, a, &t);
	ival_clear(&t);
}

void ival_abs(struct ival *z, const struct ival *a)
{
	if (a->cls == IVAL_MINUS || (a->cls == IVAL_FINITE && mpfr_sgn(a->hi) <= 0)) {
		ival_neg(z, a);
		return;
	}
	if (z != a)
		ival_set(z, a);
	if (z->cls == IVAL_FINITE && mpfr_sgn(z->lo) < 0) {
		mpfr_neg(z->lo, z->lo, MPFR_RNDU);
		if (mpfr_cmp(z->lo, z->hi) > 0)
			mpfr_swap(z->lo, z->hi);
		mpfr_set_zero(z->lo, 1);
	}
}

/* 0 times a bound beyond the range is 0: the value itself is finite. */
static void mul_bound(mpfr_t t, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rnd)
{
	mpfr_mul(t, a, b, rnd);
	if (mpfr_nan_p(t))
		mpfr_set_zero(t, 1);
}

static void mul_finite(struct ival *z, const struct ival *a, const struct ival *b)
{
	mpfr_prec_t p = mpfr_get_prec(z->lo);
	mpfr_srcptr s[2] = {a->lo, a->hi}, t[2] = {b->lo, b->hi};
	mpfr_t lo, hi, q;

	mpfr_inits2(p, lo, hi, q, (mpfr_ptr)0);
	mul_bound(lo, s[0], t[0], MPFR_RNDD);
	mul_bound(hi, s[0], t[0], MPFR_RNDU);
	for (int i = 1; i < 4; i++) {
		mul_bound(q, s[i / 2], t[i % 2], MPFR_RNDD);
		mpfr_min(lo, lo, q, MPFR_RNDD);
		mul_bound(q, s[i / 2], t[i % 2], MPFR_RNDU);
		mpfr_max(hi, hi, q, MPFR_RNDU);
	}
	z->cls = IVAL_FINITE;
	mpfr_swap(z->lo, lo);
	mpfr_swap(z->hi, hi);
	mpfr_clears(lo, hi, q, (mpfr_ptr)0);
}

static enum ival_class infinity_of(int sign)
{
	return sign > 0 ? IVAL_PLUS : IVAL_MINUS;
}

void ival_mul(struct ival *z, const struct ival *a, const struct ival *b)
{
	if (not_numbers(z, a, b))
		return;
	if (infinite(a) || infinite(b)) {
		int s = ival_sign(a), t = ival_sign(b);
		if (s == 0 || t == 0)
			set_class(z, IVAL_NAN);
		else
			set_class(z, s == 2 || t == 2 ? IVAL_UNKNOWN : infinity_of(s * t));
		return;
	}
	mul_finite(z, a, b);
}

void ival_sqr(struct ival *z, const struct ival *a)
{
	ival_abs(z, a);
	if (z->cls != IVAL_FINITE)
		return;
	mpfr_sqr(z->lo, z->lo, MPFR_RNDD);
	mpfr_sqr(z->hi, z->hi, MPFR_RNDU);
}

/* 1/b for b away from 0. */
static void div_finite(struct ival *z, const struct ival *a, const struct ival *b)
{
	mpfr_prec_t p = mpfr_get_prec(z->lo);
	mpfr_srcptr s[2] = {a->lo, a->hi}, t[2] = {b->lo, b->hi};
	mpfr_t lo, hi, q;

	mpfr_inits2(p, lo, hi, q, (mpfr_ptr)0);
	mpfr_set_inf(lo, 1);
	mpfr_set_inf(hi, -1);
	for (int i = 0; i < 4; i++) {
		mpfr_div(q, s[i / 2], t[i % 2], MPFR_RNDD);
		if (mpfr_nan_p(q)) /* beyond over beyond */
			mpfr_set_inf(q, -1);
		mpfr_min(lo, lo, q, MPFR_RNDD);
		mpfr_div(q, s[i / 2], t[i % 2], MPFR_RNDU);
		if (mpfr_nan_p(q))
			mpfr_set_inf(q, 1);
		mpfr_max(hi, hi, q, MPFR_RNDU);
	}
	z->cls = IVAL_FINITE;
	mpfr_swap(z->lo, lo);
	mpfr_swap(z->hi, hi);
	mpfr_clears(lo, hi, q, (mpfr_ptr)0);
}

void ival_div(struct ival *z, const struct ival *a, const struct ival *b)
{
	int s = ival_sign(a), t = ival_sign(b);

	if (not_numbers(z, a, b))
		return;
	if (infinite(a) && infinite(b)) {
		set_class(z, IVAL_NAN);
	} else if (infinite(b)) {
		set_class(z, IVAL_FINITE);
	} else if (t == 0) { /* the sign of an exact zero counts */
		int zero = mpfr_signbit(b->lo) ? -1 : 1;
		set_class(z, s == 0 ? IVAL_NAN : s == 2 ? IVAL_UNKNOWN : infinity_of(s * zero));
	} else if (t == 2) {
		set_class(z, IVAL_UNKNOWN);
	} else if (infinite(a)) {
		set_class(z, infinity_of(s * t));
	} else {
		div_finite(z, a, b);
	}
}

/* Whether a <= b for sure: classes by their infinities, intervals by their ends. */
static bool below(const struct ival *a, const struct ival *b)
{
	if (a->cls == IVAL_MINUS || b->cls == IVAL_PLUS)
		return true;
	if (a->cls == IVAL_PLUS || b->cls == IVAL_MINUS)
		return false;
	return mpfr_cmp(a->hi, b->lo) <= 0;
}

void ival_max(struct ival *z, const struct ival *a, const struct ival *b, bool drop)
{
	if (a->cls == IVAL_NAN || b->cls == IVAL_NAN) {
		const struct ival *o = a->cls == IVAL_NAN ? b : a;
		if (!drop || o->cls == IVAL_NAN)
			set_class(z, IVAL_NAN);
		else if (z != o)
			ival_set(z, o);
		return;
	}
	if (not_numbers(z, a, b))
		return;
	if (below(a, b) || below(b, a)) {
		const struct ival *o = below(a, b) ? b : a;
		if (z != o)
			ival_set(z, o);
		return;
	}
	z->cls = IVAL_FINITE;
	mpfr_max(z->lo, a->lo, b->lo, MPFR_RNDD);
	mpfr_max(z->hi, a->hi, b->hi, MPFR_RNDU);
}

/* ---- functions --------------------------------------------------------------------------------
 */

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);

static void increasing(struct ival *z, mpfr_function *f, const struct ival *a)
{
	z->cls = IVAL_FINITE;
	f(z->lo, a->lo, MPFR_RNDD);
	f(z->hi, a->hi, MPFR_RNDU);
	settle(z);
}

/* From bottom at -inf to top at +inf (infinite or not). */
static void growing(struct ival *z, mpfr_function *f, const struct ival *a, int bottom,
                    enum ival_class at_plus, int top)
{
	if (a->cls == IVAL_MINUS) {
		ival_set_d(z, bottom);
	} else if (a->cls == IVAL_PLUS) {
		if (at_plus == IVAL_FINITE)
			ival_set_d(z, top);
		else
			set_class(z, at_plus);
	} else {
		increasing(z, f, a);
	}
}

/* log, sqrt and their kin: NaN below `least`, minus infinity (logarithms) at it. */
static void from_least(struct ival *z, mpfr_function *f, const struct ival *a, int least, bool pole)
{
	if (a->cls == IVAL_MINUS || (a->cls == IVAL_FINITE && mpfr_cmp_si(a->hi, least) < 0))
		set_class(z, IVAL_NAN);
	else if (a->cls == IVAL_PLUS)
		set_class(z, IVAL_PLUS);
	else if (mpfr_cmp_si(a->lo, least) < 0)
		set_class(z, IVAL_UNKNOWN);
	else if (pole && mpfr_cmp_si(a->hi, least) == 0)
		set_class(z, IVAL_MINUS);
	else if (pole && mpfr_cmp_si(a->lo, least) == 0)
		set_class(z, IVAL_UNKNOWN);
	else
		increasing(z, f, a);
}

/* 1 + erf(a) = erfc(-a). */
static void erf_plus_one(struct ival *z, const struct ival *a)
{
	struct ival t;

	if (a->cls != IVAL_FINITE) {
		ival_set_d(z, a->cls == IVAL_PLUS ? 2 : 0);
		return;
	}
	ival_init(&t, mpfr_get_prec(a->lo));
	ival_neg(&t, a);
	z->cls = IVAL_FINITE;
	mpfr_erfc(z->lo, t.hi, MPFR_RNDD);
	mpfr_erfc(z->hi, t.lo, MPFR_RNDU);
	ival_clear(&t);
}

/* 1 + tanh(a) = 2/(1 + exp(-2a)). */
static void tanh_plus_one(struct ival *z, const struct ival *a)
{
	struct ival t, c;

	if (a->cls != IVAL_FINITE) {
		ival_set_d(z, a->cls == IVAL_PLUS ? 2 : 0);
		return;
	}
	ival_init(&t, mpfr_get_prec(z->lo));
	ival_init(&c, mpfr_get_prec(z->lo));
	ival_set_d(&c, -2);
	ival_mul(&t, a, &c);
	ival_fn(&t, FN_EXP, &t);
	ival_set_d(&c, 1);
	ival_add(&t, &t, &c);
	ival_set_d(&c, 2);
	ival_div(z, &c, &t);
	ival_clear(&t);
	ival_clear(&c);
}

static void reciprocal_root(struct ival *z, const struct ival *a)
{
	struct ival one;

	ival_fn(z, FN_SQRT, a);
	ival_init(&one, 2);
	ival_set_d(&one, 1);
	ival_div(z, &one, z);
	ival_clear(&one);
}

/* Where MPFR would need as many bits as the exponent says, to know the period. */
static bool far(mpfr_srcptr x)
{
	return !mpfr_number_p(x) || (!mpfr_zero_p(x) && mpfr_get_exp(x) > 1 << 16);
}

/* sin, cos: |f'| <= 1, so f over the interval is within its width of f(lo). */
static void wave(struct ival *z, mpfr_function *f, const struct ival *a)
{
	mpfr_t w;

	if (a->cls != IVAL_FINITE || far(a->lo) || far(a->hi)) {
		set_class(z, a->cls == IVAL_FINITE ? IVAL_UNKNOWN : IVAL_NAN);
		return;
	}
	mpfr_init2(w, mpfr_get_prec(z->lo));
	mpfr_sub(w, a->hi, a->lo, MPFR_RNDU);
	z->cls = IVAL_FINITE;
	f(z->hi, a->lo, MPFR_RNDU);
	f(z->lo, a->lo, MPFR_RNDD);
	mpfr_sub(z->lo, z->lo, w, MPFR_RNDD);
	mpfr_add(z->hi, z->hi, w, MPFR_RNDU);
	mpfr_clear(w);
}

static int floor_of(mpfr_t z, const mpfr_t a, mpfr_rnd_t rnd)
{
	return mpfr_rint_floor(z, a, rnd);
}

static int round_of(mpfr_t z, const mpfr_t a, mpfr_rnd_t rnd)
{
	(void)rnd;
	return mpfr_rint(z, a, MPFR_RNDN);
}

void ival_fn(struct ival *z, enum lang_fn f, const struct ival *a)
{
	if (not_numbers(z, a, a))
		return;
	if (lang_fn_in_table(f)) {
		ival_table_fn(z, f, a);
		return;
	}
	switch (f) {
	case FN_EXP:
		growing(z, mpfr_exp, a, 0, IVAL_PLUS, 0);
		break;
	case FN_EXP2:
		growing(z, mpfr_exp2, a, 0, IVAL_PLUS, 0);
		break;
	case FN_EXPM1:
		growing(z, mpfr_expm1, a, -1, IVAL_PLUS, 0);
		break;
	case FN_TANH:
		growing(z, mpfr_tanh, a, -1, IVAL_FINITE, 1);
		break;
	case FN_ERF:
		growing(z, mpfr_erf, a, -1, IVAL_FINITE, 1);
		break;
	case FN_LOG:
		from_least(z, mpfr_log, a, 0, true);
		break;
	case FN_LOG2:
		from_least(z, mpfr_log2, a, 0, true);
		break;
	case FN_LOG1P:
		from_least(z, mpfr_log1p, a, -1, true);
		break;
	case FN_SQRT:
		from_least(z, mpfr_sqrt, a, 0, false);
		break;
	case FN_RSQRT:
		reciprocal_root(z, a);
		break;
	case FN_ERFP1:
		erf_plus_one(z, a);
		break;
	case FN_TANHP1:
		tanh_plus_one(z, a);
		break;
	case FN_SIN:
		wave(z, mpfr_sin, a);
		break;
	case FN_COS:
		wave(z, mpfr_cos, a);
		break;
	default:
		if (infinite(a))
			set_class(z, a->cls);
		else
			increasing(z, f == FN_FLOOR ? floor_of : round_of, a);
	}
}

/* a^b for a > 0, or both single numbers. */
void ival_pow(struct ival *z, const struct ival *a, const struct ival *b)
{
	struct ival t;

	if (not_numbers(z, a, b))
		return;
	if (infinite(a) || infinite(b)) {
		set_class(z, IVAL_UNKNOWN);
		return;
	}
	ival_init(&t, mpfr_get_prec(z->lo));
	if (mpfr_equal_p(a->lo, a->hi) && mpfr_equal_p(b->lo, b->hi)) {
		mpfr_pow(t.lo, a->lo, b->lo, MPFR_RNDD);
		mpfr_pow(t.hi, a->lo, b->lo, MPFR_RNDU);
		if (mpfr_nan_p(t.lo))
			set_class(&t, IVAL_NAN);
		else if (mpfr_inf_p(t.lo) && mpfr_inf_p(t.hi))
			set_class(&t, infinity_of(mpfr_sgn(t.lo)));
	} else if (ival_sign(a) == 1) {
		ival_fn(&t, FN_LOG, a);
		ival_mul(&t, &t, b);
		ival_fn(&t, FN_EXP, &t);
	} else {
		set_class(&t, IVAL_UNKNOWN);
	}
	ival_set(z, &t);
	ival_clear(&t);
}

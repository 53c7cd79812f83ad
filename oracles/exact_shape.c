/* exact_shape.c - from the enclosure at points to that over intervals (exact_fn.h). */
#include "oracles/exact_fn.h"

#include <math.h>

void fn_set_class(struct ival *z, enum ival_class c)
{
	ival_set_d(z, c == IVAL_PLUS ? INFINITY : c == IVAL_MINUS ? -INFINITY : NAN);
	z->cls = c;
}

void fn_settle(struct ival *z)
{
	if (mpfr_nan_p(z->lo) || mpfr_nan_p(z->hi))
		fn_set_class(z, IVAL_NAN);
	else if (mpfr_inf_p(z->lo) && mpfr_inf_p(z->hi) && mpfr_sgn(z->lo) == mpfr_sgn(z->hi))
		fn_set_class(z, mpfr_sgn(z->lo) > 0 ? IVAL_PLUS : IVAL_MINUS);
}

void fn_at_point(const struct fn_row *r, struct ival *z, mpfr_srcptr x)
{
	if (r->point) {
		r->point(z, x);
		return;
	}
	z->cls = IVAL_FINITE;
	r->mpfr(z->lo, x, MPFR_RNDD);
	r->mpfr(z->hi, x, MPFR_RNDU);
	fn_settle(z);
}

static bool is_point(const struct ival *a)
{
	return mpfr_equal_p(a->lo, a->hi);
}

static bool far(mpfr_srcptr x)
{
	return mpfr_regular_p(x) && mpfr_get_exp(x) > 1 << 16;
}

/* A point is evaluated, except where MPFR would need as many bits as the argument's exponent says,
 * to know its period: unknown. */
static bool done_at_point(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	if (far(a->lo) || far(a->hi))
		fn_set_class(z, IVAL_UNKNOWN);
	else if (is_point(a))
		fn_at_point(r, z, a->lo);
	else
		return false;
	return true;
}

/* An end of an interval of numbers that lies beyond MPFR's range gives such an end. */
static void open_end(struct ival *z, mpfr_srcptr x)
{
	if (!mpfr_inf_p(x) || (z->cls != IVAL_PLUS && z->cls != IVAL_MINUS))
		return;
	mpfr_set_inf(z->lo, z->cls == IVAL_PLUS ? 1 : -1);
	mpfr_set_inf(z->hi, z->cls == IVAL_PLUS ? 1 : -1);
	z->cls = IVAL_FINITE;
}

static void from_ends(const struct fn_row *r, struct ival *z, mpfr_srcptr low, mpfr_srcptr high)
{
	struct ival t;

	ival_init(&t, mpfr_get_prec(z->lo));
	fn_at_point(r, &t, high);
	fn_at_point(r, z, low);
	open_end(z, low);
	open_end(&t, high);
	if (z->cls == IVAL_FINITE && t.cls == IVAL_FINITE)
		mpfr_swap(z->hi, t.hi);
	else if (z->cls != t.cls)
		fn_set_class(z, IVAL_UNKNOWN);
	ival_clear(&t);
}

static void monotone(const struct fn_row *r, struct ival *z, const struct ival *a, bool falls)
{
	if (is_point(a))
		fn_at_point(r, z, a->lo);
	else if (mpfr_cmp_d(a->hi, r->from) < 0 || mpfr_cmp_d(a->lo, r->to) > 0)
		fn_set_class(z, IVAL_NAN);
	else if (mpfr_cmp_d(a->lo, r->from) < 0 || mpfr_cmp_d(a->hi, r->to) > 0)
		fn_set_class(z, IVAL_UNKNOWN);
	else
		from_ends(r, z, falls ? a->hi : a->lo, falls ? a->lo : a->hi);
}

void shape_rises(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	monotone(r, z, a, false);
}

void shape_falls(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	monotone(r, z, a, true);
}

/* Falls on each side of its pole at 0. */
void shape_falls_but_at_0(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	if (!is_point(a) && mpfr_sgn(a->lo) <= 0 && mpfr_sgn(a->hi) >= 0)
		fn_set_class(z, IVAL_UNKNOWN);
	else
		monotone(r, z, a, true);
}

void shape_even(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	struct ival t;

	ival_init(&t, mpfr_get_prec(a->lo));
	ival_abs(&t, a);
	monotone(r, z, &t, false);
	ival_clear(&t);
}

/* tan: between two points of equal sign of the cosine, less than 3 apart, there is no pole. */
void shape_tangent(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	mpfr_t c, d;
	bool same;

	if (done_at_point(r, z, a))
		return;
	mpfr_inits2(mpfr_get_prec(z->lo), c, d, (mpfr_ptr)0);
	mpfr_sub(d, a->hi, a->lo, MPFR_RNDU);
	same = mpfr_cmp_ui(d, 3) < 0;
	if (same) {
		mpfr_cos(c, a->lo, MPFR_RNDN); /* never 0, and the sign is right */
		mpfr_cos(d, a->hi, MPFR_RNDN);
		same = mpfr_sgn(c) == mpfr_sgn(d);
	}
	mpfr_clears(c, d, (mpfr_ptr)0);
	if (same)
		from_ends(r, z, a->lo, a->hi);
	else
		fn_set_class(z, IVAL_UNKNOWN);
}

/* f(lo) and whatever a slope of at most l reaches over the width. l is used up. */
static void within_slope(const struct fn_row *r, struct ival *z, const struct ival *a, mpfr_t l)
{
	mpfr_t w;

	mpfr_init2(w, mpfr_get_prec(z->lo));
	mpfr_sub(w, a->hi, a->lo, MPFR_RNDU);
	mpfr_mul(w, w, l, MPFR_RNDU);
	fn_at_point(r, z, a->lo);
	if (z->cls != IVAL_FINITE || !mpfr_number_p(w)) {
		fn_set_class(z, IVAL_UNKNOWN);
	} else {
		mpfr_sub(z->lo, z->lo, w, MPFR_RNDD);
		mpfr_add(z->hi, z->hi, w, MPFR_RNDU);
	}
	mpfr_clear(w);
}

/* |f'| <= 4: sinpi and cospi (pi), j0 and j1 (1). */
void shape_wave(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	mpfr_t l;

	if (done_at_point(r, z, a))
		return;
	mpfr_init2(l, 8);
	mpfr_set_ui(l, 4, MPFR_RNDU);
	within_slope(r, z, a, l);
	mpfr_clear(l);
}

/* l = |f(x)| + |g(x)| upwards */
static void sum_of_sizes(mpfr_t l, mpfr_function *f, mpfr_function *g, mpfr_srcptr x)
{
	mpfr_t t;

	mpfr_init2(t, mpfr_get_prec(l));
	f(l, x, MPFR_RNDA);
	g(t, x, MPFR_RNDA);
	mpfr_abs(l, l, MPFR_RNDU);
	mpfr_abs(t, t, MPFR_RNDU);
	mpfr_add(l, l, t, MPFR_RNDU);
	mpfr_clear(t);
}

/* y0' = -y1, y1' = y0 - y1/x. J² + Y² decreases on x > 0 (Nicholson's integral, DLMF 10.9.30), so
 * that |J| + |Y| at the left end bounds |Y| to its right. */
void shape_bessel_y(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	mpfr_t l, m;

	if (done_at_point(r, z, a))
		return;
	if (mpfr_sgn(a->hi) < 0) {
		fn_set_class(z, IVAL_NAN);
		return;
	}
	if (mpfr_sgn(a->lo) <= 0) {
		fn_set_class(z, IVAL_UNKNOWN);
		return;
	}
	mpfr_inits2(mpfr_get_prec(z->lo), l, m, (mpfr_ptr)0);
	sum_of_sizes(l, mpfr_j1, mpfr_y1, a->lo);
	if (r->mpfr == mpfr_y1) {
		mpfr_div(l, l, a->lo, MPFR_RNDU);
		sum_of_sizes(m, mpfr_j0, mpfr_y0, a->lo);
		mpfr_add(l, l, m, MPFR_RNDU);
	}
	within_slope(r, z, a, l);
	mpfr_clears(l, m, (mpfr_ptr)0);
}

/* Is there no pole (0, -1, -2, …) in the interval? */
static bool between_poles(const struct ival *a)
{
	mpfr_t f;
	bool ok = mpfr_sgn(a->lo) > 0;

	if (ok || mpfr_sgn(a->hi) >= 0)
		return ok;
	mpfr_init2(f, mpfr_get_prec(a->hi));
	mpfr_floor(f, a->hi);
	ok = mpfr_cmp(f, a->lo) < 0; /* the floor is a pole unless it lies below */
	mpfr_clear(f);
	return ok;
}

/* l = the largest |digamma|, which grows between two poles. */
static void digamma_size(mpfr_t l, const struct ival *a)
{
	mpfr_t t;

	mpfr_init2(t, mpfr_get_prec(l));
	mpfr_digamma(l, a->lo, MPFR_RNDA);
	mpfr_digamma(t, a->hi, MPFR_RNDA);
	mpfr_abs(l, l, MPFR_RNDU);
	mpfr_abs(t, t, MPFR_RNDU);
	mpfr_max(l, l, t, MPFR_RNDU);
	mpfr_clear(t);
}

/* (log |gamma|)' = digamma */
void shape_log_gamma(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	mpfr_t l;

	if (done_at_point(r, z, a))
		return;
	if (!between_poles(a)) {
		fn_set_class(z, IVAL_UNKNOWN);
	} else {
		mpfr_init2(l, mpfr_get_prec(z->lo));
		digamma_size(l, a);
		within_slope(r, z, a, l);
		mpfr_clear(l);
	}
}

/* gamma changes by a factor between exp(-d) and exp(d), d = width·|digamma|. */
void shape_gamma(const struct fn_row *r, struct ival *z, const struct ival *a)
{
	struct ival f;

	if (done_at_point(r, z, a))
		return;
	if (!between_poles(a)) {
		fn_set_class(z, IVAL_UNKNOWN);
		return;
	}
	ival_init(&f, mpfr_get_prec(z->lo));
	digamma_size(f.hi, a);
	mpfr_sub(f.lo, a->hi, a->lo, MPFR_RNDU);
	mpfr_mul(f.hi, f.hi, f.lo, MPFR_RNDU);
	mpfr_neg(f.lo, f.hi, MPFR_RNDD);
	ival_fn(&f, FN_EXP, &f);
	fn_at_point(r, z, a->lo);
	ival_mul(z, z, &f);
	ival_clear(&f);
}

#include "oracles/eval_fix.h"

#include "oracles/eval_loops.h"
#include "oracles/exact.h"
#include "oracles/vecmath.h"

#define BIG 0x1p1000

static const struct elem not_a_number = {NAN, 0, 0};

static struct elem exactly(double v)
{
	return (struct elem){v, 0, 0};
}

static struct elem big(bool negative)
{
	return (struct elem){negative ? -INFINITY : INFINITY, INFINITY, 0};
}

static struct elem unknown(double estimate)
{
	return (struct elem){isfinite(estimate) ? estimate : NAN, INFINITY, 0};
}

static bool negative(struct elem a)
{
	return signbit(a.v);
}

static double up(double r)
{
	return r * (1 + 0x1p-46) + LOOP_TINY;
}

/* The least |x| of the enclosure; 0 when it reaches 0. */
static double least(struct elem a)
{
	double m = fabs(a.v) * (1 - 0x1p-50) - a.r * (1 + 0x1p-50);

	return elem_inf(a) ? INFINITY : elem_big(a) ? BIG : m > 0 ? m : 0;
}

static double most(struct elem a)
{
	return (fabs(a.v) + a.r) * (1 + 0x1p-50);
}

struct elem fix_add(struct elem a, struct elem b)
{
	double v = a.v + b.v;

	if (elem_nan(a) || elem_nan(b))
		return not_a_number;
	if (elem_inf(a) && elem_inf(b))
		return exactly(v);
	if (elem_inf(a) && (elem_finite(b) || elem_big(b)))
		return a;
	if (elem_inf(b) && (elem_finite(a) || elem_big(a)))
		return b;
	if (elem_big(a) && elem_big(b))
		return negative(a) == negative(b) ? a : unknown(v);
	if (elem_big(a) && elem_finite(b) && most(b) < 0x1p900)
		return a;
	if (elem_big(b) && elem_finite(a) && most(a) < 0x1p900)
		return b;
	if (elem_finite(a) && elem_finite(b)) {
		if (isinf(v) && least(a) + least(b) > BIG)
			return big(v < 0);
		double r = up(a.r + b.r + LOOP_U * fabs(v));
		return isfinite(v) && isfinite(r) ? (struct elem){v, r, 0} : unknown(v);
	}
	return unknown(v);
}

struct elem fix_mul(struct elem a, struct elem b)
{
	bool neg = negative(a) != negative(b);
	double v = a.v * b.v;

	if (elem_nan(a) || elem_nan(b))
		return not_a_number;
	if ((elem_inf(a) && elem_zero(b)) || (elem_inf(b) && elem_zero(a)))
		return not_a_number;
	if ((elem_inf(a) && least(b) > 0) || (elem_inf(b) && least(a) > 0))
		return exactly(neg ? -INFINITY : INFINITY);
	if ((elem_big(a) && elem_zero(b)) || (elem_big(b) && elem_zero(a)))
		return exactly(0);
	if ((elem_big(a) && least(b) >= 1) || (elem_big(b) && least(a) >= 1))
		return big(neg);
	if (elem_finite(a) && elem_finite(b)) {
		double r = up(fabs(a.v) * b.r + (fabs(b.v) + b.r) * a.r + LOOP_U * fabs(v));
		if (isfinite(v) && isfinite(r))
			return (struct elem){v, r, 0};
		return least(a) * least(b) > BIG ? big(neg) : unknown(v);
	}
	return unknown(v);
}

/* a/b for an exact infinity on either side or b exactly 0; false when it is none of these. */
static bool div_special(struct elem a, struct elem b, struct elem *z)
{
	bool neg = negative(a) != negative(b);

	if ((elem_inf(a) && elem_inf(b)) || (elem_zero(a) && elem_zero(b)))
		*z = not_a_number;
	else if (elem_inf(b) && (elem_finite(a) || elem_big(a)))
		*z = exactly(neg ? -0.0 : 0.0);
	else if (elem_zero(b) ? least(a) > 0 : elem_inf(a) && least(b) > 0)
		*z = exactly(neg ? -INFINITY : INFINITY);
	else
		return false;
	return true;
}

struct elem fix_div(struct elem a, struct elem b)
{
	bool neg = negative(a) != negative(b);
	double v = a.v / b.v;
	struct elem z;

	if (elem_nan(a) || elem_nan(b))
		return not_a_number;
	if (div_special(a, b, &z))
		return z;
	if (elem_big(b) && elem_finite(a))
		return (struct elem){0, up(most(a) * (1 / BIG)), 0};
	if (elem_big(a) && elem_finite(b) && most(b) <= 1 && least(b) > 0)
		return big(neg);
	if (elem_finite(a) && elem_finite(b) && least(b) > 0) {
		double r = up((a.r + fabs(v) * b.r) / least(b) + LOOP_U * fabs(v));
		if (isfinite(v) && isfinite(r))
			return (struct elem){v, r, 0};
		return least(a) / most(b) > BIG ? big(neg) : unknown(v);
	}
	return unknown(v);
}

struct elem fix_max(struct elem a, struct elem b, bool drop)
{
	if (elem_nan(a) || elem_nan(b)) {
		if (!drop)
			return not_a_number;
		return elem_nan(a) ? b : a;
	}
	if (elem_finite(a) && elem_finite(b))
		return (struct elem){a.v > b.v ? a.v : b.v, a.r > b.r ? a.r : b.r, 0};
	if (isnan(a.v) || isnan(b.v))
		return unknown(NAN);
	if ((isinf(a.v) || isinf(b.v)) && a.v != b.v) { /* an infinity or a big one decides */
		struct elem top = a.v > b.v ? a : b, low = a.v > b.v ? b : a;
		if (isinf(top.v) || isinf(low.v))
			return isinf(top.v) && !elem_inf(top) && !elem_finite(low) && !isinf(low.v)
			               ? unknown(NAN)
			               : top;
	}
	if (isinf(a.v) && a.v == b.v)
		return (a.v > 0) == elem_inf(a) ? a : b;
	return unknown(a.v > b.v ? a.v : b.v);
}

/* A function that grows, from its values at the ends, which err by at most rel. */
static struct elem monotone(void (*f)(const double *, double *, size_t), struct elem a, double rel)
{
	double x[2] = {a.v - a.r * (1 + 0x1p-50) - 0x1p-50 * fabs(a.v),
	               a.v + a.r * (1 + 0x1p-50) + 0x1p-50 * fabs(a.v)};
	double y[2], v;

	f(x, y, 2);
	v = y[0] + (y[1] - y[0]) / 2;
	if (!isfinite(y[0]) || !isfinite(y[1]))
		return y[0] > BIG ? big(false) : unknown(v);
	return (struct elem){v,
	                     up((y[1] - y[0]) / 2 * (1 + 0x1p-50) +
	                        2 * rel * (fabs(y[0]) + fabs(y[1])) + LOOP_U * fabs(v)),
	                     0};
}

static struct elem fix_exp(enum lang_fn f, struct elem a)
{
	double bottom = f == FN_EXPM1 ? -1 : 0;

	if (elem_inf(a))
		return exactly(a.v > 0 ? INFINITY : bottom);
	if (elem_big(a))
		return a.v > 0 ? a : (struct elem){bottom, f == FN_EXPM1 ? 0x1p-60 : LOOP_TINY, 0};
	if (f == FN_EXPM1)
		return monotone(vm_expm1, a, VM_EXPM1_REL);
	return monotone(f == FN_EXP ? vm_exp : vm_exp2, a, VM_EXP_REL);
}

/* log, log2, log1p, sqrt, rsqrt: nothing below the pole or zero at `low`. */
static struct elem fix_root(enum lang_fn f, struct elem a, struct elem z)
{
	double low = f == FN_LOG1P ? -1 : 0;
	bool root = f == FN_SQRT || f == FN_RSQRT;

	if ((elem_inf(a) || elem_big(a) || elem_finite(a)) &&
	    (isinf(a.v) ? a.v < 0 : a.v + a.r < low))
		return not_a_number;
	if (elem_inf(a))
		return exactly(f == FN_RSQRT ? 0 : INFINITY);
	if (a.r == 0 && a.v == low && f != FN_SQRT)
		return exactly(f == FN_RSQRT ? INFINITY : -INFINITY);
	if (elem_big(a) && root)
		return f == FN_SQRT ? unknown(NAN) : (struct elem){0, 0x1p-499, 0};
	return unknown(z.v);
}

static struct elem fix_bounded(enum lang_fn f, struct elem a)
{
	double top = f == FN_ERFP1 || f == FN_TANHP1 ? 2 : 1;
	double bottom = top == 2 ? 0 : -1;

	if (elem_inf(a))
		return exactly(a.v > 0 ? top : bottom);
	if (elem_big(a))
		return (struct elem){a.v > 0 ? top : bottom,
		                     a.v < 0 && top == 2 ? LOOP_TINY : 0x1p-60, 0};
	return (struct elem){top - 1, 1, 0};
}

static void to_interval(struct ival *z, struct elem a)
{
	ival_set_d(z, a.v);
	if (elem_nan(a) || elem_inf(a))
		return;
	z->cls = IVAL_UNKNOWN;
	if (elem_finite(a)) {
		z->cls = IVAL_FINITE;
		if (a.r == 0) /* +0 - 0 downwards is -0 */
			return;
		mpfr_sub_d(z->lo, z->lo, a.r, MPFR_RNDD);
		mpfr_add_d(z->hi, z->hi, a.r, MPFR_RNDU);
	} else if (elem_big(a)) {
		z->cls = IVAL_FINITE;
		mpfr_set_d(z->lo, negative(a) ? -INFINITY : BIG, MPFR_RNDD);
		mpfr_set_d(z->hi, negative(a) ? -BIG : INFINITY, MPFR_RNDU);
	}
}

static struct elem from_interval(struct ival *z)
{
	struct elem e;

	if (z->cls == IVAL_NAN)
		return not_a_number;
	if (z->cls == IVAL_PLUS || z->cls == IVAL_MINUS)
		return exactly(z->cls == IVAL_PLUS ? INFINITY : -INFINITY);
	if (z->cls == IVAL_UNKNOWN)
		return unknown(NAN);
	if (mpfr_cmp_d(z->lo, BIG) > 0 || mpfr_cmp_d(z->hi, -BIG) < 0)
		return big(mpfr_sgn(z->lo) < 0);
	e = exactly(mpfr_get_d(z->lo, MPFR_RNDN) / 2 + mpfr_get_d(z->hi, MPFR_RNDN) / 2);
	if (mpfr_equal_p(z->lo, z->hi))
		e.v = mpfr_get_d(z->lo, MPFR_RNDN);
	mpfr_d_sub(z->lo, e.v, z->lo, MPFR_RNDU);
	mpfr_sub_d(z->hi, z->hi, e.v, MPFR_RNDU);
	mpfr_max(z->hi, z->hi, z->lo, MPFR_RNDU);
	e.r = mpfr_get_d(z->hi, MPFR_RNDU);
	return elem_finite(e) ? e : unknown(e.v);
}

struct elem fix_table_fn(enum lang_fn f, struct elem a)
{
	struct ival x, z;
	struct elem e;

	thread_at_exit(mpfr_free_cache);
	ival_init(&x, FN_BITS);
	ival_init(&z, FN_BITS);
	to_interval(&x, a);
	ival_fn(&z, f, &x);
	e = from_interval(&z);
	ival_clear(&x);
	ival_clear(&z);
	return e;
}

struct elem fix_fn(enum lang_fn f, struct elem a, struct elem z)
{
	if (elem_nan(a))
		return not_a_number;
	switch (f) {
	case FN_EXP:
	case FN_EXP2:
	case FN_EXPM1:
		return elem_finite(a) || isinf(a.v) ? fix_exp(f, a) : unknown(z.v);
	case FN_LOG:
	case FN_LOG2:
	case FN_LOG1P:
	case FN_SQRT:
	case FN_RSQRT:
		return fix_root(f, a, z);
	case FN_TANH:
	case FN_ERF:
	case FN_TANHP1:
	case FN_ERFP1:
		return isnan(a.v) ? unknown(NAN) : fix_bounded(f, a);
	case FN_SIN:
	case FN_COS:
		return elem_inf(a) ? not_a_number : unknown(z.v);
	default:
		if (lang_fn_in_table(f))
			return fix_table_fn(f, a);
		return elem_inf(a) ? exactly(a.v) : elem_big(a) ? a : unknown(z.v);
	}
}

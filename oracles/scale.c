#include "oracles/scale.h"

#include "oracles/eval_fix.h"

/* The whole of error analysis here is for |error| <= kappa·u·S with u of the accumulation type. */
struct scale scale_make(const struct numerics *num, double kappa, unsigned rules)
{
	int p = dtype_precision(num->acc), emin = dtype_emin(num->acc);
	double least = ldexp(1, num->ftz ? emin : emin - p + 1);
	struct scale k = {.rules = rules, .u = dtype_u(num->acc), .kappa = kappa};

	k.ku = rules & SCALE_SECOND ? kappa * k.u : 0;
	k.eta = rules & SCALE_FLOORS ? least / k.u : 0;
	k.eta_add = num->ftz ? k.eta : 0;
	k.flush = num->ftz && rules & SCALE_FLOORS ? ldexp(1, emin) : 0;
	k.head = rules & SCALE_OVERFLOW ? dtype_max(num->acc) / 4 : INFINITY;
	k.exp_abs = rules & SCALE_EXP_ABS ? 1 : 0;
	return k;
}

double scale_constant(const struct scale *k, enum dtype acc, double v, double rad)
{
	(void)k;
	if (!isfinite(v))
		return 0;
	return rad == 0 && dtype_decode(acc, dtype_encode(acc, v, RND_NE, false)) == v ? 0
	                                                                               : fabs(v);
}

/* |v| where v is finite, else 0: infinities are compared as classes. */
static double fin(struct elem a)
{
	return isfinite(a.v) ? fabs(a.v) : 0;
}

/* A product in a scale: 0·inf = 0, but what is out of contract stays so. */
static double times(double a, double b)
{
	return (a == 0 && !isnan(b)) || (b == 0 && !isnan(a)) ? 0 : a * b;
}

static bool soft(const struct scale *k, struct elem a)
{
	if (!(k->rules & SCALE_OVERFLOW))
		return false;
	return elem_big(a) || (isfinite(a.v) && fabs(a.v) > k->head);
}

/* An unknown value without an estimate cannot be scaled: an intermediate left the range of double.
 */
static double settle(struct elem z, double s)
{
	if (isnan(z.v) && z.r != 0)
		return NAN;
	return (elem_nan(z) || elem_inf(z)) && !isnan(s) ? 0 : s;
}

/* A soft operand whose result is back in range makes it hard. */
static double came_back(const struct scale *k, bool operand, struct elem z, double s)
{
	return operand && !soft(k, z) ? NAN : settle(z, s);
}

/* Operands of opposite signs: the larger may overflow by itself where the sum does not, so that a soft
 * one is hard although the result is soft, too. */
double scale_fix_add(const struct scale *k, struct elem a, struct elem b, struct elem z)
{
	double s = a.s + b.s + fin(z) + k->eta_add;

	if ((soft(k, a) || soft(k, b)) && isfinite(z.v) && fabs(z.v) < fmax(fin(a), fin(b)))
		return NAN;
	return came_back(k, soft(k, a) || soft(k, b), z, s);
}

double scale_fix_mul(const struct scale *k, struct elem a, struct elem b, struct elem z)
{
	double s = times(fin(a), b.s) + times(fin(b), a.s) + times(k->ku, times(a.s, b.s)) + fin(z);

	if (a.v != 0 && b.v != 0)
		s += k->eta;
	return came_back(k, soft(k, a) || soft(k, b), z, s);
}

double scale_fix_div(const struct scale *k, struct elem a, struct elem b, struct elem z)
{
	double den = fin(b) - k->ku * b.s, s;

	if (isnan(a.s) || isnan(b.s) || soft(k, a))
		return NAN;
	if (soft(k, b)) {
		/* a quotient by what double does not hold is a number all the same, below |a|·2^-1000 */
		double most = elem_big(b) ? fmax(fin(z), fin(a) * 0x1p-1000) : fin(z);

		return most <= 0x1p-100 ? most / k->u : NAN;
	}
	if (isinf(b.v))
		return settle(z, a.v != 0 ? k->eta : 0);
	if (den <= 0 && isnan(z.v) && z.r != 0) /* as 0/0, where either 0 is uncertain */
		return INFINITY;
	s = den > 0 ? (a.s + times(fin(z), b.s)) / den : INFINITY;
	s = a.s == 0 && b.s == 0 ? 0 : s;
	return settle(z, s + fin(z) + (a.v != 0 ? k->eta : 0));
}

double scale_fix_max(const struct scale *k, struct elem a, struct elem b, struct elem z)
{
	if (isnan(a.s) || isnan(b.s))
		return NAN;
	return came_back(k, soft(k, a) || soft(k, b), z, scale_max(k, a.v, a.s, b.v, b.s));
}

double scale_fix_min(const struct scale *k, struct elem a, struct elem b, struct elem z)
{
	a.v = -a.v;
	b.v = -b.v;
	return scale_fix_max(k, a, b, z);
}

double scale_fix_fn(const struct scale *k, int f, struct elem a, struct elem z, double plain)
{
	bool back;

	switch (f) {
	case FN_EXP:
	case FN_EXP2:
	case FN_EXP10:
		if (isnan(a.s))
			return NAN;
		back = soft(k, a) && z.v > 0;
		if (isinf(a.v) || z.v == 0)
			plain = isinf(a.v) && a.r == 0 && a.v < 0 ? 0 : SCALE_C_EXP * k->eta;
		break;
	case FN_EXPM1:
		if (a.v < 0 && (soft(k, a) || isnan(a.s)))
			return SCALE_C_EXP * fin(z);
		back = soft(k, a);
		break;
	case FN_TANH:
	case FN_ERF:
	case FN_TANHP1:
	case FN_ERFP1:
		if (isnan(a.s))
			return NAN;
		if (isinf(a.v) || soft(k, a))
			plain = f == FN_TANHP1 || f == FN_ERFP1 ? fin(z) : 0;
		return settle(z, plain);
	default:
		back = soft(k, a);
	}
	if (isnan(a.s))
		return NAN;
	return came_back(k, back, z, plain);
}

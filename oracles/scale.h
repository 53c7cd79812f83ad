/* scale.h - the error scale S of facts of error analysis: what one rounding-sized step of any
 * sensible implementation contributes, node by node, in units of u, the roundoff of the
 * accumulation type.
 *
 * |computed - exact| <= T·u·S. An element carries (v, S). S = NaN: out of contract (an intermediate
 * may overflow, "hard"); S = inf: ill-conditioned. "Soft" is a value beyond the headroom at this
 * very node: it can be told from v, |v| > head. kappa is the T that is expected; ku = kappa·u
 * appears in every second-order term. The rules are functions of a few doubles, written once here:
 * the vector loops of eval_simd.c and the careful code of scale.c both use them. Each rule can be
 * switched off for the tests. */
#ifndef ORACLES_SCALE_H
#define ORACLES_SCALE_H

#include <math.h>

#include "oracles/oracles.h"

enum scale_rule {
	SCALE_FLOORS = 1,      /* underflow floors eta */
	SCALE_OUT_FLOOR = 2,   /* K·eta on the output */
	SCALE_SECOND = 4,      /* second-order terms */
	SCALE_OVERFLOW = 8,    /* hard and soft flags */
	SCALE_EXP_ABS = 16,    /* |a| in exp(a) */
	SCALE_RATIO = 32,      /* ratios of sums with common weights */
	SCALE_SATURATION = 64, /* tanh, erf */
	SCALE_SHIFT = 128,     /* S = 0 of a shift */
	SCALE_ALL = 255
};

/* Units of u that a function documented at n ulp may be wrong: 2n + 1. */
#define SCALE_C_EXP   5
#define SCALE_C_LOG   3
#define SCALE_C_TANH  5
#define SCALE_C_ERF   5
#define SCALE_C_RSQRT 5
#define SCALE_C_TRIG  5
#define SCALE_C_POW   9

/* One element. r tells what v means: see eval_fix.h. */
struct elem {
	double v, r, s;
};

struct scale {
	unsigned rules;
	double u, kappa;
	double ku;      /* kappa·u, 0 without second order */
	double eta;     /* smallest positive (or smallest normal, when flushing) over u */
	double eta_add; /* eta when flushing, else 0: IEEE addition is exact down there */
	double flush;   /* an input below this may be read as 0; 0 when not flushing */
	double head;    /* largest finite value / 4 */
	double exp_abs; /* 1, or 0 when the contract says that exp is accurate */
};

struct scale scale_make(const struct numerics *num, double kappa, unsigned rules);
/* What a constant known up to rad adds: 0 when it is exact in the accumulation type. */
double scale_constant(const struct scale *k, enum dtype acc, double v, double rad);

static inline double scale_add(const struct scale *k, double sa, double sb, double z)
{
	return sa + sb + fabs(z) + k->eta_add;
}

static inline double scale_mul(const struct scale *k, double a, double sa, double b, double sb,
                               double z)
{
	double floor = ((a != 0) & (b != 0)) ? k->eta : 0;

	return fabs(a) * sb + fabs(b) * sa + k->ku * (sa * sb) + fabs(z) + floor;
}

static inline double scale_div(const struct scale *k, double a, double sa, double b, double sb,
                               double z)
{
	double den = fabs(b) - k->ku * sb, num = sa + fabs(z) * sb;
	double t = den > 0 ? num / den : INFINITY;

	t = ((sa == 0) & (sb == 0)) ? 0 : t;
	return t + fabs(z) + (a != 0 ? k->eta : 0);
}

/* The secant of the root towards the side where it is steeper: S/(sqrt(a) + sqrt(a - ku·S)), or,
 * when that root would be of something negative, the larger of sqrt(a)/ku and the other side's
 * secant. */
static inline double scale_sqrt(const struct scale *k, double a, double sa, double z)
{
	double e = k->ku * sa, low = a - e;
	double root = sqrt(low > 0 ? low : 0), up = z + sqrt(a + e);
	double t = low > 0 ? sa / (z + root) : z / k->ku;
	double t2 = up > 0 ? sa / up : 0;

	t = sa == 0 ? 0 : t;
	return (t > t2 ? t : t2) + z;
}

static inline double scale_rsqrt(const struct scale *k, double a, double sa, double z)
{
	double low = a - k->ku * sa;
	double t = low > 0 ? sa / (low + sqrt(a * low)) * z : INFINITY;

	return (sa == 0 ? 0 : t) + SCALE_C_RSQRT * z + k->eta;
}

/* max(a, b): the larger S of those that can be the larger one. */
static inline double scale_max(const struct scale *k, double a, double sa, double b, double sb)
{
	double ta = a + k->ku * sa >= b - k->ku * sb ? sa : 0;
	double tb = b + k->ku * sb >= a - k->ku * sa ? sb : 0;

	return ta > tb ? ta : tb;
}

/* g = expm1(ku·S(a))/ku comes from the caller. */
static inline double scale_exp(const struct scale *k, double a, double g, double z)
{
	return z * (g + (SCALE_C_EXP + k->exp_abs * fabs(a))) + SCALE_C_EXP * k->eta;
}

static inline double scale_log(const struct scale *k, double a, double sa, double z, double slope,
                               double c)
{
	double low = a - k->ku * sa;
	double t = low > 0 ? slope * sa / low : INFINITY;

	return (sa == 0 ? 0 : t) + c * fabs(z);
}

static inline double scale_slope(const struct scale *k, double slope, double sa, double z, double c)
{
	return slope * sa + c * fabs(z) + (z != 0 ? c * k->eta : 0);
}

/* tanh and erf: where 1 - |f| is less than a quarter of u an implementation returns 1 or something
 * nearer. */
static inline double scale_saturating(const struct scale *k, double slope, double sa, double f,
                                      double gap, double c)
{
	double own = c * fabs(f), g = gap / k->u;
	bool sat = (g < 0.25) & (g < own) & ((k->rules & SCALE_SATURATION) != 0);

	return slope * sa + (sat ? g : own) + (f != 0 ? c * k->eta : 0);
}

/* One row of softmax, for the unit-vector case of the ratio rule (scale_ratio.c). */
struct scale_unit {
	double sum_a, sum_b; /* sums of p·g under the two references */
	double den_a, den_b;
	double floor_abs, floor_rel;
};

/* eval.c: oracle_eval with rules of the scale switched off, for tests. */
MUST_USE enum st eval_with_rules(const struct op_inst *inst, const struct tensor *const in[],
                                 const struct tensor *const actual[], const struct numerics *num,
                                 double kappa, unsigned flags, unsigned rules, struct oracle **out,
                                 struct err *e);

/* ---- the careful versions, for elements that are not ordinary (scale.c)
 * --------------------------- */

double scale_fix_add(const struct scale *k, struct elem a, struct elem b, struct elem z);
double scale_fix_mul(const struct scale *k, struct elem a, struct elem b, struct elem z);
double scale_fix_div(const struct scale *k, struct elem a, struct elem b, struct elem z);
double scale_fix_max(const struct scale *k, struct elem a, struct elem b, struct elem z);
double scale_fix_min(const struct scale *k, struct elem a, struct elem b, struct elem z);
/* f: the function of lang.h, as an int (enum lang_fn). plain: S as the loops computed it. */
double scale_fix_fn(const struct scale *k, int f, struct elem a, struct elem z, double plain);

#endif

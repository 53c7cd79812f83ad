/* fit.h - from the scaled errors of known-good runs to the envelope of one table cell (design.md
 * §6, facts/accuracy.md §6-7).
 *
 * A cell is one operator, dtype, family of numerics, coherence group and code path; its runs are
 * fitted together. Everything that a table prints of a cell is in struct cell_fit. No I/O; the
 * seed decides all. */
#ifndef TOLERANCES_FIT_H
#define TOLERANCES_FIT_H

#include "base/base.h"

/* One known-good run: the largest scaled error of its elements (>= 0, may be infinite), the longest
 * chain of dependent additions L (>= 1) and the number of elements (>= 1). */
struct run {
	double r, chain, elements;
};

struct fit_options {
	double coverage, conf; /* of the tolerance limit; conf of the extreme level too */
	int rank;              /* which largest run is the limit: 2 */
	double exceed;         /* probability a run that the extreme level is for: 1e-6 */
	double knee;           /* chains up to this are alike: 8 (facts/error-scale.md §6) */
	/* The deterministic bound γ: each of chain + extra operations errs by at most per_op·u. 1:
	 * rounding to nearest, 2: truncation (tensor cores). */
	double per_op, extra, u;
	/* Added to every limit. A 16-bit cell is calibrated with f32 outputs, whose last rounding (at most u·S) is
	 * not held against a kernel; before a rounding to 16 bits it is one error more: 1 there, else 0. */
	double narrow;
	int boot; /* bootstrap samples */
	uint64_t seed;
};

/* The plans: their coverage at 95 % confidence, and the runs a cell that follow from it with
 * rank 2. */
struct fit_plan {
	const char *name;
	double coverage;
	int64_t runs;
};
#define FIT_PLANS 3
extern const struct fit_plan fit_plans[FIT_PLANS];
/* The options of a plan for accumulation of roundoff u, to nearest: 1000 bootstrap samples, seed 1.
 */
struct fit_options fit_options_of(const struct fit_plan *plan, double u);

enum fit_state {
	FIT_ENVELOPE, /* t, slope, elements_slope hold */
	FIT_EXACT,    /* every run was exact: T = 0 */
	FIT_REFUSED,  /* reason says why; what was computed before it is there */
};

const char *fit_state_name(enum fit_state s); /* "envelope", "exact", "refused" */

/* A slope of log r: the fit and its 95 % interval before bounds, and the value used. */
struct fit_slope {
	bool fitted; /* false: the regressor does not vary, or not apart from the other */
	double raw, lo, hi, used;
	double reach; /* the farthest that the regressor's logarithm is from its mean */
};

struct cell_fit {
	enum fit_state state;
	char reason[240];
	struct fit_options options;
	size_t runs, zeros;        /* r = 0 */
	size_t set_aside;          /* zeros that are no part of the fit: all, when there are many */
	size_t used;               /* less the runs of sizes at which every run is exact */
	size_t zeros_used;         /* zeros among them */
	int strata;                /* octaves of the chain among them */
	double chain_lo, chain_hi; /* fitted range; beyond it the deterministic bound stands */
	double elements_lo, elements_hi;
	double median, max; /* of r over the used runs */
	size_t worst;       /* index of the run with the largest r/T (of r, when refused) */

	bool censored; /* slopes by quantile regression for there are zeros, else bisquare */
	struct fit_slope chain; /* used: in [0, 1] */
	struct fit_slope elements;
	double upper_slope, upper_lo, upper_hi; /* of the 0.9-quantile: the cross-check */
	bool tail_faster; /* the 0.9-quantile grows faster beyond doubt: its slope is used */

	double serial_rho, serial_p;       /* independence */
	double location_p, tail_p, spread; /* location-scale: stats_homogeneity */
	double inflation; /* when they are not alike: largest over pooled quantile; else 1 */
	double margin; /* exp(half the interval · reach) of the slopes: their error at the ends */

	double attained;        /* coverage that the used runs give at conf */
	double order_limit;     /* tolerance limit of the residuals r/(H·M) */
	size_t block;           /* runs of which the largest residual is one value of the extreme value fit */
	double xi, xi_hi;       /* shape of their extreme value distribution, upper limit */
	double level, level_hi; /* level of `exceed`: fit and upper limit */
	double gumbel_floor;    /* part of level_hi, 0: not demanded */
	bool extreme;           /* the extreme level is the larger one */

	double t; /* T = min(t·H(L)^slope·M^elements_slope, bound), H = max(1, L/knee), M =
	             elements/elements_lo */
	double tightness; /* largest r/T of the runs: above 1/2, a halved envelope fails a good run
	                   */
	double over_median; /* t over the median residual */
};

/* Steps: sizes (octaves of L) where every run is exact are left out; log r is regressed on log H(L)
 * and log M, by bisquare, or by quantile regression (which zeros do not disturb) when some r are 0;
 * slopes bounded to [0, 1], an L slope falling beyond doubt kept for the residuals only; when the
 * 0.9-quantile grows faster beyond doubt its slope is taken. Residuals r/(H·M) are checked, and t =
 * inflation·margin·max(order limit, extreme limit), rounded up to three digits. Refused, with the
 * reason: an infinite r or one beyond the deterministic bound (a known-good kernel is wrong); fewer
 * used runs than the coverage needs; more than a tenth of them 0 or equal (discrete); slope above 1
 * beyond doubt (wrong scale); runs that depend on the one before (p < 1e-4, |rho| > 0.1); sizes
 * that differ (p < 1e-3) by more than a factor 2; shape limit above 0.25 (heavy tail); a largest
 * run with probability below 1e-4 under the fit (another distribution). A NaN, negative r, chain or
 * elements below 1: ST_INPUT. */
MUST_USE enum st cell_fit(const struct run *runs, size_t n, const struct fit_options *o,
                          struct cell_fit *out, struct err *e);

enum fit_source { FIT_BY_ENVELOPE, FIT_BY_BOUND, FIT_BY_BOUND_BEYOND_RANGE };
/* T of a case; NaN for a refused cell (its verdict is UNKNOWN). *source (may be NULL): where it
 * comes from. More elements than fitted extrapolate the power law; shorter chains than fitted use
 * the envelope, longer ones the bound. */
double cell_fit_limit(const struct cell_fit *f, double chain, double elements,
                      enum fit_source *source);
/* What stands for a refused cell: the deterministic bound, or, for data whose roundings do not agree in sign, the
 * probabilistic one of Higham and Mary (SIAM J. Sci. Comput. 41 (2019), theorem 2.4): λ·sqrt(L + extra), λ such that
 * all of the elements hold it but with probability `exceed`: 2·elements·exp(-λ²/2) = exceed. */
double fit_fallback(const struct fit_options *o, double chain, double elements, bool coherent);
/* n·per_op / (1 - n·per_op·u), n = chain + extra: Higham's γ (2002, §3.1) in units of u; infinite
 * when n·per_op·u >= 1. */
double fit_bound(const struct fit_options *o, double chain);

#endif

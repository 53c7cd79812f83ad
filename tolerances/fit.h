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
	double coverage, conf; /* of the tolerance limit; conf of the tail's level too */
	double least;          /* coverage that suffices where the runs give no more: `coverage` is then what they give */
	int rank;              /* which largest run is the limit: 2 */
	double exceed;         /* probability a run that the extreme level is for: 1e-6 */
	double knee;           /* chains up to this are alike: 8 (facts/error-scale.md §6), or a larger one that fits better */
	int knees;             /* how many to try, each four times the one before: 3 */
	/* The deterministic bound γ: each of chain + extra operations errs by at most per_op·u. 1:
	 * rounding to nearest, 2: truncation (tensor cores). */
	double per_op, extra, u;
	/* Added to every limit. A 16-bit cell is calibrated with f32 outputs, whose last rounding (at most u·S) is
	 * not held against a kernel; before a rounding to 16 bits it is one error more: 1 there, else 0. */
	double narrow;
	int boot; /* bootstrap samples of the extreme value fit; 0: it is left out */
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
	FIT_EXACT,    /* every run was exact, or errs by next to nothing: T = 0 */
	/* The limit holds, but is no envelope to publish: half of it would fail no run, or the tail is one of a power law
	 * (reason says which). It is applied where it lies below what stands for a refused cell. */
	FIT_LOOSE,
	FIT_REFUSED,  /* reason says why; what was computed before it is there */
};

const char *fit_state_name(enum fit_state s); /* "envelope", "exact", "loose", "refused" */

/* A slope of log r: the fit and its 95 % interval before bounds, and the value used. */
struct fit_slope {
	bool fitted; /* false: the regressor does not vary, or not apart from the other */
	double raw, lo, hi, used;
	double reach; /* the farthest that the regressor's logarithm is from its mean */
};

enum fit_law {
	FIT_LAW_SQUARE, /* exp(-x²): as sums of roundings of mean 0 (Higham and Mary 2019, Hoeffding 1963) */
	FIT_LAW_LINEAR, /* exp(-x): the data say that the tail is heavier than that */
	FIT_LAW_POWER,  /* x^-a: heavier than exp(-x); the cell is loose */
};
const char *fit_law_name(enum fit_law l); /* "square", "linear", "power" */

struct cell_fit {
	enum fit_state state;
	char reason[240];
	struct fit_options options; /* knee: the one used */
	size_t runs, zeros;         /* r = 0 */
	size_t used;                /* less the runs of sizes at which every run is exact */
	int strata;                 /* octaves of the chain among them */
	double chain_lo, chain_hi;  /* fitted range; beyond it the deterministic bound stands */
	double elements_lo, elements_hi;
	double median, max; /* of r over the used runs */
	size_t worst;       /* index of the run with the largest r/T (of r, when refused) */

	double tau;             /* the quantile of log r that is regressed on size */
	struct fit_slope chain; /* used: in [0, 1] */
	struct fit_slope elements;
	double middle_slope; /* of the median: the cross-check; 0 where zeros hide it */

	double serial_rho, serial_p;       /* independence */
	double location_p, tail_p, spread; /* location-scale: stats_homogeneity */

	double attained;        /* coverage that the used runs give at conf */
	double order_limit;     /* tolerance limit of the residuals r/(H·M) */
	size_t peaks;           /* the largest residuals, which the tail is fitted to */
	enum fit_law law;       /* of the tail */
	double shape_p;         /* probability of peaks as unlike an exponential, under the law */
	double tail, tail_hi;   /* the tail's level of `exceed` in whichever octave: fit and upper limit */
	double margin;          /* T over the level: its upper limit */
	size_t block;           /* runs of which the largest residual is one value of the extreme value fit */
	double xi, xi_hi;       /* cross-check: shape of their extreme value distribution, upper limit */
	double level, level_hi; /* its level of `exceed`: fit and upper limit, with no law assumed */
	bool extreme;           /* the tail's limit is the larger one */

	double t; /* T = min(t·H(L)^slope·M^elements_slope, bound), H = max(1, L/knee), M =
	             elements/elements_lo */
	double tightness;   /* largest r/T of the runs: above 1/2, a halved envelope fails a good run */
	double over_median; /* t over the median residual */
};

/* Steps: sizes (octaves of L) where every run is exact are left out. What the envelope must follow is the upper
 * edge of the runs, so the 0.9-quantile of log r is regressed on log H(L) and log M (runs below it, zeros among
 * them, only count as below), H for each knee of 8, 32 and 128, of which the one that fits best is used; slopes
 * bounded to [0, 1] and [0, 1/2]. Residuals r/(H·M) are checked. Their tail, the largest fifth, is taken to fall as
 * exp(-x²), unless it is heavier by Gini's test (5 %, with 500 peaks or more 20 %): then as exp(-x), unless that fails as
 * well (5 %), then by a power law, and the cell is loose; if that fails too, it is refused. Its level
 * of `exceed` divided by the number of octaves holds for the runs of each octave. t is that level's upper
 * limit, or the order limit when that is larger, rounded up to three digits. The residuals being what the fitted slopes
 * leave over at every size, an error of the slopes is part of their tail.
 *
 * The law of squares is a theorem for roundings of mean 0 and independent, not for all errors: if truth falls as
 * exp(-x), the test finds that in one case of two from 473 runs and in nearly all from 4742 (tests/tolerances).
 *
 * Refused, with the reason: an infinite r or one beyond the deterministic bound (a known-good kernel is wrong); fewer
 * used runs than the coverage needs; too few that are not 0, or too many equal (discrete); slope above 1.25 beyond
 * doubt (wrong scale); runs that depend on the one before (p < 1e-4, |rho| > 0.1); sizes that differ (p < 1e-3) by more
 * than a factor 2; a heavy tail. Where no run reaches 1/16, the cell is exact but for
 * those that are not 0, which `reason` counts. A NaN, negative r, chain or elements below 1: ST_INPUT. */
MUST_USE enum st cell_fit(const struct run *runs, size_t n, const struct fit_options *o,
                          struct cell_fit *out, struct err *e);
/* Makes a cell loose or refused for a reason found elsewhere. Of two the worse state stands, with its first reason. */
void cell_fit_lower(struct cell_fit *f, enum fit_state to, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

enum fit_source { FIT_BY_ENVELOPE, FIT_BY_BOUND, FIT_BY_BOUND_BEYOND_RANGE };
/* T of a case by the fitted limit, tight or loose; NaN for a refused cell. *source (may be NULL): where it
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

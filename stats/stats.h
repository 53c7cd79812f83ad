/* stats.h - statistics of proportions, tolerance limits, regressions and extremes: pure functions
 * on arrays.
 *
 * The one module that uses GSL.  Nothing here does I/O, keeps state or depends on threads; random
 * numbers come from a seed (Philox of base/).  What GSL has not (limits of proportions that end,
 * tolerance limits, L-moments, extremes, quantile regression) is written here with its source. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "base/base.h"

/* ---- proportions: x of n independent trials ------------------------------------------------ */

/* One-sided limits of a proportion at confidence conf (0 < conf < 1), 0 <= x <= n: Clopper and
 * Pearson, Biometrika 26 (1934): the p at which a count as extreme as x has probability 1 - conf.
 * No trial says nothing: [0, 1].  Beyond n = 10^6, where GSL's incomplete beta function is not
 * reliable, Chernoff's bound n·KL(x/n, p) = -log(1 - conf) takes its place, which is never less
 * cautious. */
double binomial_lower(int64_t x, int64_t n, double conf);
double binomial_upper(int64_t x, int64_t n, double conf);
/* The two-sided 95 % interval: each limit at 97.5 %. */
void clopper_pearson(int64_t x, int64_t n, double *lo, double *hi);
/* The smallest number of trials with which at most x events show, with confidence conf, that events
 * are rarer than p: the smallest n with P(Binomial(n, p) <= x) <= 1 - conf.  0 when that is more
 * than 10^6. */
int64_t binomial_runs(double p, double conf, int64_t x);

/* ---- tolerance limits without a distribution ----------------------------------------------- */

/* The r-th largest of n runs is not below the `coverage` quantile of any continuous distribution
 * with confidence P(Binomial(n, 1 - coverage) >= r) (Wilks, Ann. Math. Stat. 12 (1941)); ties only
 * raise it (Scheffé and Tukey 1945).  r = 2: one contaminated run does not set the limit. The runs
 * a plan needs (0: more than 10^6): 95/95 takes 93, 99/95 473, 99.9/95 4742 with r = 2. */
int64_t tolerance_runs(double coverage, double conf, int r);
/* The confidence that n runs give at this coverage, and the coverage that they give at this
 * confidence (0 when n < r).  n at most 10^6. */
double tolerance_confidence(int64_t n, double coverage, int r);
double tolerance_coverage(int64_t n, double conf, int r);
/* The r-th largest of x[0..n-1]; infinite when n < r. */
double tolerance_limit(const double *x, size_t n, int r);

/* ---- regression ---------------------------------------------------------------------------- */

#define STATS_MAX_TERMS 4

/* y = Σ b[j]·x[j]; lo and hi: 95 % intervals; scale: of the residuals (robust: its estimate; of a
 * quantile: their sparsity 1/f there). */
struct regression {
	int terms;
	double b[STATS_MAX_TERMS], se[STATS_MAX_TERMS], lo[STATS_MAX_TERMS], hi[STATS_MAX_TERMS];
	double scale;
};

/* Tukey's bisquare by GSL's gsl_multifit_robust (scale: its estimate from the median absolute
 * residual).  x: n rows of `terms` (the first usually 1), y finite.  tune: factor on the usual
 * tuning constant 4.685 (1: 95 % efficient for normal errors); infinite: plain least squares. A
 * design without full rank, too few rows or values that are not finite are ST_INPUT. */
MUST_USE enum st regression_robust(const double *x, const double *y, size_t n, int terms,
                                   double tune, struct regression *out, struct err *e);
/* The tau-quantile of y given x (Koenker and Bassett 1978), by the majorise-minimise steps of
 * Hunter and Lange (J. Comput. Graph. Stat. 9 (2000)).  y may be -infinity: "below anything the fit
 * says", which moves a quantile exactly as any small enough number does (so zeros under a logarithm
 * are censored, not invented); too many of them for this tau are ST_INPUT.  Intervals: iid sparsity
 * with Bofinger's bandwidth (Koenker 2005, §3.4). */
MUST_USE enum st regression_quantile(const double *x, const double *y, size_t n, int terms,
                                     double tau, struct regression *out, struct err *e);

/* ---- are the residuals alike? -------------------------------------------------------------- */

/* Serial dependence in the order given: lag-1 correlation of the midranks within each stratum (so
 * that a trend over strata is none), and the two-sided probability of one as large by chance, from
 * its normal limit N(0, 1/n) (Wald and Wolfowitz 1943). stratum[i] in 0..strata-1. */
struct dependence {
	double rho, p;
};
struct dependence stats_serial(const double *x, const int *stratum, size_t n, int strata);

/* Whether the strata have one distribution: Kruskal and Wallis' test on midranks, corrected for
 * ties (location), and a chi-square test on how many of each stratum lie above the pooled `tail`
 * quantile (scale, where it matters). tail = 1 - max(0.1, 5·strata/n), so that 5 are expected in
 * each (at least the median; with fewer than 10 a stratum the chi-square test is not made, tail_p =
 * 1).  ratio: the largest stratum quantile of that level over the pooled one (1 when the pooled one
 * is 0); spread: over the median stratum's.  Both p are 1 with fewer than two strata. */
struct homogeneity {
	double location_p, tail_p, tail, ratio, spread;
};
struct homogeneity stats_homogeneity(const double *x, const int *stratum, size_t n, int strata);

/* ---- extremes ------------------------------------------------------------------------------ */

/* Sample L-moments of x sorted ascending, n >= 3, by unbiased probability weighted moments
 * (Hosking, J. R. Stat. Soc. B 52 (1990), eq. 3.1): l1 mean, l2 scale, t3 skewness (0 when l2 is
 * 0). */
struct lmoments {
	double l1, l2, t3;
};
struct lmoments stats_lmoments(const double *sorted, size_t n);

/* Generalised extreme value distribution: F(x) = exp(-(1 + xi·(x - loc)/scale)^(-1/xi)); xi = 0 is
 * Gumbel's. */
struct gev {
	double loc, scale, xi;
};
/* The distribution with these L-moments (Hosking, Wallis and Wood, Technometrics 27 (1985)); valid
 * for xi < 1. l2 > 0 and |t3| < 1. */
struct gev gev_from_lmoments(struct lmoments m);
/* The same with the shape given. */
struct gev gev_with_shape(struct lmoments m, double xi);
/* The value exceeded with probability a (0 < a < 1), exact for a as small as 1e-300. */
double gev_level(struct gev g, double a);
double gev_cdf(struct gev g, double x);

/* What n runs, each a block maximum, say about the level exceeded with probability a. */
struct extremes {
	struct gev fit;
	double xi_hi;    /* upper limit of the shape, at conf */
	double level;    /* the fit's level: no limit */
	double level_hi; /* its upper limit at conf */
	double floor;    /* of it, the part that the Gumbel tail demands; 0: not demanded */
	double outside;  /* probability of a largest run as large as the one seen, by the others */
};
/* The lightest tail taken at its word.  Between it and 0 a bounded tail and the approach of a
 * Gaussian or exponential one to Gumbel's look alike (Fisher and Tippett 1928: the maximum of m
 * normals fits xi of about -1/(2 log m) at levels seen, and nears 0 beyond them), so the level is
 * also taken from Gumbel's. */
#define EXTREMES_BOUNDED_XI (-0.25)
/* Fit by L-moments; limits by parametric bootstrap of `boot` (>= 100) samples:
 *   xi_hi    = 2·xi - the (1-conf)-quantile of the refitted shapes (basic bootstrap);
 *   level_hi = level + scale·(conf-quantile of (level* - refitted level)/refitted scale), samples
 * drawn from the distribution of shape xi_hi and the same L-moments: studentised (the quotient
 * depends on the shape alone), at the shape that is the worst the data allow.  Plain percentile and
 * basic limits at the fitted shape cover 0.89..0.95 and 0.70..0.89 of 0.95
 * (tests/stats/test_extremes.c); floor    = when xi >= EXTREMES_BOUNDED_XI: l1 + l2·(conf-quantile
 * of (level - l1*)/l2* in Gumbel samples), a pivot. sorted: ascending, finite, n >= 10, not all
 * equal; otherwise ST_INPUT. */
MUST_USE enum st stats_extremes(const double *sorted, size_t n, double a, double conf, int boot,
                                uint64_t seed, struct extremes *out, struct err *e);

/* ---- tails ---------------------------------------------------------------------------------- */

/* What the k largest of n values say about the level exceeded with probability a, if x^power has an
 * exponential tail: P(x > t | x > u) = exp(-(t^power - u^power)/mean), u the k + 1-st largest (peaks
 * over a threshold; Pickands, Ann. Stat. 3 (1975), with shape 0). power 0 stands for log x, so that x has the tail of a
 * power law, of which the mean is Hill's estimate of the shape (Ann. Stat. 3 (1975)). */
struct peaks {
	double threshold;  /* u */
	double xi;         /* shape of the excesses of x^power by L-moments: 2 - 1/G, G Gini's index, 1/2 for an exponential */
	double xi_p;       /* probability of a G as large, were they exponential: small for a heavier tail */
	double level, level_hi; /* of x: the fit, and its upper limit at conf from the mean's, 2k/chi² */
};
/* sorted: ascending, >= 0, finite; 10 <= k < n, the k largest not all equal to u; power >= 0 (of 0: u > 0); otherwise
 * ST_INPUT. xi_p: Gail and Gastwirth, J. R. Stat. Soc. B 40 (1978): sqrt(12(k - 1))(G - 1/2) is normal. */
MUST_USE enum st stats_tail(const double *sorted, size_t n, size_t k, double power, double a,
                            double conf, struct peaks *out, struct err *e);

/* ---- small helpers ------------------------------------------------------------------------- */

/* Sorts ascending (GSL). */
void stats_sort(double *x, size_t n);
/* The order statistic number ceil(p·n) (at least the first) of x sorted ascending, n >= 1: no
 * interpolation. */
double stats_quantile(const double *sorted, size_t n, double p);

#endif

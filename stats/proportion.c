/* proportion.c - limits of proportions and the tolerance limits that follow from them.
 *
 * gsl_cdf_beta_Pinv returns NaN or does not end for large asymmetric parameters (measured with
 * GSL 2.7.1), gsl_cdf_beta_P is right up to parameters of 10^6: quantiles are found by bisection on
 * it. */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "stats/stats.h"

#define MAX_TRIALS 1000000

/* The p-quantile of Beta(a, b). */
static double beta_quantile(double p, double a, double b)
{
	double lo = 0, hi = 1;

	gsl_set_error_handler_off();
	for (int i = 0; i < 100; i++) {
		double mid = lo + (hi - lo) / 2;

		if (gsl_cdf_beta_P(mid, a, b) < p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

/* Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p). */
static double divergence(double q, double p)
{
	return (q > 0 ? q * log(q / p) : 0) + (q < 1 ? (1 - q) * log((1 - q) / (1 - p)) : 0);
}

/* The p beyond q = x/n, on the side of `end` (0 or 1), where n·divergence reaches -log(1 - conf).
 */
static double chernoff(double q, double n, double conf, double end)
{
	double in = q, out = end;

	for (int i = 0; i < 100; i++) {
		double mid = in + (out - in) / 2;

		if (n * divergence(q, mid) < -log1p(-conf))
			in = mid;
		else
			out = mid;
	}
	return out;
}

double binomial_lower(int64_t x, int64_t n, double conf)
{
	if (x <= 0)
		return 0;
	if (n > MAX_TRIALS)
		return chernoff((double)x / (double)n, (double)n, conf, 0);
	return beta_quantile(1 - conf, (double)x, (double)(n - x + 1));
}

double binomial_upper(int64_t x, int64_t n, double conf)
{
	if (x >= n)
		return 1;
	if (n > MAX_TRIALS)
		return chernoff((double)x / (double)n, (double)n, conf, 1);
	return beta_quantile(conf, (double)(x + 1), (double)(n - x));
}

void clopper_pearson(int64_t x, int64_t n, double *lo, double *hi)
{
	*lo = binomial_lower(x, n, 0.975);
	*hi = binomial_upper(x, n, 0.975);
}

/* P(Binomial(n, p) > x) = I_p(x + 1, n - x), rising with n. */
static double more_than(int64_t n, double p, int64_t x)
{
	if (n <= x)
		return 0;
	gsl_set_error_handler_off();
	return gsl_cdf_beta_P(p, (double)(x + 1), (double)(n - x));
}

int64_t binomial_runs(double p, double conf, int64_t x)
{
	int64_t lo = x, hi = MAX_TRIALS;

	if (!(more_than(hi, p, x) >= conf))
		return 0;
	while (hi - lo > 1) {
		int64_t mid = lo + (hi - lo) / 2;

		if (more_than(mid, p, x) >= conf)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

int64_t tolerance_runs(double coverage, double conf, int r)
{
	return binomial_runs(1 - coverage, conf, r - 1);
}

double tolerance_confidence(int64_t n, double coverage, int r)
{
	return more_than(n, 1 - coverage, r - 1);
}

/* The share above the limit is Beta(r, n - r + 1); its conf-quantile is what stays uncovered. */
double tolerance_coverage(int64_t n, double conf, int r)
{
	return n < r ? 0 : 1 - beta_quantile(conf, r, (double)(n - r + 1));
}

/* r is small: r passes, each finding the largest below (or tied with) the last. */
double tolerance_limit(const double *x, size_t n, int r)
{
	double last = INFINITY;
	size_t done = 0; /* how many are at or above last */

	while (done < (size_t)r) {
		double best = -INFINITY;
		size_t ties = 0;

		if (n < (size_t)r)
			return INFINITY;
		for (size_t i = 0; i < n; i++) {
			if (x[i] >= last && done > 0)
				continue;
			if (x[i] > best)
				best = x[i], ties = 0;
			ties += x[i] == best;
		}
		last = best;
		done += ties;
	}
	return last;
}

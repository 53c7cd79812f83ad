/* tail.c - exponential tails of a power, or of the logarithm, of the values above a threshold. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

#define MIN_EXCESSES 10

/* Mean and Gini's index of x[0..k-1], ascending. */
static void mean_and_gini(const double *x, size_t k, double *mean, double *gini)
{
	double sum = 0, weighted = 0;

	for (size_t i = 0; i < k; i++) {
		sum += x[i];
		weighted += (double)i * x[i];
	}
	*mean = sum / (double)k;
	*gini = sum > 0 ? 2 * weighted / ((double)(k - 1) * sum) - 1 : 0;
}

/* What has an exponential tail, of x as a part of the largest value, and back. */
static double bend(double x, double power)
{
	return power > 0 ? pow(x, power) : log(x);
}
static double unbend(double y, double power)
{
	return power > 0 ? pow(y, 1 / power) : exp(y);
}

enum st stats_tail(const double *sorted, size_t n, size_t k, double power, double a, double conf,
                   struct peaks *out, struct err *e)
{
	double *excess, gini, mean, top, u, far, kk = (double)k;

	*out = (struct peaks){.xi_p = 1};
	if (k < MIN_EXCESSES || k >= n || !(power >= 0) || !(a > 0 && a < 1) || !(conf > 0 && conf < 1))
		return FAIL(e, INPUT, "a tail of %zu of %zu values; %d are needed, and one more", k, n,
		            MIN_EXCESSES);
	if (power == 0 && !(sorted[n - k - 1] > 0))
		return FAIL(e, INPUT, "a power law of values of which the threshold is 0");
	if (!(sorted[0] >= 0) || isinf(sorted[n - 1]) || !(sorted[n - 1] > sorted[n - k - 1]))
		return FAIL(e, INPUT, "a tail of values that are negative, infinite or equal");
	out->threshold = sorted[n - k - 1];
	top = sorted[n - 1]; /* the unit: squares of the smallest numbers are 0 */
	u = bend(out->threshold / top, power);
	excess = mem_alloc(k * sizeof *excess);
	for (size_t i = 0; i < k; i++)
		excess[i] = bend(sorted[n - k + i] / top, power) - u;
	mean_and_gini(excess, k, &mean, &gini);
	free(excess);
	out->xi = 2 - 1 / gini;
	out->xi_p = gsl_cdf_ugaussian_Q(sqrt(12 * (kk - 1)) * (gini - 0.5));
	/* from the threshold's own probability, k/n, to a; an a above it needs no tail */
	far = fmax(0, log(kk / (double)n / a));
	out->level = top * unbend(u + mean * far, power);
	out->level_hi = top * unbend(u + mean * 2 * kk / gsl_cdf_chisq_Pinv(1 - conf, 2 * kk) * far, power);
	return ST_OK;
}

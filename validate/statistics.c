/* statistics.c - the one file of validate/ that uses GSL (design.md §2, licences). */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "validate/validate.h"

/* The p-quantile of Beta(a, b) by bisection on the distribution function: gsl_cdf_beta_Pinv returns NaN
 * or does not end for large asymmetric parameters (measured with GSL 2.7.1), gsl_cdf_beta_P is right. */
static double beta_quantile(double p, double a, double b)
{
	double lo = 0, hi = 1;

	for (int i = 0; i < 100; i++) {
		double mid = lo + (hi - lo) / 2;

		if (gsl_cdf_beta_P(mid, a, b) < p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

void clopper_pearson(int64_t x, int64_t n, double *lo, double *hi)
{
	const double alpha = 0.05;

	gsl_set_error_handler_off();
	*lo = x <= 0 ? 0 : beta_quantile(alpha / 2, (double)x, (double)(n - x + 1));
	*hi = x >= n ? 1 : beta_quantile(1 - alpha / 2, (double)(x + 1), (double)(n - x));
}

/* order.c - sorting, ranks, and whether residuals are independent and alike over strata. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "stats/stats.h"

void stats_sort(double *x, size_t n)
{
	gsl_sort(x, 1, n);
}

double stats_quantile(const double *sorted, size_t n, double p)
{
	double i = ceil(p * (double)n);

	return sorted[i < 1 ? 0 : i > (double)n ? n - 1 : (size_t)i - 1];
}

/* Midranks 1..n of x through the order idx[0..n-1] of its members; returns Σ (t³ - t) over the
 * ties. */
static double midranks(const double *x, const size_t *idx, size_t n, double *rank)
{
	double ties = 0;

	for (size_t i = 0, j; i < n; i = j) {
		double t;

		for (j = i + 1; j < n && x[idx[j]] == x[idx[i]]; j++)
			;
		t = (double)(j - i);
		for (size_t k = i; k < j; k++)
			rank[idx[k]] = (double)(i + j + 1) / 2;
		ties += t * t * t - t;
	}
	return ties;
}

/* Midranks within each stratum, as fractions of its size, less a half. */
static void stratum_ranks(const double *x, const int *stratum, const size_t *order, size_t n,
                          int strata, double *rank)
{
	size_t *idx = mem_alloc(n * sizeof *idx);

	for (int s = 0; s < strata; s++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++)
			if (stratum[order[i]] == s)
				idx[m++] = order[i];
		midranks(x, idx, m, rank);
		for (size_t i = 0; i < m; i++)
			rank[idx[i]] = (rank[idx[i]] - (double)(m + 1) / 2) / (double)m;
	}
	free(idx);
}

struct dependence stats_serial(const double *x, const int *stratum, size_t n, int strata)
{
	struct dependence d = {0, 1};
	size_t *order = mem_alloc((n + 1) * sizeof *order);
	double *rank = mem_alloc((n + 1) * sizeof *rank);

	if (n >= 10) {
		gsl_sort_index(order, x, 1, n);
		stratum_ranks(x, stratum, order, n, strata, rank);
		d.rho = gsl_stats_lag1_autocorrelation(rank, 1, n);
		if (!isfinite(d.rho)) /* all tied: nothing varies */
			d.rho = 0;
		d.p = 2 * gsl_cdf_ugaussian_Q(fabs(d.rho) * sqrt((double)n));
	}
	free(order);
	free(rank);
	return d;
}

struct sums {
	double n, rank, above, quantile;
};

static double kruskal_wallis(const struct sums *s, int strata, double n, double ties)
{
	double h = 0, c = 1 - ties / (n * n * n - n);

	if (c <= 0)
		return 1;
	for (int i = 0; i < strata; i++)
		if (s[i].n > 0)
			h += s[i].rank * s[i].rank / s[i].n;
	h = 12 / (n * (n + 1)) * h - 3 * (n + 1);
	return gsl_cdf_chisq_Q(fmax(h / c, 0), strata - 1);
}

/* Counts above a common limit: chi-square of a 2 × strata table. */
static double same_tail(const struct sums *s, int strata, double n)
{
	double above = 0, chi = 0;

	for (int i = 0; i < strata; i++)
		above += s[i].above;
	if (above == 0 || above == n)
		return 1;
	for (int i = 0; i < strata; i++) {
		double want = s[i].n * above / n, d = s[i].above - want;

		if (s[i].n > 0)
			chi += d * d / want + d * d / (s[i].n - want);
	}
	return gsl_cdf_chisq_Q(chi, strata - 1);
}

/* order: of x, ascending.  The quantile of each stratum is met by counting along it. */
static void sum_strata(const double *x, const int *stratum, const size_t *order, size_t n,
                       double limit, double level, const double *rank, struct sums *s, int strata)
{
	double *seen = mem_zalloc((size_t)strata, sizeof *seen);

	for (size_t i = 0; i < n; i++) {
		struct sums *t = &s[stratum[i]];

		t->n++;
		t->rank += rank[i];
		t->above += x[i] > limit;
	}
	for (size_t i = 0; i < n; i++) {
		int k = stratum[order[i]];

		if (++seen[k] <= fmax(1, ceil(level * s[k].n)))
			s[k].quantile = x[order[i]];
	}
	free(seen);
}

/* The largest quantile of a stratum over the pooled one and over the median (the lower of two) of
 * all. */
static void spread(const struct sums *s, int strata, double pooled, struct homogeneity *h)
{
	double *q = mem_alloc((size_t)strata * sizeof *q), median;

	for (int i = 0; i < strata; i++)
		q[i] = s[i].quantile;
	stats_sort(q, (size_t)strata);
	median = stats_quantile(q, (size_t)strata, 0.5);
	if (pooled > 0)
		h->ratio = fmax(1, q[strata - 1] / pooled);
	if (median > 0)
		h->spread = q[strata - 1] / median;
	free(q);
}

struct homogeneity stats_homogeneity(const double *x, const int *stratum, size_t n, int strata)
{
	struct homogeneity h = {1, 1, 0.9, 1, 1};
	size_t *order;
	double *rank, ties, pooled;
	struct sums *s;

	if (strata < 2 || n < 2 * (size_t)strata)
		return h;
	h.tail = 1 - fmin(0.5, fmax(0.1, 5.0 * strata / (double)n));
	order = mem_alloc(n * sizeof *order);
	rank = mem_alloc(n * sizeof *rank);
	s = mem_zalloc((size_t)strata, sizeof *s);
	gsl_sort_index(order, x, 1, n);
	ties = midranks(x, order, n, rank);
	pooled = x[order[(size_t)ceil(h.tail * (double)n) - 1]];
	sum_strata(x, stratum, order, n, pooled, h.tail, rank, s, strata);
	h.location_p = kruskal_wallis(s, strata, (double)n, ties);
	if (n >= 10 * (size_t)strata)
		h.tail_p = same_tail(s, strata, (double)n);
	spread(s, strata, pooled, &h);
	free(order);
	free(rank);
	free(s);
	return h;
}

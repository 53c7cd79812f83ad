/* extremes.c - the generalised extreme value distribution by L-moments, and limits of its far
 * levels by bootstrap. */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

#define EULER 0.57721566490153286
/* Shapes below this are computed as Gumbel's: (1 - e^-kx)/k loses nothing there. */
#define TINY_XI 1e-9

struct lmoments stats_lmoments(const double *x, size_t n)
{
	double b0 = 0, b1 = 0, b2 = 0, m = (double)n;
	struct lmoments l;

	for (size_t i = 0; i < n; i++) {
		double j = (double)i;

		b0 += x[i];
		b1 += j * x[i];
		b2 += j * (j - 1) * x[i];
	}
	b0 /= m;
	b1 /= m * (m - 1);
	b2 /= m * (m - 1) * (m - 2);
	l.l1 = b0;
	l.l2 = 2 * b1 - b0;
	l.t3 = l.l2 > 0 ? (6 * b2 - 6 * b1 + b0) / l.l2 : 0;
	return l;
}

/* t3 of shape xi: 2(1 - 3^xi)/(1 - 2^xi) - 3. */
static double skewness(double xi)
{
	if (fabs(xi) < TINY_XI)
		return 2 * log(3) / log(2) - 3;
	return 2 * expm1(xi * log(3)) / expm1(xi * log(2)) - 3;
}

struct gev gev_with_shape(struct lmoments m, double xi)
{
	struct gev g = {.xi = xi};
	double gamma;

	if (fabs(xi) < TINY_XI) {
		g.scale = m.l2 / log(2);
		g.loc = m.l1 - EULER * g.scale;
		return g;
	}
	gamma = tgamma(1 - xi);
	g.scale = m.l2 * xi / (expm1(xi * log(2)) * gamma);
	g.loc = m.l1 - g.scale * (gamma - 1) / xi;
	return g;
}

/* Bisection: t3 rises with xi from -1 (bounded tails) to 1 (xi = 1). */
struct gev gev_from_lmoments(struct lmoments m)
{
	double lo = -64, hi = 1 - 1e-9;

	for (int i = 0; i < 60; i++) {
		double mid = lo + (hi - lo) / 2;

		if (skewness(mid) < m.t3)
			lo = mid;
		else
			hi = mid;
	}
	return gev_with_shape(m, lo);
}

/* Standard GEV at reduced variate y (Gumbel's): (e^(xi·y) - 1)/xi. */
static double reduced(double xi, double y)
{
	return fabs(xi) < TINY_XI ? y : expm1(xi * y) / xi;
}

double gev_level(struct gev g, double a)
{
	return g.loc + g.scale * reduced(g.xi, -log(-log1p(-a)));
}

double gev_cdf(struct gev g, double x)
{
	double z = (x - g.loc) / g.scale, t = 1 + g.xi * z;

	if (fabs(g.xi) < TINY_XI)
		return exp(-exp(-z));
	if (t <= 0)
		return g.xi > 0 ? 0 : 1;
	return exp(-pow(t, -1 / g.xi));
}

/* ---- bootstrap --------------------------------------------------------------------------------
 */

/* The three bootstraps are separate streams of one seed. */
enum { SHAPE_STREAM, LEVEL_STREAM, FLOOR_STREAM, STREAMS };

/* L-moments of sample number b of n values, drawn in ascending order: partial sums of n + 1
 * exponentials over their total are ordered uniforms (Devroye 1986, V.3). buf: n values. */
static struct lmoments draw(struct gev g, size_t n, uint64_t seed, uint64_t stream, int b,
                            double *buf)
{
	double sum = 0;

	stream += STREAMS * (uint64_t)b;
	for (size_t i = 0; i <= n; i++) {
		sum -= log1p(-rand_unit(seed, stream, i));
		if (i < n)
			buf[i] = sum;
	}
	for (size_t i = 0; i < n; i++) /* a sum of 0 has probability 2^-53 */
		buf[i] = g.loc + g.scale * reduced(g.xi, -log(-log(fmax(buf[i], 0x1p-60) / sum)));
	return stats_lmoments(buf, n);
}

struct bootstrap {
	size_t n;
	double a, conf;
	int boot;
	uint64_t seed;
	double *sample, *stat;
};

static double quantile_of(struct bootstrap *k, double p)
{
	stats_sort(k->stat, (size_t)k->boot);
	return stats_quantile(k->stat, (size_t)k->boot, p);
}

static double shape_limit(struct bootstrap *k, struct gev fit)
{
	for (int b = 0; b < k->boot; b++)
		k->stat[b] =
		        gev_from_lmoments(draw(fit, k->n, k->seed, SHAPE_STREAM, b, k->sample)).xi;
	return 2 * fit.xi - quantile_of(k, 1 - k->conf);
}

/* How far the level may lie above the fitted one, in fitted scales, when the shape is xi. */
static double level_margin(struct bootstrap *k, double xi)
{
	struct gev truth = {0, 1, xi};
	double level = gev_level(truth, k->a);

	for (int b = 0; b < k->boot; b++) {
		struct gev g =
		        gev_from_lmoments(draw(truth, k->n, k->seed, LEVEL_STREAM, b, k->sample));

		k->stat[b] = (level - gev_level(g, k->a)) / g.scale;
	}
	return quantile_of(k, k->conf);
}

static double gumbel_limit(struct bootstrap *k, struct lmoments m)
{
	struct gev truth = {0, 1, 0};
	double level = gev_level(truth, k->a);

	for (int b = 0; b < k->boot; b++) {
		struct lmoments l = draw(truth, k->n, k->seed, FLOOR_STREAM, b, k->sample);

		k->stat[b] = (level - l.l1) / l.l2;
	}
	return m.l1 + m.l2 * quantile_of(k, k->conf);
}

/* The probability that the largest of n runs is as large as the one seen, judged by the others, so
 * that a wild one does not vouch for itself, with as much added to their shape as it may be wrong
 * by (the fitted end point of a bounded tail often lies below the largest run). */
static double outside(const double *x, size_t n, double more)
{
	struct lmoments m = stats_lmoments(x, n - 1);

	if (!(m.l2 > 0))
		return 0;
	return 1 -
	       pow(gev_cdf(gev_with_shape(m, fmin(gev_from_lmoments(m).xi + more, 0.99)), x[n - 1]),
	           (double)n);
}

enum st stats_extremes(const double *x, size_t n, double a, double conf, int boot, uint64_t seed,
                       struct extremes *out, struct err *e)
{
	struct bootstrap k = {n, a, conf, boot, seed, NULL, NULL};
	struct lmoments m;

	*out = (struct extremes){0};
	if (boot < 100 || !(a > 0 && a < 1) || !(conf > 0 && conf < 1))
		return FAIL(e, BUG, "extremes with %d samples, level %g, confidence %g", boot, a,
		            conf);
	if (n < 10)
		return FAIL(e, INPUT, "an extreme value distribution needs 10 runs, there are %zu",
		            n);
	if (!isfinite(x[0]) || !isfinite(x[n - 1]))
		return FAIL(e, INPUT, "a run is not finite");
	m = stats_lmoments(x, n);
	if (!(m.l2 > 0) || !(fabs(m.t3) < 1))
		return FAIL(e, INPUT, "the runs are all alike: no extreme value distribution fits");
	k.sample = mem_alloc(n * sizeof *k.sample);
	k.stat = mem_alloc((size_t)boot * sizeof *k.stat);
	out->fit = gev_from_lmoments(m);
	out->level = gev_level(out->fit, a);
	out->xi_hi = fmin(shape_limit(&k, out->fit), 0.99); /* L-moments end at 1 */
	out->outside = outside(x, n, out->xi_hi - out->fit.xi);
	out->level_hi = out->level + out->fit.scale * level_margin(&k, out->xi_hi);
	if (out->fit.xi >= EXTREMES_BOUNDED_XI) {
		out->floor = gumbel_limit(&k, m);
		out->level_hi = fmax(out->level_hi, out->floor);
	}
	free(k.sample);
	free(k.stat);
	return ST_OK;
}

/* Checks of residuals: published values, and rates of error on data that is and is not alike. */
#include "tests/check.h"
#include "stats/stats.h"

/* Hollander and Wolfe (1973), p. 116: mucociliary efficiency, three groups; Kruskal-Wallis H =
 * 0.77143, p = 0.68 (R's kruskal.test: 0.68). */
static void kruskal_wallis_is_as_published(void **state)
{
	const double x[] = {2.9, 3.0, 2.5, 2.6, 3.2, 3.8, 2.7, 4.0, 2.4, 2.8, 3.4, 3.7, 2.2, 2.0};
	const int s[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2};
	struct homogeneity h = stats_homogeneity(x, s, 14, 3);

	(void)state;
	check_true(fabs(h.location_p - exp(-0.771428571 / 2)) < 1e-8, "p = %.9g", h.location_p);
	assert_true(h.tail_p == 1);
}

static void ties_and_constants_are_no_trouble(void **state)
{
	double x[60];
	int s[60];
	struct homogeneity h;

	(void)state;
	for (int i = 0; i < 60; i++) {
		x[i] = 0;
		s[i] = i % 3;
	}
	h = stats_homogeneity(x, s, 60, 3);
	assert_true(h.location_p == 1 && h.tail_p == 1 && h.ratio == 1);
	assert_true(stats_serial(x, s, 60, 3).p == 1);
	/* Two values, each as often in each group: no difference to find. */
	for (int i = 0; i < 60; i++)
		x[i] = i / 3 % 2;
	h = stats_homogeneity(x, s, 60, 3);
	check_true(h.location_p > 0.999 && h.tail_p > 0.999, "%g %g", h.location_p, h.tail_p);
}

/* Exponential runs over five sizes, in turn; size 4 multiplied by `wide`, each run mixed with the
 * one before. */
static void make(double *x, int *s, int n, double wide, double mix, uint64_t seed)
{
	double last = 1;

	for (int i = 0; i < n; i++) {
		double v = -log1p(-rand_unit(seed, 3, (uint64_t)i));

		v = last = mix * last + (1 - mix) * v;
		s[i] = i % 5;
		x[i] = s[i] == 4 ? v * wide : v;
	}
}

/* 500 repetitions: the tests reject at 5 % in 5 % (four standard deviations: 20; the counts are
 * discrete, 10 more). */
static void alike_and_independent_runs_are_rarely_doubted(void **state)
{
	enum { n = 200, reps = 500 };
	int location = 0, tail = 0, serial = 0;
	double x[n];
	int s[n];

	(void)state;
	for (int i = 0; i < reps; i++) {
		struct homogeneity h;

		make(x, s, n, 1, 0, (uint64_t)i);
		h = stats_homogeneity(x, s, n, 5);
		location += h.location_p < 0.05;
		tail += h.tail_p < 0.05;
		serial += stats_serial(x, s, n, 5).p < 0.05;
	}
	check_true(abs(location - 25) <= 20 && abs(tail - 25) <= 30 && abs(serial - 25) <= 20,
	           "rejected: location %d, tail %d, serial %d of %d", location, tail, serial, reps);
}

static void a_wider_stratum_and_a_memory_are_found(void **state)
{
	enum { n = 400 };
	double x[n];
	int s[n];
	struct homogeneity h;
	struct dependence d;

	(void)state;
	make(x, s, n, 3, 0, 1);
	h = stats_homogeneity(x, s, n, 5);
	check_true(h.location_p < 1e-3 && h.tail_p < 1e-6, "%g %g", h.location_p, h.tail_p);
	check_true(h.ratio > 1.2 && h.ratio < h.spread && h.spread > 2 && h.spread < 4, "%g %g",
	           h.ratio, h.spread);
	check_true(stats_serial(x, s, n, 5).p > 0.001, "a trend over strata is no dependence");
	make(x, s, n, 1, 0.4, 1);
	d = stats_serial(x, s, n, 5);
	check_true(d.p < 1e-6 && d.rho > 0.25 && d.rho < 0.55, "rho %g, p %g", d.rho, d.p);
}

static void quantiles_are_order_statistics(void **state)
{
	double x[] = {5, 1, 3, 2, 4};

	(void)state;
	stats_sort(x, 5);
	assert_true(stats_quantile(x, 5, 0) == 1 && stats_quantile(x, 5, 0.2) == 1);
	assert_true(stats_quantile(x, 5, 0.21) == 2 && stats_quantile(x, 5, 0.5) == 3);
	assert_true(stats_quantile(x, 5, 1) == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(kruskal_wallis_is_as_published),
	        cmocka_unit_test(ties_and_constants_are_no_trouble),
	        cmocka_unit_test(alike_and_independent_runs_are_rarely_doubted),
	        cmocka_unit_test(a_wider_stratum_and_a_memory_are_found),
	        cmocka_unit_test(quantiles_are_order_statistics),
	};

	return check_main(tests);
}

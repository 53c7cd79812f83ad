/* Clopper-Pearson intervals, tolerance limits and plans.  Expected values: scipy.stats.beta.ppf
 * (SciPy 1.10) and, for no and for all successes, the closed forms 1 - (α/2)^(1/n) and (α/2)^(1/n).
 */
#include "tests/check.h"
#include "stats/stats.h"

static void near(double got, double want, const char *what, int64_t x, int64_t n)
{
	check_true(fabs(got - want) <= 2e-9 * want + 1e-300,
	           "%s of %lld/%lld: got %.12g, want %.12g", what, (long long)x, (long long)n, got,
	           want);
}

static void intervals_are_as_published(void **state)
{
	static const struct {
		int64_t x, n;
		double lo, hi;
	} t[] = {
	        {5, 10, 0.1870860284, 0.8129139716},
	        {1, 10, 0.002528578544, 0.445016117},
	        {8, 20, 0.1911900607, 0.6394574127},
	        {4, 20, 0.05733399705, 0.436614003},
	        {299, 300, 0.981568748, 0.9999156109},
	        {7, 10000, 0.0002814811457, 0.001441732309},
	        {500000, 1000000, 0.4990195192, 0.5009804808},
	        {2, 1000000, 2.422093703e-07, 7.224668794e-06},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		double lo, hi;

		clopper_pearson(t[i].x, t[i].n, &lo, &hi);
		near(lo, t[i].lo, "lower limit", t[i].x, t[i].n);
		near(hi, t[i].hi, "upper limit", t[i].x, t[i].n);
	}
}

static void none_and_all_have_closed_forms(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 1000000; n = n * 3 + 1) {
		double lo, hi;

		clopper_pearson(0, n, &lo, &hi);
		assert_true(lo == 0);
		near(hi, -expm1(log(0.025) / (double)n), "upper limit", 0, n);
		clopper_pearson(n, n, &lo, &hi);
		assert_true(hi == 1);
		near(lo, exp(log(0.025) / (double)n), "lower limit", n, n);
	}
}

static void nothing_tried_says_nothing(void **state)
{
	double lo, hi;

	(void)state;
	clopper_pearson(0, 0, &lo, &hi);
	assert_true(lo == 0 && hi == 1);
}

/* GSL's own inverse returns NaN for several percent of these. */
static void check_sane(int64_t x, int64_t n, double *last)
{
	double lo, hi, p = (double)x / (double)n;

	clopper_pearson(x, n, &lo, &hi);
	check_true(lo >= 0 && hi <= 1 && lo <= p && p <= hi && lo < hi, "%lld/%lld gives [%g, %g]",
	           (long long)x, (long long)n, lo, hi);
	check_true(hi > *last, "the upper limit of %lld/%lld does not rise", (long long)x,
	           (long long)n);
	*last = hi;
}

static void no_count_gives_nan(void **state)
{
	double last = 0;

	(void)state;
	for (int64_t x = 0; x < 1000; x++)
		check_sane(x, 1000, &last);
	last = 0;
	for (int64_t x = 0; x < 10000; x += check_exhaustive() ? 1 : x < 100 ? 1 : 37)
		check_sane(x, 10000, &last);
	last = 0;
	for (int64_t x = 0; x < 1000000; x += 1 + x / 5)
		check_sane(x, 1000000, &last);
}

/* Chernoff's bound is a bound, and not a wild one: held against the normal approximation
 * for 10^7 trials. */
static void beyond_a_million_trials_limits_are_cautious(void **state)
{
	const int64_t n = 10000000, x[] = {1000, 50000, 5000000, 7389844};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(x); i++) {
		double lo, hi, p = (double)x[i] / (double)n,
		               h = 1.959964 * sqrt(p * (1 - p) / (double)n);

		clopper_pearson(x[i], n, &lo, &hi);
		check_true(lo <= p - h && hi >= p + h && lo > p - 1.6 * h && hi < p + 1.6 * h,
		           "%lld: [%g, %g]", (long long)x[i], lo, hi);
	}
	check_true(binomial_upper(0, n, 0.95) >= -expm1(log(0.05) / (double)n), "none of 10^7");
	assert_true(binomial_lower(n, n, 0.95) <= exp(log(0.05) / (double)n));
}

/* Sample sizes of textbooks (e.g. NIST/SEMATECH e-Handbook 7.2.6.4; Hahn and Meeker 1991, table
 * A.16), and the rows of docs/facts/accuracy.md. */
static void plans_have_the_published_sizes(void **state)
{
	static const struct {
		double coverage, conf;
		int64_t n[6];
	} t[] = {
	        {0.95, 0.95, {59, 93, 124, 153, 181, 208}},
	        {0.99, 0.95, {299, 473, 628, 773, 913, 1049}},
	        {0.99, 0.99, {459, 662, 838, 1001, 1157, 1307}},
	        {0.999, 0.95, {2995, 4742, 6294, 7752, 9151, 10511}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		for (int r = 1; r <= 6; r++) {
			int64_t n = tolerance_runs(t[i].coverage, t[i].conf, r);

			check_true(n == t[i].n[r - 1], "%g/%g r=%d: %lld", t[i].coverage, t[i].conf,
			           r, (long long)n);
			assert_true(tolerance_confidence(n, t[i].coverage, r) >= t[i].conf);
			assert_true(tolerance_confidence(n - 1, t[i].coverage, r) < t[i].conf);
			assert_true(tolerance_coverage(n, t[i].conf, r) >= t[i].coverage);
			assert_true(tolerance_coverage(n - 1, t[i].conf, r) < t[i].coverage);
		}
	assert_true(tolerance_runs(0.9999999, 0.95, 2) == 0);
	assert_true(tolerance_coverage(1, 0.95, 2) == 0);
	assert_true(binomial_runs(0.01, 0.95, 0) == 299 && binomial_runs(0.05, 0.95, 1) == 93);
}

/* With r = 2: confidence = 1 - c^n - n(1 - c)c^(n-1), by hand. */
static void the_second_largest_has_a_closed_form(void **state)
{
	(void)state;
	for (int64_t n = 2; n < 5000; n = n * 2 + 1)
		for (double c = 0.9; c < 0.9999; c = 1 - (1 - c) / 3) {
			double m = (double)n, want = 1 - pow(c, m) - m * (1 - c) * pow(c, m - 1);

			check_true(fabs(tolerance_confidence(n, c, 2) - want) < 1e-11,
			           "n=%lld c=%g", (long long)n, c);
		}
}

static void the_limit_is_the_raw_order_statistic(void **state)
{
	const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, same[] = {2, 2, 2},
	             inf[] = {INFINITY, 0, 0};

	(void)state;
	assert_true(tolerance_limit(x, 11, 1) == 9 && tolerance_limit(x, 11, 2) == 6);
	assert_true(tolerance_limit(x, 11, 3) == 5 && tolerance_limit(x, 11, 5) == 5);
	assert_true(tolerance_limit(x, 11, 6) == 4 && tolerance_limit(x, 11, 11) == 1);
	assert_true(tolerance_limit(x, 11, 10) == 1 && tolerance_limit(x, 11, 9) == 2);
	assert_true(isinf(tolerance_limit(x, 11, 12)) && tolerance_limit(same, 3, 2) == 2);
	assert_true(isinf(tolerance_limit(inf, 3, 1)) && tolerance_limit(inf, 3, 2) == 0);
}

/* Of 2,000 repetitions as many miss the true quantile as the stated confidence allows, within four
 * standard deviations; exponential and Cauchy-like runs alike, for no distribution is assumed; ties
 * only help. */
static void the_limit_covers_as_often_as_it_says(void **state)
{
	enum { reps = 2000, n = 93 };
	int miss[3] = {0};
	double want = reps * (1 - tolerance_confidence(n, 0.95, 2)), tol = 4 * sqrt(want);

	(void)state;
	for (int i = 0; i < reps; i++) {
		double a[n], b[n], c[n];

		for (int j = 0; j < n; j++) {
			double u = rand_unit(1, (uint64_t)i, (uint64_t)j);

			a[j] = -log1p(-u);
			b[j] = 1 / (1 - u);
			c[j] = floor(u * 20);
		}
		miss[0] += tolerance_limit(a, n, 2) < -log(0.05);
		miss[1] += tolerance_limit(b, n, 2) < 20;
		miss[2] += tolerance_limit(c, n, 2) < 18; /* P(c <= 18) = 0.95 */
	}
	check_true(fabs(miss[0] - want) <= tol && miss[1] == miss[0],
	           "%d and %d missed, want %g ± %g", miss[0], miss[1], want, tol);
	assert_true(miss[2] <= miss[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(intervals_are_as_published),
	        cmocka_unit_test(none_and_all_have_closed_forms),
	        cmocka_unit_test(nothing_tried_says_nothing),
	        cmocka_unit_test(no_count_gives_nan),
	        cmocka_unit_test(beyond_a_million_trials_limits_are_cautious),
	        cmocka_unit_test(plans_have_the_published_sizes),
	        cmocka_unit_test(the_second_largest_has_a_closed_form),
	        cmocka_unit_test(the_limit_is_the_raw_order_statistic),
	        cmocka_unit_test(the_limit_covers_as_often_as_it_says),
	};

	return check_main(tests);
}

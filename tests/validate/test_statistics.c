/* Clopper-Pearson intervals.  Expected values: scipy.stats.beta.ppf (SciPy 1.10) and, for no and for all
 * successes, the closed forms 1 - (α/2)^(1/n) and (α/2)^(1/n). */
#include "tests/check.h"
#include "validate/validate.h"

static void near(double got, double want, const char *what, int64_t x, int64_t n)
{
	check_true(fabs(got - want) <= 2e-9 * want + 1e-300, "%s of %lld/%lld: got %.12g, want %.12g", what,
	           (long long)x, (long long)n, got, want);
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
	check_true(hi > *last, "the upper limit of %lld/%lld does not rise", (long long)x, (long long)n);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_as_published),
		cmocka_unit_test(none_and_all_have_closed_forms),
		cmocka_unit_test(nothing_tried_says_nothing),
		cmocka_unit_test(no_count_gives_nan),
	};

	return check_main(tests);
}

/* Tails above a threshold: by hand, and as often right as they say on data of known truth. */
#include "tests/check.h"
#include "stats/stats.h"

/* Excesses 1..10 over 5: an even spread, whose Gini index is 1/3 and shape -1. Mean 5.5; of n = 20 values half are
 * peaks, so the level of probability 0.01 is 5 + 5.5·ln 50; its limit has the mean times 20/chi²(0.05; 20), 10.8508. */
static void an_even_spread_by_hand(void **state)
{
	double x[20];
	struct peaks t;
	struct err e = {0};

	(void)state;
	for (int i = 0; i < 20; i++)
		x[i] = i < 10 ? i * 0.5 : 5 + (i - 9);
	x[9] = 5;
	check_ok(stats_tail(x, 20, 10, 1, 0.01, 0.95, &t, &e), &e);
	check_true(t.threshold == 5 && fabs(t.xi + 1) < 1e-12, "u %g xi %g", t.threshold, t.xi);
	check_true(fabs(t.level - (5 + 5.5 * log(50))) < 1e-9, "level %g", t.level);
	check_true(fabs(t.level_hi - (5 + 5.5 * 20 / 10.8508 * log(50))) < 1e-3, "limit %g", t.level_hi);
	check_true(t.xi_p > 0.9, "p %g", t.xi_p); /* lighter than an exponential */
	/* the unit does not matter, even where its square is 0 */
	for (int i = 0; i < 20; i++)
		x[i] *= 0x1p-900;
	check_ok(stats_tail(x, 20, 10, 2, 0.01, 0.95, &t, &e), &e);
	assert_true(t.level > t.threshold && isfinite(t.level_hi / 0x1p-900));
}

/* x^power is exponential: the level of 10^-6 is (ln 10^6)^(1/power). Limits fail one time in twenty, the test of the
 * law finds a heavier tail as often (four standard deviations). */
static void limits_and_test_keep_their_level(void **state)
{
	int reps = check_exhaustive() ? 20000 : 2000;

	(void)state;
	for (int power = 0; power <= 2; power++) { /* 0: the logarithm is exponential, x falls as 1/x */
		double truth = power ? pow(log(1e6), 1.0 / power) : 1e6, x[300];
		int low = 0, heavy = 0, found = 0, allowed = (int)(0.05 * reps + 4 * sqrt(0.05 * reps));

		for (int i = 0; i < reps; i++) {
			struct peaks t;
			struct err e = {0};

			for (int k = 0; k < 300; k++)
				x[k] = -log(rand_unit((uint64_t)i, 3, (uint64_t)k) + 0x1p-54);
			for (int k = 0; k < 300; k++)
				x[k] = power ? pow(x[k], 1.0 / power) : exp(x[k]);
			stats_sort(x, 300);
			check_ok(stats_tail(x, 300, 60, power, 1e-6, 0.95, &t, &e), &e);
			low += t.level_hi < truth;
			heavy += t.xi_p < 0.05;
			for (int k = 0; k < 300; k++) /* shape 1: as heavy as 1/x; of that, 1/log x, heavier than any power */
				x[k] = exp(power ? pow(x[k], power) : fmin(x[k], 700));
			check_ok(stats_tail(x, 300, 60, power ? 1 : 0, 1e-6, 0.95, &t, &e), &e);
			found += t.xi_p < 0.05;
		}
		check_true(low <= allowed && heavy <= allowed, "power %d: too low %d, called heavy %d of %d", power, low,
		           heavy, reps);
		check_true(low > allowed / 8, "power %d: never too low", power);
		check_true(found > 0.99 * reps, "power %d: heavy tails found %d of %d", power, found, reps);
	}
}

static void hopeless_data_is_refused(void **state)
{
	double x[20] = {0};
	struct peaks t;
	struct err e = {0};

	(void)state;
	check_fails(stats_tail(x, 20, 10, 1, 0.01, 0.95, &t, &e), ST_INPUT, &e, "equal");
	check_fails(stats_tail(x, 20, 5, 1, 0.01, 0.95, &t, &e), ST_INPUT, &e, "10 are needed");
	check_fails(stats_tail(x, 20, 20, 1, 0.01, 0.95, &t, &e), ST_INPUT, &e, "20 of 20");
	check_fails(stats_tail(x, 20, 10, 0, 0.01, 0.95, &t, &e), ST_INPUT, &e, "threshold is 0");
	x[0] = -1;
	x[19] = 1;
	check_fails(stats_tail(x, 20, 10, 1, 0.01, 0.95, &t, &e), ST_INPUT, &e, "negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_even_spread_by_hand),
	        cmocka_unit_test(limits_and_test_keep_their_level),
	        cmocka_unit_test(hopeless_data_is_refused),
	};

	return check_main(tests);
}

/* Regressions: NIST's certified values, published fits, data with known truth. */
#include "tests/check.h"
#include "stats/stats.h"

static void near(double got, double want, double rel, const char *what)
{
	check_true(fabs(got - want) <= rel * fabs(want), "%s: got %.15g, want %.15g", what, got,
	           want);
}

/* NIST Statistical Reference Datasets, linear regression: data and certified values. */
static void norris_is_as_nist_certifies(void **state)
{
	static const double x[] = {0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
	                           777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
	                           556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
	                           887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
	static const double y[] = {0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
	                           778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
	                           557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
	                           888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
	double design[72];
	struct regression r;
	struct err e = {0};

	(void)state;
	for (int i = 0; i < 36; i++) {
		design[2 * i] = 1;
		design[2 * i + 1] = x[i];
	}
	check_ok(regression_robust(design, y, 36, 2, INFINITY, &r, &e), &e);
	near(r.b[0], -0.262323073774029, 1e-11, "B0");
	near(r.b[1], 1.00211681802045, 1e-13, "B1");
	near(r.se[0], 0.232818234301152, 1e-11, "standard deviation of B0");
	near(r.se[1], 0.429796848199937e-03, 1e-11, "standard deviation of B1");
	near(r.scale, 0.884796396144373, 1e-11, "residual standard deviation");
	/* The bisquare with a huge constant weighs all alike; with the usual one it stays within
	 * errors. */
	check_ok(regression_robust(design, y, 36, 2, 1e6, &r, &e), &e);
	near(r.b[1], 1.00211681802045, 1e-9, "B1, huge constant");
	check_ok(regression_robust(design, y, 36, 2, 1, &r, &e), &e);
	check_true(fabs(r.b[1] - 1.00211681802045) < 3 * 0.43e-3, "robust B1 %.9g", r.b[1]);
	assert_true(r.lo[1] < 1.00211681802045 && r.hi[1] > 1.00211681802045);
}

static const double stack_x[21][4] = {
        {1, 80, 27, 89}, {1, 80, 27, 88}, {1, 75, 25, 90}, {1, 62, 24, 87}, {1, 62, 22, 87},
        {1, 62, 23, 87}, {1, 62, 24, 93}, {1, 62, 24, 93}, {1, 58, 23, 87}, {1, 58, 18, 80},
        {1, 58, 18, 89}, {1, 58, 17, 88}, {1, 58, 18, 82}, {1, 58, 19, 93}, {1, 50, 18, 89},
        {1, 50, 18, 86}, {1, 50, 19, 72}, {1, 50, 19, 79}, {1, 50, 20, 80}, {1, 56, 20, 82},
        {1, 70, 20, 91}};
static const double stack_y[21] = {42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14,
                                   13, 11, 12, 8,  7,  8,  8,  9,  15, 15};

/* Brownlee's stack loss data (1965): the least squares fit is in every textbook; the L1 fit as in
 * Bloomfield and Steiger (1983) and R's quantreg. */
static void stack_loss_is_as_published(void **state)
{
	static const double ls[4] = {-39.9196744, 0.7156402, 1.2952861, -0.1521225};
	static const double l1[4] = {-39.68985507, 0.83188406, 0.57391304, -0.06086957};
	struct regression r;
	struct err e = {0};

	(void)state;
	check_ok(regression_robust(&stack_x[0][0], stack_y, 21, 4, INFINITY, &r, &e), &e);
	for (int j = 0; j < 4; j++)
		near(r.b[j], ls[j], 1e-6, "least squares");
	near(r.scale, 3.243364, 1e-6, "residual standard error");
	check_ok(regression_quantile(&stack_x[0][0], stack_y, 21, 4, 0.5, &r, &e), &e);
	for (int j = 0; j < 4; j++)
		near(r.b[j], l1[j], 1e-4, "L1");
}

static void a_quantile_of_one_term_is_an_order_statistic(void **state)
{
	double x[101], y[101];
	struct regression r;
	struct err e = {0};

	(void)state;
	for (int i = 0; i < 101; i++) {
		x[i] = 1;
		y[i] = pow(1.07, (i * 37) % 101);
	}
	for (double tau = 0.05; tau < 0.99; tau += 0.1) {
		check_ok(regression_quantile(x, y, 101, 1, tau, &r, &e), &e);
		near(r.b[0], pow(1.07, floor(101 * tau)), 1e-3, "quantile");
	}
}

/* n runs of slope b on 5 sizes; errors: logarithms of exponentials. */
static void make(double *x, double *y, int n, double b, uint64_t seed)
{
	for (int i = 0; i < n; i++) {
		x[2 * i] = 1;
		x[2 * i + 1] = i % 5 * log(8);
		y[i] = 1 + b * x[2 * i + 1] + log(-log1p(-rand_unit(seed, 7, (uint64_t)i)));
	}
}

/* Of 1,000 repetitions (200 in make check), intervals of 95 % hold the slope in 95 %, within four
 * standard deviations; the quantile's are approximate: 92 % are demanded. */
static void intervals_hold_the_slope(void **state)
{
	enum { n = 150 };
	int reps = check_exhaustive() ? 1000 : 200, robust = 0, median = 0, upper = 0;
	double x[2 * n], y[n], sd = sqrt(reps * 0.95 * 0.05);
	struct regression r;
	struct err e = {0};

	(void)state;
	for (int i = 0; i < reps; i++) {
		make(x, y, n, 0.5, (uint64_t)i);
		check_ok(regression_robust(x, y, n, 2, 1, &r, &e), &e);
		robust += r.lo[1] <= 0.5 && r.hi[1] >= 0.5;
		check_ok(regression_quantile(x, y, n, 2, 0.5, &r, &e), &e);
		median += r.lo[1] <= 0.5 && r.hi[1] >= 0.5;
		check_ok(regression_quantile(x, y, n, 2, 0.75, &r, &e), &e);
		upper += r.lo[1] <= 0.5 && r.hi[1] >= 0.5;
	}
	print_message("of %d: robust %d, median %d, upper quartile %d\n", reps, robust, median,
	              upper);
	check_true(fabs(robust - 0.95 * reps) <= 4 * sd + 0.01 * reps, "robust %d of %d", robust,
	           reps);
	check_true(median >= 0.92 * reps - 4 * sd, "median %d of %d", median, reps);
	check_true(upper >= 0.92 * reps - 4 * sd, "upper quartile %d of %d", upper, reps);
}

static void a_fifth_of_wild_values_moves_it_little(void **state)
{
	enum { n = 400 };
	double x[2 * n], y[n];
	struct regression r, ls;
	struct err e = {0};

	(void)state;
	make(x, y, n, 0.5, 3);
	for (int i = 0; i < n; i += 5)
		y[i + 4] += 30; /* all at the largest size: the least squares slope is led astray */
	for (int i = 4; i < n; i += 10)
		y[i] -= 30; /* half of them were none after all */
	check_ok(regression_robust(x, y, n, 2, INFINITY, &ls, &e), &e);
	check_ok(regression_robust(x, y, n, 2, 1, &r, &e), &e);
	check_true(fabs(r.b[1] - 0.5) < 0.1 && fabs(ls.b[1] - 0.5) > 0.5,
	           "robust %g, least squares %g", r.b[1], ls.b[1]);
}

/* Zeros of r under the logarithm: the quantile fit above them is the same wherever they lie. */
static void censored_values_count_as_low_and_no_more(void **state)
{
	enum { n = 300 };
	double x[2 * n], y[n], z[n];
	struct regression a, b;
	struct err e = {0};

	(void)state;
	make(x, y, n, 0.5, 5);
	for (int i = 0; i < n; i++)
		z[i] = y[i] < 0.2 + 0.5 * x[2 * i + 1] ? -INFINITY : y[i];
	check_ok(regression_quantile(x, y, n, 2, 0.75, &a, &e), &e);
	check_ok(regression_quantile(x, z, n, 2, 0.75, &b, &e), &e);
	check_true(fabs(a.b[1] - b.b[1]) < 1e-4 && fabs(a.b[0] - b.b[0]) < 1e-4,
	           "%g %g, censored %g %g", a.b[0], a.b[1], b.b[0], b.b[1]);
	check_true(fabs(b.b[1] - 0.5) < 0.2, "slope %g", b.b[1]);
	check_true(isfinite(b.se[1]) && b.se[1] > 0 && b.se[1] < 1.5 * a.se[1],
	           "se %g, uncensored %g", b.se[1], a.se[1]);
	check_fails(regression_quantile(x, z, n, 2, 0.2, &b, &e), ST_INPUT, &e, "censored");
}

static void hopeless_data_is_refused(void **state)
{
	double x[12] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, y[6] = {1, 2, 3, 4, 5, 6},
	       inf[6] = {1, 2, INFINITY};
	double low[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
	struct regression r;
	struct err e = {0};

	(void)state;
	check_fails(regression_robust(x, y, 6, 2, 1, &r, &e), ST_INPUT, &e, "collinear");
	check_fails(regression_quantile(x, y, 6, 2, 0.5, &r, &e), ST_INPUT, &e, "collinear");
	check_fails(regression_robust(x, y, 3, 2, 1, &r, &e), ST_INPUT, &e, "needs 4 values");
	check_fails(regression_robust(x, inf, 6, 1, 1, &r, &e), ST_INPUT, &e,
	            "value 2 of a regression");
	check_fails(regression_robust(x, low, 6, 1, 1, &r, &e), ST_INPUT, &e, "not finite");
	x[2] = 1.5;
	check_fails(regression_quantile(x, low, 6, 2, 0.5, &r, &e), ST_INPUT, &e, "all censored");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(norris_is_as_nist_certifies),
	        cmocka_unit_test(stack_loss_is_as_published),
	        cmocka_unit_test(a_quantile_of_one_term_is_an_order_statistic),
	        cmocka_unit_test(intervals_hold_the_slope),
	        cmocka_unit_test(a_fifth_of_wild_values_moves_it_little),
	        cmocka_unit_test(censored_values_count_as_low_and_no_more),
	        cmocka_unit_test(hopeless_data_is_refused),
	};

	return check_main(tests);
}

/* The rules of the published checks at their boundaries.  Expected values are worked out by hand from each
 * project's formula: the largest difference that it accepts from a reference of 8 (and of 0) is computed
 * here from the published tolerances, not from the table under test. */
#include "tests/check.h"
#include "validate/internal.h"

static int profile(const char *name)
{
	for (int i = 0; i < bench_profile_count(); i++)
		if (strcmp(bench_profile_name(i), name) == 0)
			return i;
	fail_msg("no profile %s", name);
	return -1;
}

static bool one(const char *name, enum dtype dt, double y, double x)
{
	return bench_accepts(profile(name), dt, &y, &x, 1);
}

/* Largest accepted y above the reference 8, and above the reference 0. */
static const struct {
	const char *name;
	double f32_at_8, f16_at_8, bf16_at_8, f32_at_0;
} limits[] = {
	/* 8 + 1e-5 + 8e-2 */
	{"seed", 8.08001, 8.08001, 8.08001, 1e-5},
	/* f32 1e-5 + 8·1.3e-6 = 2.04e-5; f16 1e-5 + 8e-3; bf16 1e-5 + 0.128 */
	{"assert_close", 8.0000204, 8.00801, 8.12801, 1e-5},
	/* relative to the candidate: y - 8 <= 0.01 + 0.01y, y <= 8.01/0.99; at 0: 0.01/0.99 */
	{"kernelbench_v0", 8.090909090909091, 8.090909090909091, 8.090909090909091, 0.01 / 0.99},
	{"kernelbench_v0.1", 8.090909090909091, 8.090909090909091, 8.090909090909091, 0.01 / 0.99},
	/* f32: y <= 8.0001/0.9999; 16 bits 0.01 */
	{"kernelbench_head", 8.0001 / 0.9999, 8.01 / 0.99, 8.01 / 0.99, 0.0001 / 0.9999},
	{"multikernelbench", 8.0009, 8.0009, 8.0009, 1e-4},
	{"cuda_l1", 8.09, 8.09, 8.09, 1e-2},
	{"robust_kbench", 8.00009, 8.00009, 8.00009, 1e-5},
	{"backendbench", 8.09, 8.09, 8.09, 1e-2},
	/* max(0.01, 0.08) */
	{"flashinfer_bench", 8.08, 8.08, 8.08, 1e-2},
	{"gpu_mode", 8.00008001, 8.00008001, 8.00008001, 1e-8},
	{"geak", 8.81, 8.81, 8.81, 1e-2},
};

static void check_limit(const char *name, enum dtype dt, double x, double limit)
{
	double step = 1e-9 * (limit - x);

	check_true(one(name, dt, limit - step, x), "%s refuses %.12g for %g", name, limit - step, x);
	check_true(!one(name, dt, limit + step, x), "%s accepts %.12g for %g", name, limit + step, x);
	check_true(one(name, dt, x, x), "%s refuses what is equal", name);
}

static void each_profile_ends_where_its_formula_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		check_limit(limits[i].name, DT_F32, 8, limits[i].f32_at_8);
		check_limit(limits[i].name, DT_F16, 8, limits[i].f16_at_8);
		check_limit(limits[i].name, DT_BF16, 8, limits[i].bf16_at_8);
		check_limit(limits[i].name, DT_F32, 0, limits[i].f32_at_0);
	}
	/* ggml's is of another form: see below */
	assert_int_equal(ARRAY_LEN(limits) + 1, bench_profile_count());
}

static void below_the_reference_the_candidate_rule_is_tighter(void **state)
{
	(void)state;
	/* 8 - y <= 0.01 + 0.01y: y >= 7.99/1.01 */
	assert_true(one("kernelbench_v0", DT_F32, 7.99 / 1.01 + 1e-9, 8));
	assert_false(one("kernelbench_v0", DT_F32, 7.99 / 1.01 - 1e-9, 8));
	/* against the reference: 8 - y <= 0.01 + 0.08 */
	assert_true(one("cuda_l1", DT_F32, 7.91 + 1e-9, 8));
	assert_false(one("cuda_l1", DT_F32, 7.91 - 1e-9, 8));
}

static void ggml_takes_the_mean_of_squares(void **state)
{
	double x[4] = {1, 2, 3, 4}, y[4] = {1, 2, 3, 4};
	int p = profile("ggml_nmse");

	(void)state;
	/* Σx² = 30, limit 1e-7: an error of sqrt(3e-6) in one element */
	y[2] = 3 + 0.00173205;
	assert_true(bench_accepts(p, DT_F32, y, x, 4));
	y[2] = 3 + 0.00173206;
	assert_false(bench_accepts(p, DT_F32, y, x, 4));
	x[0] = x[1] = x[2] = x[3] = 0;
	assert_true(bench_accepts(p, DT_F32, x, x, 4));
	y[0] = 1e-30, y[1] = y[2] = y[3] = 0;
	assert_false(bench_accepts(p, DT_F32, y, x, 4));
}

static void one_bad_element_is_enough(void **state)
{
	double x[100], y[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = y[i] = i;
	for (int p = 0; p < bench_profile_count(); p++) {
		assert_true(bench_accepts(p, DT_F32, y, x, 100));
		y[99] = 200;
		check_true(!bench_accepts(p, DT_F32, y, x, 100), "%s", bench_profile_name(p));
		y[99] = 99;
	}
}

static void nan_fails_and_equal_infinities_pass(void **state)
{
	(void)state;
	for (int p = 0; p < bench_profile_count(); p++) {
		const char *name = bench_profile_name(p);

		check_true(!one(name, DT_F32, NAN, 1), "%s", name);
		check_true(!one(name, DT_F32, 1, NAN), "%s", name);
		check_true(!one(name, DT_F32, NAN, NAN), "%s", name);
		check_true(!one(name, DT_F32, INFINITY, 1), "%s", name);
		check_true(!one(name, DT_F32, -INFINITY, INFINITY), "%s", name);
		check_true(!one(name, DT_F32, 1, INFINITY), "%s", name);
		check_true(one(name, DT_F32, INFINITY, INFINITY), "%s", name);
	}
}

static void no_elements_are_accepted(void **state)
{
	(void)state;
	for (int p = 0; p < bench_profile_count(); p++)
		assert_true(bench_accepts(p, DT_F32, NULL, NULL, 0));
}

/* ---- null kernels ---- */

static void null_kernels_give_what_they_say(void **state)
{
	float xs[3] = {0.5f, -2, 7}, bias[2] = {1, 1};
	struct tensor x = {.dt = DT_F32, .rank = 1, .dim = {3}, .data = (uint8_t *)xs, .bytes = sizeof xs};
	struct tensor b = {.dt = DT_F32, .rank = 1, .dim = {2}, .data = (uint8_t *)bias,
	                   .bytes = sizeof bias};
	double z[3] = {1, 2, 6}, y[3];
	uint8_t status[3] = {EL_FINITE, EL_FINITE, EL_FINITE};
	struct oracle_out o = {.n = 3, .z = z, .status = status};
	struct case_run run = {.in = {&b, &x}};

	(void)state;
	tensor_set_contiguous(&x);
	tensor_set_contiguous(&b);
	assert_true(null_output(NULL_ZEROS, &run, &o, DT_F32, y));
	assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0);
	assert_true(null_output(NULL_ONE, &run, &o, DT_F32, y));
	assert_true(y[0] == 1 && y[2] == 1);
	assert_true(null_output(NULL_MEAN, &run, &o, DT_F32, y));
	assert_true(y[0] == 3 && y[1] == 3 && y[2] == 3);
	/* the input with as many elements as the output, not the first */
	assert_true(null_output(NULL_COPY, &run, &o, DT_F32, y));
	assert_true(y[0] == 0.5 && y[1] == -2 && y[2] == 7);
	/* 0xa5a5a5a5 as f32: -(1 + 0x25a5a5/2^23) × 2^(0x4b - 127) */
	assert_true(null_output(NULL_UNTOUCHED, &run, &o, DT_F32, y));
	assert_true(y[0] == -(1 + (double)0x25a5a5 / 8388608) * ldexp(1, 0x4b - 127));
	run.in[1] = NULL;
	assert_false(null_output(NULL_COPY, &run, &o, DT_F32, y));
	/* elements without a finite value stay out of the mean */
	status[2] = EL_POS_INF;
	assert_true(null_output(NULL_MEAN, &run, &o, DT_F32, y));
	assert_true(y[0] == 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_profile_ends_where_its_formula_ends),
		cmocka_unit_test(below_the_reference_the_candidate_rule_is_tighter),
		cmocka_unit_test(ggml_takes_the_mean_of_squares),
		cmocka_unit_test(one_bad_element_is_enough),
		cmocka_unit_test(nan_fails_and_equal_infinities_pass),
		cmocka_unit_test(no_elements_are_accepted),
		cmocka_unit_test(null_kernels_give_what_they_say),
	};

	return check_main(tests);
}

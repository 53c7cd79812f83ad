/* What evidence keeps of a campaign's runs. Expected values are worked out by hand from the records given. */
#include "tests/check.h"

#include <math.h>

#include "validate/unit.h"

static void absorb(struct unit_runs *u, const char *text)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(json_parse("record", text, strlen(text), &j, &e), &e);
	runs_absorb(u, j);
	cJSON_Delete(j);
}

#define RECORD(case, value, L, T, r, envelope)                                                     \
	"{\"case\":\"" case "\",\"value\":\"" value "\",\"L\":" L ",\"T\":" T ",\"r\":" r                \
	",\"envelope\":\"" envelope "\",\"family\":\"f32\"}"

static double number_in(const cJSON *list, int i, int k)
{
	return cJSON_GetArrayItem(cJSON_GetArrayItem(list, i), k)->valuedouble;
}

static void alike_runs_are_one_with_the_largest(void **state)
{
	struct unit_runs u = {0};
	cJSON *j;

	(void)state;
	absorb(&u, RECORD("sum/f32 a", "PASS", "64", "8", "3", "t mixed"));
	absorb(&u, RECORD("sum/f32 b", "PASS", "70", "8", "3.5", "t mixed"));  /* alike, larger */
	absorb(&u, RECORD("sum/f32 c", "PASS", "64", "8", "0", "t mixed"));    /* exact: apart */
	absorb(&u, RECORD("sum/f32 d", "FAIL", "64", "8", "3", "t mixed"));    /* fails by class: apart */
	absorb(&u, RECORD("sum/f32 e", "UNKNOWN", "64", "8", "3", "t mixed")); /* not judged */
	j = runs_points_json(&u);
	assert_int_equal(cJSON_GetArraySize(j), 3);
	assert_true(number_in(j, 0, 0) == 70 && number_in(j, 0, 2) == 3.5 && number_in(j, 0, 3) == 2);
	assert_true(number_in(j, 0, 4) == 0);
	assert_true(number_in(j, 1, 2) == 0 && number_in(j, 1, 3) == 1);
	assert_true(number_in(j, 2, 3) == 1 && number_in(j, 2, 4) == 1);
	cJSON_Delete(j);
	runs_clear(&u);
}

static void the_worst_is_the_passing_run_nearest_to_its_tolerance(void **state)
{
	struct unit_runs u = {0};
	cJSON *j;

	(void)state;
	assert_null(runs_worst_json(&u));
	absorb(&u, RECORD("sum/f32 a", "PASS", "64", "80", "30", "t mixed"));
	absorb(&u, RECORD("sum/f32 b", "PASS", "8", "4", "3", "t same"));
	absorb(&u, RECORD("sum/f32 c", "FAIL", "8", "4", "900", "t same"));
	j = runs_worst_json(&u);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(j, "case")->valuestring, "sum/f32 b");
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(j, "envelope")->valuestring, "t same");
	assert_true(cJSON_GetObjectItemCaseSensitive(j, "r")->valuedouble == 3);
	cJSON_Delete(j);
	runs_clear(&u);
}

static void used_cells_are_told_with_what_the_table_says_of_them(void **state)
{
	const struct tolerance_table *t = tolerance_builtin("sm_90");
	const struct tolerance_cell *c;
	struct unit_runs u = {0}, good = {0}, all = {0};
	cJSON *list = cJSON_CreateArray(), *x, *role;

	(void)state;
	absorb(&u, RECORD("gelu/f32 N=1", "PASS", "1", "2", "0.5", "sm_90 all"));
	absorb(&u, RECORD("gelu/f32 N=2", "FAIL", "1", "2.5", "7", "sm_90 all"));
	absorb(&u, RECORD("gelu/f32 N=3", "PASS", "9", "8.25", "0", "provisional"));
	runs_add_uses(&all, &u, ROLE_BUGGY);
	absorb(&good, RECORD("gelu/f32 N=4", "PASS", "1", "2", "0.75", "sm_90 all"));
	runs_add_uses(&all, &good, ROLE_CONTROL);
	runs_cells_json(list, &all, "gelu", t);
	assert_int_equal(cJSON_GetArraySize(list), 2);
	x = cJSON_GetArrayItem(list, 0);
	c = tolerance_find(t, "gelu", "f32", "f32", "all");
	assert_non_null(c);
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "runs")->valuedouble == (double)c->fit.runs);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(x, "state")->valuestring, fit_state_name(c->fit.state));
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "cases")->valuedouble == 3);
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "T_lo")->valuedouble == 2);
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "T_hi")->valuedouble == 2.5);
	/* of passing runs alone; those of buggy kernels and of controls apart */
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "r_over_T")->valuedouble == 0.375);
	x = cJSON_GetObjectItemCaseSensitive(x, "by_role");
	assert_int_equal(cJSON_GetArraySize(x), 2);
	role = cJSON_GetObjectItemCaseSensitive(x, "buggy");
	assert_true(cJSON_GetObjectItemCaseSensitive(role, "cases")->valuedouble == 2);
	assert_true(cJSON_GetObjectItemCaseSensitive(role, "r_over_T")->valuedouble == 0.25);
	role = cJSON_GetObjectItemCaseSensitive(x, "control");
	assert_true(cJSON_GetObjectItemCaseSensitive(role, "cases")->valuedouble == 1);
	assert_true(cJSON_GetObjectItemCaseSensitive(role, "r_over_T")->valuedouble == 0.375);
	/* and the numbers of the cell's formula */
	x = cJSON_GetArrayItem(list, 0);
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "t")->valuedouble == c->fit.t);
	assert_true(cJSON_GetObjectItemCaseSensitive(x, "slope")->valuedouble == c->fit.chain.used);
	/* no cell of the table: nothing is said of calibration */
	x = cJSON_GetArrayItem(list, 1);
	assert_null(cJSON_GetObjectItemCaseSensitive(x, "runs"));
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(x, "name")->valuestring, "provisional");
	cJSON_Delete(list);
	runs_clear(&u);
	runs_clear(&good);
	runs_clear(&all);
}

static void ratios_of_zero_tolerances(void **state)
{
	(void)state;
	assert_true(run_ratio(0, 0) == 0);
	assert_true(isinf(run_ratio(1, 0)));
	assert_true(run_ratio(1, 4) == 0.25);
}

/* leaky_relu_alpha has another slope below 0: of integer values right where x >= 0, and wrong elsewhere. */
static void a_map_shows_which_elements_are_wrong(void **state)
{
	static const char line[] = "leaky_relu/f32 N=40 values=x:ints(2) seed=0x1 fill=00";
	struct named_tensor *in = NULL;
	struct target *t = NULL;
	struct device *d = NULL;
	struct err e = {0};
	struct kase c;
	cJSON *j, *row;
	size_t n = 0;

	(void)state;
	check_ok(device_open("emu", &d, &e), &e);
	check_ok(target_open(d, "corpus/buggy/leaky_relu_alpha", false, &t, &e), &e);
	j = error_map(t, line);
	assert_non_null(j);
	assert_true(cJSON_GetObjectItemCaseSensitive(j, "rows")->valuedouble == 1);
	assert_true(cJSON_GetObjectItemCaseSensitive(j, "cols")->valuedouble == 40);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(j, "case")->valuestring, line);
	row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(j, "r_over_T"), 0);
	assert_int_equal(cJSON_GetArraySize(row), 40);
	check_ok(case_parse(line, kernel_op(t->kernel), &c, &e), &e);
	check_ok(case_inputs(&c, &in, &n, &e), &e);
	for (int i = 0; i < 40; i++) {
		float x;

		memcpy(&x, in[0].t.data + 4 * i, sizeof x);
		assert_true((cJSON_GetArrayItem(row, i)->valuedouble > 1) == (x < 0));
	}
	named_tensors_free(in, n);
	cJSON_Delete(j);
	/* of a case that passes there is none */
	assert_null(error_map(t, "leaky_relu/f32 N=40 values=x:uniform(0,1) seed=0x1 fill=00"));
	assert_null(error_map(t, "no such case"));
	target_free(t);
	device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_runs_are_one_with_the_largest),
		cmocka_unit_test(the_worst_is_the_passing_run_nearest_to_its_tolerance),
		cmocka_unit_test(used_cells_are_told_with_what_the_table_says_of_them),
		cmocka_unit_test(ratios_of_zero_tolerances),
		cmocka_unit_test(a_map_shows_which_elements_are_wrong),
	};

	return check_main(tests);
}

/* Tables: what is written reads back; envelopes by hand; wrong files are told. */
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tolerances/tolerances.h"

static struct tolerance_table *two_cells(void)
{
	struct tolerance_table *t = mem_zalloc(1, sizeof *t);
	struct tolerance_cell *c;

	strcpy(t->name, "mine");
	strcpy(t->device_text, "NVIDIA H200, sm_90, CUDA 13.0, driver 1");
	strcpy(t->plan, "pr");
	t->n = 2;
	t->cell = mem_zalloc(2, sizeof *t->cell);
	for (int i = 0; i < 2; i++) {
		c = &t->cell[i];
		strcpy(c->op, "softmax");
		strcpy(c->types, "f16");
		strcpy(c->family, "f32");
		strcpy(c->group, i ? "const" : "mixed");
		strcpy(c->tier, "statistical");
		c->fit.options = fit_options_of(&fit_plans[1], 0x1p-24);
		c->fit.options.narrow = 1;
		c->fit.elements_lo = 64;
		c->fit.chain_hi = 4096;
	}
	t->cell[0].fit.t = 2.5;
	t->cell[0].fit.chain.used = 0.5;
	t->cell[1].fit.state = FIT_REFUSED;
	strcpy(t->cell[1].fit.reason, "tail too heavy");
	return t;
}

static struct numerics plain(void)
{
	return numerics_default();
}

/* T = 1 + 2.5·sqrt(L/8): L = 32 gives 6, L = 4 no growth. */
static void envelopes_follow_the_cell(void **state)
{
	struct tolerance_table *t = two_cells();
	struct numerics n = plain();
	struct envelope v = tolerance_envelope(t, "softmax", "f16", &n, "mixed", 32, 64);

	(void)state;
	check_true(fabs(v.T - 6) < 1e-12 && !v.provisional, "%g", v.T);
	assert_non_null(strstr(v.name, "mine mixed"));
	assert_true(fabs(tolerance_envelope(t, "softmax", "f16", &n, "mixed", 4, 64).T - 3.5) < 1e-12);
	/* beyond the fitted chains and in a refused cell the bound: L + 4 and one rounding more */
	v = tolerance_envelope(t, "softmax", "f16", &n, "mixed", 5000, 64);
	check_true(fabs(v.T - 5005) < 2 && strstr(v.name, "beyond the fit"), "%g %s", v.T, v.name);
	v = tolerance_envelope(t, "softmax", "f16", &n, "const", 100, 64);
	check_true(fabs(v.T - 105) < 0.01 && strstr(v.name, "refused"), "%g %s", v.T, v.name);
	/* a group that is not known: the largest */
	assert_true(tolerance_envelope(t, "softmax", "f16", &n, NULL, 100, 64).T > 104);
	/* what the table has not is provisional */
	assert_true(tolerance_envelope(t, "softmax", "bf16", &n, "mixed", 8, 64).provisional);
	assert_true(tolerance_envelope(NULL, "softmax", "f16", &n, "mixed", 8, 64).T == 8);
	tolerance_free(t);
}

/* λ = sqrt(2 ln(2·64/1e-6)) = 6.1106 (Higham and Mary 2019), by hand: ln(1.28e8) = 18.6675. */
static void a_refused_cell_of_incoherent_data_has_the_probabilistic_bound(void **state)
{
	struct fit_options o = fit_options_of(&fit_plans[0], 0x1p-24);

	(void)state;
	check_true(fabs(fit_fallback(&o, 996, 64, false) - 6.1102 * sqrt(1000)) < 0.1, "%g",
	           fit_fallback(&o, 996, 64, false));
	assert_true(fabs(fit_fallback(&o, 996, 64, true) - 1000) < 0.1);
	assert_true(fabs(fit_fallback(&o, 2, 64, false) - 6) < 1e-4);
}

/* Tensor cores truncate: two roundoffs an operation, and no mean of 0 to make them grow as a root. */
static void a_refused_cell_of_tensor_cores_has_twice_the_deterministic_bound(void **state)
{
	struct tolerance_cell c = {.tier = "statistical", .group = "mixed"};
	struct numerics n = plain();

	(void)state;
	c.fit.options = fit_options_of(&fit_plans[0], 0x1p-24);
	c.fit.state = FIT_REFUSED;
	assert_true(tolerance_cell_limit(&c, 996, 64, NULL) < 200);
	n.tensor_cores = true;
	c.fit.options.per_op = fit_per_op(&n);
	assert_true(fabs(tolerance_cell_limit(&c, 996, 64, NULL) - 2000) < 1);
	assert_true(fabs(tolerance_envelope(tolerance_builtin("bound"), "matmul", "f16", &n, NULL, 996, 64).T - 2001) < 1);
}

/* Of a loose cell the lower of the fitted limit, 5 sqrt(8) at L = 64, and of what stands for a refused one, 6.11 sqrt(L + 4)
 * or L + 4; beyond the fitted range the latter. */
static void a_loose_cell_has_the_lower_of_limit_and_bound(void **state)
{
	struct tolerance_table *t = two_cells();
	struct tolerance_cell *c = &t->cell[0];
	struct numerics n = plain();
	struct envelope v;

	(void)state;
	c->fit.state = FIT_LOOSE;
	c->fit.t = 5;
	c->fit.chain.used = 0.5;
	c->fit.elements.used = 0;
	c->fit.chain_hi = 1000;
	c->fit.options = fit_options_of(&fit_plans[2], 0x1p-24);
	v = tolerance_envelope(t, "softmax", "f16", &n, "mixed", 64, 64);
	check_true(fabs(v.T - 5 * sqrt(8)) < 1e-9 && strstr(v.name, ", loose"), "%g %s", v.T, v.name);
	c->fit.t = 50;
	v = tolerance_envelope(t, "softmax", "f16", &n, "mixed", 64, 64);
	check_true(fabs(v.T - 6.1102 * sqrt(68)) < 0.01 && strstr(v.name, ", bound"), "%g %s", v.T, v.name);
	c->fit.t = 5;
	v = tolerance_envelope(t, "softmax", "f16", &n, "mixed", 1001, 64);
	check_true(fabs(v.T - 6.1102 * sqrt(1005)) < 0.1 && strstr(v.name, ", bound"), "%g %s", v.T, v.name);
	tolerance_free(t);
}

/* No run erred: one rounding is allowed unless the contract is exact. */
static void exact_cells(void **state)
{
	struct tolerance_table *t = two_cells();
	struct numerics n = plain();

	(void)state;
	t->cell[0].fit.state = FIT_EXACT;
	t->cell[0].fit.t = 0;
	t->cell[0].fit.options.narrow = 0;
	assert_true(tolerance_envelope(t, "softmax", "f16", &n, "mixed", 8, 64).T == 1);
	strcpy(t->cell[0].tier, "exact");
	assert_true(tolerance_envelope(t, "softmax", "f16", &n, "mixed", 8, 64).T == 0);
	tolerance_free(t);
}

static void a_table_reads_back(void **state)
{
	struct tolerance_table *t = two_cells(), *again = NULL;
	char path[] = "/tmp/gpuemu-table-XXXXXX";
	struct numerics n = plain();
	struct err e = {0};
	int fd = mkstemp(path), moved;
	char *text;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	check_ok(tolerance_write(t, path, &e), &e);
	check_ok(tolerance_read(path, &again, &e), &e);
	assert_int_equal(again->n, 2);
	assert_string_equal(again->cell[1].fit.reason, "tail too heavy");
	for (double L = 1; L < 9000; L *= 3)
		assert_true(tolerance_envelope(t, "softmax", "f16", &n, "mixed", L, 100).T ==
		            tolerance_envelope(again, "softmax", "f16", &n, "mixed", L, 100).T);
	text = tolerance_diff(t, again, &moved);
	assert_int_equal(moved, 0);
	free(text);
	again->cell[0].fit.order_limit = 40;
	text = tolerance_diff(t, again, &moved);
	check_true(moved == 1 && strstr(text, "softmax/f16 f32 mixed"), "%s", text);
	free(text);
	tolerance_free(again);
	tolerance_free(t);
	unlink(path);
}

static void wrong_files_are_told(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"{}", "no tolerance table"},
		{"{\"schema\":\"gpuemu-tolerances/1\",\"cells\":[3]}", "cells[0]: an object"},
		{"{\"schema\":\"gpuemu-tolerances/1\",\"cells\":[{\"op\":\"x\"}]}", "cells[0].state"},
		{"{\"schema\":\"gpuemu-tolerances/1\",\"cells\":[{\"op\":\"x\",\"state\":\"envelope\"}]}", "must be there"},
		{"{\"schema\":\"gpuemu-tolerances/1\",\"cells\":[{\"op\":\"x\",\"types\":\"f32\",\"family\":\"f32\","
		 "\"group\":\"all\",\"state\":\"envelope\",\"t\":-1}]}", "must hold"},
		{"{\"schema\":\"gpuemu-tolerances/1\",\"device\":7,\"cells\":[]}", "device: a text"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char path[] = "/tmp/gpuemu-table-XXXXXX";
		struct tolerance_table *t = NULL;
		struct err e = {0};
		int fd = mkstemp(path);

		assert_true(fd >= 0 && write(fd, bad[i].text, strlen(bad[i].text)) > 0);
		close(fd);
		check_fails(tolerance_read(path, &t, &e), ST_INPUT, &e, bad[i].message);
		unlink(path);
	}
}

static void shipped_tables(void **state)
{
	static const char emu[] = "sm_90 in software (reference H200)", h200[] = "NVIDIA H200, sm_90, CUDA 14.0, driver 600",
	                  l4[] = "NVIDIA L4, sm_89";

	(void)state;
	assert_string_equal(tolerance_of_device(emu)->name, "sm_90");
	assert_true(tolerance_made_on(tolerance_of_device(emu), emu));
	assert_string_equal(tolerance_of_device(h200)->name, "h200");
	assert_true(tolerance_made_on(tolerance_of_device(h200), h200));
	assert_non_null(tolerance_of_device(l4));
	assert_false(tolerance_made_on(tolerance_of_device(l4), l4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(envelopes_follow_the_cell),
		cmocka_unit_test(a_refused_cell_of_incoherent_data_has_the_probabilistic_bound),
		cmocka_unit_test(a_refused_cell_of_tensor_cores_has_twice_the_deterministic_bound),
		cmocka_unit_test(a_loose_cell_has_the_lower_of_limit_and_bound),
		cmocka_unit_test(exact_cells),
		cmocka_unit_test(a_table_reads_back),
		cmocka_unit_test(wrong_files_are_told),
		cmocka_unit_test(shipped_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

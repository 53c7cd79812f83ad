/* test_figures.c - report_figures as a library: what is missing is told, what is made is whole, a second
 * use gives the same. The formats themselves are read back in test_tables.sh. */
#include "report/report.h"
#include "tests/check.h"

static char evidence[] = "tests/report/data/charts/evidence.json";
static char folder[] = "tests/report/data/charts";

static void a_table_is_the_same_twice_in_every_format(void **state)
{
	static const char *const formats[] = {"markdown", "latex", "csv", "json", "macros"};
	static const char *const names[] = {"kernels", "cells", "policies", "strategies", "math"};
	char *paths[] = {folder};
	struct err e = {0};

	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(formats); f++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			struct buf a = {0}, b = {0};

			check_ok(report_figures(names[i], formats[f], paths, 1, &a, &e), &e);
			check_ok(report_figures(names[i], formats[f], paths, 1, &b, &e), &e);
			assert_true(a.len > 60);
			assert_string_equal(a.s, b.s);
			buf_free(&a);
			buf_free(&b);
		}
}

static void what_is_missing_is_told(void **state)
{
	char *one[] = {evidence}, *two[] = {evidence, evidence}, *none[] = {(char *)"no/such/file.json"};
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	check_fails(report_figures("cells", "csv", one, 1, &out, &e), ST_INPUT, &e, "no tolerance table given");
	check_fails(report_figures("pie", "csv", one, 1, &out, &e), ST_INPUT, &e, "no table 'pie'");
	check_fails(report_figures("kernels", "xml", one, 1, &out, &e), ST_INPUT, &e, "unknown format 'xml'");
	check_fails(report_figures("kernels", "csv", two, 2, &out, &e), ST_INPUT, &e, "is evidence already");
	check_fails(report_figures("kernels", "csv", none, 1, &out, &e), ST_INPUT, &e, "no/such/file.json");
	assert_null(out.s);
}

static void the_list_names_every_table_and_why_one_is_absent(void **state)
{
	char *one[] = {evidence}, *all[] = {folder};
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	check_ok(report_figures_list(one, 1, &out, &e), &e);
	assert_non_null(strstr(out.s, "\npolicies "));
	assert_non_null(strstr(out.s, "absent: no calibration figures given"));
	buf_free(&out);
	check_ok(report_figures_list(all, 1, &out, &e), &e);
	assert_null(strstr(out.s, "absent: no calibration"));
	buf_free(&out);
	check_ok(report_figures_list(NULL, 0, &out, &e), &e);
	assert_null(strstr(out.s, "absent"));
	buf_free(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_table_is_the_same_twice_in_every_format),
	        cmocka_unit_test(what_is_missing_is_told),
	        cmocka_unit_test(the_list_names_every_table_and_why_one_is_absent),
	};

	return check_main(tests);
}

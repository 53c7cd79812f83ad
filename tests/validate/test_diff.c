/* test_diff.c - how two outputs differ: classes and distances of encodings written by hand from IEEE 754. */
#include "tests/check.h"

#include "validate/diff.h"

static void each_class_is_told(void **state)
{
	static const struct {
		enum dtype dt;
		uint64_t a, b;
		enum diff_class c;
		uint64_t ulps;
	} rows[] = {
		{DT_F32, 0x3f800000, 0x3f800001, DIFF_VALUE, 1},     /* 1 and the next */
		{DT_F32, 0x00000001, 0x80000001, DIFF_VALUE, 2},     /* the smallest and its negative */
		{DT_F32, 0x00000000, 0x80000000, DIFF_ZERO_SIGN, 0},
		{DT_F32, 0x7fffffff, 0x7fc00000, DIFF_NAN_PAYLOAD, 0},
		{DT_F32, 0x7f800000, 0x7f7fffff, DIFF_CLASS, 0},     /* infinity and the largest */
		{DT_F32, 0x7fffffff, 0x00000000, DIFF_CLASS, 0},
		{DT_F16, 0x3c00, 0x3bff, DIFF_VALUE, 1},
		{DT_F16, 0x7e00, 0xfe00, DIFF_NAN_PAYLOAD, 0},
		{DT_BF16, 0x0000, 0x8000, DIFF_ZERO_SIGN, 0},
		{DT_I32, 5, 7, DIFF_VALUE, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct diff d = {0};
		uint64_t a[3] = {1, rows[i].a, 2}, b[3] = {1, rows[i].b, 2};
		cJSON *j;

		diff_add(&d, "y", rows[i].dt, a, b, 3);
		check_true(d.elements == 3 && d.different == 1 && d.element == 1 && d.first == rows[i].c &&
		           d.classes[rows[i].c] == 1 && d.ulp_max == rows[i].ulps,
		           "row %zu: %s, %llu ulps", i, diff_name(d.first), (unsigned long long)d.ulp_max);
		j = diff_first_json(&d);
		assert_string_equal(cJSON_GetObjectItem(j, "tensor")->valuestring, "y");
		cJSON_Delete(j);
	}
}

static void sums_keep_the_first_difference(void **state)
{
	struct diff all = {0}, same = {0}, one = {0}, other = {0};
	const uint64_t a[] = {0x3f800000, 0x40000000}, b[] = {0x3f800000, 0x40000003}, c[] = {0, 0};

	(void)state;
	diff_add(&same, "u", DT_F32, a, a, 2);
	diff_add(&one, "v", DT_F32, a, b, 2);
	diff_add(&other, "w", DT_F32, a, c, 2);
	diff_merge(&all, &same);
	assert_true(diff_identical(&all));
	diff_merge(&all, &one);
	diff_merge(&all, &other);
	assert_int_equal(all.elements, 6);
	assert_int_equal(all.different, 3);
	assert_string_equal(all.tensor, "v");
	assert_int_equal(all.element, 1);
	check_true(all.ulp_max == 0x40000000, "%llx", (unsigned long long)all.ulp_max); /* from 2 to 0 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_is_told),
		cmocka_unit_test(sums_keep_the_first_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

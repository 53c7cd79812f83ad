/* What evidence says of the domain that was tried: worked out by hand from the cases given. */
#include "tests/check.h"

#include "validate/tried.h"

static void add(struct tried *t, const char *line)
{
	struct err e = {0};
	struct kase c;

	check_ok(case_parse(line, NULL, &c, &e), &e);
	tried_add(t, &c);
}

static double at(const cJSON *j, const char *group, const char *name)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(j, group), name);

	return cJSON_IsNumber(v) ? v->valuedouble : -1;
}

static void check_range(const cJSON *j, const char *dim, double lo, double hi)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(j, "sizes"), dim);

	assert_int_equal(cJSON_GetArraySize(v), 2);
	assert_true(cJSON_GetArrayItem(v, 0)->valuedouble == lo);
	assert_true(cJSON_GetArrayItem(v, 1)->valuedouble == hi);
}

static void sizes_and_classes_of_cases_are_counted(void **state)
{
	struct tried a = {0}, b = {0}, all = {0};
	cJSON *j;

	(void)state;
	add(&a, "matmul/f32 M=3,N=5,K=7 values=a:ints(2) seed=0x1 fill=00");
	add(&a, "matmul/f32 M=1,N=9,K=7 layout=a:rowpad3,b:rowpad5 seed=0x1 fill=00");
	add(&b, "matmul/f16 M=2,N=5,K=600 values=*:ints(4) seed=0x1 fill=00");
	tried_merge(&all, &a);
	tried_merge(&all, &b);
	j = tried_json(&all);
	check_range(j, "M", 1, 3);
	check_range(j, "N", 5, 9);
	check_range(j, "K", 7, 600);
	/* a case counts once, however many of its tensors have the class */
	assert_true(at(j, "layouts", "rowpad") == 1);
	assert_true(at(j, "layouts", "contiguous") == 3);
	assert_true(at(j, "values", "ints") == 2);
	assert_true(at(j, "values", "normal") == 2);
	assert_true(at(j, "values", "rowpad") == -1);
	cJSON_Delete(j);
}

static void without_cases_there_is_nothing(void **state)
{
	struct tried none = {0}, all = {0};
	cJSON *j;

	(void)state;
	tried_merge(&all, &none);
	j = tried_json(&all);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(j, "sizes")), 0);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(j, "values")), 0);
	cJSON_Delete(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_classes_of_cases_are_counted),
		cmocka_unit_test(without_cases_there_is_nothing),
	};

	return check_main(tests);
}

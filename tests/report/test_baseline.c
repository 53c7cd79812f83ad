/* test_baseline.c - baselines of gpuemu ci: what is kept, in which order, and what a difference means. What is expected is docs/ci.md's
 * table; the program as a whole is tested by tests/cli/test_ci.sh. */
#include "tests/check.h"

#include <unistd.h>

#include "report/baseline.h"

static cJSON *parse(const char *text)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(json_parse("text", text, strlen(text), &j, &e), &e);
	return j;
}

#define HEAD "{\"schema\":\"gpuemu-evidence/1\",\"tool\":{\"version\":\"1\"},\"seed\":\"0x1\",\"device\":{\"name\":\"emu\",\"text\":\"t\"}," \
	     "\"tolerance\":{\"name\":\"sm_90\",\"sha256\":\"0123456789abcdef\"},\"options\":{\"cases\":10},\"kernels\":["
#define KERNEL(folder, role, expected, rest) \
	"{\"name\":\"k\",\"folder\":\"" folder "\",\"role\":\"" role "\",\"expected\":\"" expected "\",\"sha256\":\"aa\",\"source_file\":\"" folder "/k.cu\"," rest "}"
#define UNIT(dtype, verdict, rest) "{\"dtype\":\"" dtype "\",\"verdict\":\"" verdict "\",\"cases\":10" rest "}"

static cJSON *make(const char *evidence, const cJSON *failing, const cJSON *replayed)
{
	cJSON *j = parse(evidence), *b = baseline_make(j, "/r/base.json", failing, replayed);

	cJSON_Delete(j);
	return b;
}

static const cJSON *unit(const cJSON *b, int i)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(b, "units"), i);
}

static const char *text(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	check_true(cJSON_IsString(v), "no %s", key);
	return v->valuestring;
}

static void a_baseline_is_sorted_and_reads_back_as_the_same_bytes(void **state)
{
	char dir[] = "/tmp/gpuemu-baseline.XXXXXX", *path, *again, *a = NULL, *b = NULL;
	cJSON *j = make(HEAD KERNEL("/r/z", "user", "PASS", "\"dtypes\":[" UNIT("f32", "PASS", "") "," UNIT("bf16", "PASS", "") "]") ","
	                KERNEL("/r/a/b", "user", "PASS", "\"dtypes\":[" UNIT("f32", "FAIL", ",\"cases_failed\":2") "]") "]}", NULL, NULL), *read = NULL;
	struct err e = {0};
	size_t na = 0, nb = 0;

	(void)state;
	assert_string_equal(text(unit(j, 0), "kernel"), "a/b");
	assert_string_equal(text(unit(j, 1), "dtype"), "bf16");
	assert_string_equal(text(unit(j, 2), "dtype"), "f32");
	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "a");
	again = path_join(dir, "b");
	check_ok(baseline_write(path, j, &e), &e);
	check_ok(baseline_read(path, &read, &e), &e);
	check_ok(baseline_write(again, read, &e), &e);
	check_ok(file_read(path, 1 << 20, &a, &na, &e), &e);
	check_ok(file_read(again, 1 << 20, &b, &nb, &e), &e);
	assert_string_equal(a, b);
	assert_null(strchr(a, '@'));
	unlink(path);
	unlink(again);
	rmdir(dir);
	free(path);
	free(again);
	free(a);
	free(b);
	cJSON_Delete(read);
	cJSON_Delete(j);
}

static void kernels_are_within_the_folders_that_were_named(void **state)
{
	char *k[] = {(char[]){"kernels"}}, *here[] = {(char[]){"."}}, *up[] = {(char[]){"../.."}}, *no[] = {(char[]){"../x"}, (char[]){"kern"}};

	(void)state;
	assert_true(baseline_within("kernels", k, 1));
	assert_true(baseline_within("kernels/a/b", k, 1));
	assert_false(baseline_within("kernels2/a", k, 1));
	assert_true(baseline_within("a", here, 1));
	assert_false(baseline_within("../a", here, 1));
	assert_true(baseline_within("../a", up, 1));
	assert_false(baseline_within("kernels/a", no, 2));
}

static void of_kept_cases_too_many_those_that_pass_go_first(void **state)
{
	cJSON *replayed = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(replayed, "z:f32"), *j;
	const cJSON *kept;

	(void)state;
	for (int i = 0; i < BASELINE_MAX_REPLAY; i++) {
		char line[32];
		cJSON *c = cJSON_CreateObject();

		snprintf(line, sizeof line, "relu/f32 N=%d", i);
		cJSON_AddStringToObject(c, "case", line);
		cJSON_AddStringToObject(c, "verdict", i == 2 ? "PASS" : "FAIL");
		cJSON_AddItemToArray(list, c);
	}
	j = make(HEAD KERNEL("/r/z", "user", "PASS", "\"dtypes\":[" UNIT("f32", "FAIL", ",\"minimal\":{\"case\":\"relu/f32 N=99\",\"verdict\":\"FAIL\"}") "]") "]}",
	         NULL, replayed);
	kept = cJSON_GetObjectItemCaseSensitive(unit(j, 0), "replay");
	assert_int_equal(cJSON_GetArraySize(kept), BASELINE_MAX_REPLAY);
	assert_string_equal(text(cJSON_GetArrayItem(kept, 2), "case"), "relu/f32 N=3");
	assert_string_equal(text(cJSON_GetArrayItem(kept, BASELINE_MAX_REPLAY - 1), "case"), "relu/f32 N=99");
	cJSON_Delete(j);
	cJSON_Delete(replayed);
}

/* The changes from one evidence to another, as "KIND TEXT; …" into out. */
static void changes(const char *was, const char *now, char *out, size_t size)
{
	cJSON *a = make(was, NULL, NULL), *b = make(now, NULL, NULL);
	char *here[] = {(char[]){"."}};
	struct changes c = {0};
	size_t n = 0;

	out[0] = 0;
	baseline_compare(&c, a, b, here, 1, NULL);
	for (int i = 0; i < c.n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s %s", i ? "; " : "", change_name(c.v[i].kind), c.v[i].text);
	changes_free(&c);
	cJSON_Delete(a);
	cJSON_Delete(b);
}

static void what_a_difference_means(void **state)
{
#define USER(verdict, rest) HEAD KERNEL("/r/z", "user", "PASS", "\"dtypes\":[" UNIT("f32", verdict, rest) "]") "]}"
#define BUGGY(verdict, rest) HEAD KERNEL("/r/z", "buggy", "FAIL", "\"dtypes\":[" UNIT("f32", verdict, rest) "]") "]}"
#define LINT(severity) HEAD KERNEL("/r/z", "user", "PASS", "\"dtypes\":[" UNIT("f32", "PASS", "") "],\"lint\":{\"findings\":[{\"rule\":\"tf32\",\"severity\":\"" \
	severity "\",\"entry\":\"e\",\"ptx_line\":3}]}") "]}"
#define FINDING(line) ",\"findings\":[{\"kind\":\"race\",\"error\":true,\"entry\":\"e\",\"ptx_line\":" #line "}]"
#define TWO ",\"findings\":[{\"kind\":\"race\",\"error\":true,\"entry\":\"e\",\"ptx_line\":1},{\"kind\":\"race\",\"error\":true,\"entry\":\"e\",\"ptx_line\":2}]"
#define SAME " (manifest, source and PTX are as they were)"
	static const struct {
		const char *was, *now, *want;
	} pairs[] = {
		{USER("PASS", ""), USER("PASS", ""), ""},
		{USER("UNKNOWN", ""), USER("UNKNOWN", ""), ""},
		{USER("PASS", ""), USER("FAIL", ",\"cases_failed\":4,\"reason\":\"y\""), "worse PASS -> FAIL, 4 of 10 cases fail: y" SAME},
		{USER("UNKNOWN", ""), USER("FAIL", ",\"cases_failed\":4"), "worse UNKNOWN -> FAIL, 4 of 10 cases fail" SAME},
		{USER("FAIL", ""), USER("PASS", ""), "better FAIL -> PASS" SAME},
		{USER("FAIL", ""), USER("UNKNOWN", ""), "undecided FAIL -> UNKNOWN" SAME},
		{BUGGY("FAIL", ""), BUGGY("PASS", ""), "worse FAIL -> PASS: the manifest says it is buggy" SAME},
		{BUGGY("PASS", ""), BUGGY("FAIL", ",\"cases_failed\":1"), "better PASS -> FAIL, 1 of 10 cases fail" SAME},
		{USER("FAIL", FINDING(3)), USER("FAIL", FINDING(90)), ""},
		{USER("FAIL", FINDING(3)), USER("FAIL", TWO), "worse new race in e (2)"},
		{USER("FAIL", TWO), USER("FAIL", FINDING(3)), "better gone: race in e (2)"},
		{BUGGY("FAIL", FINDING(3)), BUGGY("FAIL", TWO), "changed new race in e (2)"},
		{USER("PASS", ""), LINT("error"), "worse new lint error: tf32 in e"},
		{USER("PASS", ""), LINT("warning"), "changed new lint warning: tf32 in e"},
		{USER("PASS", ""), LINT("note"), ""},
		{LINT("error"), USER("PASS", ""), "better gone: lint error: tf32 in e"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		char got[600];

		changes(pairs[i].was, pairs[i].now, got, sizeof got);
		check_true(strcmp(got, pairs[i].want) == 0, "%zu: got '%s', want '%s'", i, got, pairs[i].want);
	}
}

static void an_update_keeps_what_was_not_run(void **state)
{
	cJSON *was = make(HEAD KERNEL("/r/k/a", "user", "PASS", "\"dtypes\":[" UNIT("f32", "PASS", "") "]") "," KERNEL("/r/k/b", "user", "PASS",
	                  "\"dtypes\":[" UNIT("f32", "PASS", "") "]") "," KERNEL("/r/x", "user", "PASS", "\"dtypes\":[" UNIT("f32", "PASS", "") "]") "]}", NULL, NULL);
	cJSON *now = make(HEAD KERNEL("/r/k/c", "user", "PASS", "\"dtypes\":[" UNIT("f32", "PASS", "") "]") "]}", NULL, NULL);
	cJSON *left = parse("[\"k/b\"]"), *j;
	char *k[] = {(char[]){"k"}};

	(void)state;
	/* k/a is gone, k/b could not be read, x was not named */
	j = baseline_merge(was, now, k, 1, left);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(j, "units")), 3);
	assert_string_equal(text(unit(j, 0), "kernel"), "k/b");
	assert_string_equal(text(unit(j, 1), "kernel"), "k/c");
	assert_string_equal(text(unit(j, 2), "kernel"), "x");
	cJSON_Delete(was);
	cJSON_Delete(now);
	cJSON_Delete(left);
	cJSON_Delete(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_baseline_is_sorted_and_reads_back_as_the_same_bytes),
		cmocka_unit_test(kernels_are_within_the_folders_that_were_named),
		cmocka_unit_test(of_kept_cases_too_many_those_that_pass_go_first),
		cmocka_unit_test(what_a_difference_means),
		cmocka_unit_test(an_update_keeps_what_was_not_run),
	};

	return check_main(tests);
}

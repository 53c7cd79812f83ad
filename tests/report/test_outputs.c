/* test_outputs.c - SARIF, step summary and badge of evidence. That a log is SARIF is asked by tests/lint/sarif.py
 * (test_outputs.sh); here single rules of what is in it. */
#include "tests/check.h"

#include "base/launch.h"
#include "report/report.h"

static cJSON *sample(void)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(report_read("tests/report/data/text.json", &j, &e), &e);
	return j;
}

static cJSON *parse(const char *text)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(json_parse("text", text, strlen(text), &j, &e), &e);
	return j;
}

static const cJSON *at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	check_true(v != NULL, "no %s", key);
	return v;
}

static const cJSON *run_of(const cJSON *log)
{
	return cJSON_GetArrayItem(at(log, "runs"), 0);
}

#define KERNEL(role, expected, verdict, rest)                                                                                              \
	"{\"schema\":\"gpuemu-evidence/1\",\"kernels\":[{\"name\":\"k\",\"folder\":\"/gone/k\",\"source_file\":\"/gone/k/k.cu\",\"ptx_file\":\"/gone/k/k.ptx\"," \
	"\"role\":\"" role "\",\"expected\":\"" expected "\",\"verdict\":\"" verdict "\"," rest "}]}"

/* A finding of each kind that a sanitizer reports has a rule with a title of its own. */
static void every_finding_has_a_rule(void **state)
{
	(void)state;
	for (int i = 0; i < FIND_COUNT; i++) {
		cJSON *j, *log;
		const cJSON *rule;
		char text[600];

		snprintf(text, sizeof text, KERNEL("user", "PASS", "PASS", "\"dtypes\":[{\"dtype\":\"f32\",\"verdict\":\"PASS\",\"findings\":[{\"kind\":\"%s\"}]}]"),
		         finding_name((enum finding_kind)i));
		j = parse(text);
		log = report_sarif(j, NULL, 0);
		rule = cJSON_GetArrayItem(at(at(at(run_of(log), "tool"), "driver"), "rules"), 0);
		assert_string_equal(at(rule, "id")->valuestring, finding_name((enum finding_kind)i));
		check_true(strcmp(at(at(rule, "shortDescription"), "text")->valuestring, finding_name((enum finding_kind)i)) != 0, "%s has no title",
		           finding_name((enum finding_kind)i));
		cJSON_Delete(log);
		cJSON_Delete(j);
	}
}

static const char *uri_of(const cJSON *result)
{
	return at(at(at(cJSON_GetArrayItem(at(result, "locations"), 0), "physicalLocation"), "artifactLocation"), "uri")->valuestring;
}

#define FINDINGS "\"dtypes\":[{\"dtype\":\"f32\",\"verdict\":\"PASS\",\"findings\":[" \
	"{\"kind\":\"race\",\"error\":true,\"entry\":\"e\",\"source_line\":%d,\"ptx_line\":9,\"case\":\"relu/f32 N=1\"}," \
	"{\"kind\":\"race\",\"error\":true,\"entry\":\"e\",\"ptx_line\":%d}]}],\"source_lines\":[[%d,\"\\tx[i] = 1;\"]]"

static cJSON *two_findings(int line)
{
	char text[1200];
	cJSON *j, *log;

	snprintf(text, sizeof text, KERNEL("user", "PASS", "PASS", FINDINGS), line, line + 50, line);
	j = parse(text);
	log = report_sarif(j, NULL, 0);
	cJSON_Delete(j);
	return log;
}

static void findings_stand_in_the_source_or_the_ptx_and_keep_their_fingerprints(void **state)
{
	cJSON *a = two_findings(12), *b = two_findings(40);
	const cJSON *ra = at(run_of(a), "results"), *rb = at(run_of(b), "results");

	(void)state;
	assert_int_equal(cJSON_GetArraySize(ra), 2);
	assert_string_equal(uri_of(cJSON_GetArrayItem(ra, 0)), "file:///gone/k/k.cu");
	assert_string_equal(uri_of(cJSON_GetArrayItem(ra, 1)), "file:///gone/k/k.ptx");
	assert_non_null(strstr(at(at(cJSON_GetArrayItem(ra, 0), "message"), "text")->valuestring, "gpuemu replay /gone/k 'relu/f32 N=1'"));
	for (int i = 0; i < 2; i++)
		assert_true(cJSON_Compare(at(cJSON_GetArrayItem(ra, i), "partialFingerprints"), at(cJSON_GetArrayItem(rb, i), "partialFingerprints"), true));
	assert_false(cJSON_Compare(at(cJSON_GetArrayItem(ra, 0), "partialFingerprints"), at(cJSON_GetArrayItem(ra, 1), "partialFingerprints"), true));
	cJSON_Delete(a);
	cJSON_Delete(b);
}

static void known_bugs_are_suppressed_and_a_missed_one_is_told(void **state)
{
	cJSON *caught = parse(KERNEL("buggy", "FAIL", "FAIL", "\"as_expected\":true,\"dtypes\":[{\"dtype\":\"f32\",\"verdict\":\"FAIL\"}]"));
	cJSON *missed = parse(KERNEL("buggy", "FAIL", "PASS", "\"as_expected\":false,\"dtypes\":[{\"dtype\":\"f32\",\"verdict\":\"PASS\"}]"));
	cJSON *a = report_sarif(caught, NULL, 0), *b = report_sarif(missed, NULL, 0);

	(void)state;
	assert_string_equal(at(cJSON_GetArrayItem(at(run_of(a), "results"), 0), "ruleId")->valuestring, "wrong-result");
	at(cJSON_GetArrayItem(at(run_of(a), "results"), 0), "suppressions");
	assert_string_equal(at(cJSON_GetArrayItem(at(run_of(b), "results"), 0), "ruleId")->valuestring, "bug-not-caught");
	assert_null(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(at(run_of(b), "results"), 0), "suppressions"));
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(caught);
	cJSON_Delete(missed);
}

static void a_summary_keeps_its_size_and_says_what_is_left_out(void **state)
{
	cJSON *j = sample(), *kernels = cJSON_GetObjectItemCaseSensitive(j, "kernels"), *first = cJSON_Duplicate(cJSON_GetArrayItem(kernels, 0), true);
	struct buf whole = {0};
	int rows = 0, n;

	(void)state;
	for (int i = 0; i < 400; i++)
		cJSON_AddItemToArray(kernels, cJSON_Duplicate(first, true));
	n = cJSON_GetArraySize(kernels);
	report_summary(j, REPORT_SUMMARY_MOST, &whole);
	assert_null(strstr(whole.s, "Left out"));
	for (const char *s = whole.s; (s = strstr(s, "\n| ")) != NULL; s++)
		rows++;
	assert_int_equal(rows, n + 1); /* and the heading */
	for (size_t most = 6000; most < whole.len; most += 3333) {
		struct buf b = {0};
		int left_rows = 0, left_cases = 0, kept = 0;
		const char *told;

		report_summary(j, most, &b);
		check_true(b.len <= most, "%zu bytes of %zu", b.len, most);
		told = strstr(b.s, "may have: ");
		if (told)
			assert_int_equal(sscanf(told, "may have: %d rows of the table, %d failing cases", &left_rows, &left_cases), 2);
		for (const char *s = b.s; (s = strstr(s, "\n| ")) != NULL; s++)
			kept++;
		assert_int_equal(kept + left_rows, n + 1);
		buf_free(&b);
	}
	buf_free(&whole);
	cJSON_Delete(first);
	cJSON_Delete(j);
}

static void check_badge(const char *evidence, const char *words)
{
	cJSON *j = parse(evidence);
	struct buf b = {0};

	report_badge(j, &b);
	check_true(strstr(b.s, words) != NULL, "no '%s' in %s", words, b.s);
	buf_free(&b);
	cJSON_Delete(j);
}

static void a_badge_says_it_in_words(void **state)
{
	(void)state;
	check_badge(KERNEL("user", "PASS", "PASS", "\"as_expected\":true,\"dtypes\":[{},{},{}]"), "<title>gpuemu: PASS 1 kernel, 3 configurations</title>");
	check_badge(KERNEL("user", "PASS", "FAIL", "\"as_expected\":false,\"dtypes\":[{}]"), "<title>gpuemu: FAIL 1 of 1 kernel</title>");
	check_badge(KERNEL("user", "PASS", "UNKNOWN", "\"as_expected\":false,\"dtypes\":[{}]"), "<title>gpuemu: UNKNOWN 1 kernel, 1 configuration</title>");
	check_badge(KERNEL("buggy", "FAIL", "FAIL", "\"as_expected\":true,\"dtypes\":[{}]"), "<title>gpuemu: 1 of 1 caught, 0 flagged</title>");
	check_badge(KERNEL("buggy", "FAIL", "PASS", "\"as_expected\":false,\"dtypes\":[{}]"), "fill=\"#bf4500\"");
	check_badge("{\"kernels\":[]}", "<title>gpuemu: no kernel</title>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_finding_has_a_rule),
		cmocka_unit_test(findings_stand_in_the_source_or_the_ptx_and_keep_their_fingerprints),
		cmocka_unit_test(known_bugs_are_suppressed_and_a_missed_one_is_told),
		cmocka_unit_test(a_summary_keeps_its_size_and_says_what_is_left_out),
		cmocka_unit_test(a_badge_says_it_in_words),
	};

	return check_main(tests);
}

/* test_text.c - evidence as text: the three formats against files that were written out and read
 * through by a person (data/text.*), and single rules. The input, data/text.json, is small and
 * written by hand. After a wanted change: GPUEMU_GOLDEN=write build/tests/report/test_text, then
 * read the difference. */
#include "tests/check.h"

#include <unistd.h>

#include "report/report.h"

#define DATA "tests/report/data/"

static cJSON *sample(void)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(report_read(DATA "text.json", &j, &e), &e);
	return j;
}

static void check_golden(const char *path, const struct buf *got)
{
	struct err e = {0};
	char *want = NULL;
	size_t len = 0;

	if (getenv("GPUEMU_GOLDEN"))
		check_ok(file_write(path, got->s, got->len, &e), &e);
	check_ok(file_read(path, 1 << 20, &want, &len, &e), &e);
	assert_string_equal(got->s, want);
	assert_int_equal(got->len, len);
	free(want);
}

static void the_table_is_as_read_through(void **state)
{
	cJSON *j = sample();
	struct buf b = {0};

	(void)state;
	report_table(j, 100, false, &b);
	check_golden(DATA "text.table", &b);
	buf_free(&b);
	cJSON_Delete(j);
}

static void markdown_is_as_read_through(void **state)
{
	cJSON *j = sample();
	struct buf b = {0};

	(void)state;
	report_markdown(j, &b);
	check_golden(DATA "text.md", &b);
	buf_free(&b);
	cJSON_Delete(j);
}

static void junit_is_as_read_through(void **state)
{
	cJSON *j = sample();
	struct buf b = {0};

	(void)state;
	report_junit(j, &b);
	check_golden(DATA "text.xml", &b);
	buf_free(&b);
	cJSON_Delete(j);
}

/* A name from a file is not let steer the terminal, and colours are the only escapes when asked
 * for. */
static void only_colours_are_escapes(void **state)
{
	cJSON *j = sample();
	struct buf b = {0};

	(void)state;
	report_table(j, 100, false, &b);
	assert_null(strchr(b.s, '\x1b'));
	b.len = 0;
	report_table(j, 100, true, &b);
	assert_non_null(strstr(b.s, "\x1b[31mFAIL"));
	for (const char *s = b.s; (s = strchr(s, '\x1b')) != NULL; s++) {
		const char *m = strchr(s, 'm');

		check_true(m && m - s <= 4, "an escape of %ld characters", m ? (long)(m - s) : -1L);
	}
	buf_free(&b);
	cJSON_Delete(j);
}

/* Rows of the table are aligned: the role column begins where the heading says, counted in code
 * points. */
static void rows_are_aligned_at_every_width(void **state)
{
	cJSON *j = sample();

	(void)state;
	for (int width = 60; width <= 200; width += 35) {
		struct buf b = {0};
		int at = -1, row = 0;

		report_table(j, width, false, &b);
		for (char *line = strtok(b.s, "\n"); line && row < 5;
		     line = strtok(NULL, "\n"), row++) {
			const char *role = row == 0   ? strstr(line, "role")
			                   : row == 1 ? strstr(line, "buggy")
			                   : row == 4 ? strstr(line, "user ")
			                              : strstr(line, "control");
			int n = 0;

			assert_non_null(role);
			for (const char *s = line; s < role; s++)
				n += ((unsigned char)*s & 0xc0) != 0x80;
			at = row == 0 ? n : at;
			assert_int_equal(n, at);
		}
		buf_free(&b);
	}
	cJSON_Delete(j);
}

static void without_benchmark_checks_nothing_is_said_of_them(void **state)
{
	cJSON *j = sample();
	struct buf b = {0};

	(void)state;
	cJSON_ReplaceItemInObjectCaseSensitive(j, "profiles", cJSON_CreateArray());
	cJSON_ReplaceItemInObjectCaseSensitive(j, "friendly_inputs", cJSON_CreateArray());
	report_markdown(j, &b);
	assert_null(strstr(b.s, "accepted on one input"));
	assert_null(strstr(b.s, "KernelBench"));
	assert_null(strstr(b.s, "Null kernels"));
	b.len = 0;
	report_table(j, 100, false, &b);
	assert_null(strstr(b.s, "one-shape check"));
	buf_free(&b);
	cJSON_Delete(j);
}

static void refuses_what_is_no_evidence(void **state)
{
	static const char *const texts[] = {"{}", "[]",
	                                    "{\"schema\":\"gpuemu-evidence/2\",\"kernels\":[]}",
	                                    "{\"schema\":\"gpuemu-evidence/1\",\"kernels\":{}}"};
	char dir[] = "/tmp/gpuemu_test_XXXXXX";
	struct err e = {0};
	cJSON *j = NULL;
	char *path;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "e.json");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		check_ok(file_write(path, texts[i], strlen(texts[i]), &e), &e);
		check_fails(report_read(path, &j, &e), ST_INPUT, &e, "is not evidence of gpuemu");
		assert_null(j);
	}
	check_ok(file_write(path, "{\"schema\"", 9, &e), &e);
	check_fails(report_read(path, &j, &e), ST_INPUT, &e, "e.json:1:");
	unlink(path);
	check_fails(report_read(path, &j, &e), ST_INPUT, &e, "e.json");
	rmdir(dir);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_table_is_as_read_through),
	        cmocka_unit_test(markdown_is_as_read_through),
	        cmocka_unit_test(junit_is_as_read_through),
	        cmocka_unit_test(only_colours_are_escapes),
	        cmocka_unit_test(rows_are_aligned_at_every_width),
	        cmocka_unit_test(without_benchmark_checks_nothing_is_said_of_them),
	        cmocka_unit_test(refuses_what_is_no_evidence),
	};

	return check_main(tests);
}

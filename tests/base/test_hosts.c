/* test_hosts.c - paths as hosts show them, annotations, fingerprints of SARIF. Expected: GitHub's documentation of workflow
 * commands (escapes), RFC 3986 (percent-encoding), and what a person reads off the paths. */
#include "tests/check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/hosts.h"

static void check_path(const char *path, const char *want)
{
	char *p = host_path(path);

	assert_string_equal(p, want);
	free(p);
}

static void check_relative(const char *from, const char *to, const char *want)
{
	char *p = host_relative(from, to);

	assert_string_equal(p, want);
	free(p);
}

static void paths_start_at_the_root_of_the_repository(void **state)
{
	char dir[] = "/tmp/gpuemu-hosts.XXXXXX", cwd[4096], *git, *file;

	(void)state;
	assert_non_null(getcwd(cwd, sizeof cwd));
	assert_non_null(mkdtemp(dir));
	git = path_join(dir, ".git");
	file = path_join(dir, "a//./x/../b c/kernel.cu");
	/* not in a repository, and not below the current folder: absolute */
	check_path("/nowhere/../gone/kernel.cu", "/gone/kernel.cu");
	assert_int_equal(mkdir(git, 0777), 0);
	check_path(file, "a/b c/kernel.cu");
	/* from a folder inside, and from one outside */
	assert_int_equal(chdir(git), 0);
	check_path("../k/kernel.cu", "k/kernel.cu");
	check_path(file, "a/b c/kernel.cu");
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(rmdir(git), 0);
	check_path("k/./kernel.cu", "k/kernel.cu");
	check_path("../../../..", "/");
	assert_int_equal(chdir(cwd), 0);
	rmdir(dir);
	free(git);
	free(file);
}

static void a_path_is_told_from_another_folder(void **state)
{
	(void)state;
	check_relative("/a/b", "/a/b/c/d", "c/d");
	check_relative("/a/b/", "/a/b", ".");
	check_relative("/a/b", "/a/c", "../c");
	check_relative("/a/b/c", "/a", "../..");
	check_relative("/", "/a", "a");
	check_relative("/a/bc", "/a/b", "../b");
	check_relative(".", "./x/../y", "y");
}

static void annotations_escape_what_would_end_them(void **state)
{
	struct buf b = {0};

	(void)state;
	host_annotation(&b, "error", "/gone/a,b:c.cu", 7, "r:1", "50%\nof a: b, c");
	assert_string_equal(b.s, "::error file=/gone/a%2Cb%3Ac.cu,line=7,title=r%3A1::50%25%0Aof a: b, c\n");
	buf_free(&b);
	host_annotation(&b, "notice", "/gone/x", 0, "t", "m");
	assert_string_equal(b.s, "::notice file=/gone/x,title=t::m\n");
	buf_free(&b);
}

static const char *text_of(const cJSON *log, int result, const char *key)
{
	const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(log, "runs"), 0);
	const cJSON *r = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(run, "results"), result);

	if (strcmp(key, "uri") == 0) {
		r = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r, "locations"), 0);
		r = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(r, "physicalLocation"), "artifactLocation");
	} else {
		r = cJSON_GetObjectItemCaseSensitive(r, "partialFingerprints");
	}
	return cJSON_GetObjectItemCaseSensitive(r, key)->valuestring;
}

static cJSON *log_of(const struct sarif_result *r, int n)
{
	struct sarif *s = sarif_new();

	sarif_add_rule(s, &(struct sarif_rule){.id = "r", .level = "error", .title = "t", .text = "x"});
	for (int i = 0; i < n; i++)
		sarif_add(s, &r[i]);
	return sarif_end(s);
}

static void fingerprints_stay_when_lines_move(void **state)
{
	struct sarif_result a[] = {
		{"r", "error", "m", "/gone/a b#c.cu", 3, 0, "p", NULL, NULL, NULL},
		{"r", "error", "m", "/gone/a b#c.cu", 3, 0, "q", NULL, NULL, NULL},
		{"r", "error", "m", "/gone/a b#c.cu", 9, 0, "p", NULL, NULL, NULL},
		{"none", "error", "m", "/gone/a", 1, 0, "p", NULL, NULL, NULL},
	}, b[3];
	cJSON *one = log_of(a, 4), *two;
	const char *key = "primaryLocationLineHash", *x = text_of(one, 0, key), *y = text_of(one, 2, key);

	(void)state;
	assert_string_equal(text_of(one, 0, "uri"), "file:///gone/a%20b%23c.cu");
	/* the second of two alike: the same hash, counted; a result of an unknown rule is left out */
	assert_memory_equal(x, y, 17);
	assert_string_equal(x + 16, ":1");
	assert_string_equal(y + 16, ":2");
	assert_true(strncmp(x, text_of(one, 1, key), 16) != 0);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(one, "runs"), 0),
	                                                                     "results")), 3);
	for (int i = 0; i < 3; i++) {
		b[i] = a[i];
		b[i].line += 40;
		b[i].message = "other words";
	}
	two = log_of(b, 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(text_of(one, i, key), text_of(two, i, key));
	cJSON_Delete(one);
	cJSON_Delete(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_start_at_the_root_of_the_repository),
		cmocka_unit_test(a_path_is_told_from_another_folder),
		cmocka_unit_test(annotations_escape_what_would_end_them),
		cmocka_unit_test(fingerprints_stay_when_lines_move),
	};

	return check_main(tests);
}

/* test_text.c - statuses and errors, memory, growing strings, files, hashes, dates, findings. */
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/launch.h"

/* ---- errors ---- */

static void the_first_error_stays(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(FAIL(&e, INPUT, "first %d", 1), ST_INPUT);
	assert_int_equal(FAIL(&e, IO, "second"), ST_IO);
	assert_int_equal(e.code, ST_INPUT);
	assert_string_equal(e.msg, "first 1");
	assert_non_null(strstr(e.file, "test_text.c"));
	assert_int_equal(err_prefix(&e, "in %s", "k.json"), ST_INPUT);
	assert_string_equal(e.msg, "in k.json: first 1");
	assert_int_equal(FAIL(NULL, LIMIT, "nobody listens"), ST_LIMIT);
	e = (struct err){0};
	FAIL(&e, INPUT, "tensor '%s'", "\033[2J\n\x7f");
	assert_string_equal(e.msg, "tensor '?[2J\n?'");
}

static void prefix_of_no_error_and_of_a_long_one(void **state)
{
	struct err e = {0};
	char long_text[3000];

	(void)state;
	assert_int_equal(err_prefix(&e, "x"), ST_OK);
	assert_string_equal(e.msg, "");
	memset(long_text, 'a', sizeof long_text);
	long_text[sizeof long_text - 1] = '\0';
	FAIL(&e, INPUT, "%s", long_text);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
	err_prefix(&e, "%s", "file");
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
	assert_memory_equal(e.msg, "file: aaa", 9);
	err_prefix(&e, "%s", long_text);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
}

static void an_error_shows_its_place(void **state)
{
	static const char text[] = "line one\n\tadd.f32 \xc3\xa9, x\nthree";
	struct err e = {0};

	(void)state;
	FAIL_AT(&e, INPUT, "k.ptx", text, sizeof text - 1, 21, "expected '%c'", ';');
	assert_string_equal(
	        e.msg, "k.ptx:2:12: expected ';'\n    \tadd.f32 \xc3\xa9, x\n    \t          ^");
	e = (struct err){0};
	FAIL_AT(&e, INPUT, "k", text, sizeof text - 1, 0, "start");
	assert_string_equal(e.msg, "k:1:1: start\n    line one\n    ^");
	e = (struct err){0};
	FAIL_AT(&e, INPUT, "k", text, sizeof text - 1, 9999, "end");
	assert_string_equal(e.msg, "k:3:6: end\n    three\n         ^");
	e = (struct err){0};
	FAIL_AT(&e, INPUT, "k", "", 0, 0, "empty");
	assert_string_equal(e.msg, "k:1:1: empty\n    \n    ^");
}

static void a_long_line_is_cut_round_the_place(void **state)
{
	char text[5000], name[2000];
	struct err e = {0};
	const char *caret, *line;

	(void)state;
	memset(text, 'x', sizeof text);
	text[2500] = '!';
	FAIL_AT(&e, INPUT, "k", text, sizeof text, 2500, "here");
	line = strchr(e.msg, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	assert_true(strchr(line, '!') - line == strchr(caret, '^') - caret);
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	e = (struct err){0};
	FAIL_AT(&e, INPUT, name, text, sizeof text, 2500, "here %s", name);
	assert_true(strlen(e.msg) < sizeof e.msg && strchr(e.msg, '^') != NULL);
}

static void statuses_have_texts_and_exit_codes(void **state)
{
	(void)state;
	assert_int_equal(st_exit(ST_OK), 0);
	assert_int_equal(st_exit(ST_INPUT), 2);
	assert_int_equal(st_exit(ST_IO), 3);
	assert_string_equal(st_text(ST_OK), "ok");
	for (int i = 0; i < ST_COUNT; i++)
		assert_true(strlen(st_text((enum st)i)) > 1);
	assert_int_equal(st_exit(ST_COUNT), 3);
}

/* ---- memory ---- */

static void arenas_give_zeroed_aligned_pieces(void **state)
{
	struct arena *a = arena_new();
	char *last = NULL;

	(void)state;
	for (size_t i = 0; i < 3000; i++) {
		size_t n = i % 7 == 0 ? i * 40 : i % 50;
		char *p = arena_alloc(a, n);

		assert_true((uintptr_t)p % 16 == 0 && p != last);
		for (size_t k = 0; k < n; k++)
			assert_true(p[k] == 0);
		memset(p, 0xff, n);
		last = p;
	}
	assert_string_equal(arena_printf(a, "%d-%s", 5, "x"), "5-x");
	assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(a, "ab", 30), "ab");
	arena_free(a);
	arena_free(NULL);
}

/* Ends the process: tried in a child. */
static void no_memory_ends_with_status_3(void **state)
{
	volatile size_t huge = SIZE_MAX / 4;
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 2);
		free(mem_alloc(huge));
		_exit(0);
	}
	assert_true(waitpid(pid, &status, 0) == pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
	!defined(__clang__) /* ASan ends the program with its own status */
	assert_int_equal(WEXITSTATUS(status), 3);
#endif
}

static void strings_grow(void **state)
{
	struct buf b = {0};
	char *s;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%03d", i);
	buf_putc(&b, '.');
	buf_puts(&b, "end");
	buf_add(&b, "\0x", 2);
	assert_int_equal(b.len, 3000 + 1 + 3 + 2);
	assert_memory_equal(b.s, "000001002", 9);
	assert_memory_equal(b.s + 2997, "999.end\0x", 10);
	buf_free(&b);
	assert_null(b.s);
	buf_add(&b, NULL, 0);
	assert_string_equal(b.s, "");
	buf_free(&b);
	s = mem_strndup("abc", 2);
	assert_string_equal(s, "ab");
	free(s);
	s = path_join("a/", "b");
	assert_string_equal(s, "a/b");
	free(s);
	s = path_join("a", "b");
	assert_string_equal(s, "a/b");
	free(s);
	assert_string_equal(path_base("a/b/c.d"), "c.d");
	assert_string_equal(path_base("c.d"), "c.d");
	assert_string_equal(path_base("a/"), "");
}

/* ---- files ---- */

static char dir[] = "/tmp/gpuemu-text-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void files_come_back(void **state)
{
	char data[100000], *got;
	struct err e = {0};
	struct stat s;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (char)rand_u64(1, 1, i);
	check_ok(file_write(in_dir("a"), data, sizeof data, &e), &e);
	check_ok(file_write(in_dir("a"), data, sizeof data - 1, &e), &e); /* over the old one */
	check_ok(file_read(in_dir("a"), 1 << 20, &got, &len, &e), &e);
	assert_int_equal(len, sizeof data - 1);
	assert_memory_equal(got, data, len);
	assert_int_equal(got[len], 0);
	free(got);
	check_ok(file_write(in_dir("empty"), NULL, 0, &e), &e);
	check_ok(file_read(in_dir("empty"), 0, &got, &len, &e), &e);
	assert_int_equal(len, 0);
	assert_string_equal(got, "");
	free(got);
	assert_int_equal(symlink("a", in_dir("link")), 0);
	check_ok(file_write(in_dir("link"), "via link", 8, &e), &e);
	assert_true(lstat(in_dir("link"), &s) == 0 && S_ISLNK(s.st_mode));
	check_ok(file_read(in_dir("a"), 100, &got, &len, &e), &e);
	assert_string_equal(got, "via link");
	free(got);
}

static void bad_reads_are_told(void **state)
{
	struct err e = {0};
	char *got;
	size_t len;

	(void)state;
	check_fails(file_read(in_dir("none"), 10, &got, &len, &e), ST_INPUT, &e, "No such file");
	check_fails(file_read(dir, 10, &got, &len, &e), ST_INPUT, &e, "directory");
	check_fails(file_read(in_dir("a"), 7, &got, &len, &e), ST_INPUT, &e, "limit of 7");
	check_fails(file_read("/dev/zero", 100000, &got, &len, &e), ST_INPUT, &e,
	            "limit of 100000");
}

static void bad_writes_are_told(void **state)
{
	struct err e = {0};

	(void)state;
	check_fails(file_write("/dev/full", "x", 1, &e), ST_IO, &e, "disk full");
	check_fails(file_write(in_dir("no/such"), "x", 1, &e), ST_INPUT, &e, "No such file");
	check_fails(file_write(in_dir("a/b"), "x", 1, &e), ST_INPUT, &e, "cannot write");
	check_fails(file_write(dir, "x", 1, &e), ST_INPUT, &e, "is a folder");
	check_ok(file_write("/dev/null", "x", 1, &e), &e);
}

/* stdout redirected to a file goes on where it stood. */
static void dev_stdout_is_continued(void **state)
{
	struct err e = {0};
	char *got;
	size_t len;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		enum st rc;

		if (freopen(in_dir("out"), "w", stdout) == NULL)
			_exit(9);
		printf("first ");
		rc = file_write("/dev/stdout", "second ", 7, &e);
		printf("third");
		fflush(stdout);
		_exit(rc != ST_OK);
	}
	assert_true(waitpid(pid, NULL, 0) == pid);
	check_ok(file_read(in_dir("out"), 100, &got, &len, &e), &e);
	assert_string_equal(got, "first second third");
	free(got);
}

/* A file system of one page, where one may be mounted. */
static void a_full_disk_is_told(void **state)
{
	struct err e = {0};
	char cmd[512], *data = mem_zalloc(1, 1 << 20);
	int rc;

	(void)state;
	snprintf(cmd, sizeof cmd,
	         "mkdir %s/small && mount -t tmpfs -o size=64k none %s/small 2>/dev/null", dir,
	         dir);
	if (system(cmd) != 0) {
		free(data);
		check_skip("may not mount a small file system here");
	}
	rc = file_write(in_dir("small/f"), data, 1 << 20, &e);
	snprintf(cmd, sizeof cmd, "test -z \"$(ls -A %s/small)\"; r=$?; umount %s/small; exit $r",
	         dir, dir);
	assert_int_equal(system(cmd), 0); /* nothing left behind */
	check_fails(rc, ST_IO, &e, "disk full");
	free(data);
}

static void folders_are_made(void **state)
{
	struct err e = {0};

	(void)state;
	check_ok(dir_make(in_dir("p/q//r/"), &e), &e);
	check_ok(dir_make(in_dir("p/q/r"), &e), &e);
	assert_true(path_is_dir(in_dir("p/q/r")) && path_exists(in_dir("a")));
	assert_false(path_is_dir(in_dir("a")) || path_exists(in_dir("none")));
	check_ok(dir_make("/", &e), &e);
	check_fails(dir_make(in_dir("a/x"), &e), ST_INPUT, &e, "cannot make the folder");
	check_fails(dir_make(in_dir("a"), &e), ST_INPUT, &e, "is not a folder");
	check_fails(dir_make("", &e), ST_INPUT, &e, "is not a folder");
	check_fails(dir_make("/proc/gpuemu", &e), ST_INPUT, &e, "cannot make the folder");
}

/* ---- hashes (FIPS 180-4's examples, published by NIST), dates ---- */

static void sha256_of_the_standard_examples(void **state)
{
	char out[65];
	struct err e = {0};

	(void)state;
	sha256_hex("abc", 3, out);
	assert_string_equal(out,
	                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, out);
	assert_string_equal(out,
	                    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check_ok(file_write(in_dir("h"), "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	                    56, &e),
	         &e);
	check_ok(sha256_file(in_dir("h"), out, &e), &e);
	assert_string_equal(out,
	                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check_fails(sha256_file(in_dir("none"), out, &e), ST_INPUT, &e, "No such file");
	check_fails(sha256_file(dir, out, &e), ST_INPUT, &e, "directory");
}

/* Seconds since 1970 of known dates: date -u -d @N. */
static void dates_follow_source_date_epoch(void **state)
{
	char out[32];

	(void)state;
	setenv("SOURCE_DATE_EPOCH", "0", 1);
	date_text(out);
	assert_string_equal(out, "1970-01-01T00:00:00Z");
	setenv("SOURCE_DATE_EPOCH", "1709210096", 1);
	date_text(out);
	assert_string_equal(out, "2024-02-29T12:34:56Z");
	setenv("SOURCE_DATE_EPOCH", "12x", 1); /* no number: now */
	date_text(out);
	assert_true(strcmp(out, "2025") > 0 && strlen(out) == 20);
	unsetenv("SOURCE_DATE_EPOCH");
	date_text(out);
	assert_true(strcmp(out, "2025") > 0 && strlen(out) == 20);
}

static void the_clock_runs_and_the_version_is_told(void **state)
{
	double a = clock_seconds();

	(void)state;
	usleep(1000);
	assert_true(clock_seconds() - a >= 0.001);
	assert_string_equal(gpuemu_version, "0.1.0");
}

/* ---- findings ---- */

static void findings_merge_by_place(void **state)
{
	struct run_report *r = mem_zalloc(1, sizeof *r);
	struct finding f = {
	        .kind = FIND_OOB_READ, .ptx_line = 7, .buffer = "x", .count = 3, .element = 5};

	(void)state;
	run_report_add(r, &f);
	f.count = 4;
	f.element = 9;
	run_report_add(r, &f);
	assert_int_equal(r->nfindings, 1);
	assert_int_equal(r->findings[0].count, 7);
	assert_int_equal(r->findings[0].element, 5); /* the first stays */
	for (int i = 0; i < 100; i++) {
		f.ptx_line = 100 + i;
		run_report_add(r, &f);
	}
	assert_int_equal(r->nfindings, RUN_MAX_FINDINGS);
	f.ptx_line = 7;
	run_report_add(r, &f); /* still merged when the list is full */
	assert_int_equal(r->findings[0].count, 11);
	free(r);
	assert_string_equal(finding_name(FIND_RACE), "race");
	for (int k = 0; k < FIND_COUNT; k++)
		assert_int_equal(finding_is_error((enum finding_kind)k), k != FIND_NONFINITE);
}

/* POSIX shell, 2.2.2: nothing is special in single quotes but their end. The shell itself is the reference. */
static void words_reach_a_shell_as_they_are(void **state)
{
	static const char *const words[] = {"corpus/buggy/softmax_tail_leak", "my kernels/soft & max", "it's $HOME; `rm` \\ \"x\"",
	                                    "größe", "", "-n", "a\tb", "*", "~"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct buf b = {0};
		char got[200];
		size_t n;
		FILE *p;

		buf_puts(&b, "printf %s ");
		buf_shell(&b, words[i]);
		p = popen(b.s, "r");
		assert_non_null(p);
		n = fread(got, 1, sizeof got - 1, p);
		got[n] = 0;
		assert_int_equal(pclose(p), 0);
		assert_string_equal(got, words[i]);
		assert_true((strchr(b.s, '\'') == NULL) == (i == 0 || i == 5));
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_reach_a_shell_as_they_are),
		cmocka_unit_test(the_first_error_stays),
		cmocka_unit_test(prefix_of_no_error_and_of_a_long_one),
		cmocka_unit_test(an_error_shows_its_place),
		cmocka_unit_test(a_long_line_is_cut_round_the_place),
		cmocka_unit_test(statuses_have_texts_and_exit_codes),
		cmocka_unit_test(arenas_give_zeroed_aligned_pieces),
		cmocka_unit_test(no_memory_ends_with_status_3),
		cmocka_unit_test(strings_grow),
		cmocka_unit_test(files_come_back),
		cmocka_unit_test(bad_reads_are_told),
		cmocka_unit_test(bad_writes_are_told),
		cmocka_unit_test(dev_stdout_is_continued),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(folders_are_made),
		cmocka_unit_test(sha256_of_the_standard_examples),
		cmocka_unit_test(dates_follow_source_date_epoch),
		cmocka_unit_test(the_clock_runs_and_the_version_is_told),
		cmocka_unit_test(findings_merge_by_place),
	};
	char cmd[64];
	int rc;

	if (mkdtemp(dir) == NULL)
		return 99;
	rc = check_main(tests);
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	return system(cmd) == 0 ? rc : 98;
}

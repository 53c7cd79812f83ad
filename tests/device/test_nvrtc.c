/* test_nvrtc.c - finding NVRTC, compiling and the cache, against a library that only plays NVRTC
 * (fake_nvrtc.c, built here by the C compiler), and against the real one where it is installed. */
#include "tests/check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"

static char work[64]; /* a folder of this process */

static const char *in_work(const char *name, char out[512])
{
	snprintf(out, 512, "%s/%s", work, name);
	return out;
}

static int setup(void **state)
{
	char command[512];

	(void)state;
	snprintf(work, sizeof work, "/tmp/gpuemu-test-nvrtc-XXXXXX");
	assert_non_null(mkdtemp(work));
	snprintf(command, sizeof command,
	         "mkdir -p %s/fake/lib %s/fake/include %s/empty && : >%s/fake/include/cuda_fp16.h "
	         "&& "
	         "cc -D_GNU_SOURCE -shared -fPIC -o %s/fake/lib/libnvrtc.so.12 "
	         "tests/device/fake_nvrtc.c",
	         work, work, work, work, work);
	return system(command);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	unsetenv("GPUEMU_NVRTC");
	unsetenv("FAKE_NVRTC_COUNT");
	snprintf(command, sizeof command, "rm -rf %s", work);
	return system(command);
}

static void use_fake(void)
{
	char path[512];

	setenv("GPUEMU_NVRTC", in_work("fake/lib", path), 1);
	setenv("FAKE_NVRTC_COUNT", in_work("count", path), 1);
	unlink(path);
}

static long compiles(void)
{
	char path[512];
	struct stat s;

	return stat(in_work("count", path), &s) == 0 ? (long)s.st_size : 0;
}

static struct nvrtc_input input(const char *source, const char *cache)
{
	static const char *const options[] = {"--one", "--two"};

	return (struct nvrtc_input){.name = "k.cu",
	                            .source = source,
	                            .options = options,
	                            .noptions = 2,
	                            .cache_dir = cache};
}

static void compile_is(const struct nvrtc_input *in, const char *want)
{
	struct err e = {0};
	char *ptx = NULL;

	check_ok(nvrtc_compile(in, &ptx, &e), &e);
	check_true(strstr(ptx, want) != NULL, "'%s' lacks '%s'", ptx, want);
	free(ptx);
}

static void finds_library_version_and_headers_beside_it(void **state)
{
	char path[512], version[16], headers[512], why[512], want[512];

	(void)state;
	use_fake();
	assert_true(nvrtc_find(path, version, headers, why));
	assert_string_equal(path, in_work("fake/lib/libnvrtc.so.12", want));
	assert_string_equal(version, "98.7");
	assert_string_equal(headers, in_work("fake/include", want));
}

static void names_a_wrong_gpuemu_nvrtc(void **state)
{
	char path[512], version[16], headers[512], why[512];
	struct nvrtc_input in = input("x", "");
	struct err e = {0};
	char *ptx = NULL;

	(void)state;
	setenv("GPUEMU_NVRTC", in_work("empty", path), 1);
	assert_false(nvrtc_find(path, version, headers, why));
	assert_non_null(strstr(why, "/empty"));
	setenv("GPUEMU_NVRTC", "/nowhere/libnvrtc.so", 1);
	check_fails(nvrtc_compile(&in, &ptx, &e), ST_UNSUP, &e, "/nowhere/libnvrtc.so");
	setenv("GPUEMU_NVRTC", "tests/device/fake_nvrtc.c", 1); /* a file, but no library */
	check_fails(nvrtc_compile(&in, &ptx, &e), ST_UNSUP, &e, "pip install nvidia-cuda-nvrtc");
	assert_null(ptx);
}

static void passes_options_in_order_and_then_include_folders(void **state)
{
	static const char *const dirs[] = {"/a", "/b"};
	struct nvrtc_input in = input("body", "");
	char want[640], headers[512];

	(void)state;
	use_fake();
	in.include_dirs = dirs;
	in.ninclude_dirs = 2;
	snprintf(want, sizeof want, "// k.cu\n// --one\n// --two\n// -I/a\n// -I/b\n// -I%s\nbody",
	         in_work("fake/include", headers));
	compile_is(&in, want);
}

static void shows_the_compilers_log(void **state)
{
	static const char *const bad[] = {"--bad"};
	struct nvrtc_input in = input("a syntax error", "");
	struct err e = {0};
	char *ptx = NULL;

	(void)state;
	use_fake();
	check_fails(nvrtc_compile(&in, &ptx, &e), ST_INPUT, &e, "k.cu(1): error: it says so");
	in = input("fine", "");
	in.options = bad;
	in.noptions = 1;
	check_fails(nvrtc_compile(&in, &ptx, &e), ST_INPUT, &e, "refuses a compile option");
	assert_null(ptx);
}

static void keeps_folders_out_of_the_ptx(void **state)
{
	char *cwd = realpath(".", NULL), source[2048], headers[512];
	struct nvrtc_input in = input(source, "");

	(void)state;
	use_fake();
	in_work("fake/include", headers);
	snprintf(source, sizeof source,
	         "\n\t.file\t1 \"%s/k.cu\"\n\t.file\t2 \"%s/cuda_fp16.h\"\n// \"%s/kept\"\n", cwd,
	         headers, cwd);
	compile_is(&in, "\n\t.file\t1 \"k.cu\"\n\t.file\t2 \"cuda_fp16.h\"\n// \"/");
	free(cwd);
}

static void compiles_once_per_key(void **state)
{
	char cache[512];
	struct nvrtc_input in = input("one", in_work("cache/new", cache));

	(void)state;
	use_fake();
	compile_is(&in, "one");
	compile_is(&in, "one");
	assert_int_equal(compiles(), 1);
	in.source = "two";
	compile_is(&in, "two");
	assert_int_equal(compiles(), 2);
	in.noptions = 1;
	compile_is(&in, "--one\n");
	assert_int_equal(compiles(), 3);
	in.name = "other.cu";
	compile_is(&in, "// other.cu");
	assert_int_equal(compiles(), 4);
	in.cache_dir = "";
	compile_is(&in, "two");
	assert_int_equal(compiles(), 5);
}

static void does_not_cache_what_depends_on_include_folders(void **state)
{
	static const char *const dirs[] = {"/a"};
	char cache[512];
	struct nvrtc_input in = input("one", in_work("cache-include", cache));

	(void)state;
	use_fake();
	in.include_dirs = dirs;
	in.ninclude_dirs = 1;
	compile_is(&in, "one");
	compile_is(&in, "one");
	assert_int_equal(compiles(), 2);
}

/* Changes the only file of the cache: cut (n bytes kept) or, n < 0, its last byte changed. */
static void damage(const char *cache, long keep)
{
	DIR *d = opendir(cache);
	struct dirent *f;

	assert_non_null(d);
	while ((f = readdir(d)) != NULL) {
		char path[1024];
		struct stat s;
		int byte;
		FILE *fp;

		snprintf(path, sizeof path, "%s/%s", cache, f->d_name);
		if (f->d_name[0] == '.' || stat(path, &s) != 0)
			continue;
		if (keep >= 0) {
			assert_int_equal(truncate(path, keep), 0);
			continue;
		}
		fp = fopen(path, "r+");
		assert_non_null(fp);
		fseek(fp, -1, SEEK_END);
		byte = fgetc(fp);
		fseek(fp, -1, SEEK_END);
		fputc(byte ^ 1, fp);
		fclose(fp);
	}
	closedir(d);
}

static void recompiles_a_damaged_entry(void **state)
{
	static const long kept[] = {-1, 0, 10, 116, 120};
	char cache[512];
	struct nvrtc_input in = input("one", in_work("cache-damaged", cache));

	(void)state;
	use_fake();
	compile_is(&in, "one");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		damage(cache, kept[i]);
		compile_is(&in, "one");
		assert_int_equal(compiles(), i + 2);
		compile_is(&in, "one"); /* mended */
		assert_int_equal(compiles(), i + 2);
	}
}

static void an_unwritable_cache_is_no_error(void **state)
{
	struct nvrtc_input in = input("one", "/proc/no/such");

	(void)state;
	use_fake();
	compile_is(&in, "one");
	compile_is(&in, "one");
	assert_int_equal(compiles(), 2);
}

static void uses_the_users_cache_folder(void **state)
{
	struct nvrtc_input in = input("one", NULL);
	char *old_home = getenv("HOME"), *old_xdg = getenv("XDG_CACHE_HOME"), path[512];

	(void)state;
	old_home = old_home ? strdup(old_home) : NULL;
	old_xdg = old_xdg ? strdup(old_xdg) : NULL;
	use_fake();
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", in_work("home", path), 1);
	compile_is(&in, "one");
	assert_true(path_is_dir(in_work("home/.cache/gpuemu", path)));
	setenv("XDG_CACHE_HOME", in_work("xdg", path), 1);
	compile_is(&in, "one");
	assert_true(path_is_dir(in_work("xdg/gpuemu", path)));
	assert_int_equal(compiles(), 2);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	compile_is(&in, "one");
	assert_int_equal(compiles(), 3);
	if (old_home)
		setenv("HOME", old_home, 1);
	if (old_xdg)
		setenv("XDG_CACHE_HOME", old_xdg, 1);
	free(old_home);
	free(old_xdg);
}

struct job {
	const char *cache;
	bool ok[16];
};

static void compile_job(void *ctx, size_t i, int worker)
{
	struct job *j = ctx;
	struct nvrtc_input in = input("shared", j->cache);
	struct err e = {0};
	char *ptx = NULL;

	(void)worker;
	j->ok[i] = nvrtc_compile(&in, &ptx, &e) == ST_OK && strstr(ptx, "\nshared") != NULL;
	free(ptx);
}

static void workers_may_compile_the_same_at_once(void **state)
{
	char cache[512];
	struct job j = {.cache = in_work("cache-shared", cache)};

	(void)state;
	use_fake();
	pool_run(4, ARRAY_LEN(j.ok), compile_job, NULL, &j);
	for (size_t i = 0; i < ARRAY_LEN(j.ok); i++)
		assert_true(j.ok[i]);
}

static const char half_kernel[] =
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void twice(__half *x) { x[threadIdx.x] = x[threadIdx.x] + "
        "x[threadIdx.x]; }\n";

static void the_real_nvrtc_compiles_and_complains(void **state)
{
	static const char *const options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
	char path[512], version[16], headers[512], why[512], cache[512];
	struct nvrtc_input in = {.name = "half.cu",
	                         .source = half_kernel,
	                         .options = options,
	                         .noptions = 2,
	                         .cache_dir = in_work("cache-real", cache)};
	struct err e = {0};
	char *ptx = NULL;

	(void)state;
	unsetenv("GPUEMU_NVRTC");
	if (!nvrtc_find(path, version, headers, why) || !headers[0]) {
		check_skip("needs NVRTC with its headers: %s", why);
	}
	compile_is(&in, ".target sm_90");
	compile_is(&in, ".visible .entry twice(");
	compile_is(&in, "\t.file\t1 \"half.cu\"\n");
	/* as under nvcc: macros of the C library without a header, and its headers may be included */
	in.source = "extern \"C\" __global__ void m(float *y) { y[0] = -INFINITY; y[1] = FLT_MAX; }\n";
	compile_is(&in, "-8388608");
	in.source = "#include <cmath>\n#include <math.h>\n#include <cfloat>\nextern \"C\" __global__ void m(float *y) { y[0] = "
	            "fmaxf(y[0], FLT_MAX); }\n";
	compile_is(&in, "0f7F7FFFFF");
	in.source = "__global__ void f() { nonsense; }\n";
	check_fails(nvrtc_compile(&in, &ptx, &e), ST_INPUT, &e, "half.cu(1): error: identifier");
	assert_null(ptx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(finds_library_version_and_headers_beside_it),
	        cmocka_unit_test(names_a_wrong_gpuemu_nvrtc),
	        cmocka_unit_test(passes_options_in_order_and_then_include_folders),
	        cmocka_unit_test(shows_the_compilers_log),
	        cmocka_unit_test(keeps_folders_out_of_the_ptx),
	        cmocka_unit_test(compiles_once_per_key),
	        cmocka_unit_test(does_not_cache_what_depends_on_include_folders),
	        cmocka_unit_test(recompiles_a_damaged_entry),
	        cmocka_unit_test(an_unwritable_cache_is_no_error),
	        cmocka_unit_test(uses_the_users_cache_folder),
	        cmocka_unit_test(workers_may_compile_the_same_at_once),
	        cmocka_unit_test(the_real_nvrtc_compiles_and_complains),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}

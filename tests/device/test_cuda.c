/* test_cuda.c - the GPU backend against a library that only plays libcuda (fake_cuda.c, built here by
 * the C compiler), and against the real one where there is a GPU. */
#include "tests/check.h"

#include <pthread.h>
#include <unistd.h>

#include "device/device.h"

static char work[64]; /* a folder of this process */

static const char *in_work(const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", work, name);
	return out;
}

static int setup(void **state)
{
	char command[256], path[128];

	(void)state;
	snprintf(work, sizeof work, "/tmp/gpuemu-test-cuda-XXXXXX");
	assert_non_null(mkdtemp(work));
	snprintf(command, sizeof command,
	         "cc -D_GNU_SOURCE -shared -fPIC -o %s/libcuda.so tests/device/fake_cuda.c", work);
	if (system(command) != 0)
		return -1;
	setenv("GPUEMU_LIBCUDA", in_work("libcuda.so", path), 1);
	setenv("FAKE_CUDA_LOG", in_work("log", path), 1);
	setenv("FAKE_CUDA_ONCE", in_work("once", path), 1);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", work);
	return system(command);
}

static int count_lines(const char *want)
{
	char path[128], line[128];
	FILE *f = fopen(in_work("log", path), "r");
	int n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strncmp(line, want, strlen(want)) == 0;
	if (f)
		fclose(f);
	return n;
}

static void forget_log(void)
{
	char path[128];

	unlink(in_work("log", path));
}

/* ---- a module with every entry that the fake knows ---- */

static const char *const entries[] = {"relu_f32", "address", "guard", "input", "illegal", "misaligned",
                                      "trap", "strange", "hang", "crash_once", "crash"};

static char *module_text(void)
{
	struct buf b = {0};

	buf_puts(&b, ".version 9.0\n.target sm_90\n.address_size 64\n");
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		buf_printf(&b, ".visible .entry %s(.param .u64 p%s0, .param .u64 p%s1, .param .u64 p%s2)\n"
		               "{\n\tret;\n}\n", entries[i], entries[i], entries[i], entries[i]);
	return b.s;
}

struct world {
	struct device *d;
	struct dev_module *m;
};

static struct world open_world(const char *name)
{
	struct world w = {0};
	struct err e = {0};
	char *text = module_text();

	forget_log();
	check_ok(device_open(name, &w.d, &e), &e);
	check_ok(device_load(w.d, text, strlen(text), "all.ptx", &w.m, &e), &e);
	free(text);
	return w;
}

static void close_world(struct world *w)
{
	dev_module_free(w->m);
	device_close(w->d);
}

/* ---- a plan: y = entry(x, n) ---- */

#define N 100
#define GUARD 512

struct job {
	uint8_t *in, *out;
	struct run_buffer buffers[2];
	struct run_arg args[3];
	struct run_launch launch;
	struct run_plan plan;
};

static void job_make(struct job *j, const char *entry, size_t skew)
{
	size_t total = 2 * GUARD + 4 * N + 512;
	int64_t n = N;

	memset(j, 0, sizeof *j);
	j->in = aligned_alloc(256, (total + 255) / 256 * 256);
	j->out = aligned_alloc(256, (total + 255) / 256 * 256);
	j->buffers[0] = (struct run_buffer){.name = "x", .role = RUN_IN, .dt = DT_F32,
	                                    .data = j->in + GUARD + skew, .bytes = 4 * N,
	                                    .guard = GUARD};
	j->buffers[1] = j->buffers[0];
	j->buffers[1].name = "y";
	j->buffers[1].role = RUN_OUT;
	j->buffers[1].data = j->out + GUARD + 2 * skew;
	for (int i = 0; i < N; i++)
		dtype_store(DT_F32, j->buffers[0].data + 4 * i, dtype_encode(DT_F32, i - 50, RND_NE, 0));
	for (int i = 0; i < 3; i++)
		j->args[i] = (struct run_arg){.buffer = i < 2 ? i : -1, .bytes = 8};
	memcpy(j->args[2].value, &n, 8);
	j->launch = (struct run_launch){.entry = entry, .grid = {1, 1, 1}, .block = {128, 1, 1},
	                                .args = j->args, .nargs = 3};
	j->plan = (struct run_plan){j->buffers, 2, &j->launch, 1, 0xa5};
}

static void job_free(struct job *j)
{
	free(j->in);
	free(j->out);
}

static double out_at(const struct job *j, int i)
{
	return dtype_decode(DT_F32, dtype_load(DT_F32, j->buffers[1].data + 4 * i));
}

static void run_job(const struct world *w, struct job *j, struct run_report *r)
{
	struct dev_run_options o = {.sanitize = true, .seconds = 5};
	struct err e = {0};

	check_ok(device_run(w->m, &j->plan, &o, r, &e), &e);
}

/* relu runs as it should: what came before has left nothing behind. */
static void relu_works(const struct world *w)
{
	struct run_report r;
	struct job j;

	job_make(&j, "relu_f32", 4);
	run_job(w, &j, &r);
	assert_true(r.complete);
	assert_int_equal(r.nfindings, 0);
	for (int i = 0; i < N; i++)
		assert_true(out_at(&j, i) == (i < 50 ? 0 : i - 50));
	job_free(&j);
}

/* Running entry gives one finding of this kind whose text has these words, and nothing is read back. */
static void fails_with(const struct world *w, struct job *j, enum finding_kind kind, const char *words)
{
	struct run_report r;

	run_job(w, j, &r);
	assert_false(r.complete);
	assert_int_equal(r.nfindings, 1);
	assert_string_equal(finding_name(r.findings[0].kind), finding_name(kind));
	check_true(strstr(r.findings[0].text, words) != NULL, "'%s' lacks '%s'", r.findings[0].text, words);
	assert_string_equal(r.findings[0].entry, j->launch.entry);
	for (int i = 0; i < 4 * N; i++)
		assert_int_equal(j->buffers[1].data[i], 0xa5);
}

static void entry_fails_with(const struct world *w, const char *entry, enum finding_kind kind,
                             const char *words)
{
	struct job j;

	job_make(&j, entry, 0);
	fails_with(w, &j, kind, words);
	job_free(&j);
}

/* ---- tests ---- */

static void opens_by_number_and_by_uuid(void **state)
{
	static const char *const names[] = {"cuda:1", "cuda:GPU-10111213-1415-1617-1819-1a1b1c1d1e1f",
	                                    "cuda:GPU-1011", "GPU-1011", "cuda:10111213-"};
	struct device *d = NULL;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		forget_log();
		check_ok(device_open(names[i], &d, &e), &e);
		assert_string_equal(device_name(d), names[i]);
		assert_int_equal(strncmp(device_text(d), "Fake GPU, sm_90, CUDA 13.0, driver ", 35), 0);
		assert_int_equal(count_lines("context 41"), 1);
		device_close(d);
	}
}

static void says_which_devices_there_are(void **state)
{
	struct device *d = NULL;
	struct err e = {0};

	(void)state;
	check_fails(device_open("cuda:7", &d, &e), ST_INPUT, &e, "cuda:1 Fake GPU GPU-10111213-1415");
	check_fails(device_open("cuda:", &d, &e), ST_INPUT, &e, "a number or a UUID");
	check_fails(device_open("cuda:0,", &d, &e), ST_INPUT, &e, "a number or a UUID");
	check_fails(device_open("cuda:0,2", &d, &e), ST_INPUT, &e, "of one kind");
	assert_null(d);
}

static void explains_a_missing_driver(void **state)
{
	char fake[128], *was = mem_strdup(getenv("GPUEMU_LIBCUDA"));
	struct device *d = NULL;
	struct err e = {0};

	(void)state;
	setenv("GPUEMU_LIBCUDA", "/nowhere/libcuda.so", 1);
	check_fails(device_open("cuda:0", &d, &e), ST_UNSUP, &e, "--device emu");
	setenv("GPUEMU_LIBCUDA", "libm.so.6", 1);
	check_fails(device_open("cuda:0", &d, &e), ST_UNSUP, &e, "has no cuInit");
	setenv("GPUEMU_LIBCUDA", in_work("libcuda.so", fake), 1);
	setenv("FAKE_CUDA_NO_INIT", "1", 1);
	check_fails(device_open("cuda:0", &d, &e), ST_DEVICE, &e, "cuInit");
	unsetenv("FAKE_CUDA_NO_INIT");
	setenv("GPUEMU_LIBCUDA", was, 1);
	free(was);
	assert_null(d);
}

static void keeps_addresses_modulo_256(void **state)
{
	struct world w = open_world("cuda:0");

	(void)state;
	for (size_t skew = 0; skew < 128; skew += 12) {
		struct run_report r;
		struct job j;

		job_make(&j, "address", skew);
		run_job(&w, &j, &r);
		assert_true(out_at(&j, 0) == skew);
		assert_true(out_at(&j, 1) == 2 * skew);
		job_free(&j);
	}
	close_world(&w);
}

static void sees_changed_guards_and_inputs(void **state)
{
	struct world w = open_world("cuda:0");
	struct run_report r;
	struct job j;

	(void)state;
	job_make(&j, "guard", 0);
	run_job(&w, &j, &r);
	assert_true(r.complete);
	assert_int_equal(r.nfindings, 1);
	assert_int_equal(r.findings[0].kind, FIND_GUARD_CHANGED);
	assert_string_equal(r.findings[0].buffer, "y");
	assert_int_equal(r.findings[0].count, 2);
	assert_int_equal(r.findings[0].element, -1);
	job_free(&j);
	job_make(&j, "input", 0);
	run_job(&w, &j, &r);
	assert_int_equal(r.nfindings, 1);
	assert_int_equal(r.findings[0].kind, FIND_INPUT_WRITTEN);
	assert_int_equal(r.findings[0].element, N - 1);
	job_free(&j);
	close_world(&w);
}

static void a_fault_ends_one_run_and_its_context(void **state)
{
	static const struct {
		const char *entry, *words;
		enum finding_kind kind;
	} faults[] = {
		{"illegal", "CUDA_ERROR_FAKE (700)", FIND_ILLEGAL_ADDRESS},
		{"misaligned", "(716)", FIND_MISALIGNED},
		{"trap", "(719)", FIND_TRAP},
		{"crash", "ended twice (signal 11)", FIND_TRAP},
	};
	struct world w = open_world("cuda:0");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		int crash = strcmp(faults[i].entry, "crash") == 0;

		forget_log();
		entry_fails_with(&w, faults[i].entry, faults[i].kind, faults[i].words);
		relu_works(&w);
		relu_works(&w);
		/* one new process, in which the module is loaded once, from the machine code that the JIT made the first
		 * time; a crash has had its second try */
		assert_int_equal(count_lines("context"), 1 + crash);
		assert_int_equal(count_lines("load"), 1 + crash);
		assert_int_equal(count_lines("jit"), 0);
	}
	close_world(&w);
}

static void a_launch_that_is_refused_leaves_the_context(void **state)
{
	struct world w = open_world("cuda:0");
	struct job j;

	(void)state;
	job_make(&j, "relu_f32", 0);
	j.launch.block[1] = 100;
	fails_with(&w, &j, FIND_LAUNCH_LIMIT, "launching");
	j.launch.block[1] = 1;
	j.launch.shared = 228 << 10;
	fails_with(&w, &j, FIND_LAUNCH_LIMIT, "dynamic shared memory");
	job_free(&j);
	relu_works(&w);
	assert_int_equal(count_lines("context"), 1);
	close_world(&w);
}

static void memory_that_does_not_suffice_is_a_finding(void **state)
{
	struct world w;

	(void)state;
	setenv("FAKE_CUDA_BYTES", "3000", 1); /* enough for one of two buffers */
	w = open_world("cuda:0");
	for (int i = 0; i < 2; i++) /* the first buffer is freed again */
		entry_fails_with(&w, "relu_f32", FIND_LAUNCH_LIMIT, "allocating");
	assert_int_equal(count_lines("context"), 1);
	close_world(&w);
	unsetenv("FAKE_CUDA_BYTES");
}

static void a_kernel_that_hangs_is_ended(void **state)
{
	struct world w = open_world("cuda:0");
	struct dev_run_options o = {.seconds = 0.3};
	struct run_report r;
	struct err e = {0};
	double start = clock_seconds();
	struct job j;

	(void)state;
	job_make(&j, "hang", 0);
	check_ok(device_run(w.m, &j.plan, &o, &r, &e), &e);
	assert_true(clock_seconds() - start < 5);
	assert_false(r.complete);
	assert_int_equal(r.nfindings, 1);
	assert_int_equal(r.findings[0].kind, FIND_BUDGET);
	assert_non_null(strstr(r.findings[0].text, "time limit"));
	job_free(&j);
	relu_works(&w);
	close_world(&w);
}

static void a_process_that_was_killed_is_started_again(void **state)
{
	struct world w = open_world("cuda:0");
	char path[128];
	FILE *f = fopen(in_work("once", path), "w");
	struct run_report r;
	struct job j;

	(void)state;
	fclose(f);
	job_make(&j, "crash_once", 0);
	run_job(&w, &j, &r);
	assert_true(r.complete);
	assert_int_equal(r.nfindings, 0);
	assert_true(out_at(&j, 99) == 49);
	assert_int_equal(count_lines("context"), 2);
	job_free(&j);
	close_world(&w);
}

static void a_fault_of_the_driver_is_an_error(void **state)
{
	struct world w = open_world("cuda:0");
	struct dev_run_options o = {0};
	struct run_report r;
	struct err e = {0};
	struct job j;

	(void)state;
	job_make(&j, "strange", 0);
	check_fails(device_run(w.m, &j.plan, &o, &r, &e), ST_DEVICE, &e, "(999)");
	job_free(&j);
	close_world(&w);
}

static void shows_the_jits_log(void **state)
{
	static const char text[] = "// jit error\n";
	struct world w = open_world("cuda:0");
	struct dev_module *m = NULL;
	struct err e = {0};

	(void)state;
	check_fails(device_load(w.d, text, strlen(text), "bad.ptx", &m, &e), ST_INPUT, &e,
	            "bad.ptx: the driver does not load it: CUDA_ERROR_INVALID_PTX");
	check_fails(device_load(w.d, text, strlen(text), "bad.ptx", &m, &e), ST_INPUT, &e,
	            "ptxas fatal: line 7: it says so");
	assert_null(m);
	relu_works(&w);
	close_world(&w);
}

static void loads_machine_code_and_unknown_ptx(void **state)
{
	static const char cubin[] = "\177ELF\0\1\2\3", newer[] = ".version 99.9\n// relu_f32\n";
	struct world w = open_world("cuda:0"), v = w;
	struct dev_run_options o = {0};
	struct run_report r;
	struct err e = {0};
	struct job j;

	(void)state;
	check_ok(device_load(w.d, cubin, sizeof cubin, "k.cubin", &v.m, &e), &e);
	assert_null(dev_module_ptx(v.m));
	job_make(&j, "relu_f32", 0);
	check_fails(device_run(v.m, &j.plan, &o, &r, &e), ST_INPUT, &e, "relu_f32");
	job_free(&j);
	dev_module_free(v.m);
	check_ok(device_load(w.d, newer, strlen(newer), "k.ptx", &v.m, &e), &e);
	assert_null(dev_module_ptx(v.m));
	relu_works(&v);
	dev_module_free(v.m);
	close_world(&w);
}

static void freed_modules_leave_the_worker(void **state)
{
	struct world w = open_world("cuda:0");
	struct dev_module *m = NULL;
	struct err e = {0};
	char *text = module_text();

	(void)state;
	for (int i = 0; i < 3; i++) {
		check_ok(device_load(w.d, text, strlen(text), "again.ptx", &m, &e), &e);
		dev_module_free(m);
	}
	free(text);
	relu_works(&w);
	assert_int_equal(count_lines("load"), 4);
	assert_int_equal(count_lines("unload"), 3);
	close_world(&w);
}

static void refuses_launches_that_do_not_fit_the_entry(void **state)
{
	struct world w = open_world("cuda:0");
	struct dev_run_options o = {0};
	struct run_report r;
	struct err e = {0};
	struct job j;

	(void)state;
	job_make(&j, "relu_f32", 0);
	j.launch.nargs = 2;
	check_fails(device_run(w.m, &j.plan, &o, &r, &e), ST_INPUT, &e, "takes 3 parameters");
	j.launch.nargs = 3;
	j.args[2].bytes = 4;
	check_fails(device_run(w.m, &j.plan, &o, &r, &e), ST_INPUT, &e, "parameter 2 has 8 bytes");
	j.args[2].bytes = 8;
	j.launch.entry = "nothing";
	check_fails(device_run(w.m, &j.plan, &o, &r, &e), ST_INPUT, &e, "no entry 'nothing'");
	j.launch.entry = "illegal";
	j.launch.grid[1] = 0; /* no launch */
	check_ok(device_run(w.m, &j.plan, &o, &r, &e), &e);
	assert_true(r.complete);
	job_free(&j);
	close_world(&w);
}

static void tells_no_coverage(void **state)
{
	struct world w = open_world("cuda:0");
	struct dev_coverage *c = dev_coverage_new(w.m);

	(void)state;
	assert_int_equal(dev_coverage_total(c).blocks, 0);
	dev_coverage_free(c);
	close_world(&w);
}

/* ---- times ---- */

static void runs_are_timed_several_together(void **state)
{
	struct world w = open_world("cuda:0");
	struct err e = {0};
	double ms[10];
	struct job j;

	(void)state;
	job_make(&j, "relu_f32", 0);
	check_ok(device_time(w.m, &j.plan, 3, 10, ms, &e), &e);
	for (int i = 0; i < 10; i++)
		assert_true(ms[i] == 0.25); /* the fake's */
	assert_int_equal(count_lines("launch"), 3 + 1 + 10 * 5); /* warm, one to see how many make a millisecond, samples */
	assert_int_equal(count_lines("event destroyed"), 2);
	job_free(&j);
	relu_works(&w);
	close_world(&w);
}

static void a_kernel_that_faults_has_no_time(void **state)
{
	struct world w = open_world("cuda:0");
	struct device *emu;
	struct dev_module *m;
	struct err e = {0};
	char *text = module_text();
	double ms[2];
	struct job j;

	(void)state;
	job_make(&j, "illegal", 0);
	check_fails(device_time(w.m, &j.plan, 0, 2, ms, &e), ST_INPUT, &e, "access beyond all memory");
	check_fails(device_time(w.m, &j.plan, 1, 2, ms, &e), ST_INPUT, &e, "access beyond all memory");
	job_free(&j);
	relu_works(&w);
	job_make(&j, "crash", 0);
	check_fails(device_time(w.m, &j.plan, 1, 2, ms, &e), ST_DEVICE, &e, "ended (signal 11)");
	job_free(&j);
	job_make(&j, "no_such_entry", 0);
	check_fails(device_time(w.m, &j.plan, 1, 2, ms, &e), ST_INPUT, &e, "no entry 'no_such_entry'");
	check_ok(device_open("emu", &emu, &e), &e);
	check_ok(device_load(emu, text, strlen(text), "all.ptx", &m, &e), &e);
	check_fails(device_time(m, &j.plan, 1, 2, ms, &e), ST_UNSUP, &e, "--device cuda:0");
	job_free(&j);
	dev_module_free(m);
	device_close(emu);
	free(text);
	close_world(&w);
}

/* ---- threads ---- */

struct thread_job {
	const struct world *w;
	int number;
	pthread_t thread;
};

static void *runs_good_and_bad(void *arg)
{
	struct thread_job *t = arg;

	for (int i = 0; i < 6; i++) {
		if ((i + t->number) % 3 == 0)
			entry_fails_with(t->w, "illegal", FIND_ILLEGAL_ADDRESS, "700");
		relu_works(t->w);
	}
	return NULL;
}

static void threads_share_a_device(void **state)
{
	static const char *const names[] = {"cuda:0", "cuda:0,1"};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		struct world w = open_world(names[k]);
		struct thread_job t[10];

		for (size_t i = 0; i < ARRAY_LEN(t); i++) {
			t[i] = (struct thread_job){.w = &w, .number = (int)i};
			assert_int_equal(pthread_create(&t[i].thread, NULL, runs_good_and_bad, &t[i]), 0);
		}
		for (size_t i = 0; i < ARRAY_LEN(t); i++)
			pthread_join(t[i].thread, NULL);
		assert_true(count_lines("context 40") > 0);
		assert_int_equal(count_lines("context 41") > 0, k == 1);
		close_world(&w);
	}
}

/* ---- the real thing ---- */

static void a_real_gpu_runs_relu(void **state)
{
	char *ptx = NULL, *fake = mem_strdup(getenv("GPUEMU_LIBCUDA"));
	struct world w = {0};
	struct err e = {0};
	size_t len;
	enum st rc;

	(void)state;
	unsetenv("GPUEMU_LIBCUDA");
	rc = device_open("cuda:0", &w.d, &e);
	setenv("GPUEMU_LIBCUDA", fake, 1);
	free(fake);
	if (rc != ST_OK)
		check_skip("needs a GPU: %s", e.msg);
	check_ok(file_read("corpus/control/relu/kernel.ptx", 1 << 20, &ptx, &len, &e), &e);
	check_ok(device_load(w.d, ptx, len, "relu", &w.m, &e), &e);
	relu_works(&w);
	free(ptx);
	close_world(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_by_number_and_by_uuid),
		cmocka_unit_test(says_which_devices_there_are),
		cmocka_unit_test(explains_a_missing_driver),
		cmocka_unit_test(keeps_addresses_modulo_256),
		cmocka_unit_test(sees_changed_guards_and_inputs),
		cmocka_unit_test(a_fault_ends_one_run_and_its_context),
		cmocka_unit_test(a_launch_that_is_refused_leaves_the_context),
		cmocka_unit_test(memory_that_does_not_suffice_is_a_finding),
		cmocka_unit_test(a_kernel_that_hangs_is_ended),
		cmocka_unit_test(a_process_that_was_killed_is_started_again),
		cmocka_unit_test(a_fault_of_the_driver_is_an_error),
		cmocka_unit_test(shows_the_jits_log),
		cmocka_unit_test(loads_machine_code_and_unknown_ptx),
		cmocka_unit_test(freed_modules_leave_the_worker),
		cmocka_unit_test(refuses_launches_that_do_not_fit_the_entry),
		cmocka_unit_test(tells_no_coverage),
		cmocka_unit_test(runs_are_timed_several_together),
		cmocka_unit_test(a_kernel_that_faults_has_no_time),
		cmocka_unit_test(threads_share_a_device),
		cmocka_unit_test(a_real_gpu_runs_relu),
	};

	if (argc > 1 && strcmp(argv[1], "--device-worker") == 0)
		return device_worker(argc - 1, argv + 1);
	return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}

/* test_gpu.c - campaigns and comparisons on a device that looks like a GPU: tests/device/fake_cuda.c, whose kernels are run
 * by the emulator, in worker processes of this program. FAKE_GPU makes it another GPU: "no-contract", without contraction
 * of products and sums; "ex2>lg2", which takes the one text for the other. So both sides of everything but the hardware
 * are here. */
#include "tests/check.h"

#include <dlfcn.h>
#include <unistd.h>

#include "validate/trace.c" /* its steps apart */

/* ---- the GPU ---- */

static int code_of(const struct run_report *r)
{
	for (int i = 0; i < r->nfindings; i++)
		switch (r->findings[i].kind) {
		case FIND_TRAP: return 719;
		case FIND_MISALIGNED: return 716;
		case FIND_OOB_READ: case FIND_OOB_WRITE: case FIND_ILLEGAL_ADDRESS: return 700;
		case FIND_LAUNCH_LIMIT: return 701;
		case FIND_BUDGET: return -1;
		default: break;
		}
	return 0;
}

static void take_argument(struct run_arg *a, const struct ptx_param *p, const void *value,
                          const struct run_buffer *memory, int n)
{
	uint64_t v = 0;

	*a = (struct run_arg){.buffer = -1, .bytes = p->bytes};
	memcpy(a->value, value, p->bytes);
	memcpy(&v, value, p->bytes < 8 ? p->bytes : 8);
	for (int i = 0; i < n && p->pointer; i++)
		if (v >= (uintptr_t)memory[i].data && v <= (uintptr_t)memory[i].data + memory[i].bytes) {
			a->buffer = i;
			a->byte_offset = v - (uintptr_t)memory[i].data;
		}
}

static const char *gpu_kind(void)
{
	const char *kind = getenv("FAKE_GPU");

	return kind ? kind : "";
}

/* The module as this GPU understands it: FAKE_GPU is FROM>TO, of the same length. */
static char *text_of(const char *module)
{
	char *text = mem_strdup(module), *p = text, from[64] = "";
	const char *kind = gpu_kind(), *to = strchr(kind, '>');

	snprintf(from, sizeof from, "%.*s", to ? (int)(to - kind) : 0, kind);
	while (from[0] && (p = strstr(p, from)) != NULL)
		memcpy(p, to + 1, strlen(to + 1));
	return text;
}

/* An emulator in the sense of fake_cuda.c. */
static int emulate(const char *module, const char *entry, const unsigned grid[3], const unsigned block[3], unsigned shared,
                   void **params, void *const *memory, const size_t *bytes, int nblocks)
{
	struct ptx_options lowering = {.no_contract = strcmp(gpu_kind(), "no-contract") == 0};
	char *text = text_of(module);
	struct run_buffer *b = mem_zalloc((size_t)nblocks + 1, sizeof *b);
	struct run_arg args[32];
	struct run_launch l = {.entry = entry, .shared = shared, .args = args};
	struct ptx_run_options o = {.budget = (uint64_t)1 << 28};
	struct ptx_module *m = NULL;
	struct ptx_program *p = NULL;
	const struct ptx_param *param;
	struct run_report r = {0};
	struct err e = {0};
	int code = 999;

	memcpy(l.grid, grid, sizeof l.grid);
	memcpy(l.block, block, sizeof l.block);
	for (int i = 0; i < nblocks; i++)
		b[i] = (struct run_buffer){.name = "memory", .role = RUN_WORKSPACE, .dt = DT_U8, .data = memory[i],
		                           .bytes = bytes[i]};
	if (ptx_parse(text, strlen(text), "module", &m, &e) == ST_OK &&
	    ptx_lower(m, entry, &lowering, &p, &e) == ST_OK) {
		param = ptx_entry_params(m, entry, &l.nargs);
		for (int i = 0; i < l.nargs; i++)
			take_argument(&args[i], &param[i], params[i], b, nblocks);
		if (ptx_run(p, &l, b, nblocks, &o, &r, &e) == ST_OK)
			code = code_of(&r);
	}
	ptx_program_free(p);
	ptx_module_free(m);
	free(b);
	free(text);
	return code;
}

static int be_the_gpu(int argc, char **argv)
{
	void *lib = dlopen(getenv("GPUEMU_LIBCUDA"), RTLD_NOW);
	void *symbol = lib ? dlsym(lib, "fake_cuda_attach") : NULL;
	void (*attach)(int (*)(const char *, const char *, const unsigned *, const unsigned *, unsigned, void **,
	                       void *const *, const size_t *, int));

	if (!symbol)
		return 3;
	memcpy(&attach, &symbol, sizeof attach);
	attach(emulate);
	return device_worker(argc - 1, argv + 1);
}

static char work[64];

static int setup(void **state)
{
	char command[256], path[128];

	(void)state;
	snprintf(work, sizeof work, "/tmp/gpuemu-test-gpu-XXXXXX");
	assert_non_null(mkdtemp(work));
	snprintf(path, sizeof path, "%s/libcuda.so", work);
	snprintf(command, sizeof command, "cc -D_GNU_SOURCE -shared -fPIC -o %s tests/device/fake_cuda.c", path);
	setenv("GPUEMU_LIBCUDA", path, 1);
	setenv("FAKE_CUDA_BYTES", "4000000000", 1);
	return system(command);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", work);
	return system(command);
}

/* ---- comparing ---- */

static char relu[] = "corpus/control/relu", softmax[] = "corpus/control/softmax";
static char gelu[] = "corpus/control/gelu", matmul[] = "corpus/control/matmul_tiled";
static char *const some[] = {relu, softmax, gelu, matmul};

static cJSON *compare(const char *a, const char *b, char *const *folders, int n, int cases)
{
	struct compare_options o = {.seed = 1, .cases = cases, .jobs = 2, .has_dtype = true, .dtype = DT_F32,
	                            .quiet = true};
	struct device *da, *db;
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(device_open(a, &da, &e), &e);
	check_ok(device_open(b, &db, &e), &e);
	check_ok(compare_devices(&o, da, db, folders, n, &j, &e), &e);
	device_close(da);
	device_close(db);
	return j;
}

static const cJSON *at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	check_true(v != NULL, "no '%s' in %s", key, cJSON_PrintUnformatted(j));
	return v;
}

static void the_same_model_gives_the_same_bits(void **state)
{
	cJSON *j = compare("emu", "cuda:0,1", some, ARRAY_LEN(some), 20);

	(void)state;
	assert_true(cJSON_IsTrue(at(j, "identical")));
	assert_int_equal(at(j, "cases")->valueint, 20 * ARRAY_LEN(some));
	assert_int_equal(at(j, "cases_identical")->valueint, 20 * ARRAY_LEN(some));
	assert_true(at(j, "elements")->valuedouble > 1000);
	assert_string_equal(at(at(j, "b"), "name")->valuestring, "cuda:0,1");
	assert_non_null(strstr(at(at(j, "b"), "text")->valuestring, "Fake GPU, sm_90"));
	cJSON_Delete(j);
}

/* The kernel y = x·x·x + x in PTX without stated rounding, where ptxas contracts the second product: by hand, one
 * place where the GPU without contraction parts from it. */
static void write_cube(char folder[128])
{
	static const char manifest[] = "{\"operator\": \"relu\", \"ptx\": \"kernel.ptx\", \"dtypes\": [\"f32\"], "
		"\"launches\": [{\"entry\": \"cube\", \"grid\": [\"ceil(N,32)\"], \"block\": [\"32\"], \"params\": "
		"[{\"tensor\": \"x\"}, {\"tensor\": \"y\"}, {\"i64\": \"N\"}]}]}";
	static const char ptx[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry cube(.param .u64 x, .param .u64 y, .param .u64 n)\n{\n"
		"\t.reg .pred %p; .reg .f32 %f<8>; .reg .b32 %r<4>; .reg .b64 %d<8>;\n"
		"\tld.param.u64 %d1, [x];\n\tld.param.u64 %d2, [y];\n\tld.param.u64 %d3, [n];\n"
		"\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %tid.x;\n\tmad.lo.s32 %r3, %r1, 32, %r2;\n"
		"\tcvt.u64.u32 %d4, %r3;\n\tsetp.ge.u64 %p, %d4, %d3;\n\t@%p bra END;\n"
		"\tcvta.to.global.u64 %d1, %d1;\n\tcvta.to.global.u64 %d2, %d2;\n"
		"\tshl.b64 %d5, %d4, 2;\n\tadd.s64 %d6, %d1, %d5;\n\tadd.s64 %d7, %d2, %d5;\n"
		"\tld.global.f32 %f1, [%d6];\n"
		"\tmul.f32 %f2, %f1, %f1;\n"
		"\tmul.f32 %f3, %f2, %f1;\n"
		"\tadd.f32 %f4, %f3, %f1;\n" /* line 24 */
		"\tst.global.f32 [%d7], %f4;\nEND:\n\tret;\n}\n";
	char path[160];
	struct err e = {0};

	snprintf(folder, 128, "%s/cube", work);
	check_ok(dir_make(folder, &e), &e);
	snprintf(path, sizeof path, "%s/kernel.json", folder);
	check_ok(file_write(path, manifest, strlen(manifest), &e), &e);
	snprintf(path, sizeof path, "%s/kernel.ptx", folder);
	check_ok(file_write(path, ptx, strlen(ptx), &e), &e);
}

static void a_difference_is_traced_to_its_instruction(void **state)
{
	static const char *const sides[][2] = {{"emu", "cuda:0"}, {"cuda:0", "emu"}};
	char folder[128], *folders[] = {folder};

	(void)state;
	write_cube(folder);
	setenv("FAKE_GPU", "no-contract", 1);
	for (int i = 0; i < 2; i++) {
		cJSON *j = compare(sides[i][0], sides[i][1], folders, 1, 20);
		const cJSON *first = at(at(j, "kernels")->child, "first"), *t = at(first, "trace");

		assert_false(cJSON_IsTrue(at(j, "identical")));
		assert_true(at(at(j, "classes"), "value")->valueint > 0);
		assert_string_equal(at(first, "class")->valuestring, "value");
		assert_string_equal(at(t, "entry")->valuestring, "cube");
		assert_string_equal(at(t, "register")->valuestring, "%f4");
		assert_string_equal(at(t, "instruction")->valuestring, "add.f32 %f4, %f3, %f1;");
		assert_int_equal(at(t, "ptx_line")->valueint, 24);
		assert_true(cJSON_IsTrue(at(t, "alone"))); /* a product that is recorded is not contracted */
		assert_string_not_equal(at(t, "a_bits")->valuestring, at(t, "b_bits")->valuestring);
		cJSON_Delete(j);
	}
	unsetenv("FAKE_GPU");
}

/* Maxima and sums over threads, shuffles, shared memory and loops lie between the instruction and the outputs. */
static void the_first_of_many_differences_is_named(void **state)
{
	static char tiled[] = "corpus/control/softmax_tiled", flash[] = "corpus/control/flash_attention";
	static char rmsnorm[] = "corpus/control/rmsnorm", sigmoid[] = "corpus/control/sigmoid";
	static const struct {
		const char *gpu, *insn;
		char *folder;
	} rows[] = {
		{"ex2.approx>lg2.approx", "ex2.approx", softmax},    {"ex2.approx>lg2.approx", "ex2.approx", tiled},
		{"ex2.approx>lg2.approx", "ex2.approx", flash},      {"fma.rn.f32>fma.rz.f32", "fma.rn.f32", matmul},
		{"fma.rn.f32>fma.rz.f32", "fma.rn.f32", rmsnorm},    {"ex2.approx>lg2.approx", "ex2.approx", sigmoid},
		{"shfl.sync.bfly>shfl.sync.down", "shfl.sync.bfly", softmax},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *const folders[] = {rows[i].folder};
		const cJSON *t;
		cJSON *j;

		setenv("FAKE_GPU", rows[i].gpu, 1);
		j = compare("emu", "cuda:0", folders, 1, 12);
		unsetenv("FAKE_GPU");
		t = at(at(at(j, "kernels")->child, "first"), "trace");
		check_true(strncmp(at(t, "instruction")->valuestring, rows[i].insn, strlen(rows[i].insn)) == 0, "%s: %s",
		           rows[i].gpu, at(t, "instruction")->valuestring);
		assert_null(cJSON_GetObjectItem(t, "alone"));
		assert_non_null(strstr(at(t, "source")->valuestring, ".cu:"));
		cJSON_Delete(j);
	}
}

/* Where nothing differs, no record does: addresses, which differ, are not among them. */
static void records_agree_where_kernels_do(void **state)
{
	static const char *const rows[][2] = {
		{"corpus/control/softmax_tiled", "softmax/f16 R=3,C=130 seed=0x1"},
		{"corpus/control/layernorm", "layernorm/bf16 R=3,C=33 layout=x:rowpad7 seed=0x1"},
		{"corpus/control/flash_attention", "attention/f32 B=1,H=2,G=1,N=5,L=40,D=16,E=16 seed=0x1"},
		{"corpus/control/matmul_tiled", "matmul/f16 M=17,N=18,K=40 seed=0x1"},
		{"corpus/control/gelu", "gelu/f16 N=77 seed=0x1"},
	};
	struct device *d[2];
	struct err e = {0};

	(void)state;
	check_ok(device_open("emu", &d[0], &e), &e);
	check_ok(device_open("cuda:0", &d[1], &e), &e);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct trace_pair p = {{d[0], d[1]}, {NULL, NULL}};
		struct target *t[2];
		struct trace_runs r = {.p = &p};
		struct case_run *run = NULL;
		const struct run_launch *l;
		struct ptx_trace *trace = NULL;
		struct kase c;
		uint32_t n;

		for (int k = 0; k < 2; k++)
			check_ok(target_open(d[k], rows[i][0], false, &t[k], &e), &e);
		p.target[0] = t[0];
		p.target[1] = t[1];
		check_ok(case_parse(rows[i][1], kernel_op(t[0]->kernel), &c, &e), &e);
		check_ok(case_make(&c, t[0]->kernel, MAX_CASE_BYTES, &run, &e), &e);
		r.c = &c;
		l = &run->plan.launches[0];
		check_ok(size_records(&r, l, &e), &e);
		check_ok(ptx_trace_make(dev_module_ptx(t[0]->module), l->entry, r.records, -1, &trace, &e), &e);
		check_ok(run_traced(&r, trace, &e), &e);
		check_true(!find_parting(&r, trace).found, "%s: %s", rows[i][0],
		           trace->def[find_parting(&r, trace).def].insn);
		ptx_trace_records(r.buffer[1], 0, r.records, &n);
		assert_true(n > 10);
		assert_false(buffers_differ(&r));
		free_runs(&r);
		ptx_trace_free(trace);
		case_run_free(run);
		target_free(t[0]);
		target_free(t[1]);
	}
	device_close(d[0]);
	device_close(d[1]);
}

/* ---- campaigns ---- */

static void campaign(const char *device, const char *out, char *const *folders, int n, int cases)
{
	struct campaign_options o = campaign_defaults();
	struct target *t[8] = {0};
	struct device *d;
	struct err e = {0};
	cJSON *evidence = NULL;

	o.cases = cases;
	o.jobs = 2;
	o.out_dir = out;
	o.argv_text = "test";
	o.coverage = o.bench = false;
	o.quiet = true;
	check_ok(device_open(device, &d, &e), &e);
	for (int i = 0; i < n; i++)
		check_ok(target_open(d, folders[i], false, &t[i], &e), &e);
	check_ok(campaign_run(&o, d, t, n, &evidence, &e), &e);
	assert_string_equal(at(at(evidence, "device"), "name")->valuestring, device);
	if (strcmp(device, "emu") != 0)
		assert_int_equal(strncmp(at(at(evidence, "device"), "text")->valuestring,
		                         "Fake GPU, sm_90, CUDA 13.0, driver ", 35), 0);
	cJSON_Delete(evidence);
	for (int i = 0; i < n; i++)
		target_free(t[i]);
	device_close(d);
}

static void evidence_of_both_agrees(void **state)
{
	char a[128], b[128];
	struct err e = {0};
	cJSON *j = NULL;

	(void)state;
	snprintf(a, sizeof a, "%s/emu", work);
	snprintf(b, sizeof b, "%s/gpu", work);
	campaign("emu", a, some, 2, 12);
	campaign("cuda:0", b, some, 2, 12);
	check_ok(compare_records(a, b, &j, &e), &e);
	assert_true(cJSON_IsTrue(at(j, "identical")));
	assert_int_equal(at(j, "cases")->valueint, 2 * 3 * 12);
	assert_int_equal(at(j, "kernels_verdict_different")->valueint, 0);
	cJSON_Delete(j);
}

/* tests/validate/bad/endless takes the time limit of each case and is left to test_cuda.c and the hardware. */
static void kernels_that_end_badly_do_so_as_findings(void **state)
{
	static char greedy[] = "tests/validate/bad/greedy", outside[] = "tests/validate/bad/outside";
	static char trap[] = "tests/validate/bad/trap";
	static char *const bad[] = {greedy, outside, trap, relu};
	static const char *const want[] = {"launch-limit", "guard-changed", "trap"};
	char out[128], path[160], *text = NULL;
	struct err e = {0};
	size_t len;

	(void)state;
	snprintf(out, sizeof out, "%s/bad", work);
	snprintf(path, sizeof path, "%s/cases.jsonl", out);
	campaign("cuda:0", out, bad, 4, 8);
	check_ok(file_read(path, 1 << 24, &text, &len, &e), &e);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		check_true(strstr(text, want[i]) != NULL, "%s", want[i]);
	len = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "{\"kernel\":\"relu\"")) {
			len++;
			check_true(strstr(line, "\"verdict\":\"PASS\"") != NULL, "%s", line);
		}
	assert_int_equal(len, 3 * 8);
	free(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_model_gives_the_same_bits),
		cmocka_unit_test(a_difference_is_traced_to_its_instruction),
		cmocka_unit_test(the_first_of_many_differences_is_named),
		cmocka_unit_test(records_agree_where_kernels_do),
		cmocka_unit_test(evidence_of_both_agrees),
		cmocka_unit_test(kernels_that_end_badly_do_so_as_findings),
	};

	if (argc > 1 && strcmp(argv[1], "--device-worker") == 0)
		return be_the_gpu(argc, argv);
	return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}

/* Kernel manifests: what is refused and with which message, expressions, the run plan made from a case. */
#include <unistd.h>

#include "cases/cases.h"
#include "cases/expr.h"
#include "tests/check.h"

/* ---- a kernel folder in a temporary place ---- */

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/gpuemu-kernel-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static void write_file(const char *name, const char *text)
{
	char *path = path_join(folder, name);
	struct err e = {0};

	check_ok(file_write(path, text, strlen(text), &e), &e);
	free(path);
}

/* A manifest that is right, with one place for a change. */
static const char good[] =
	"{\"operator\": \"softmax\", \"dtypes\": [\"f32\"], \"per_type\": true,\n"
	" \"numerics\": {\"chain\": \"ceil(C,32)\"}, \"layouts\": {\"x\": [\"rowpad\", \"offset\"]},\n"
	" \"workspaces\": {\"tmp\": {\"dtype\": \"f32\", \"count\": \"R*C\"}},\n"
	" \"launches\": [{\"entry\": \"softmax_{T}\", \"grid\": [\"R\"], \"block\": [32], \"shared\": \"4*C\",\n"
	"   \"params\": [{\"tensor\": \"x\"}, {\"tensor\": \"y\"}, {\"tensor\": \"tmp\"}, {\"i64\": \"R\"},\n"
	"              {\"i32\": \"C\"}, {\"i64\": \"stride(x,0)\"}, {\"f32\": \"0.5\"}]}]}\n";

static char *replaced(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	struct buf b = {0};

	assert_non_null(at);
	buf_add(&b, good, (size_t)(at - good));
	buf_puts(&b, to);
	buf_puts(&b, at + strlen(from));
	return b.s;
}

static struct kernel *read_good(void)
{
	struct kernel *k = NULL;
	struct err e = {0};

	write_file("kernel.json", good);
	write_file("kernel.cu", "extern \"C\" __global__ void ENTRY(softmax)(const T *x, OUT_T *y) {}\n");
	check_ok(kernel_read(folder, &k, &e), &e);
	return k;
}

static void wrong_manifests_are_refused_with_the_place(void **state)
{
	static const char *const wrong[][3] = {
		{"\"operator\"", "\"opertor\"", "operator"},
		{"\"softmax\"", "\"softmaxx\"", "unknown operator 'softmaxx'"},
		{"[\"f32\"]", "[\"f33\"]", "unknown dtype 'f33'"},
		{"[\"f32\"]", "[\"e4m3\"]", "not defined for e4m3"},
		{"[\"f32\"]", "[]", "dtypes"},
		{"\"block\"", "\"blok\"", "block"},
		{"\"per_type\": true", "\"per_type\": 1", "per_type"},
		{"\"ceil(C,32)\"", "\"ceil(D,32)\"", "unknown name 'D'; known are R, C"},
		{"\"ceil(C,32)\"", "\"ceil(C,32\"", "expected ')'"},
		{"\"rowpad\"", "\"rowpads\"", "unknown layout 'rowpads'"},
		{"\"x\": [\"rowpad\"", "\"z\": [\"rowpad\"", "no such tensor"},
		{"{\"tensor\": \"tmp\"}", "{\"tensor\": \"tpm\"}", "no tensor 'tpm'"},
		{"{\"i32\": \"C\"}", "{\"i33\": \"C\"}", "i33"},
		{"\"count\"", "\"cont\"", "needs \"dtype\" and \"count\""},
		{"softmax_{T}", "softmax_{U}", "no type variable {U}"},
		{"stride(x,0)", "stride(x,2)", "unknown function or argument"},
		{"\"R\"]", "\"R\"", "kernel.json"},
	};

	(void)state;
	write_file("kernel.cu", "\n");
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct kernel *k = NULL;
		struct err e = {0};
		char *text = replaced(wrong[i][0], wrong[i][1]);

		write_file("kernel.json", text);
		check_fails(kernel_read(folder, &k, &e), ST_INPUT, &e, wrong[i][2]);
		free(text);
	}
}

static void missing_files_are_named(void **state)
{
	struct kernel *k = NULL;
	struct err e = {0};
	char *path = path_join(folder, "kernel.cu");

	(void)state;
	check_fails(kernel_read("/nonexistent/kernel", &k, &e), ST_INPUT, &e, "no such folder");
	check_fails(kernel_read("/tmp", &k, &e), ST_INPUT, &e, "no kernel.json");
	write_file("kernel.json", good);
	unlink(path);
	check_fails(kernel_read(folder, &k, &e), ST_INPUT, &e, "neither kernel.cu nor kernel.ptx");
	free(path);
}

/* ---- expressions ---- */

static bool no_name(const void *ctx, const char *name, struct value *v)
{
	(void)ctx;
	*v = (struct value){.i = 7};
	return strcmp(name, "N") == 0;
}

static void known(const void *ctx, struct buf *b)
{
	(void)ctx;
	buf_puts(b, "N");
}

static void expressions_have_their_values(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} rows[] = {
		{"1+2*3", 7}, {"(1+2)*3", 9}, {"-7/2", -4}, {"-7%2", 1}, {"7/-2", -4}, {"ceil(7,2)", 4},
		{"ceil(0,5)", 0}, {"min(3,N)", 3}, {"max(3,N)", 7}, {"log2ceil(1)", 0}, {"log2ceil(1025)", 11},
		{"pow2ceil(257)", 512}, {"pow2ceil(1)", 1}, {"N*N-1", 48}, {"N == 7 and 1 < 2", 1},
		{"not N == 7", 0}, {"N != 7 or N >= 7", 1}, {"2 - 3 - 4", -5}, {"N%4", 3},
	};
	struct expr_env env = {no_name, NULL, known, NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct value v;
		struct err e = {0};

		check_ok(expr_eval(rows[i].text, "test", &env, false, &v, &e), &e);
		check_true(!v.real && v.i == rows[i].value, "%s = %lld", rows[i].text, (long long)v.i);
	}
}

static void wrong_expressions_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"", "expected a number"}, {"1+", "expected a number"}, {"(1", "expected ')'"}, {"1 2", "unexpected"},
		{"M", "unknown name 'M'; known are N"}, {"1/0", "division by zero"}, {"1%(N-7)", "division by zero"},
		{"9223372036854775807+1", "64 bits"}, {"9999999999999999999", "too large"}, {"ceil(1,0)", "not positive"},
		{"((((((((((((((((((((((((((((((((((((((((1", "nested too deeply"}, {"foo(N)", "unknown function"},
		{"min(1)", "two arguments"},
	};
	struct expr_env env = {no_name, NULL, known, NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct value v;
		struct err e = {0};

		check_fails(expr_eval(rows[i][0], "test", &env, false, &v, &e), ST_INPUT, &e, rows[i][1]);
	}
}

/* ---- the run plan ---- */

static void a_case_becomes_buffers_and_arguments(void **state)
{
	struct kernel *k = read_good();
	struct case_run *r = NULL;
	struct kase c;
	struct err e = {0};

	(void)state;
	check_ok(case_parse("softmax/f32 R=3,C=5 layout=x:rowpad2 seed=0x1 fill=a5", kernel_op(k), &c, &e), &e);
	check_ok(case_make(&c, k, 1 << 20, &r, &e), &e);
	assert_int_equal(r->plan.nbuffers, 3);
	assert_int_equal(r->plan.buffers[0].bytes, ((3 - 1) * 7 + 5) * 4);
	assert_int_equal(r->plan.buffers[1].bytes, 15 * 4);
	assert_int_equal(r->plan.buffers[2].bytes, 15 * 4);
	/* padding belongs to no element: filled, not valid */
	assert_int_equal(r->plan.buffers[0].data[5 * 4], 0xa5);
	assert_int_equal(r->plan.buffers[0].valid[5 * 4 / 8] >> (5 * 4 % 8) & 1, 0);
	assert_int_equal(r->plan.buffers[0].valid[4 * 4 / 8] >> (4 * 4 % 8) & 1, 1);
	assert_int_equal(r->plan.buffers[0].data[-1], 0xa5);
	assert_int_equal(r->plan.nlaunches, 1);
	assert_int_equal(r->plan.launches[0].grid[0], 3);
	assert_int_equal(r->plan.launches[0].block[0], 32);
	assert_int_equal(r->plan.launches[0].shared, 20);
	assert_string_equal(r->plan.launches[0].entry, "softmax_f32");
	assert_int_equal(r->plan.launches[0].args[0].buffer, 0);
	assert_int_equal(r->plan.launches[0].args[4].bytes, 4);
	assert_int_equal(r->plan.launches[0].args[4].value[0], 5);
	assert_int_equal(r->plan.launches[0].args[5].value[0], 7); /* stride of padded rows */
	assert_int_equal(r->plan.launches[0].args[6].value[3], 0x3f); /* 0.5f */
	case_run_free(r);
	/* a grid of 0 is no launch */
	r = NULL;
	check_ok(case_parse("softmax/f32 R=0,C=5 seed=0x1 fill=a5", kernel_op(k), &c, &e), &e);
	check_ok(case_make(&c, k, 1 << 20, &r, &e), &e);
	assert_int_equal(r->plan.nlaunches, 0);
	case_run_free(r);
	kernel_free(k);
}

static void sixteen_bit_outputs_may_be_left_in_f32(void **state)
{
	char *manifest = replaced("[\"f32\"]", "[\"f32\", \"f16\"], \"f32_outputs\": true"), *text;
	struct kernel *k = NULL;
	struct case_run *r = NULL;
	struct kase c;
	struct err e = {0};

	(void)state;
	write_file("kernel.json", manifest);
	write_file("kernel.cu", "extern \"C\" __global__ void ENTRY(softmax)(const T *x, OUT_T *y) {}\n");
	check_ok(kernel_read(folder, &k, &e), &e);
	assert_null(kernel_f32_entry(k, 0, 0)); /* f32 has them anyway */
	assert_string_equal(kernel_f32_entry(k, 1, 0), "softmax_f16_out_f32");
	text = kernel_compile_text(k);
	assert_non_null(strstr(text, "#define ENTRY(name) name##_f16_out_f32\n#define T __half\n#define OUT_T float\n"));
	check_ok(case_parse("softmax/f16 R=3,C=5 outputs=f32 seed=0x1 fill=a5", kernel_op(k), &c, &e), &e);
	check_ok(case_make(&c, k, 1 << 20, &r, &e), &e);
	assert_string_equal(r->plan.launches[0].entry, "softmax_f16_out_f32");
	assert_int_equal(r->in[0]->dt, DT_F16);
	assert_int_equal(r->out[0]->dt, DT_F32);
	assert_int_equal(r->plan.buffers[1].bytes, 3 * 5 * 4);
	case_run_free(r);
	kernel_free(k);
	free(text);
	free(manifest);

	k = read_good();
	check_fails(case_make(&c, k, 1 << 20, &r, &e), ST_INPUT, &e, "not built for dtype f16");
	kernel_free(k);
}

static void cases_outside_the_domain_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"softmax/f16 R=1,C=1 seed=0x1", "not built for dtype f16"},
		{"softmax/f32 R=1,C=1 layout=x:transposed", "does not take layout transposed"},
		{"softmax/f32 R=-1,C=1", "R"},
		{"matmul/f32 M=1,N=1,K=1", "is of operator matmul"},
		{"softmax/f32 R=1,C=1 values=x:nrmal", "unknown class 'nrmal'"},
		{"softmax/f32 R=1,C=1 values=x:rising(0,1)", "must lie in 1..1e9"},
	};
	struct kernel *k = read_good();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct case_run *r = NULL;
		struct kase c;
		struct err e = {0};

		check_ok(case_parse(rows[i][0], NULL, &c, &e), &e);
		check_fails(case_make(&c, k, 1 << 20, &r, &e), ST_INPUT, &e, rows[i][1]);
	}
	kernel_free(k);
}

static void a_case_larger_than_the_limit_is_refused(void **state)
{
	static const char *const rows[] = {"softmax/f32 R=1000,C=1000", "softmax/f32 R=3000000000,C=3000000000",
	                                   "softmax/f32 R=1,C=4611686018427387904"};
	struct kernel *k = read_good();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct case_run *r = NULL;
		struct kase c;
		struct err e = {0};
		enum st st;

		check_ok(case_parse(rows[i], NULL, &c, &e), &e);
		st = case_make(&c, k, 1 << 20, &r, &e);
		check_true(st == ST_LIMIT || st == ST_INPUT, "%s: %s", rows[i], e.msg);
	}
	kernel_free(k);
}

static void the_head_of_shipped_ptx_tells_when_it_is_stale(void **state)
{
	struct kernel *k = read_good();
	char *head = kernel_ptx_head(k, "13.0"), why[200];

	(void)state;
	assert_true(kernel_ptx_stale(k, why));
	kernel_free(k);
	write_file("kernel.ptx", head);
	k = read_good();
	check_true(!kernel_ptx_stale(k, why), "%s", why);
	kernel_free(k);
	write_file("kernel.cu", "// changed\n");
	k = NULL;
	struct err e = {0};
	check_ok(kernel_read(folder, &k, &e), &e);
	assert_true(kernel_ptx_stale(k, why));
	assert_non_null(strstr(why, "changed"));
	kernel_free(k);
	free(head);
	char *path = path_join(folder, "kernel.ptx");
	unlink(path);
	free(path);
}

static void a_changed_header_makes_shipped_ptx_stale(void **state)
{
	static const char source[] = "#include \"a.cuh\"\n#include <cuda_fp16.h>\n#include \"absent.h\"\n";
	struct kernel *k = NULL;
	struct err e = {0};
	char *manifest = replaced("\"per_type\"", "\"include_dirs\": [\".\"], \"per_type\""), *head, why[200];

	(void)state;
	write_file("kernel.json", manifest);
	write_file("kernel.cu", source);
	write_file("a.cuh", "#include \"b.cuh\"\n#include \"a.cuh\"\n#include \"a.cuh\"\n"); /* a ring ends */
	write_file("b.cuh", "#define B 1\n");
	check_ok(kernel_read(folder, &k, &e), &e);
	head = kernel_ptx_head(k, "13.0");
	kernel_free(k);
	write_file("kernel.ptx", head);
	check_ok(kernel_read(folder, &k, &e), &e);
	check_true(!kernel_ptx_stale(k, why), "%s", why);
	write_file("b.cuh", "#define B 2\n");
	assert_true(kernel_ptx_stale(k, why));
	assert_non_null(strstr(why, "header"));
	kernel_free(k);
	free(head);
	free(manifest);
	char *path = path_join(folder, "kernel.ptx");
	unlink(path);
	free(path);
}

static void accumulation_not_stated_follows_the_type(void **state)
{
	const struct op_schema *o = op_schema(op_builtin("sum"));
	struct op_binding b = {.types = {DT_F16}};

	(void)state;
	assert_int_equal(usual_accumulation(o, &b), DT_F32);
	b.types[0] = DT_F64;
	assert_int_equal(usual_accumulation(o, &b), DT_F64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accumulation_not_stated_follows_the_type),
		cmocka_unit_test(wrong_manifests_are_refused_with_the_place),
		cmocka_unit_test(missing_files_are_named),
		cmocka_unit_test(expressions_have_their_values),
		cmocka_unit_test(wrong_expressions_are_refused),
		cmocka_unit_test(a_case_becomes_buffers_and_arguments),
		cmocka_unit_test(sixteen_bit_outputs_may_be_left_in_f32),
		cmocka_unit_test(cases_outside_the_domain_are_refused),
		cmocka_unit_test(a_case_larger_than_the_limit_is_refused),
		cmocka_unit_test(the_head_of_shipped_ptx_tells_when_it_is_stale),
		cmocka_unit_test(a_changed_header_makes_shipped_ptx_stale),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

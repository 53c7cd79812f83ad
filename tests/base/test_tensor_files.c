/* test_tensor_files.c - npy and safetensors: files that NumPy and Python wrote (data/make.py),
 * round trips, every kind of malformed file, and random changes, which must never crash a reader.
 */
#include "tests/check.h"

#include <sys/mman.h>
#include <unistd.h>

#define DATA "tests/base/data/"

static char scratch[] = "/tmp/gpuemu-tensor-XXXXXX";

static void put(const void *p, size_t n)
{
	struct err e = {0};

	check_ok(file_write(scratch, p, n, &e), &e);
}

/* ---- golden files ---- */

/* (i·3 - 5) as make.py's ramp, in the type. */
static uint64_t ramp_bits(enum dtype t, int i)
{
	int64_t v = i * 3 - 5;

	return dtype_is_float(t) ? dtype_encode(t, (double)v, RND_NE, false)
	                         : (uint64_t)v & (~0ull >> (64 - 8 * dtype_bytes(t)));
}

static void check_ramp(const struct tensor *t, int n)
{
	assert_int_equal(tensor_count(t), n);
	assert_int_equal(t->bytes, n * dtype_bytes(t->dt));
	for (int i = 0; i < n; i++)
		check_bits(dtype_load(t->dt, t->data + i * dtype_bytes(t->dt)), ramp_bits(t->dt, i),
		           dtype_name(t->dt));
}

static void reads_what_numpy_wrote(void **state)
{
	static const struct row {
		const char *file;
		enum dtype t;
		int rank, n;
	} rows[] = {
		{"f8", DT_F64, 2, 6},    {"f4", DT_F32, 2, 6},     {"f2", DT_F16, 2, 6},
		{"i1", DT_I8, 2, 6},     {"i2", DT_I16, 2, 6},     {"i4", DT_I32, 2, 6},
		{"i8", DT_I64, 2, 6},    {"u1", DT_U8, 2, 6},      {"u2", DT_U16, 2, 6},
		{"u4", DT_U32, 2, 6},    {"u8", DT_U64, 2, 6},     {"v2", DT_F32, 2, 6},
		{"v3", DT_F32, 2, 6},    {"vector", DT_F32, 1, 5}, {"empty", DT_F32, 3, 0},
		{"rank8", DT_F32, 8, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[64];
		struct err e = {0};
		struct tensor t;

		snprintf(path, sizeof path, DATA "%s.npy", rows[i].file);
		check_ok(npy_read(path, &t, &e), &e);
		check_true(t.dt == rows[i].t && t.rank == rows[i].rank, "%s", path);
		check_ramp(&t, rows[i].n);
		if (t.rank == 2)
			assert_true(t.dim[0] == 2 && t.dim[1] == 3 && t.stride[0] == 3);
		free(t.data);
	}
}

static void reads_numpy_booleans_and_scalars(void **state)
{
	static const uint8_t want[] = {1, 0, 1, 0, 1, 1};
	struct err e = {0};
	struct tensor t;

	(void)state;
	check_ok(npy_read(DATA "b1.npy", &t, &e), &e);
	assert_int_equal(t.dt, DT_BOOL);
	assert_memory_equal(t.data, want, sizeof want);
	free(t.data);
	check_ok(npy_read(DATA "scalar.npy", &t, &e), &e);
	assert_int_equal(t.rank, 0);
	assert_true(dtype_decode(t.dt, dtype_load(t.dt, t.data)) == 2.5);
	free(t.data);
}

static void refuses_numpy_files_we_do_not_hold(void **state)
{
	struct err e = {0};
	struct tensor t;

	(void)state;
	check_fails(npy_read(DATA "big_endian.npy", &t, &e), ST_INPUT, &e, "big-endian");
	check_fails(npy_read(DATA "fortran.npy", &t, &e), ST_INPUT, &e, "Fortran order");
	check_fails(npy_read(DATA "complex.npy", &t, &e), ST_INPUT, &e, "element type '<c8'");
	check_fails(npy_read(DATA "record.npy", &t, &e), ST_INPUT, &e, "several fields");
	check_fails(npy_read(DATA "rank9.npy", &t, &e), ST_INPUT, &e, "more than 8 dimensions");
	check_fails(npy_read(DATA "none.npy", &t, &e), ST_INPUT, &e, "No such file");
	check_fails(npy_read(DATA "mixed.safetensors", &t, &e), ST_INPUT, &e, "is no npy file");
}

static void reads_a_safetensors_file_written_by_python(void **state)
{
	static const struct row {
		const char *name;
		enum dtype t;
		int rank;
		int64_t count;
		uint64_t last;
	} rows[] = {
		{"weight", DT_F32, 2, 6, 0x41200000}, {"half", DT_F16, 1, 4, 0x4400},
		{"bfloat", DT_BF16, 1, 2, 0xc000},    {"e4m3", DT_E4M3, 1, 3, 0x80},
		{"e5m2", DT_E5M2, 1, 1, 0x7b},        {"count", DT_I64, 0, 1, -(1ull << 60) - 1},
		{"mask", DT_BOOL, 2, 2, 0},           {"none", DT_F64, 2, 0, 0},
	};
	struct named_tensor *ts;
	struct err e = {0};
	size_t n;

	(void)state;
	check_ok(safetensors_read(DATA "mixed.safetensors", &ts, &n, &e), &e);
	assert_int_equal(n, ARRAY_LEN(rows));
	for (size_t i = 0; i < n; i++) {
		const struct tensor *t = &ts[i].t;
		int64_t count = tensor_count(t);

		assert_string_equal(ts[i].name, rows[i].name);
		assert_true(t->dt == rows[i].t && t->rank == rows[i].rank &&
		            count == rows[i].count);
		if (count > 0)
			check_bits(dtype_load(t->dt, t->data + (count - 1) * dtype_bytes(t->dt)),
			           rows[i].last, rows[i].name);
	}
	check_ramp(&ts[0].t, 6);
	named_tensors_free(ts, n);
}

/* ---- round trips ---- */

/* A transposed view of 3×2 elements of any type: files hold what the view shows. */
static struct tensor view(enum dtype dt, uint8_t *storage)
{
	struct tensor t = {.dt = dt,
	                   .rank = 2,
	                   .dim = {3, 2},
	                   .stride = {1, 4},
	                   .offset = 1,
	                   .data = storage,
	                   .bytes = 64};

	for (int i = 0; i < 8; i++)
		dtype_store(dt, storage + i * dtype_bytes(dt),
		            dtype_encode(dt, i - 2, RND_NE, false));
	return t;
}

static void check_same(const struct tensor *got, const struct tensor *want)
{
	uint64_t a[8], b[8];
	int64_t n = tensor_count(want);

	assert_true(got->dt == want->dt && got->rank == want->rank && tensor_count(got) == n);
	for (int k = 0; k < got->rank; k++)
		assert_int_equal(got->dim[k], want->dim[k]);
	tensor_gather_bits(got, a);
	tensor_gather_bits(want, b);
	assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void safetensors_come_back(void **state)
{
	char odd_name[] = "quoted \"\\\n \xc3\xa9";
	uint8_t storage[DT_COUNT][64];
	struct named_tensor in[DT_COUNT], *out;
	struct tensor scalar = {.dt = DT_I32, .data = storage[0]};
	struct tensor empty = {.dt = DT_U8, .rank = 1};
	struct err e = {0};
	size_t n = 0, got;

	(void)state;
	for (int i = 0; i < DT_COUNT; i++)
		if (i != DT_TF32) {
			in[n].name = (char *)(uintptr_t)dtype_name((enum dtype)i);
			in[n].t = view((enum dtype)i, storage[n]);
			n++;
		}
	in[0].name = odd_name;
	in[1].t = scalar;
	in[2].t = empty;
	check_ok(safetensors_write(scratch, in, n, &e), &e);
	check_ok(safetensors_read(scratch, &out, &got, &e), &e);
	assert_int_equal(got, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(out[i].name, in[i].name);
		check_same(&out[i].t, &in[i].t);
	}
	named_tensors_free(out, got);
	check_ok(safetensors_write(scratch, NULL, 0, &e), &e);
	check_ok(safetensors_read(scratch, &out, &got, &e), &e);
	assert_int_equal(got, 0);
	named_tensors_free(out, got);
}

static void safetensors_refuse_names_and_types_they_cannot_hold(void **state)
{
	char x[] = "x", metadata[] = "__metadata__";
	uint8_t storage[64];
	struct named_tensor in[2] = {{x, view(DT_TF32, storage)}, {x, view(DT_F32, storage)}};
	struct err e = {0};

	(void)state;
	check_fails(safetensors_write(scratch, in, 1, &e), ST_UNSUP, &e, "cannot hold tf32");
	in[0].t = in[1].t;
	check_fails(safetensors_write(scratch, in, 2, &e), ST_INPUT, &e, "'x' is taken");
	in[0].name = metadata;
	check_fails(safetensors_write(scratch, in, 1, &e), ST_INPUT, &e, "is taken");
	in[0].name = x;
	check_fails(safetensors_write("/dev/full", in, 1, &e), ST_IO, &e, "disk full");
}

static void npy_comes_back(void **state)
{
	uint8_t storage[64];
	struct err e = {0};

	(void)state;
	for (int i = 0; i < DT_COUNT; i++) {
		struct tensor in = view((enum dtype)i, storage), out;

		if (i == DT_TF32 || i == DT_BF16 || i == DT_E4M3 || i == DT_E5M2) {
			check_fails(npy_write(scratch, &in, &e), ST_UNSUP, &e, "npy cannot hold");
			continue;
		}
		for (in.rank = 0; in.rank <= 2; in.rank++) {
			check_ok(npy_write(scratch, &in, &e), &e);
			check_ok(npy_read(scratch, &out, &e), &e);
			check_same(&out, &in);
			free(out.data);
		}
	}
}

/* Bytes as NumPy 1.24 writes them: the golden file itself. */
static void npy_is_written_byte_for_byte_as_numpy_does(void **state)
{
	static const char *const files[] = {"f4", "u8", "b1", "vector", "scalar", "empty", "rank8"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[64], *want, *got;
		struct err e = {0};
		struct tensor t;
		size_t n, m;

		snprintf(path, sizeof path, DATA "%s.npy", files[i]);
		check_ok(npy_read(path, &t, &e), &e);
		check_ok(npy_write(scratch, &t, &e), &e);
		check_ok(file_read(path, 4096, &want, &n, &e), &e);
		check_ok(file_read(scratch, 4096, &got, &m, &e), &e);
		check_true(n == m && !memcmp(want, got, n), "%s", path);
		free(want);
		free(got);
		free(t.data);
	}
}

/* ---- malformed safetensors ---- */

/* A file of this header, with the length that is stated, and data of n bytes. */
static void put_safetensors(uint64_t stated, const char *header, size_t n)
{
	struct buf b = {0};

	buf_add(&b, &stated, 8);
	buf_puts(&b, header);
	for (size_t i = 0; i < n; i++)
		buf_putc(&b, (char)i);
	put(b.s, b.len);
	buf_free(&b);
}

#define T(dtype, shape, from, to)                                                                  \
	"{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #from "," #to "]}"

static void refuses_every_malformed_safetensors_file(void **state)
{
	static const struct row {
		const char *header;
		size_t bytes;
		const char *message;
	} rows[] = {
		{"{\"a\":" T("F32", "[2]", 0, 8) "}", 7, "truncated?"},
		{"{\"a\":" T("F32", "[2]", 0, 8) "}", 9, "1 bytes after the last tensor"},
		{"{\"a\":" T("F32", "[2]", 0, 7) "}", 8, "need 8 bytes, data_offsets span 7"},
		{"{\"a\":" T("F32", "[3]", 0, 8) "}", 8, "need 12 bytes"},
		{"{\"a\":" T("F32", "[2]", 8, 0) "}", 8, "end before they begin"},
		{"{\"a\":" T("F32", "[1]", 0, 4) ",\"b\":" T("F32", "[1]", 2, 6) "}", 6,
	         "'a' and 'b' overlap"},
		{"{\"a\":" T("F32", "[1]", 0, 4) ",\"b\":" T("F32", "[1]", 0, 4) "}", 4, "overlap"},
		{"{\"a\":" T("F32", "[1]", 0, 4) ",\"b\":" T("F32", "[1]", 6, 10) "}", 10,
	         "gap of 2 bytes before tensor 'b'"},
		{"{\"a\":" T("F32", "[1]", 4, 8) "}", 8, "gap of 4 bytes before tensor 'a'"},
		{"{\"a\":" T("F31", "[1]", 0, 4) "}", 4, "dtype 'F31' is not known"},
		{"{\"a\":" T("F32", "[1,1,1,1,1,1,1,1,1]", 0, 4) "}", 4, "more than 8 dimensions"},
		{"{\"a\":" T("F32", "[4294967296,4294967296]", 0, 4) "}", 4, "shape is too large"},
		{"{\"a\":" T("F32", "[0,4294967296,4294967296]", 0, 0) "}", 0,
	         "shape is too large"},
		{"{\"a\":" T("F32", "[9007199254740993]", 0, 4) "}", 4, "need 36028797018963968"},
		{"{\"a\":" T("F32", "[1e300]", 0, 4) "}", 4, "shape[0] is no size"},
		{"{\"a\":" T("F32", "[-1]", 0, 4) "}", 4, "shape[0] is no size"},
		{"{\"a\":" T("F32", "[1,0.5]", 0, 4) "}", 4, "shape[1] is no size"},
		{"{\"a\":" T("F32", "[\"1\"]", 0, 4) "}", 4, "shape[0] is no size"},
		{"{\"a\":" T("F32", "4", 0, 4) "}", 4, "no array 'shape'"},
		{"{\"a\":" T("F32", "[1]", -1, 3) "}", 4, "must be [begin, end]"},
		{"{\"a\":" T("F32", "[1]", 0.5, 4) "}", 4, "must be [begin, end]"},
		{"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4,
	         "must be [begin, end]"},
		{"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "must be [begin, end]"},
		{"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype '(none)'"},
		{"{\"a\":{\"dtype\":3,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype '(none)'"},
		{"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "no array 'shape'"},
		{"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4,
	         "unknown key 'x'"},
		{"{\"a\":7}", 0, "dtype '(none)'"},
		{"{\"a\":" T("F32", "[1]", 0, 4) ",\"a\":" T("F32", "[1]", 0, 4) "}", 4,
	         "key 'a' appears twice"},
		{"[]", 0, "the header is no JSON object"},
		{"{\"a\":", 0, "the text ends here"},
		{"{} x", 0, "unexpected text"},
		{"", 0, "expected a JSON value"},
		{"{\"__metadata__\":[]}", 0, "__metadata__ is no object"},
		{"{\"__metadata__\":{\"a\":1}}", 0, "'a' is no string"},
		{"{\"\xff\":" T("F32", "[1]", 0, 4) "}", 4, "not valid UTF-8"},
	};
	struct named_tensor *ts;
	struct err e = {0};
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put_safetensors(strlen(rows[i].header), rows[i].header, rows[i].bytes);
		check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, rows[i].message);
	}
}

static void refuses_safetensors_whose_length_lies(void **state)
{
	static const char header[] = "{\"a\":" T("U8", "[2]", 0, 2) "}";
	struct named_tensor *ts;
	struct err e = {0};
	size_t n;

	(void)state;
	put_safetensors(sizeof header - 1 + 3, header, 2);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "should have");
	put_safetensors(~0ull, header, 2);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "not credible");
	put_safetensors(sizeof header - 1 + 1, header, 2);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "header:1:");
	put_safetensors(sizeof header - 2, header, 2);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "text ends here");
	put("1234567", 7);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "7 bytes are too few");
	put("", 0);
	check_fails(safetensors_read(scratch, &ts, &n, &e), ST_INPUT, &e, "0 bytes are too few");
	check_fails(safetensors_read("/tmp", &ts, &n, &e), ST_INPUT, &e, "directory");
}

/* Entries may be listed in any order; what counts is that the bytes are covered. */
static void order_in_a_safetensors_header_is_free(void **state)
{
	static const char header[] =
	        "{\"b\":" T("U8", "[2]", 1, 3) ",\"z\":" T("F32", "[0]", 1, 1) ",\"a\":" T(
	                "U8", "[1]", 0, 1) ",\"__metadata__\":{\"k\":\"v\"}}  ";
	struct named_tensor *ts;
	struct err e = {0};
	size_t n;

	(void)state;
	put_safetensors(sizeof header - 1, header, 3);
	check_ok(safetensors_read(scratch, &ts, &n, &e), &e);
	assert_int_equal(n, 3);
	assert_string_equal(ts[0].name, "b");
	assert_true(ts[0].t.data[0] == 1 && ts[0].t.data[1] == 2 && ts[2].t.data[0] == 0);
	named_tensors_free(ts, n);
}

/* ---- malformed npy ---- */

static void put_npy(const char *start, size_t start_len, size_t stated, int wide, const char *dict,
                    size_t bytes)
{
	struct buf b = {0};

	buf_add(&b, start, start_len);
	buf_add(&b, &stated, (size_t)wide);
	buf_puts(&b, dict);
	for (size_t i = 0; i < bytes; i++)
		buf_putc(&b, (char)i);
	put(b.s, b.len);
	buf_free(&b);
}

#define D(descr, order, shape)                                                                     \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static void refuses_every_malformed_npy_file(void **state)
{
	static const struct row {
		const char *dict;
		size_t bytes;
		const char *message;
	} rows[] = {
		{D("'<f4'", "False", "(2,)"), 7,
	         "need 8 bytes of data, the file has 7 (truncated?)"},
		{D("'<f4'", "False", "(2,)"), 9, "need 8 bytes of data, the file has 9"},
		{D("'<f4'", "False", "()"), 0, "need 4 bytes"},
		{D("'<f4'", "True", "(2,)"), 8, "Fortran order"},
		{D("'<f4'", "0", "(2,)"), 8, "expected True or False"},
		{D("'>f4'", "False", "(2,)"), 8, "big-endian"},
		{D("'=f4'", "False", "(2,)"), 8, "element type '=f4' is not supported"},
		{D("'|f4'", "False", "(2,)"), 8, "element type '|f4'"},
		{D("'<f3'", "False", "(2,)"), 8, "element type '<f3'"},
		{D("''", "False", "(2,)"), 8, "element type ''"},
		{D("'<f4", "False", "(2,)"), 8, "element type '<f4, '"},
		{"{'descr': '<f4}", 0, "string without end"},
		{"{'descr': '\\x3cf4'}", 0, "unexpected string"},
		{D("'|O'", "False", "(2,)"), 8, "element type '|O'"},
		{D("[('a', '<f4')]", "False", "(2,)"), 8, "several fields"},
		{D("4", "False", "(2,)"), 8, "expected a string"},
		{D("'<f4'", "False", "(2)"), 8, "expected ',' (a tuple of one)"},
		{D("'<f4'", "False", "2"), 8, "expected '('"},
		{D("'<f4'", "False", "(-2,)"), 8, "expected a size"},
		{D("'<f4'", "False", "(2 3)"), 8, "expected ',' or ')'"},
		{D("'<f4'", "False", "(2,,)"), 8, "expected a size"},
		{D("'<f4'", "False", "(1,1,1,1,1,1,1,1,2)"), 8, "more than 8 dimensions"},
		{D("'<f4'", "False", "(99999999999999999999,)"), 8, "size beyond 64 bits"},
		{D("'<f4'", "False", "(4294967296, 4294967296)"), 8, "shape is too large"},
		{D("'<f4'", "False", "(4294967296, 4294967296, 0)"), 0, "shape is too large"},
		{D("'<f8'", "False", "(4611686018427387904,)"), 0, "shape is too large"},
		{"{'descr': '<f4', 'shape': (2,), }\n", 8, "the header needs"},
		{"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n", 8,
	         "repeated key 'descr'"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}\n", 8,
	         "unknown key 'x'"},
		{"{'descr' '<f4'}\n", 8, "expected ':'"},
		{"{'descr': '<f4' 'shape': (2,)}\n", 8, "expected ',' or '}'"},
		{"('descr',)\n", 8, "expected '{'"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x\n", 8,
	         "unexpected text after"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8, "expected"},
		{"", 8, "expected '{'"},
		{"{}\n", 8, "the header needs"},
	};
	struct err e = {0};
	struct tensor t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put_npy("\x93NUMPY\1\0", 8, strlen(rows[i].dict), 2, rows[i].dict, rows[i].bytes);
		check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, rows[i].message);
	}
}

static void refuses_npy_files_with_a_bad_start(void **state)
{
	static const char dict[] = D("'<f4'", "False", "(2,)");
	struct err e = {0};
	struct tensor t;

	(void)state;
	put_npy("\x93NUMPY\4\0", 8, sizeof dict - 1, 2, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "npy version 4.0");
	put_npy("\x93NUMPY\0\0", 8, sizeof dict - 1, 2, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "npy version 0.0");
	put_npy("\x93NUMPY\1\1", 8, sizeof dict - 1, 2, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "npy version 1.1");
	put_npy("\x93NUMPX\1\0", 8, sizeof dict - 1, 2, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "is no npy file");
	put_npy("\x93NUMPY\1\0", 8, 5000, 2, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "header should have 5000 bytes");
	put_npy("\x93NUMPY\2\0", 8, 0xffffffff, 4, dict, 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "header should have 4294967295 bytes");
	put("\x93NUMPY\1\0", 8);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "is no npy file");
	put("", 0);
	check_fails(npy_read(scratch, &t, &e), ST_INPUT, &e, "is no npy file");
}

/* ---- random changes ---- */

/* One to four changes of a copy of file: bits, bytes, digits, cuts, insertions, copies of pieces.
 */
static size_t mutate(uint64_t round, const char *file, size_t n, char *out)
{
	uint64_t k = 0, changes = 1 + rand_below(77, round, k++, 4);

	memcpy(out, file, n);
	while (changes-- > 0 && n > 0) {
		size_t at = rand_below(77, round, k++, n), len = 1 + rand_below(77, round, k++, 8);
		uint64_t r = rand_u64(77, round, k++);

		switch (rand_below(77, round, k++, 6)) {
		case 0:
			out[at] ^= (char)(1 << r % 8);
			break;
		case 1:
			out[at] = (char)r;
			break;
		case 2:
			out[at] = "0123456789[]{}(),:\"' "[r % 21];
			break;
		case 3:
			n = at;
			break;
		case 4:
			len = len < n - at ? len : n - at;
			memmove(out + at + len, out + at, n - at);
			n += len;
			break;
		default:
			len = len < n - at ? len : n - at;
			memmove(out + at, out + at + len, n - at - len);
			n -= len;
		}
	}
	return n;
}

static void check_tensor(const struct tensor *t)
{
	assert_true(t->rank >= 0 && t->rank <= TENSOR_MAX_RANK);
	assert_true((uint64_t)tensor_count(t) * (uint64_t)dtype_bytes(t->dt) == t->bytes);
}

static void check_read(const char *path, bool safetensors)
{
	struct named_tensor *ts = NULL;
	struct err e = {0};
	struct tensor t;
	size_t n = 0;
	enum st rc;

	rc = safetensors ? safetensors_read(path, &ts, &n, &e) : npy_read(path, &t, &e);
	if (rc != ST_OK) {
		check_true(rc == ST_INPUT && e.msg[0] != '\0', "%s: %s", st_text(rc), e.msg);
	} else if (safetensors) {
		for (size_t i = 0; i < n; i++)
			check_tensor(&ts[i].t);
		named_tensors_free(ts, n);
	} else {
		check_tensor(&t);
		free(t.data);
	}
}

/* A file in memory, so that 60,000 of them are written quickly. */
static void put_in_memory(int fd, const void *p, size_t n)
{
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	assert_int_equal(pwrite(fd, p, n, 0), n);
}

static void random_changes_never_crash_a_reader(void **state)
{
	static const char *const files[] = {DATA "mixed.safetensors", DATA "f4.npy", DATA "v2.npy"};
	uint64_t rounds = check_exhaustive() ? 2000000 : 20000;
	int fd = memfd_create("changed", 0);
	struct err e = {0};
	char path[64];

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (size_t k = 0; k < ARRAY_LEN(files); k++) {
		char *file, *changed;
		size_t n, m;

		check_ok(file_read(files[k], 4096, &file, &n, &e), &e);
		changed = mem_alloc(n + 64);
		for (uint64_t i = 0; i < rounds; i++) {
			m = mutate(i, file, n, changed);
			put_in_memory(fd, changed, m);
			check_read(path, k == 0);
		}
		free(changed);
		free(file);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_numpy_wrote),
		cmocka_unit_test(reads_numpy_booleans_and_scalars),
		cmocka_unit_test(refuses_numpy_files_we_do_not_hold),
		cmocka_unit_test(reads_a_safetensors_file_written_by_python),
		cmocka_unit_test(safetensors_come_back),
		cmocka_unit_test(safetensors_refuse_names_and_types_they_cannot_hold),
		cmocka_unit_test(npy_comes_back),
		cmocka_unit_test(npy_is_written_byte_for_byte_as_numpy_does),
		cmocka_unit_test(refuses_every_malformed_safetensors_file),
		cmocka_unit_test(refuses_safetensors_whose_length_lies),
		cmocka_unit_test(order_in_a_safetensors_header_is_free),
		cmocka_unit_test(refuses_every_malformed_npy_file),
		cmocka_unit_test(refuses_npy_files_with_a_bad_start),
		cmocka_unit_test(random_changes_never_crash_a_reader),
	};
	int fd = mkstemp(scratch), rc;

	if (fd < 0)
		return 99;
	close(fd);
	rc = check_main(tests);
	remove(scratch);
	return rc;
}

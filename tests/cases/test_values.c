/* The bytes of generated inputs, against an independent implementation in Python
 * (tests/cases/data/values_reference.py made the SHA-256 values below). */
#include "cases/cases.h"
#include "tests/check.h"

struct golden {
	const char *line, *sha256;
};
static const struct golden golden[] = {
	{"softmax/f32 R=3,C=33 values=x:normal(1,2) seed=0x9f3c21 fill=00",
	 "2fb74120931d315c3f338b0c0cb10875f6f8d2a011acf1f81815a60c0a6cde9e"},
	{"softmax/f16 R=3,C=33 values=x:normal(1,2) seed=0x7 fill=00",
	 "022bc7f4a90989cf753c33f421a6f7ad57fab2bafcdebe5af14150da285a8a95"},
	{"softmax/bf16 R=5,C=17 values=x:normal(1,2) seed=0x1000000000000000 fill=00",
	 "72da3a8999cb8c1eb8834aefb74d7bdca26724acf93e16eac3222217447aafe9"},
	{"softmax/f32 R=7,C=11 values=x:uniform(-1,3) seed=0x1 fill=00",
	 "34dc99365f05ed47f266717817ec1b42589fb2d21e0996ecedf4cbe083b23d29"},
	{"softmax/f16 R=2,C=64 values=x:wide(10) seed=0x3 fill=00",
	 "06708ff354e943b12fc7ce7d1fd5d358bf79c90de896053bd8ad696437565c00"},
	{"softmax/bf16 R=4,C=9 values=x:ints(5) seed=0xc fill=00",
	 "c78d1b579e45c3e509fa3622924f029dba8a9b729c57ab77905c0fa23b5db380"},
	{"softmax/f32 R=3,C=21 values=x:rising(4,2) seed=0x63 fill=00",
	 "0f5c6ebec13058a12a43dacdf686bd587549578e79a92fa62a21af0f6c965d72"},
	{"softmax/f32 R=6,C=5 values=x:onehot(7) seed=0x5 fill=00",
	 "f4d6de2d59a7be849b8902f877ca0251e45ea43bc8a0bec6502f6c8f126c2b80"},
};

static void hash_input(const char *line, char out[65])
{
	struct named_tensor *ts = NULL;
	struct err e = {0};
	struct kase c;
	size_t n = 0;

	check_ok(case_parse(line, NULL, &c, &e), &e);
	check_ok(case_inputs(&c, &ts, &n, &e), &e);
	sha256_hex(ts[0].t.data, ts[0].t.bytes, out);
	named_tensors_free(ts, n);
}

static void values_are_the_bytes_of_the_public_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(golden); i++) {
		char sha[65];

		hash_input(golden[i].line, sha);
		check_true(strcmp(sha, golden[i].sha256) == 0, "%s: got %s, want %s", golden[i].line, sha,
		           golden[i].sha256);
	}
}

static void gather(const char *line, double *x, int64_t want)
{
	struct named_tensor *ts = NULL;
	struct err e = {0};
	struct kase c;
	size_t n = 0;

	check_ok(case_parse(line, NULL, &c, &e), &e);
	check_ok(case_inputs(&c, &ts, &n, &e), &e);
	assert_int_equal(tensor_count(&ts[0].t), want);
	tensor_gather(&ts[0].t, x);
	named_tensors_free(ts, n);
}

/* Mean and deviation of 2^16 standard normals lie within 5 standard errors of 0 and 1; the largest of them
 * is about 4.4 (expected maximum of 65,536 normals), and one in 2^16 lies above 4.17. */
static void normal_values_have_normal_moments(void **state)
{
	static double x[65536];
	double s = 0, s2 = 0, s4 = 0, max = 0;

	(void)state;
	gather("softmax/f32 R=1,C=65536 seed=0x5 fill=00", x, 65536);
	for (int i = 0; i < 65536; i++) {
		s += x[i];
		s2 += x[i] * x[i];
		s4 += x[i] * x[i] * x[i] * x[i];
		max = fabs(x[i]) > max ? fabs(x[i]) : max;
	}
	check_true(fabs(s / 65536) < 5 / 256.0, "mean %g", s / 65536);
	check_true(fabs(s2 / 65536 - 1) < 5 * sqrt(2) / 256, "variance %g", s2 / 65536);
	check_true(fabs(s4 / 65536 - 3) < 5 * sqrt(96) / 256, "fourth moment %g", s4 / 65536);
	check_true(max > 3.8 && max < 6, "largest %g", max);
}

static void unit_rows_have_unit_norm(void **state)
{
	double x[3 * 100];

	(void)state;
	gather("l2norm/f32 R=3,C=100 values=x:unitrows seed=0x5 fill=00", x, 300);
	for (int r = 0; r < 3; r++) {
		double s = 0;

		for (int c = 0; c < 100; c++)
			s += x[100 * r + c] * x[100 * r + c];
		check_true(fabs(s - 1) < 1e-6, "row %d: %g", r, s);
	}
}

static void structured_classes_have_their_structure(void **state)
{
	double x[64];

	(void)state;
	gather("softmax/f32 R=4,C=16 values=x:maxlast(9) seed=0x5 fill=00", x, 64);
	for (int r = 0; r < 4; r++)
		assert_true(x[16 * r + 15] == 9);
	gather("softmax/f32 R=4,C=16 values=x:dyadic seed=0x5 fill=00", x, 64);
	for (int i = 0; i < 64; i++)
		assert_true(x[i] == x[i / 16 * 16] && x[i] * 8 == floor(x[i] * 8));
	gather("softmax/f16 R=4,C=16 values=x:subnormal seed=0x5 fill=00", x, 64);
	for (int i = 0; i < 64; i++)
		assert_true(fabs(x[i]) < 0x1p-14);
	gather("softmax/f16 R=4,C=16 values=x:signedzero seed=0x5 fill=00", x, 64);
	for (int i = 0; i < 64; i++)
		assert_true(x[i] == 0);
	gather("softmax/bf16 R=4,C=16 values=x:nan(0.5) seed=0x5 fill=00", x, 64);
	int nans = 0;
	for (int i = 0; i < 64; i++)
		nans += x[i] != x[i];
	check_true(nans > 16 && nans < 48, "%d of 64", nans); /* binomial(64, 1/2): 4 deviations */
}

static void every_class_is_described_and_generates(void **state)
{
	char *text = values_describe(), *save = NULL;
	int n = 0;

	(void)state;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), n++) {
		char spec[64], c[200], sha[65];

		assert_int_equal(sscanf(line, "%63s", spec), 1);
		snprintf(c, sizeof c, "softmax/bf16 R=3,C=40 values=x:%s seed=0x1 fill=00", spec);
		hash_input(c, sha);
	}
	check_true(n >= 30, "%d classes", n);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_the_bytes_of_the_public_format),
		cmocka_unit_test(normal_values_have_normal_moments),
		cmocka_unit_test(unit_rows_have_unit_norm),
		cmocka_unit_test(structured_classes_have_their_structure),
		cmocka_unit_test(every_class_is_described_and_generates),
	};

	return check_main(tests);
}

/* test_dtype_bulk.c - the vectorised conversions give the bits of dtype_decode and dtype_encode
 * (which test_dtype.c holds against MPFR), for every instruction set that this processor has. */
#include "tests/check.h"

#include "base/dtype_loops.h"

static int tables(const struct dtype_loops *out[3])
{
	int n = 0;

	out[n++] = &dtype_loops_sse2;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		out[n++] = &dtype_loops_avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		out[n++] = &dtype_loops_avx512;
	return n;
}

static void (*decoder(const struct dtype_loops *l, enum dtype t))(const void *, double *, size_t)
{
	return t == DT_F32 ? l->decode_f32 : t == DT_F16 ? l->decode_f16 : l->decode_bf16;
}

static void (*encoder(const struct dtype_loops *l, enum dtype t))(const double *, void *, size_t)
{
	return t == DT_F32 ? l->encode_f32 : t == DT_F16 ? l->encode_f16 : l->encode_bf16;
}

static const enum dtype bulk[] = {DT_F32, DT_F16, DT_BF16};

static void check_decode(enum dtype t, const void *src, size_t n)
{
	const struct dtype_loops *isa[3];
	int nisa = tables(isa);
	double *d = mem_alloc(n * sizeof *d);

	for (int k = 0; k < nisa; k++) {
		decoder(isa[k], t)(src, d, n);
		for (size_t i = 0; i < n; i++) {
			uint64_t b = dtype_load(t, (const char *)src + i * (size_t)dtype_bytes(t));
			double want = dtype_decode(t, b);

			check_true(isnan(want) ? isnan(d[i]) : !memcmp(&d[i], &want, sizeof want),
			           "table %d, %s 0x%" PRIx64 ": %a, not %a", k, dtype_name(t), b,
			           d[i], want);
		}
	}
	free(d);
}

static void every_16_bit_encoding_decodes(void **state)
{
	static uint16_t all[1 << 16];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = (uint16_t)i;
	check_decode(DT_F16, all, ARRAY_LEN(all));
	check_decode(DT_BF16, all, ARRAY_LEN(all));
}

static void f32_decodes(void **state)
{
	static uint32_t some[200000];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(some); i++)
		some[i] = (uint32_t)rand_u64(1, 1, i);
	for (uint32_t i = 0; i < 1024; i++) {
		some[i] = (i & 512) << 22 | (i & 511) << 22; /* every exponent, both signs */
		some[1024 + i] = i;
	}
	check_decode(DT_F32, some, ARRAY_LEN(some));
}

static void check_encode(enum dtype t, const double *src, size_t n)
{
	const struct dtype_loops *isa[3];
	int nisa = tables(isa);
	size_t bytes = (size_t)dtype_bytes(t);
	char *out = mem_alloc(n * bytes + 1);

	for (int k = 0; k < nisa; k++) {
		encoder(isa[k], t)(src, out + 1, n);
		for (size_t i = 0; i < n; i++) {
			uint64_t got = dtype_load(t, out + 1 + i * bytes);
			uint64_t want = dtype_encode(t, src[i], RND_NE, false);

			check_true(got == want,
			           "table %d, %s(%a): got 0x%" PRIx64 ", want 0x%" PRIx64, k,
			           dtype_name(t), src[i], got, want);
		}
	}
	free(out);
}

/* Values, middles between neighbours, and the doubles beside them. */
static void values_and_ties_encode(void **state)
{
	enum { PER = 12 };
	double *v = mem_alloc(sizeof *v * PER * (1 << 16));
	size_t n;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(bulk); k++) {
		enum dtype t = bulk[k];
		uint64_t step = t == DT_F32 ? 0x10001 : 1; /* f32: every 65537th */
		uint64_t sign = 1ull << (dtype_bytes(t) * 8 - 1);

		n = 0;
		for (uint64_t b = 0; b < sign; b += step) {
			double x = dtype_decode(t, b), y = dtype_decode(t, b + 1), m = (x + y) / 2;

			const double near[] = {x, nextafter(x, 0), nextafter(x, INFINITY),
			                       m, nextafter(m, 0), nextafter(m, INFINITY)};

			for (size_t i = 0; i < ARRAY_LEN(near); i++) {
				v[n++] = near[i];
				v[n++] = -near[i];
			}
		}
		check_encode(t, v, n);
	}
	free(v);
}

static void odd_values_encode(void **state)
{
	double v[4096];
	size_t n = 0;

	(void)state;
	for (int e = -1074; e <= 1023; e++)
		v[n++] = ldexp(e & 1 ? -1 : 1, e) * (1 + 0x1p-52);
	v[n++] = NAN;
	v[n++] = -NAN;
	v[n++] = INFINITY;
	v[n++] = -INFINITY;
	v[n++] = -0.0;
	v[n++] = 65520;
	v[n++] = 65519.999999999993;
	v[n++] = 0x1.fffffffffffffp127;
	v[n++] = 0x1.ffffffp127;
	for (size_t k = 0; k < ARRAY_LEN(bulk); k++)
		check_encode(bulk[k], v, n);
}

static void every_length_leaves_what_follows_alone(void **state)
{
	double in[601], back[601];
	char out[601 * 8 + 8];

	(void)state;
	for (int i = 0; i < 601; i++)
		in[i] = i - 300;
	for (int t = 0; t < DT_COUNT; t++)
		for (size_t n = 0; n <= 600; n += n < 70 ? 1 : 53) {
			size_t bytes = (size_t)dtype_bytes((enum dtype)t);

			memset(out, 0x5a, sizeof out);
			back[n] = 12345;
			dtype_encode_n((enum dtype)t, in, out + 1, n);
			assert_true(out[0] == 0x5a && out[1 + n * bytes] == 0x5a);
			dtype_decode_n((enum dtype)t, out + 1, back, n);
			assert_true(back[n] == 12345);
			for (size_t i = 0; i < n; i++) {
				uint64_t b = dtype_encode((enum dtype)t, in[i], RND_NE, false);

				assert_true(dtype_load((enum dtype)t, out + 1 + i * bytes) == b);
				assert_true(back[i] == dtype_decode((enum dtype)t, b));
			}
		}
}

static void f64_bulk_keeps_bits_and_makes_nan_canonical(void **state)
{
	const double in[] = {1.5, -0.0, -NAN, INFINITY, 0x1p-1074};
	uint64_t out[5];

	(void)state;
	dtype_encode_n(DT_F64, in, out, 5);
	for (int i = 0; i < 5; i++)
		check_bits(out[i], dtype_encode(DT_F64, in[i], RND_NE, false), "f64");
	check_bits(out[2], 0x7fffffffffffffff, "NaN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_16_bit_encoding_decodes),
		cmocka_unit_test(f32_decodes),
		cmocka_unit_test(values_and_ties_encode),
		cmocka_unit_test(odd_values_encode),
		cmocka_unit_test(f64_bulk_keeps_bits_and_makes_nan_canonical),
		cmocka_unit_test(every_length_leaves_what_follows_alone),
	};

	return check_main(tests);
}

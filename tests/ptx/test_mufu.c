/* test_mufu.c - the special-function unit against hashes of an H200's results for all inputs.
 *
 * tests/ptx/data/README.md says how the hashes came about.  A chunk is 2^20 consecutive inputs
 * u; its hash is the sum over them of mix(u << 32 | f(u)).  A sample of the chunks is checked
 * here, all of them under GPUEMU_EXHAUSTIVE. */
#include "ptx/mufu_isa.h"
#include "tests/check.h"

enum { CHUNKS = 4096, CHUNK = 1 << 20 };

typedef uint32_t one_input(uint32_t u);
static uint32_t ex2(uint32_t u)
{
	return f32_ex2_approx(u, false);
}
static uint32_t rcp(uint32_t u)
{
	return f32_rcp_approx(u, false);
}
static uint32_t rsqrt(uint32_t u)
{
	return f32_rsqrt_approx(u, false);
}
static uint32_t square_root(uint32_t u)
{
	return f32_sqrt_approx(u, false);
}
static uint32_t lg2(uint32_t u)
{
	return f32_lg2_approx(u, false);
}
static uint32_t e4m3(uint32_t u)
{
	return cvt_fp8x2_from_f32(F32_ONE, u, FP8_E4M3, false);
}
static uint32_t e5m2(uint32_t u)
{
	return cvt_fp8x2_from_f32(F32_ONE, u, FP8_E5M2, false);
}

static const char *const unit_name[MUFU_COUNT] = {
        "ex2", "rcp", "rsqrt", "sqrt", "lg2", "sin", "cos", "tanh",
};
/* Instructions made of the unit and of scalings, and two conversions. */
static const struct {
	const char *name;
	one_input *f;
} made[] = {
        {"ex2.approx.f32", ex2},
        {"rcp.approx.f32", rcp},
        {"rsqrt.approx.f32", rsqrt},
        {"sqrt.approx.f32", square_root},
        {"lg2.approx.f32", lg2},
        {"cvt.rn.satfinite.e4m3x2.f32 of (1, u)", e4m3},
        {"cvt.rn.satfinite.e5m2x2.f32 of (1, u)", e5m2},
};

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}
static uint64_t chunk_hash(int function, one_input *f, uint32_t chunk)
{
	enum { STEP = 1024 };
	uint32_t u[STEP], v[STEP];
	uint64_t sum = 0;
	for (uint32_t at = 0; at < CHUNK; at += STEP) {
		for (uint32_t i = 0; i < STEP; i++)
			u[i] = chunk * CHUNK + at + i;
		if (f)
			for (uint32_t i = 0; i < STEP; i++)
				v[i] = f(u[i]);
		else
			mufu_array((enum mufu_function)function, u, v, STEP);
		for (uint32_t i = 0; i < STEP; i++)
			sum += mix((uint64_t)u[i] << 32 | v[i]);
	}
	return sum;
}

struct sweep {
	const uint64_t *want; /* hashes of all chunks of function 0, 1, ... */
	bool made;            /* the instructions of made[], else the bare unit */
	uint32_t chunks;      /* checked of each function */
	bool *wrong;
};
/* Spread over all inputs; the first ones hold zeros, subnormals, 1, 2^126, infinity and NaN. */
static uint32_t chunk_of(const struct sweep *s, uint32_t i, uint32_t function)
{
	static const uint32_t edge[] = {0x000, 0x007, 0x3f8, 0x7e8, 0x7f8, 0x800, 0xc2f, 0xff8};
	if (s->chunks == CHUNKS)
		return i;
	return i < ARRAY_LEN(edge) ? edge[i]
	                           : (i * (CHUNKS / s->chunks) + function * 37 + i * 11) % CHUNKS;
}
static void check_chunk(void *ctx, size_t i, int worker)
{
	const struct sweep *s = ctx;
	uint32_t function = (uint32_t)(i / s->chunks);
	uint32_t chunk = chunk_of(s, (uint32_t)(i % s->chunks), function);
	(void)worker;
	s->wrong[i] = chunk_hash((int)function, s->made ? made[function].f : NULL, chunk) !=
	              s->want[function * CHUNKS + chunk];
}
static void check_hashes(const char *path, bool is_made, uint32_t functions, uint32_t chunks)
{
	struct err e = {0};
	char *data = NULL;
	size_t len;
	struct sweep s = {.made = is_made, .chunks = check_exhaustive() ? CHUNKS : chunks};
	check_ok(file_read(path, 1 << 20, &data, &len, &e), &e);
	check_true(len == functions * CHUNKS * sizeof(uint64_t), "%s has %zu bytes", path, len);
	uint64_t *want = mem_alloc(len);
	memcpy(want, data, len);
	s.want = want;
	s.wrong = mem_zalloc(functions * s.chunks, sizeof *s.wrong);
	pool_run(check_exhaustive() ? cpu_count() : 1, functions * s.chunks, check_chunk, NULL, &s);
	for (uint32_t i = 0; i < functions * s.chunks; i++)
		check_true(!s.wrong[i], "%s: some input from 0x%08x to 0x%08x is wrong",
		           is_made ? made[i / s.chunks].name : unit_name[i / s.chunks],
		           chunk_of(&s, i % s.chunks, i / s.chunks) * CHUNK,
		           chunk_of(&s, i % s.chunks, i / s.chunks) * CHUNK + CHUNK - 1);
	free(want);
	free(s.wrong);
	free(data);
}
static void the_unit_is_an_h200s(void **state)
{
	(void)state;
	check_hashes("tests/ptx/data/mufu_hash.u64", false, MUFU_COUNT, 64);
}
static void instructions_made_of_it_are_an_h200s(void **state)
{
	(void)state;
	check_hashes("tests/ptx/data/h200_hash.u64", true, ARRAY_LEN(made), 10);
}

static void all_instruction_sets_agree(void **state)
{
	enum { N = 1 << 15 };
	static uint32_t u[N], want[N], v[N];
	const struct {
		const char *name;
		bool here;
		mufu_loop *const *loops;
	} sets[] = {
	        {"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
	         mufu_loops_avx2},
	        {"avx512",
	         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	                 __builtin_cpu_supports("avx512vl"),
	         mufu_loops_avx512},
	};
	(void)state;
	for (uint32_t i = 0; i < N; i++)
		u[i] = i * 131071u + (i & 1 ? 0x55u : 0u); /* all exponents, both signs */
	for (int f = 0; f < MUFU_COUNT; f++) {
		mufu_loops_sse2[f](u, want, N);
		for (size_t k = 0; k < ARRAY_LEN(sets); k++) {
			if (!sets[k].here)
				continue;
			sets[k].loops[f](u, v, N);
			for (uint32_t i = 0; i < N; i++)
				check_true(v[i] == want[i],
				           "%s on %s: %08x gives %08x, on sse2 %08x", unit_name[f],
				           sets[k].name, u[i], v[i], want[i]);
			/* lengths that are no multiple of a vector, and in place */
			memcpy(v, u, sizeof v);
			sets[k].loops[f](v, v, 77);
			check_true(!memcmp(v, want, 77 * sizeof *v) && v[77] == u[77],
			           "%s on %s in place", unit_name[f], sets[k].name);
		}
	}
}

/* Results that the PTX ISA manual states, and errors within its bounds at a few places. */
static void stated_values(void **state)
{
	static const uint32_t inf = 0x7f800000u, minus = 0x80000000u, nan = 0x7fffffffu;
	(void)state;
	check_bits(f32_ex2_approx(inf | minus, false), 0, "ex2(-inf)");
	check_bits(f32_ex2_approx(minus, true), 0x3f800000u, "ex2(-0)");
	check_bits(f32_lg2_approx(0, false), inf | minus, "lg2(0)");
	check_bits(f32_lg2_approx(0xbf800000u, true), nan, "lg2(-1)");
	check_bits(f32_rcp_approx(minus, true), inf | minus, "rcp(-0)");
	check_bits(f32_rcp_approx(inf | minus, false), minus, "rcp(-inf)");
	check_bits(f32_rsqrt_approx(minus, false), inf | minus, "rsqrt(-0)");
	check_bits(f32_sqrt_approx(minus, false), minus, "sqrt(-0)");
	check_bits(f32_sqrt_approx(0xbf800000u, false), nan, "sqrt(-1)");
	check_bits(f32_sin_approx(inf), nan, "sin(inf)");
	check_bits(f32_tanh_approx(inf | minus), 0xbf800000u, "tanh(-inf)");
	check_bits(f32_tanh_approx(1), 1, "tanh of a subnormal");
	check_bits(f64_rcp_approx(0x7ff0000000000001u & ~1ull), 0, "rcp.f64(inf)");
	check_bits(f64_rcp_approx(0x7ff8000000000000u), 0x7fffffff00000000u, "rcp.f64(NaN)");
	/* |b| in (2^126, 2^128): div.approx gives 0, div.full a quotient within 2 ulp (here
	 * exact) */
	check_bits(f32_div_approx(0x7f000000u, 0x7f000000u, false, false), 0, "div.approx");
	check_bits(f32_div_approx(0x7f000000u, 0x7f000000u, false, true), 0x3f800000u, "div.full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stated_values),
	        cmocka_unit_test(all_instruction_sets_agree),
	        cmocka_unit_test(the_unit_is_an_h200s),
	        cmocka_unit_test(instructions_made_of_it_are_an_h200s),
	};
	return check_main(tests);
}

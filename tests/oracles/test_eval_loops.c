/* test_eval_loops.c - the evaluator's loops give the same bits on every instruction set, for every
 * length, and their sums are the sums. */
#include "oracles/eval_loops.h"
#include "tests/check.h"

enum { N = 67 };

static double a_v[N], a_r[N], a_s[N], b_v[N], b_r[N], b_s[N], t[N];

static double any(uint64_t stream, int i)
{
	uint64_t w = rand_u64(7, stream, (uint64_t)i);
	double u = rand_unit(8, stream, (uint64_t)i) - 0.5;

	if (w % 23 == 0)
		return w % 2 ? INFINITY : 0;
	if (w % 29 == 0)
		return NAN;
	return ldexp(u, (int)(w >> 40) % 40 - 20);
}

static void fill(void)
{
	for (int i = 0; i < N; i++) {
		a_v[i] = any(1, i);
		b_v[i] = any(2, i);
		a_r[i] = fabs(any(3, i)) * 1e-12;
		b_r[i] = fabs(any(4, i)) * 1e-12;
		a_s[i] = fabs(any(5, i));
		b_s[i] = fabs(any(6, i));
		t[i] = fabs(any(9, i));
	}
}

static const struct eval_loops *tables[3];
static int ntables;

static void find_tables(void)
{
	ntables = 0;
	tables[ntables++] = &eval_loops_sse2;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		tables[ntables++] = &eval_loops_avx2;
	if (eval_loops_best() == &eval_loops_avx512)
		tables[ntables++] = &eval_loops_avx512;
}

/* What one loop gives: three arrays and a number or two. NaN's payload and sign do not count. */
struct result {
	double v[N], r[N], s[4 * N], sums[4];
};

static void same(const struct result *x, const struct result *y, const char *what, size_t n)
{
	const double *p = (const double *)x, *q = (const double *)y;

	for (size_t i = 0; i < sizeof *x / sizeof *p; i++)
		check_true((isnan(p[i]) && isnan(q[i])) || memcmp(&p[i], &q[i], sizeof *p) == 0,
		           "%s, n = %zu, %zu: %a and %a", what, n, i, p[i], q[i]);
}

#define EACH(what, call)                                                                           \
	for (size_t n = 0; n <= N; n += n < 20 ? 1 : 47) {                                         \
		struct result want = {0};                                                          \
		for (int k = 0; k < ntables; k++) {                                                \
			const struct eval_loops *l = tables[k];                                    \
			struct result got = {0};                                                   \
			struct chunk a = {a_v, a_r, a_s}, b = {b_v, b_r, b_s};                     \
			struct chunk z = {got.v, got.r, got.s};                                    \
			double *sums = got.sums;                                                   \
			memcpy(got.v, t, n * sizeof *t);                                           \
			(void)a, (void)b, (void)z, (void)sums;                                     \
			call;                                                                      \
			if (k == 0)                                                                \
				want = got;                                                        \
			same(&want, &got, what, n);                                                \
		}                                                                                  \
	}

static void enclosures_are_the_same_everywhere(void **state)
{
	(void)state;
	fill();
	find_tables();
	EACH("add", sums[0] = l->add(n, z, a, b, 1e6));
	EACH("sub", sums[0] = l->sub(n, z, a, b, 1e6));
	EACH("mul", sums[0] = l->mul(n, z, a, b, 1e6));
	EACH("sqr", sums[0] = l->sqr(n, z, a, 1e6));
	EACH("div", sums[0] = l->div(n, z, a, b, 1e6));
	EACH("sqrt", sums[0] = l->sqrt(n, z, a, false, 1e6));
	EACH("root", sums[0] = l->sqrt(n, z, a, true, 1e6));
	EACH("rsqrt", sums[0] = l->rsqrt(n, z, a, 1e6));
	EACH("max", sums[0] = l->max(n, z, a, b, 1e6));
	EACH("min", sums[0] = l->min(n, z, a, b, 1e6));
	EACH("exp", sums[0] = l->exp_rad(n, z, a, 0x1p-51, 1, 1e6));
	EACH("expm1", sums[0] = l->expm1_rad(n, z, a, 1e6));
	EACH("log", sums[0] = l->log_rad(n, z, a, 0x1p-50, 1.4427, 1, 1e6));
	EACH("tanh", sums[0] = l->bounded_rad(n, z, a, 0x1p-49, 1, 1e6));
	EACH("erfp1", sums[0] = l->erfp1(n, z, a, t, 1e6));
	EACH("tanhp1", sums[0] = l->tanhp1(n, z, a, t, 1e6));
	EACH("check", sums[0] = l->check(n, a_v, 1e3));
}

static void scales_are_the_same_everywhere(void **state)
{
	(void)state;
	struct numerics num = numerics_default();
	num.ftz = true;
	struct scale sk = scale_make(&num, 12, SCALE_ALL);
	struct scale_unit u = {3, 4, 0.9, 0.3, 1e-38, 1e-30};

	fill();
	find_tables();
	EACH("s_add", l->s_add(n, &sk, z, a, b));
	EACH("s_mul", l->s_mul(n, &sk, z, a, b));
	EACH("s_div", l->s_div(n, &sk, z, a, b));
	EACH("s_sqrt", l->s_sqrt(n, &sk, z, a));
	EACH("s_rsqrt", l->s_rsqrt(n, &sk, z, a));
	EACH("s_max", l->s_max(n, &sk, z, a, b));
	EACH("s_min", l->s_min(n, &sk, z, a, b));
	EACH("s_growth", sums[0] = l->s_growth(n, &sk, got.r, a_s, 0.5));
	EACH("s_relative", l->s_relative(n, &sk, got.r, a));
	EACH("s_exp", l->s_exp(n, &sk, z, a, b_s));
	EACH("s_slope", l->s_slope(n, &sk, z, a, b_s, 5));
	EACH("s_log", l->s_log(n, &sk, z, a, 1.4, 1, 3));
	EACH("s_sat", l->s_saturating(n, &sk, z, a, b_s, t, 5, n % 2));
	EACH("s_input", l->s_input(n, &sk, got.s, a_v));
	EACH("s_narrow", l->s_narrow(n, got.s, a_v, 8, 1e-3));
	EACH("s_unit", l->s_unit(n, z, a_s, b_s, &u));
	EACH("s_weighted", l->s_weighted(n, a_v, a_s, b_v, 0.25, 3, 4, 5, got.s));
	EACH("finish", sums[0] = l->finish(n, got.v, 1e-3));
}

static void sums_are_the_same_everywhere(void **state)
{
	(void)state;
	fill();
	find_tables();
	EACH("sums", struct chunk_sums q = l->sums(n, a_v, a_r, a_s); memcpy(sums, &q, sizeof q));
	EACH("maximum", sums[0] = l->maximum(n, a_s, -1));
	EACH("weigh", struct chunk_weights q = l->weigh(n, a_s, b_s); memcpy(sums, &q, sizeof q));
	EACH("unit", struct chunk_sums q = l->unit_sums(n, a_s, b_s, t);
	     memcpy(sums, &q, sizeof q));
	EACH("accumulate",
	     l->accumulate(n, ((struct chunk_acc){got.v, got.r, got.s, got.s + N, got.s + 2 * N}),
	                   a_v, a_r, a_s));
	EACH("axpy", l->axpy(n, ((struct chunk_acc){got.v, got.r, got.s, got.s + N, got.s + 2 * N}),
	                     a_v, (struct elem){0.3, 1e-9, 2}));
}

static void sums_are_sums(void **state)
{
	(void)state;
	double x[N];

	find_tables();
	for (int n = 0; n <= N; n++) {
		int64_t sum = 0, abs = 0, top = INT64_MIN;
		for (int i = 0; i < n; i++) { /* integers: exact in every order */
			int64_t w = (int64_t)rand_below(3, 3, (uint64_t)i, 2001) - 1000;
			x[i] = (double)w;
			sum += w;
			abs += w < 0 ? -w : w;
			top = w > top ? w : top;
		}
		for (int k = 0; k < ntables; k++) {
			struct chunk_sums q = tables[k]->sums((size_t)n, x, NULL, x);
			assert_true(q.v == (double)sum && q.a == (double)abs && q.r == 0 &&
			            q.s == (double)sum);
			if (n > 0)
				assert_true(tables[k]->maximum((size_t)n, x, -INFINITY) ==
				            (double)top);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(enclosures_are_the_same_everywhere),
	        cmocka_unit_test(scales_are_the_same_everywhere),
	        cmocka_unit_test(sums_are_the_same_everywhere),
	        cmocka_unit_test(sums_are_sums),
	};
	return check_main(tests);
}

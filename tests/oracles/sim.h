/* sim.h - GPU kernels simulated in C, good ones and wrong ones, for the tests of the error scale.
 *
 * A `struct lib` is a compiler with its library: exp, tanh, erf, log, rsqrt as the CUDA
 * documentation bounds them (correctly rounded plus uniform noise of up to that many ulp) or as the
 * special-function unit computes them (ptx/mufu.h, bit for bit an H200's); division exact or
 * through rcp.approx; sums serial, reversed, by a tree or by lanes; flushing to zero or not. */
#ifndef TESTS_ORACLES_SIM_H
#define TESTS_ORACLES_SIM_H

#include "ptx/mufu.h"
#include "tests/check.h"

enum order { TREE, SEQ, REV, B256, B32 };
enum root { ROOT_2ULP, ROOT_MUFU, ROOT_IEEE };

struct lib {
	const char *name;
	bool ex2, rcp, ftz;
	enum order order;
	enum root root;
	uint64_t state;
};

static const struct lib sim_libs[] = {
        {"libm.tree", false, false, false, TREE, ROOT_2ULP, 1},
        {"libm.seq", false, false, false, SEQ, ROOT_2ULP, 2},
        {"libm.b256", false, false, false, B256, ROOT_IEEE, 3},
        {"fast.b32", true, true, true, B32, ROOT_MUFU, 4},
        {"ftz.b256", true, true, true, B256, ROOT_2ULP, 5},
        {"libm.rev", false, false, false, REV, ROOT_2ULP, 6},
};

#define L2E  1.4426950408889634f
#define LN2F 0.6931471805599453f

/* One problem: x is R rows of K; or a (M×K), b (K×N); or q (M×D), k (K×D), v (K×E). */
struct sim {
	int R, K, M, N, D, E;
	const float *x, *w, *b; /* rows */
	const float *q, *k, *v;
};

static uint64_t sim_next(struct lib *l)
{
	l->state += 256;
	return rand_u64(0x51b, l->state & 0xff, l->state);
}
static float fl(const struct lib *l, float x)
{
	return l->ftz && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}
static float ulp_f(float y)
{
	float a = fabsf(y);
	return nextafterf(a, INFINITY) - a;
}
/* y rounded to float, off by up to n ulp. */
static float noisy(struct lib *l, double y, int n)
{
	float f = (float)y;
	if (n == 0 || !isfinite(f) || f == 0)
		return f;
	return f + (float)((int)(sim_next(l) >> 33) % (2 * n + 1) - n) * ulp_f(f);
}
static float l_ex2(float x)
{
	return f32_value(mufu_ex2(f32_bits(x)));
}
static float l_rcp(float x)
{
	return f32_value(mufu_rcp(f32_bits(x)));
}
static float l_exp(struct lib *l, float x)
{
	x = fl(l, x);
	return fl(l, l->ex2 ? l_ex2(x * L2E) : noisy(l, exp((double)x), 2));
}
static float l_div(struct lib *l, float a, float b)
{
	a = fl(l, a);
	b = fl(l, b);
	return fl(l, l->rcp ? a * fl(l, l_rcp(b)) : a / b);
}
static float clip1(float y)
{
	return y > 1 ? 1 : y < -1 ? -1 : y;
}
static float l_tanh(struct lib *l, float x)
{
	return fabsf(x) > 9.02f ? copysignf(1, x) : clip1(noisy(l, tanh((double)x), 2));
}
static float l_erf(struct lib *l, float x)
{
	return fabsf(x) > 3.92f ? copysignf(1, x) : clip1(noisy(l, erf((double)x), 1));
}
static float l_log(struct lib *l, float x)
{
	return l->ex2 ? f32_value(mufu_lg2(f32_bits(x))) * LN2F : noisy(l, log((double)x), 1);
}
static float l_rsqrt(struct lib *l, float x)
{
	if (l->root == ROOT_MUFU)
		return f32_value(mufu_rsqrt(f32_bits(x)));
	return l->root == ROOT_IEEE ? 1 / sqrtf(x) : noisy(l, 1 / sqrt((double)x), 2);
}
static float mufu_tanh_f(float x)
{
	return f32_value(mufu_tanh(f32_bits(x)));
}

/* ---- sums ---- */

enum { SIM_MAX_K = 1024 };

static float sum_tree(const float *v, int n)
{
	float t[SIM_MAX_K + 1];
	if (n == 0)
		return 0;
	memcpy(t, v, (size_t)n * sizeof *t);
	for (; n > 1; n = (n + 1) / 2) {
		if (n & 1)
			t[n] = 0;
		for (int i = 0; i < (n + 1) / 2; i++)
			t[i] = t[2 * i] + t[2 * i + 1];
	}
	return t[0];
}
static float sum_lanes(const float *v, int n, int lanes)
{
	float t[256] = {0};
	for (int i = 0; i < n; i++)
		t[i % lanes] += v[i];
	return sum_tree(t, lanes);
}
static float sum_in(const float *v, int n, enum order o)
{
	float s = 0;
	switch (o) {
	case SEQ:
		for (int i = 0; i < n; i++)
			s += v[i];
		return s;
	case REV:
		for (int i = n; i-- > 0;)
			s += v[i];
		return s;
	case TREE:
		return sum_tree(v, n);
	default:
		return sum_lanes(v, n, o == B256 ? 256 : 32);
	}
}
static float l_sum(struct lib *l, const float *v, int n)
{
	return fl(l, sum_in(v, n, l->order));
}
static float l_sumsq(struct lib *l, const float *v, int n)
{
	float t[SIM_MAX_K];
	for (int i = 0; i < n; i++)
		t[i] = fl(l, v[i] * v[i]);
	return l_sum(l, t, n);
}
static float f16_of(float x)
{
	return (float)dtype_decode(DT_F16, dtype_encode(DT_F16, (double)x, RND_NE, false));
}
static float bf16_of(float x)
{
	return (float)dtype_decode(DT_BF16, dtype_encode(DT_BF16, (double)x, RND_NE, false));
}
static float tf32_of(float x)
{
	return f32_value((f32_bits(x) + 0x1000) & ~(uint32_t)0x1fff);
}
static float sum_f16(const float *v, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s = f16_of(s + v[i]);
	return s;
}
static float row_max(const float *x, int n)
{
	float m = -INFINITY;
	for (int i = 0; i < n; i++)
		m = x[i] > m ? x[i] : m;
	return m;
}

/* L, the longest chain of dependent additions, of a row kernel. */
static double sim_chain(const struct lib *l, int K)
{
	switch (l->order) {
	case TREE:
		return 1;
	case B256:
		return K / 256.0;
	case B32:
		return K / 32.0;
	default:
		return K;
	}
}

#endif

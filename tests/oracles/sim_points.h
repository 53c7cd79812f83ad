/* sim_points.h - simulated elementwise kernels. */
#ifndef TESTS_ORACLES_SIM_POINTS_H
#define TESTS_ORACLES_SIM_POINTS_H

#include "tests/oracles/sim_rows.h"

#define RS2 0.70710678f
#define KB  0.7978845608f
#define KC  0.044715f

static float erfc_f(struct lib *l, float a)
{
	return noisy(l, erfc((double)a), 4);
}

/* One element; NAN as *y with false: no such variant. */
typedef bool sim_point(struct lib *l, int variant, float x, float *y);

static bool sigmoid_one(struct lib *l, int variant, float x, float *y)
{
	*y = l_div(l, 1, 1 + l_exp(l, -x));
	return variant == 0;
}
static bool silu_one(struct lib *l, int variant, float x, float *y)
{
	float d = 1 + l_exp(l, -x);
	*y = variant ? fl(l, x * l_div(l, 1, d)) : l_div(l, x, d);
	return variant < 2;
}
static bool tanh_one(struct lib *l, int variant, float x, float *y)
{
	*y = l_tanh(l, x);
	return variant == 0;
}
static bool elu_one(struct lib *l, int variant, float x, float *y)
{
	*y = x > 0 ? x : fl(l, noisy(l, expm1((double)x), 1));
	return variant == 0;
}
static bool relu_one(struct lib *l, int variant, float x, float *y)
{
	(void)l;
	*y = variant ? (x > 0 ? x : 0) : fmaxf(x, 0);
	return variant < 2;
}
static bool leaky_relu_one(struct lib *l, int variant, float x, float *y)
{
	*y = variant ? fmaxf(fl(l, x), fl(l, 0.01f * x)) : x > 0 ? fl(l, x) : fl(l, 0.01f * x);
	return variant < 2;
}
static bool gelu_one(struct lib *l, int variant, float x, float *y)
{
	if (variant == 0)
		*y = fl(l, fl(l, x * 0.5f) * (1 + l_erf(l, x * RS2)));
	else if (variant == 1)
		*y = fl(l, x * fl(l, 0.5f + 0.5f * l_erf(l, x * RS2)));
	else
		*y = fl(l, x * 0.5f * erfc_f(l, -(x * RS2)));
	return variant < 3;
}
static bool gelu_tanh_one(struct lib *l, int variant, float x, float *y)
{
	float u = KB * (x + KC * x * x * x);
	if (variant == 0)
		*y = fl(l, 0.5f * x * (1 + l_tanh(l, u)));
	else if (variant == 1)
		*y = fl(l, 0.5f * x * (1 + l_tanh(l, KB * x * fmaf(KC * x, x, 1))));
	else
		*y = l_div(l, x, 1 + l_exp(l, -2 * u));
	return variant < 3;
}

static const char *const sigmoid_bugs[] = {"tanhform", "nolog2e", "naive_pos", "tanhapprox"};
static bool sigmoid_wrong(struct lib *l, int bug, float x, float *y)
{
	float e = l_exp(l, x);
	*y = bug == 0   ? .5f + .5f * l_tanh(l, .5f * x)
	     : bug == 1 ? 1 / (1 + l_ex2(-x))
	     : bug == 2 ? e / (1 + e)
	                : .5f + .5f * mufu_tanh_f(.5f * x);
	return true;
}
static const char *const silu_bugs[] = {"tanhform", "naive_pos", "quick", "hard"};
static bool silu_wrong(struct lib *l, int bug, float x, float *y)
{
	float e = l_exp(l, x), h = x / 6 + .5f;
	*y = bug == 0   ? x * (.5f + .5f * l_tanh(l, .5f * x))
	     : bug == 1 ? x * e / (1 + e)
	     : bug == 2 ? x / (1 + l_exp(l, -1.702f * x))
	                : x * (h < 0   ? 0
	                       : h > 1 ? 1
	                               : h);
	return true;
}
static const char *const tanh_bugs[] = {"naive_exp", "approx", "1-2/(e+1)"};
static bool tanh_wrong(struct lib *l, int bug, float x, float *y)
{
	float e = l_exp(l, 2 * x);
	*y = bug == 0 ? (e - 1) / (e + 1) : bug == 1 ? mufu_tanh_f(x) : 1 - 2 / (e + 1);
	return true;
}
static const char *const elu_bugs[] = {"exp-1", "leaky", "relu", "nosel"};
static bool elu_wrong(struct lib *l, int bug, float x, float *y)
{
	float e = l_exp(l, x) - 1;
	*y = bug == 3 ? e : x > 0 ? x : bug == 0 ? e : bug == 1 ? .01f * x : 0;
	return true;
}
static const char *const relu_bugs[] = {"abs", "f16"};
static bool relu_wrong(struct lib *l, int bug, float x, float *y)
{
	(void)l;
	*y = bug == 0 ? fabsf(x) : f16_of(x > 0 ? x : 0);
	return true;
}
static const char *const leaky_relu_bugs[] = {"slope0.1", "relu", "f16"};
static bool leaky_relu_wrong(struct lib *l, int bug, float x, float *y)
{
	(void)l;
	*y = bug == 0   ? (x > 0 ? x : .1f * x)
	     : bug == 1 ? (x > 0 ? x : 0)
	                : f16_of(x > 0 ? x : .01f * x);
	return true;
}
static const char *const gelu_bugs[] = {"tanh", "quick", "relu", "norsqrt2"};
static bool gelu_wrong(struct lib *l, int bug, float x, float *y)
{
	*y = bug == 0   ? .5f * x * (1 + l_tanh(l, KB * (x + KC * x * x * x)))
	     : bug == 1 ? x / (1 + l_exp(l, -1.702f * x))
	     : bug == 2 ? (x > 0 ? x : 0)
	                : .5f * x * (1 + l_erf(l, x));
	return true;
}
static const char *const gelu_tanh_bugs[] = {"erf", "naive_exp", "nocubic", "approx", "c.0447"};
static bool gelu_tanh_wrong(struct lib *l, int bug, float x, float *y)
{
	float u = KB * (x + KC * x * x * x), e = l_exp(l, 2 * u);
	*y = bug == 0   ? .5f * x * (1 + l_erf(l, x * RS2))
	     : bug == 1 ? .5f * x * (1 + (e - 1) / (e + 1))
	     : bug == 2 ? .5f * x * (1 + l_tanh(l, KB * x))
	     : bug == 3 ? .5f * x * (1 + mufu_tanh_f(u))
	                : .5f * x * (1 + l_tanh(l, KB * (x + .0447f * x * x * x)));
	return true;
}

static bool each(sim_point *f, struct lib *l, int variant, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R * d->K; i++)
		if (!f(l, variant, d->x[i], &y[i]))
			return false;
	return true;
}
#define POINT(name)                                                                                \
	static bool name##_good(struct lib *l, int variant, const struct sim *d, float *y)         \
	{                                                                                          \
		return each(name##_one, l, variant, d, y);                                         \
	}                                                                                          \
	static bool name##_bug(struct lib *l, int variant, const struct sim *d, float *y)          \
	{                                                                                          \
		return each(name##_wrong, l, variant, d, y);                                       \
	}
POINT(sigmoid)
POINT(silu)
POINT(tanh)
POINT(elu)
POINT(relu)
POINT(leaky_relu)
POINT(gelu)
POINT(gelu_tanh)

#endif

/* sim_values.h - the 21 classes of values of the error scale's study, for a matrix of R rows of K,
 * as the element type can hold them. */
#ifndef TESTS_ORACLES_SIM_VALUES_H
#define TESTS_ORACLES_SIM_VALUES_H

#include "tests/oracles/sim.h"

#define SIM_CLASSES(X)                                                                             \
	X(NORMAL, "normal")                                                                        \
	X(UNIFORM, "uniform")                                                                      \
	X(SAME, "same")                                                                            \
	X(WIDE, "wide")                                                                            \
	X(CANCEL, "cancel")                                                                        \
	X(ALLNEG, "allneg")                                                                        \
	X(ONEHOT, "onehot")                                                                        \
	X(CONST, "const")                                                                          \
	X(CONSTBIG, "constbig")                                                                    \
	X(RISING, "rising")                                                                        \
	X(MAXLAST, "maxlast")                                                                      \
	X(MASKED, "masked")                                                                        \
	X(SUBNORMAL, "subnormal")                                                                  \
	X(NEAROVF, "nearovf")                                                                      \
	X(MEAN1E4, "mean1e4")                                                                      \
	X(TINY, "tiny")                                                                            \
	X(ZEROS, "zeros")                                                                          \
	X(HUGE_, "huge")                                                                           \
	X(INTS, "ints")                                                                            \
	X(NEG5E4, "neg5e4")                                                                        \
	X(MIXED, "mixed")

enum sim_class {
#define X(name, text) CL_##name,
	SIM_CLASSES(X)
#undef X
	        CL_COUNT
};
static const char *const sim_class_name[] = {
#define X(name, text) text,
        SIM_CLASSES(X)
#undef X
};

/* A generator of its own for each (class, K, seed, tensor). */
struct gen {
	uint64_t seed, i;
};
static double g_unit(struct gen *g)
{
	return rand_unit(g->seed, 77, g->i++);
}
static double g_normal(struct gen *g)
{
	double r = sqrt(-2 * log(1 - g_unit(g)));
	return r * cos(6.283185307179586 * g_unit(g));
}
static int g_below(struct gen *g, int n)
{
	return (int)rand_below(g->seed, 77, g->i++, (uint64_t)n);
}

static double sim_one(enum sim_class c, struct gen *g, int j, int K, enum dtype t)
{
	double n = g_normal(g), u = g_unit(g);
	switch (c) {
	case CL_UNIFORM:
		return u;
	case CL_SAME:
		return fabs(n) + 1;
	case CL_WIDE:
		return (n < 0 ? -1 : 1) * exp2(t == DT_F16 ? 26 * u - 14 : 60 * u - 30);
	case CL_ALLNEG:
		return -fabs(n) * 3 - 20;
	case CL_RISING:
		return j / 32 * 2.0 + n;
	case CL_MAXLAST:
		return j == K - 1 ? 20 : n;
	case CL_MASKED:
		return j == K - 1 ? n : u < 0.5 || j < K / 3 ? -INFINITY : 3 * n;
	case CL_SUBNORMAL:
		return n * (t == DT_F32 ? 0x1p-135 : t == DT_BF16 ? 0x1p-128 : 0x1p-18);
	case CL_NEAROVF:
		return (n * 0.3 > 0.99    ? 0.99
		        : n * 0.3 < -0.99 ? -0.99
		                          : n * 0.3) *
		       (t == DT_F16 ? 6e4 : 3e38);
	case CL_MEAN1E4:
		return 1e4 + n;
	case CL_TINY:
		return n * 1e-3;
	case CL_ZEROS:
		return 0;
	case CL_HUGE_:
		return n * 1e3;
	case CL_INTS:
		return (double)g_below(g, 17) - 8;
	case CL_NEG5E4:
		return j == K - 1 ? -5e4 : u < 0.5 ? -INFINITY : -5e4 + 20 * n;
	default:
		return n;
	}
}

static void sim_fill(enum sim_class c, int R, int K, uint64_t seed, enum dtype t, float *x)
{
	struct gen g = {seed * 1000003 + (uint64_t)c * 131 + (uint64_t)K, 0};
	for (int i = 0; i < R; i++) {
		float *row = x + (size_t)i * (size_t)K;
		double a = g_normal(&g) * 3 + 0.1, big = 1e4 * (1 + g_unit(&g));
		double power = pow(10, g_below(&g, 8) - 6), hot = g_below(&g, 2) ? 1 : 100;
		int at = g_below(&g, K);
		for (int j = 0; j < K; j++) {
			double v = sim_one(c, &g, j, K, t);
			if (c == CL_CANCEL)
				v = j >= K / 2 && j < K / 2 * 2 ? -row[j - K / 2] * (1 + 1e-3 * v)
				                                : 100 * v;
			if (c == CL_ONEHOT)
				v = j == at ? hot : 0;
			if (c == CL_CONST || c == CL_CONSTBIG)
				v = c == CL_CONST ? a : big;
			if (c == CL_MIXED)
				v *= power;
			row[j] = (float)v;
		}
	}
}

#endif

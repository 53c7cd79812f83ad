/* vecmath_simd.c - see vecmath.h. Compiled once an instruction set, with vectors of its width; only
 * IEEE + - * / and integer operations are used, so that all give the same bits.
 *
 * Error bounds are derived in units of u = 2^-53, the largest relative error of one operation;
 * "half an ulp" of a number in [2^(k-1), 2^k) is 2^k·u/2. Terms of order u² are left to the slack
 * between the derived and the stated bound. The approximation error of each polynomial is the
 * certified figure that tools/vecmath_coefs.c prints; its evaluation error comes from the running
 * bound e <- |t|e + u(|t s| + |t s + c|) of Horner's scheme, maximised over the interval;
 * of a split polynomial, of both halves. */
#include <stdint.h>
#include <string.h>

#include "oracles/vecmath.h"

#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX2__)
#define WIDTH 4
#else
#define WIDTH 2
#endif

typedef double vd __attribute__((vector_size(8 * WIDTH)));
typedef int64_t vl __attribute__((vector_size(8 * WIDTH)));
typedef uint64_t vu __attribute__((vector_size(8 * WIDTH)));

#define INLINE static inline __attribute__((always_inline))

#define INF    (__builtin_inf())
/* Adding and subtracting it rounds |x| < 2^51 to an integer, which then stands in the low bits. */
#define ROUNDER 0x1.8p52
#define LN2_HI  0x1.62e42fefa4p-1 /* 40 bits: k·LN2_HI is exact for |k| < 2^13 */
#define LN2_LO  -0x1.8432a1b0e2634p-43
#define INV_LN2 0x1.71547652b82fep+0

/* (e^r - 1 - r)/r² on |r| <= 0.3467, error 2^-52.9 */
static const double C_EXP[] = {
        0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d56p-5,  0x1.11111111109afp-7,
        0x1.6c16c17890eb4p-10, 0x1.a01a01a7c73cp-13,  0x1.a019b8f9792eep-16, 0x1.71de0da24602dp-19,
        0x1.28919ccaf9211p-22, 0x1.af38c67fbb53ep-26,
};
/* (2^r - 1)/r on |r| <= 1/2, error 2^-54.4 */
static const double C_EXP2[] = {
        0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,  0x1.3b2ab6fba1ddap-7,
        0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
        0x1.b524fae627834p-24, 0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32,
};
/* (2 atanh(s)/s - 2)/s² of s² on [0, 0.02945], error 2^-51.4 */
static const double C_LOG[] = {
        0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2, 0x1.c71c62debf86bp-3,
        0x1.7462b69705382p-3, 0x1.39fe208c33457p-3, 0x1.2b5b5fb2eac92p-3,
};
/* erf(x)/x of x² on [0, 1/4], error 2^-55.3 */
static const double C_ERF[] = {
        0x1.20dd750429b6dp+0,  -0x1.812746b0379b5p-2,  0x1.ce2f21a03d814p-4,
        -0x1.b82ce30f2b28fp-6, 0x1.565bcbf8e0365p-8,   -0x1.c02d4f6e4921ap-11,
        0x1.f98db34e8872ep-14, -0x1.f224dfc5409afp-17, 0x1.8b4b60851826bp-20,
};
/* (x + 3) e^(x²) erfc(x) of (x - 3)/(x + 3) on [-1, 25/31] (0 <= x <= 28), error 2^-52.8 */
static const double C_ERFC[] = {
        0x1.12f21ddd9f5e2p+0,   -0x1.c44c471baa377p-1,  0x1.2e326945de2adp-1,
        -0x1.3deb21415dbcdp-2,  0x1.e995f11b1845fp-4,   -0x1.b78993d6cd4a5p-6,
        -0x1.3dd3e718470a5p-10, 0x1.8dae3a3251f54p-9,   -0x1.1f78e0729f4dap-11,
        -0x1.22390058b47f1p-12, 0x1.c325030627a45p-14,  0x1.fe00185f0cab1p-16,
        -0x1.2516e7450a1aap-16, -0x1.3ec0a7a1ff50ep-18, 0x1.72c1215dffe18p-19,
        0x1.0c4d3337cad44p-20,  -0x1.b028b35ba9292p-22, -0x1.f4c403e9db823p-23,
        0x1.58648bfb9c2ep-25,   0x1.a34cf62be87d9p-25,  0x1.55414179210f4p-29,
        -0x1.b6b9df396293ap-28, -0x1.bb6dcba89e4b9p-30,
};

INLINE vd splat(double c)
{
	return (vd){0} + c;
}

INLINE vd pick(vl mask, vd yes, vd no)
{
	return (vd)((mask & (vl)yes) | (~mask & (vl)no));
}

INLINE vd magnitude(vd x)
{
	return (vd)((vl)x & INT64_MAX);
}

INLINE vd with_sign_of(vd x, vd sign)
{
	return (vd)((vl)x | ((vl)sign & INT64_MIN));
}

/* NaN passes through. */
INLINE vd clamp(vd x, double lo, double hi)
{
	x = pick(x > hi, splat(hi), x);
	return pick(x < lo, splat(lo), x);
}

#define HORNER(c, t) horner((c), sizeof(c) / sizeof *(c), (t))
INLINE vd horner(const double *c, int n, vd t)
{
	vd s = splat(c[n - 1]);

#pragma GCC unroll 32
	for (int i = n - 2; i >= 0; i--)
		s = s * t + c[i];
	return s;
}

#define SPLIT(c, t) split_horner((c), sizeof(c) / sizeof *(c), (t))
/* The same polynomial as E(t²) + t·O(t²): two chains of half the length run side by side. */
INLINE vd split_horner(const double *c, int n, vd t)
{
	vd z = t * t, even = splat(c[(n - 1) & ~1]), odd = splat(c[(n - 2) | 1]);

#pragma GCC unroll 32
	for (int i = ((n - 1) & ~1) - 2; i >= 0; i -= 2)
		even = even * z + c[i];
#pragma GCC unroll 32
	for (int i = ((n - 2) | 1) - 2; i > 0; i -= 2)
		odd = odd * z + c[i];
	return even + t * odd;
}

/* The bits of 2^k, k an integer in -1022..1023 held as k + ROUNDER. */
INLINE vd pow2_of(vd k_rounder)
{
	return (vd)(((vu)k_rounder << 52) + 0x3ff0000000000000u);
}

/* p·2^k for |k| <= 2000: two exact factors, of which only the second can round (to a subnormal, by
 * at most 2^-1075) or overflow. */
INLINE vd scale(vd p, vd k)
{
	vd t = k * 0.5 + ROUNDER;

	return p * pow2_of(t) * pow2_of(k - (t - ROUNDER) + ROUNDER);
}

/* k = round(x/ln 2), r = x - k ln 2 for |x| <= 1100. x - k·LN2_HI is exact (Sterbenz for |k| >= 1,
 * where x >= 0.34 in magnitude and all is a multiple of 2^-54), k·LN2_LO errs by less than 2^-85,
 * and the last subtraction by half an ulp of |r| <= 0.3466: |error of r| <= 0.26 u. r = x when k =
 * 0. */
INLINE vd reduce(vd x, vd *k)
{
	*k = x * INV_LN2 + ROUNDER - ROUNDER;
	return (x - *k * LN2_HI) - *k * LN2_LO;
}

/* e^r - 1 for |r| <= 0.3467. C_EXP evaluates within 2.5 u relative, r² and the product add 2 u, in
 * all 4.5 u·0.068 = 0.31 u absolute; approximation 2^-52.9·0.1202 = 0.13 u; the sum half an ulp
 * below 1/2, 0.25 u: absolute error <= 0.69 u. Relative to the result (at least 0.293 at |r| =
 * 0.3467, where r²q/(e^r - 1) <= 0.19): 4.5·0.19 + 0.38 + 1 <= 2.3 u. */
INLINE vd expm1_small(vd r)
{
	return r + r * r * SPLIT(C_EXP, r);
}

/* e^x: the error of r enters times e^r <= 1.42. For p >= 1: 0.37 + 0.69 + 1 = 2.1 u; for p in
 * [0.707, 1): (0.26 + 0.69 + 0.5)/0.707 = 2.1 u. Bound VM_EXP_REL = 4 u. e^710 = 2^1024.3, e^-750 =
 * 2^-1082. */
INLINE vd v_exp(vd x)
{
	vd k, r = reduce(clamp(x, -750, 710), &k);

	return scale(1 + expm1_small(r), k);
}

/* 2^x: r is exact; C_EXP2 evaluates within 1.5 u, times r 2.5 u of 0.414, 1.04 u; approximation
 * 0.5·2^-54.4 = 0.19 u; with the last sum 2.3 u at p >= 1, (0.74 + 0.19 + 0.5)/0.707 = 2.1 u below.
 * Bound VM_EXP2_REL = 4 u. */
INLINE vd v_exp2(vd x)
{
	x = clamp(x, -1080, 1025);
	vd k = x + ROUNDER - ROUNDER, r = x - k;

	return scale(1 + r * HORNER(C_EXP2, r), k);
}

/* e^x - 1 = 2^k (e + 1 - 2^-k), e = e^r - 1. k = 0: 2.3 u relative. Otherwise e errs absolutely by
 * 0.69 + 1.42·0.26 = 1.06 u; |e + 1 - 2^-k| >= 0.207 (k = 1, r = -0.3466): 1.06/0.207 + 1 = 6.2 u;
 * beyond |k| = 53, where 1 - 2^-k rounds, less. Bound VM_EXPM1_REL = 8 u. Below 2^-54 the result is
 * x (x²/2 is left out: u/4). e^-50 < 2^-72, so that the result there is -1. */
INLINE vd v_expm1(vd x)
{
	vd k, r = reduce(clamp(x, -50, 710), &k);
	vd kk = pick(k > 60, splat(60), k);
	vd y = scale(expm1_small(r) + (1 - pow2_of(ROUNDER - kk)), k);

	return pick(magnitude(x) < 0x1p-54, x, y);
}

/* x = 2^k m, 0.7071 <= m < 1.4143, of a positive finite x. */
INLINE vd split(vd x, vd *k)
{
	const uint64_t root_half = 0x3fe6a09e667f3bcdu;
	vl tiny = x < 0x1p-1022;
	vu b = (vu)pick(tiny, x * 0x1p54, x) + (0x3ff0000000000000u - root_half);

	*k = (vd)((b >> 52) | 0x4330000000000000u) - (0x1p52 + 1023) -
	     pick(tiny, splat(54), splat(0));
	return (vd)((b & 0xfffffffffffffu) + root_half);
}

/* k ln 2 + log(m). With f = m - 1 (exact), s = f/(2 + f), h = f²/2:
 * log(1 + f) = f - (h - s(h + R)), R = 2 atanh(s)/s - 2. In units of u|f|, |f| <= 0.4143, |s| <=
 * 0.1716: h 0.21; s (2.5 u), h + R (2 u) and their product: 5.5·0.1716·0.105/0.4143 <= 0.24; h - …
 * 0.21; approximation 2^-51.4·|s|³ <= 0.02; in all 0.68 |f| u <= 0.81 u of |log(1 + f)| >= 0.836
 * |f|, and 1 u for the last subtraction: 1.9 u for k = 0 (1 + 2|f| u for small f). For k != 0
 * k·LN2_HI is exact and the result at least 0.3465: (0.68·0.4143 u + half an ulp of 0.42, 0.25 u, +
 * the error of k·LN2_LO)/0.3465 + 1 = 2.6 u. Bound VM_LOG_REL = 4 u. */
INLINE vd log_of(vd m, vd k)
{
	vd f = m - 1, s = f / (2 + f), z = s * s, h = 0.5 * f * f;
	vd rest = s * (h + z * HORNER(C_LOG, z)) + k * LN2_LO;

	return k * LN2_HI - ((h - rest) - f);
}

/* y, but for x = 0 -inf, x < 0 NaN, and inf and NaN themselves. */
INLINE vd log_special(vd x, vd y)
{
	vd other = pick(x == 0, splat(-INF), pick(x < 0, splat(__builtin_nan("")), x));

	return pick((x > 0) & (x < INF), y, other);
}

INLINE vd v_log(vd x)
{
	vd k, m = split(x, &k);

	return log_special(x, log_of(m, k));
}

/* k + log(m)/ln 2: 1.9 u, the constant and the product 1.5 u more; |log2 m| <= 1/2 <= |result| for
 * k != 0: 3.4 + 1 = 4.4 u. Bound VM_LOG2_REL = 8 u. */
INLINE vd v_log2(vd x)
{
	vd k, m = split(x, &k);

	return log_special(x, k + log_of(m, splat(0)) * INV_LN2);
}

/* log(1 + x) = log(w) + c/w, w = fl(1 + x), c = 1 + x - w (exact, Dekker); the square of c/w, at
 * most 2^-107, is left out (2^-54 of a result above 2^-54). Where |x| < 2^-40, |log w| is at most
 * twice the result: 2(1 + 2^-39) u + 2·1.5 u of c/w + 1 u = 6 u; above, log w is within 1 + 2^-12
 * of the result: 2.6 + 0.01 + 1 u. Bound VM_LOG1P_REL = 8 u. Below 2^-54 the result is x. */
INLINE vd v_log1p(vd x)
{
	vd w = 1 + x, k, m = split(w, &k);
	vd c = pick(x > 1, 1 - (w - x), x - (w - 1));
	vd y = log_special(w, log_of(m, k) + c / w);

	return pick(magnitude(x) < 0x1p-54, x, pick(x == INF, x, y));
}

/* tanh(x) = t/(t + 2), t = e^2x - 1: an error of t enters times 2/(t + 2) <= 1: 6.2 u + 2 u.
 * Bound VM_TANH_REL = 16 u. At 22 it is 1 - 2^-62, so that the result is 1. */
INLINE vd v_tanh(vd x)
{
	vd a = magnitude(x), t = v_expm1(2 * pick(a > 22, splat(22), a));

	return with_sign_of(t / (t + 2), x);
}

/* erfc(a) of 0 <= a (beyond 28 it is 0) as e^(-a²) g(t)/(a + 3), t = (a - 3)/(a + 3), g = C_ERFC.
 * a² = hi² + (a - hi)(a + hi), hi the leading 26 bits: hi² is exact, the rest, below 2^-15, is
 * taken off r (one more rounding: |error of r| <= 0.52 u, so e^(-a²) within 0.74 + 0.69 + 1 = 2.5
 * u). q = 1/(a + 3) 2 u; t 4 u|t| absolute; C_ERFC with that error of t evaluates within 11.3 u
 * (6.3 u at a = 1/2), its approximation is 2^-52.8/0.6 = 1.9 u; two products 2 u: 19.7 u (14.7 u at
 * 1/2). Bound VM_ERFC_REL = 32 u. */
INLINE vd erfc_of(vd a)
{
	vd hi, q, t, k, r;

	a = pick(a > 28, splat(28), a);
	hi = (vd)((vl)a & ~0x7ffffffL);
	r = reduce(-(hi * hi), &k) - (a - hi) * (a + hi);
	q = 1 / (a + 3);
	t = (a - 3) * q;
	return scale((1 + expm1_small(r)) * SPLIT(C_ERFC, t) * q, k);
}

/* Negative x: 2 - erfc(-x), with half the relative error or less. */
INLINE vd v_erfc(vd x)
{
	vd y = erfc_of(magnitude(x));

	return pick(x < 0, 2 - y, y);
}

/* Below 1/2 x·C_ERF(x²): 1.3 u, approximation 0.2 u, the product 1 u. Above 1 - erfc(x): the error
 * of erfc times erfc/erf, largest at 1/2, 14.7 u·0.922, and 1 u: 14.6 u. Bound VM_ERF_REL = 16 u.
 */
INLINE vd v_erf(vd x)
{
	vd a = magnitude(x);
	vd y = pick(a < 0.5, a * HORNER(C_ERF, x * x), 1 - erfc_of(a));

	return with_sign_of(y, x);
}

/* Runs f over an array; the last, partial vector is filled up with ones. */
#define DEFINE(name)                                                                               \
	static void name##_n(const double *x, double *y, size_t n)                                 \
	{                                                                                          \
		size_t i = 0;                                                                      \
		vd v;                                                                              \
                                                                                                   \
		for (; i + WIDTH <= n; i += WIDTH) {                                               \
			memcpy(&v, x + i, sizeof v);                                               \
			v = v_##name(v);                                                           \
			memcpy(y + i, &v, sizeof v);                                               \
		}                                                                                  \
		if (i < n) {                                                                       \
			v = splat(1);                                                              \
			memcpy(&v, x + i, (n - i) * sizeof *x);                                    \
			v = v_##name(v);                                                           \
			memcpy(y + i, &v, (n - i) * sizeof *x);                                    \
		}                                                                                  \
	}
VM_LIST(DEFINE)

#define PASTE(a, b) a##b
#define TABLE(isa)  PASTE(vm_table_, isa)
extern const struct vm_table TABLE(ISA);
#define X(name) .name = name##_n,
const struct vm_table TABLE(ISA) = {VM_LIST(X)};

/* mufu.h - the special-function unit (MUFU) of sm_90, bit for bit, and the instructions made of
 * it.
 *
 * One datapath serves all functions.  The operand's top bits choose a segment (a, b, c), x is
 * the 17 bits below (16 for rcp), s the truncated square of x, and
 *
 *     r = ((a << ka) +- b x +- (c << kc) s + bias) >> shift          (truncating)
 *
 * The form - segments, squarer, shifts, biases, one's complements - is the one that the
 * envytools project (nvhw/sfu.c, MIT licence) describes for the G80 of 2006, whose tables for
 * rcp, rsqrt, ex2, lg2 and sin turned out to be an H200's; sqrt, tanh and the 16-bit forms were
 * measured for gpuemu.  The tables were solved from an H200's outputs, and all eight f32
 * functions agree with it for all 2^32 inputs, the 16-bit ones for all 65536
 * (tests/ptx/test_mufu.c).
 *
 * ex2, rcp, rsqrt and sqrt are written in 32-bit arithmetic, the split of each sum shown, so
 * that loops over lanes vectorise eight wide; lg2, sin, cos and tanh need 64 bits. */
#ifndef PTX_MUFU_H
#define PTX_MUFU_H

#include "ptx/mufu_tables.h"
#include "ptx/num.h"

/* The truncated squarer: floor(sum of x_i x_j 2^(i+j) over i+j >= 18, by 2^19) for x < 2^17; below
 * 2^15.  With h = x >> 9 and l = x & 511: half of h*h, and for bit k of h the l*2^(k-9). */
NUM_FN uint32_t mufu_square(uint32_t x)
{
	uint32_t h = x >> 9, l = x & 511, r = h * h >> 1;
	for (int k = 1; k < 8; k++)
		r += (0u - (h >> k & 1)) & (l >> (9 - k));
	return r;
}
struct mufu_segment {
	uint32_t a, b, c;
};
NUM_FN struct mufu_segment mufu_segment(const uint32_t table[][2], uint32_t i)
{
	uint32_t bc = table[i][1];
	return (struct mufu_segment){table[i][0], bc & 0xffff, bc >> 16};
}
/* c ? x : y, in a form that compilers never turn into a branch around floating-point work. */
NUM_FN uint32_t mufu_pick(uint32_t c, uint32_t x, uint32_t y)
{
	return (x & (0u - c)) | (y & (c - 1));
}
/* r 2^-frac, 0 < r < 2^52, truncated to f32: r's double has the bits (2^52 added and taken
 * away). */
NUM_FN uint32_t mufu_truncate(uint64_t r, int frac)
{
	uint64_t d = f64_bits(f64_value(r | 0x4330000000000000ull) - 0x1p52);
	return (uint32_t)(d >> 29) - ((uint32_t)(1023 - 127 + frac) << 23);
}

/* ---- the unit: MUFU.x, which flushes subnormals --------------------------------------------- */

/* |x| to fixed point 8.23, negative numbers by one's complement unless they are integers; the
 * value is 2^*n m 2^-23 with 2^23 <= m < 2^24.  *n is beyond +-127 where x is. */
NUM_FN uint32_t mufu_ex2_core(uint32_t u, int32_t *n)
{
	uint32_t e = u >> 23 & 255, m = (u & 0x7fffff) | 0x800000,
	         neg = (uint32_t)((int32_t)u >> 31);
	m = e ? m : 0;
	int32_t p = (int32_t)e - 127, left = p < 0 ? 0 : p > 7 ? 7 : p, right = p > 0 ? 0 : -p;
	right = right > 31 ? 31 : right;
	uint32_t g = m << left >> right, whole = (g & 0x7fffff) == 0;
	g = (g ^ neg) + (neg & whole);
	*n = (int32_t)g >> 23;

	uint32_t f = g & 0x7fffff, x = f & 0x1ffff;
	struct mufu_segment t = mufu_segment(mufu_ex2_table, f >> 17);
	/* (a<<13) + b x + c s + bias over 2^15: b < 2^15.5, so b (x>>1) and the rest halved fit
	 * 32 bits */
	uint32_t rest = ((t.a & 3) << 13) + t.b * (x & 1) + t.c * mufu_square(x) + 0x77e2;
	return (t.a >> 2) + ((t.b * (x >> 1) + (rest >> 1)) >> 14);
}
NUM_FN uint32_t mufu_ex2(uint32_t u)
{
	int32_t n;
	uint32_t m = mufu_ex2_core(u, &n), r = ((uint32_t)(n + 127) << 23) + (m - 0x800000);
	r = n > 127 ? F32_INF : r;
	r = n < -126 ? 0 : r;
	return f32_isnan(u) ? F32_NAN : r;
}
NUM_FN uint32_t mufu_rcp(uint32_t u)
{
	uint32_t sign = u & F32_SIGN, mag = u & ~F32_SIGN, f = u & 0x7fffff, x = f & 0xffff;
	struct mufu_segment t = mufu_segment(mufu_rcp_table, f >> 16);
	/* (a<<13) - b x + c s + bias over 2^15, b x split at bit 15 */
	uint32_t bx = t.b * x;
	int32_t rest = (int32_t)(((t.a & 3) << 13) + t.c * mufu_square(x << 1) + 0x47e7) -
	               (int32_t)(bx & 0x7fff);
	uint32_t r = (t.a >> 2) - (bx >> 15) + (uint32_t)(rest >> 15); /* 2^24 only for f = 0 */
	uint32_t v = ((253 - (mag >> 23)) << 23) + (r - 0x800000);
	v = (int32_t)v < 0x00800000 ? 0 : v;
	v = mag < 0x00800000 ? F32_INF : v;
	v = mag >= F32_INF ? 0 : v;
	return mag > F32_INF ? F32_NAN : sign | v;
}
/* Exact powers of four bypass the table. */
NUM_FN uint32_t mufu_rsqrt(uint32_t u)
{
	uint32_t mag = u & ~F32_SIGN, x = u & 0x1ffff;
	int32_t e = (int32_t)(mag >> 23) - 127, half = e >> 1;
	uint32_t f = (u & 0x7fffff) | ((uint32_t)e & 1) << 23;
	struct mufu_segment t = mufu_segment(mufu_rsqrt_table, f >> 17);
	/* (a<<14) - b x + 4 c s + bias over 2^16, with b x = 2 p + b (x & 1) */
	uint32_t p = t.b * (x >> 1);
	int32_t rest = (int32_t)(((t.a & 3) << 14) + (t.c * mufu_square(x) << 2) + 0x7fff) -
	               (int32_t)(((p & 0x7fff) << 1) + t.b * (x & 1));
	uint32_t r = (t.a >> 2) - (p >> 15) + (uint32_t)(rest >> 16);
	r = f ? r : 0x1000000;
	uint32_t v = ((uint32_t)(126 - half) << 23) + (r - 0x800000);
	v = mag == F32_INF ? 0 : v;
	v = mag > F32_INF || u > F32_SIGN ? F32_NAN : v;
	return mag < 0x00800000 ? (u & F32_SIGN) | F32_INF : v;
}
NUM_FN uint32_t mufu_sqrt(uint32_t u)
{
	uint32_t mag = u & ~F32_SIGN, x = u & 0x1ffff;
	int32_t e = (int32_t)(mag >> 23) - 127, half = e >> 1;
	uint32_t odd = (uint32_t)e & 1, f = (u & 0x7fffff) | odd << 23, cut = 16 - odd;
	struct mufu_segment t = mufu_segment(mufu_sqrt_table, f >> 17);
	/* (a<<15) + (b x << odd) - 2 c s + bias over 2^17, with b x = 2 p + b (x & 1) */
	uint32_t p = t.b * (x >> 1);
	int32_t rest = (int32_t)(((t.a & 3) << 15) + ((p & ((1u << cut) - 1)) << (1 + odd)) +
	                         (t.b * (x & 1) << odd) + 0x7fff) -
	               (int32_t)(t.c * mufu_square(x) << 1);
	uint32_t r = (t.a >> 2) + (p >> cut) + (uint32_t)(rest >> 17);
	uint32_t v = ((uint32_t)(127 + half) << 23) + (r - 0x800000);
	v = mag >= F32_INF ? F32_INF : v;
	v = mag > F32_INF || u > F32_SIGN ? F32_NAN : v;
	return mag < 0x00800000 ? u & F32_SIGN : v;
}
/* The exponent is added in fixed point with 36 bits of fraction; one's complement where
 * negative. */
NUM_FN uint32_t mufu_lg2(uint32_t u)
{
	uint32_t mag = u & ~F32_SIGN, f = u & 0x7fffff, x = f & 0x1ffff;
	struct mufu_segment t = mufu_segment(mufu_lg2_table, f >> 17);
	int64_t sum = (int64_t)((uint64_t)t.a << 12) + (int64_t)((uint64_t)t.b * x) -
	              (int64_t)((uint64_t)t.c * mufu_square(x) << 1) + 0x3345;
	/* sum > 0 and the exponent part is a multiple of the shift: shifting after is the same */
	int64_t r = (sum + ((int64_t)(mag >> 23) - 127) * (1ll << 38));
	uint64_t neg = (uint64_t)(r >> 63), m = ((uint64_t)r ^ neg) >> 2;
	uint32_t v = mufu_truncate(m, 36) | ((uint32_t)neg & F32_SIGN);
	v = mufu_pick(u == F32_ONE, 0, v);
	v = mufu_pick(mag >= F32_INF, F32_INF, v);
	v = mufu_pick((mag > F32_INF) | (u > F32_SIGN), F32_NAN, v);
	return mufu_pick(mag < 0x00800000, F32_SIGN | F32_INF, v);
}
/* MUFU.SIN and MUFU.COS: u in turns; four times that modulo 4 in fixed point, 23 bits of
 * fraction. */
NUM_FN uint32_t mufu_sincos_turns(uint32_t u, bool cosine)
{
	uint32_t mag = u & ~F32_SIGN, e = mag >> 23, m = e ? (u & 0x7fffff) | 0x800000 : 0;
	int32_t p = (int32_t)e - 125, left = p < 0 ? 0 : p > 31 ? 31 : p, right = p > 0 ? 0 : -p;
	right = right > 31 ? 31 : right;
	uint32_t g = m << left >> right, q = (g >> 23 & 3) + (cosine ? 1 : 0);
	uint32_t f = (g ^ (0u - (q & 1))) & 0x7fffff, x = f & 0x1ffff;
	uint32_t sign = ((cosine ? 0 : u) ^ (q & 2) << 30) & F32_SIGN;
	struct mufu_segment t = mufu_segment(mufu_sin_table, f >> 17);
	int64_t r = (int64_t)((uint64_t)t.a << 11) + (int64_t)((uint64_t)t.b * x) -
	            (int64_t)((uint64_t)t.c * mufu_square(x));
	uint32_t v = mufu_pick(r > 0, mufu_truncate((uint64_t)r & ((1ull << 52) - 1), 37), 0);
	return mufu_pick(mag >= F32_INF, F32_NAN, sign | v);
}
/* Odd; the identity below 2^-8, 1 from 8 up.  Between, n mantissa bits choose the segment, 17 are x
 * and the rest is ignored. */
NUM_FN uint32_t mufu_tanh(uint32_t u)
{
	uint32_t sign = u & F32_SIGN, mag = u & ~F32_SIGN, f = u & 0x7fffff;
	uint32_t e = mag < 0x3b800000u ? 0 : mag >= 0x41000000u ? 10 : (mag >> 23) - 119;
	uint32_t n = mufu_tanh_n[e], x = f >> (6 - n) & 0x1ffff;
	struct mufu_segment t = mufu_segment(mufu_tanh_table, mufu_tanh_first[e] + (f >> (23 - n)));
	uint64_t r = ((uint64_t)t.a << 17) + ((uint64_t)t.b * x << mufu_tanh_bs[e]) -
	             ((uint64_t)t.c * mufu_square(x) << mufu_tanh_cs[e]);
	uint32_t v = mufu_truncate(r, 41);
	v = mufu_pick(mag >= 0x41000000u, F32_ONE, v);
	v = mufu_pick(mag < 0x3b800000u, mag, v);
	return mufu_pick(mag > F32_INF, F32_NAN, sign | v);
}

/* ---- the PTX instructions: facts about what ptxas emits for sm_90 ---------------------------- */

NUM_FN uint32_t f32_scale(uint32_t u, uint32_t factor)
{
	return f32_mul(u, factor, RND_NE, false, false);
}
#define F32_TWO_M126 0x00800000u
#define F32_TWO_P126 0x7e800000u
#define F32_TWO_P24  0x4b800000u
#define F32_TWO_M12  0x39800000u
#define F32_TWO_P12  0x45800000u
#define F32_HALF     0x3f000000u
#define F32_QUARTER  0x3e800000u

/* .ftz is the bare unit; without it operands whose result (or self) is subnormal are scaled. */
NUM_FN uint32_t f32_ex2_approx(uint32_t a, bool ftz)
{
	if (ftz)
		return mufu_ex2(a);
	uint32_t low = a > 0xc2fc0000u && a <= 0xff800000u; /* a < -126 */
	uint32_t r = mufu_ex2(low ? f32_scale(a, F32_HALF) : a), square = f32_scale(r, r);
	return low ? square : r;
}
NUM_FN uint32_t f32_lg2_approx(uint32_t a, bool ftz)
{
	if (ftz)
		return mufu_lg2(a);
	uint32_t tiny = (a & ~F32_SIGN) < F32_TWO_M126;
	uint32_t r = mufu_lg2(f32_scale(a, tiny ? F32_TWO_P24 : F32_ONE));
	uint32_t less = f32_add(r, 0xc1c00000u, RND_NE, false, false); /* -24 */
	return tiny ? less : r;
}
NUM_FN uint32_t f32_rcp_approx(uint32_t a, bool ftz)
{
	if (ftz)
		return mufu_rcp(a);
	uint32_t mag = a & ~F32_SIGN, s = mag < F32_TWO_M126 ? F32_TWO_P24 : F32_ONE;
	s = mag > F32_TWO_P126 && mag <= F32_INF ? F32_QUARTER : s;
	return f32_scale(mufu_rcp(f32_scale(a, s)), s);
}
NUM_FN uint32_t f32_rsqrt_approx(uint32_t a, bool ftz)
{
	if (ftz)
		return mufu_rsqrt(a);
	uint32_t tiny = (a & ~F32_SIGN) < F32_TWO_M126;
	uint32_t r = mufu_rsqrt(f32_scale(a, tiny ? F32_TWO_P24 : F32_ONE));
	return f32_scale(r, tiny ? F32_TWO_P12 : F32_ONE);
}
NUM_FN uint32_t f32_sqrt_approx(uint32_t a, bool ftz)
{
	if (ftz)
		return mufu_sqrt(a);
	uint32_t tiny = (a & ~F32_SIGN) < F32_TWO_M126;
	uint32_t r = mufu_sqrt(f32_scale(a, tiny ? F32_TWO_P24 : F32_ONE));
	return f32_scale(r, tiny ? F32_TWO_M12 : F32_ONE);
}
/* With and without .ftz alike: FMUL.RZ by 1/(2 pi), then the unit. */
NUM_FN uint32_t f32_sin_approx(uint32_t a)
{
	return mufu_sincos_turns(f32_mul(a, 0x3e22f983u, RND_Z, false, false), false);
}
NUM_FN uint32_t f32_cos_approx(uint32_t a)
{
	return mufu_sincos_turns(f32_mul(a, 0x3e22f983u, RND_Z, false, false), true);
}
NUM_FN uint32_t f32_tanh_approx(uint32_t a)
{
	return mufu_tanh(a);
}
/* a * MUFU.RCP(b), both scaled where b is subnormal; div.full also where b is beyond 2^126. */
NUM_FN uint32_t f32_div_approx(uint32_t a, uint32_t b, bool ftz, bool full)
{
	uint32_t mag = b & ~F32_SIGN, s = F32_ONE;
	if (!ftz)
		s = mag < F32_TWO_M126 ? F32_TWO_P24 : s;
	if (full)
		s = mag > F32_TWO_P126 && mag <= F32_INF ? F32_QUARTER : s;
	uint32_t x = f32_mul(a, s, RND_NE, ftz, false), y = f32_mul(b, s, RND_NE, ftz, false);
	return f32_mul(x, mufu_rcp(y), RND_NE, ftz, false);
}

/* ---- rcp and rsqrt.approx.ftz.f64 ----------------------------------------------------------- */

/* MUFU.RCP64H and RSQ64H: of the top 20 mantissa bits, by the tables of f32, truncated to 20
 * bits; the low words of operand and result count for nothing.  The f32 gives mantissa and
 * exponent for an operand near 1, shift moves it. */
NUM_FN uint64_t mufu_wide(uint32_t r, int64_t shift)
{
	int64_t e = (int64_t)(r >> 23) - 127 + 1023 + shift;
	return e <= 0 ? 0 : (uint64_t)e << 52 | (uint64_t)(r >> 3 & 0xfffff) << 32;
}
NUM_FN uint64_t f64_rcp_approx(uint64_t a)
{
	uint64_t sign = a & F64_SIGN, mag = a & 0x7fffffff00000000ull;
	uint32_t m = (uint32_t)(a >> 32 & 0xfffff) << 3;
	uint64_t v = mufu_wide(mufu_rcp(F32_ONE | m), 1023 - (int64_t)(mag >> 52));
	v = mag >> 52 == 0 ? F64_INF : mag >= F64_INF ? 0 : v;
	return mag > F64_INF ? 0x7fffffff00000000ull : sign | v;
}
NUM_FN uint64_t f64_rsqrt_approx(uint64_t a)
{
	uint64_t mag = a & 0x7fffffff00000000ull, neg = a >> 63;
	int64_t e = (int64_t)(mag >> 52) - 1023;
	uint32_t m = (uint32_t)(a >> 32 & 0xfffff) << 3, odd = (uint32_t)e & 1;
	uint64_t v = mufu_wide(mufu_rsqrt(F32_ONE + (odd << 23) + m), -(e >> 1));
	if (mag >> 52 == 0)
		return (a & F64_SIGN) | F64_INF;
	if (mag > F64_INF || neg)
		return 0x7fffffff00000000ull;
	return mag == F64_INF ? 0 : v;
}

/* rsqrt.approx.f64: the unit and one step of third order; an H200 gave these bits. */
NUM_FN uint64_t f64_rsqrt_refined(uint64_t a)
{
	uint32_t subnormal = (a & F64_INF) == 0;
	double x = f64_value(a) * (subnormal ? 0x1p54 : 1);
	double y = f64_value(f64_rsqrt_approx(f64_bits(x)));
	double e = __builtin_fma(x, -(y * y), 1), step = __builtin_fma(e, 0.375, 0.5);
	uint64_t r = f64_bits(__builtin_fma(step, e * y, y) * (subnormal ? 0x1p27 : 1));
	uint64_t mag = a & ~F64_SIGN;
	if (mag > F64_INF)
		return a | F64_QUIET;
	if (mag == 0 || a == F64_INF)
		return mag ? 0 : a | F64_INF;
	return a >> 63 ? F64_NAN : r;
}

/* ---- 16-bit forms: the f32 unit's value truncated ------------------------------------------- */

NUM_FN uint32_t f16_ex2_approx(uint32_t h)
{
	int32_t n;
	uint32_t u = half_widen(h & 0xffff, HALF_F16), m = mufu_ex2_core(u, &n);
	int32_t below = -1 - n; /* n < -14: subnormal, truncated */
	uint32_t v = ((uint32_t)(n + 15) << 10) + ((m - 0x800000) >> 13);
	v = n < -14 ? m >> (below > 31 ? 31 : below < 0 ? 0 : below) : v;
	v = n > 15 ? 0x7c00 : v;
	return f32_isnan(u) ? HALF_NAN : v;
}
NUM_FN uint32_t f16_tanh_approx(uint32_t h)
{
	return half_narrow(mufu_tanh(half_widen(h & 0xffff, HALF_F16)), HALF_F16, RND_Z);
}
/* ex2.approx.ftz.bf16 */
NUM_FN uint32_t bf16_ex2_approx(uint32_t h)
{
	return half_narrow(mufu_ex2(h << 16), HALF_BF16, RND_Z);
}
NUM_FN uint32_t bf16_tanh_approx(uint32_t h)
{
	return half_narrow(mufu_tanh(h << 16), HALF_BF16, RND_Z);
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* d[i] = f(a[i]) for n lanes, vectorised for the processor at hand; d may be a. */
enum mufu_function {
	MUFU_EX2,
	MUFU_RCP,
	MUFU_RSQRT,
	MUFU_SQRT,
	MUFU_LG2,
	MUFU_SIN,
	MUFU_COS,
	MUFU_TANH,
	MUFU_COUNT
};
/* The .approx.ftz.f32 forms (tanh.approx.f32). */
void mufu_array(enum mufu_function f, const uint32_t *a, uint32_t *d, size_t n);

#endif

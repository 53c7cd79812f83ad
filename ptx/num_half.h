/* num_half.h - arithmetic of f16 and bf16, scalar and packed, with one rounding.  Included by
 * num.h.
 *
 * A half travels in the low 16 bits of a uint32_t; packed forms (…x2) hold two.  Which of the
 * two types is a constant argument.  Every NaN result is 0x7fff.
 *
 * One rounding: both formats widen to f32 without loss.  A product of two f16 is exact in f32
 * (22 bits, 2^-48 to 2^32), so its sum with an f16, rounded to odd in f32, has 24 >= 11+2 bits.
 * A product of two bf16 needs the exponents of double; the sum goes to odd in double and again
 * to odd in f32 (24 >= 8+2 bits).  A plain f64 fma would do for f16: where the sum is inexact in
 * 53 bits the smaller term is a product below 2^-30 of an addend that is an f16 itself, far from
 * every tie.  For bf16 it would not: a product can lie on a tie with an addend 2^-60 of it,
 * which f64 drops. */
#ifndef PTX_NUM_HALF_H
#define PTX_NUM_HALF_H

#include "ptx/num.h"

enum num_half { HALF_F16, HALF_BF16 };

#define HALF_NAN  0x7fffu
#define HALF_SIGN 0x8000u

NUM_FN uint32_t half_inf(enum num_half t)
{
	return t == HALF_F16 ? 0x7c00u : 0x7f80u;
}
NUM_FN uint32_t half_isnan(uint32_t h, enum num_half t)
{
	return (h & 0x7fff) > half_inf(t);
}
NUM_FN uint32_t half_canonical(uint32_t h, enum num_half t)
{
	return half_isnan(h, t) ? HALF_NAN : h;
}
NUM_FN uint32_t half_flush(uint32_t h, enum num_half t, bool ftz)
{
	return ftz && (h & half_inf(t)) == 0 ? h & HALF_SIGN : h;
}

/* ---- widening and narrowing, any small format ----------------------------------------------- */

/* A number of ebits and mbits as f32 bits; the top exponent is infinity and NaN.  The scaling is
 * exact, subnormals included; infinities and NaN get the top exponent back. */
NUM_FN uint32_t num_widen(uint32_t h, int ebits, int mbits)
{
	int bias = (1 << (ebits - 1)) - 1, width = ebits + mbits;
	uint32_t mag = h & ((1u << width) - 1), sign = (h >> width & 1) << 31;
	uint32_t u = mag << (23 - mbits);
	uint32_t scaled = f32_bits(f32_value(u) * f32_value((uint32_t)(254 - bias) << 23));
	uint32_t special = mag >= ((1u << ebits) - 1) << mbits;
	return sign | scaled | (special ? F32_INF : 0);
}
/* The f32 u, not NaN, rounded once to a format of ebits and mbits; magnitudes that round beyond
 * `largest` (its encoding) become `over` or, where the rounding points inwards, `largest`. */
NUM_FN uint32_t num_round(uint32_t u, int ebits, int mbits, uint32_t largest, uint32_t over,
                          enum rnd r)
{
	uint32_t neg = u >> 31, mag = u & 0x7fffffffu, e = mag >> 23, normal = e != 0;
	uint32_t m = (mag & 0x7fffffu) | normal << 23;
	int bias = (1 << (ebits - 1)) - 1, biased = (int)(e + (normal ^ 1)) - 127 + bias;
	int below = biased < 1 ? 1 - biased : 0, wide = 23 - mbits + below;
	uint32_t shift = (uint32_t)(wide > 26 ? 26 : wide); /* all of m is below half a unit then */
	uint32_t keep = m >> shift, rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
	uint32_t more = rest > half, tie = rest == half, some = rest != 0;
	uint32_t up = r == RND_NE   ? more | (tie & keep & 1)
	              : r == RND_NA ? more | tie
	              : r == RND_U  ? some & (neg ^ 1)
	              : r == RND_D  ? some & neg
	                            : 0;
	uint32_t base = (uint32_t)(biased < 1 ? 0 : biased - 1) << mbits, v = base + keep + up;
	uint32_t inwards = r == RND_Z ? 1 : r == RND_U ? neg : r == RND_D ? neg ^ 1 : 0;
	uint32_t finite = mag < F32_INF, beyond = (inwards & finite) ? largest : over;
	v = v > largest ? beyond : v;
	return v | neg << (ebits + mbits);
}

NUM_FN uint32_t half_widen(uint32_t h, enum num_half t)
{
	return t == HALF_F16 ? num_widen(h, 5, 10) : h << 16;
}
/* f32 to half; NaN gives 0x7fff. */
NUM_FN uint32_t half_narrow(uint32_t u, enum num_half t, enum rnd r)
{
	uint32_t h = t == HALF_F16 ? num_round(u, 5, 10, 0x7bff, 0x7c00, r)
	                           : num_round(u, 8, 7, 0x7f7f, 0x7f80, r);
	return f32_isnan(u) ? HALF_NAN : h;
}

/* ---- sums to odd ---------------------------------------------------------------------------- */

/* As num_add_odd, in f32: for values whose sum neither overflows nor is subnormal. */
NUM_FN uint32_t f32_add_odd(float x, float y)
{
	float s = x + y, t = s - x, e = (x - (s - t)) + (y - t);
	uint32_t u = f32_bits(s), even = ~u & 1, neg = u >> 31, above = e > 0, below = e < 0;
	uint32_t outwards = (above & ~neg) | (below & neg),
	         inwards = (below & ~neg) | (above & neg);
	return u + (even & outwards) - (even & inwards);
}
/* d to f32, to odd: a double that f32 cannot hold becomes its neighbour with last bit 1. */
NUM_FN uint32_t f32_odd(double d)
{
	float f = (float)d;
	uint32_t over = (double)f > d, under = (double)f < d;
	return f32_direct(f32_bits(f), over, under, RND_Z) | over | under;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

struct half_mods {
	bool ftz, sat, relu;
};

/* u, the exact result or it rounded to odd, to a half.  Flushed by .ftz, which is for f16 alone,
 * when below 2^-14 after rounding to 11 bits (see f32_finish_tiny).  Canonical NaN, then .sat
 * ([0,1], NaN and -0 to +0) or .relu (negative to +0, NaN kept). */
NUM_FN uint32_t half_finish(uint32_t u, enum num_half t, enum rnd r, struct half_mods m)
{
	uint32_t one = t == HALF_F16 ? 0x3c00u : 0x3f80u, h = half_narrow(u, t, r);
	uint32_t tiny = (u & ~F32_SIGN) < 0x387ff000u; /* 2^-14 (1 - 2^-12), a tie that rounds up */
	if (m.ftz)
		h &= HALF_SIGN | (tiny - 1);
	if (m.sat) {
		h = h > half_inf(t) ? 0 : h; /* negative or NaN */
		h = h > one ? one : h;
	}
	if (m.relu)
		h = h & HALF_SIGN ? 0 : h;
	return h;
}
/* a*b + c, round to nearest even. */
NUM_FN uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, enum num_half t, struct half_mods m)
{
	float x = f32_value(half_widen(half_flush(a, t, m.ftz), t));
	float y = f32_value(half_widen(half_flush(b, t, m.ftz), t));
	float z = f32_value(half_widen(half_flush(c, t, m.ftz), t));
	uint32_t u = t == HALF_F16 ? f32_add_odd(x * y, z) : f32_odd(num_add_odd((double)x * y, z));
	return half_finish(u, t, RND_NE, m);
}
NUM_FN uint32_t half_add(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	float x = f32_value(half_widen(half_flush(a, t, m.ftz), t));
	float y = f32_value(half_widen(half_flush(b, t, m.ftz), t));
	uint32_t u = t == HALF_F16 ? f32_add_odd(x, y) : f32_odd(num_add_odd(x, y));
	return half_finish(u, t, RND_NE, m);
}
NUM_FN uint32_t half_sub(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	return half_add(a, b ^ HALF_SIGN, t, m);
}
NUM_FN uint32_t half_mul(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	float x = f32_value(half_widen(half_flush(a, t, m.ftz), t));
	float y = f32_value(half_widen(half_flush(b, t, m.ftz), t));
	uint32_t u = t == HALF_F16 ? f32_bits(x * y) : f32_odd((double)x * y);
	return half_finish(u, t, RND_NE, m);
}
NUM_FN uint32_t half_neg(uint32_t a, enum num_half t, bool ftz)
{
	return half_flush(half_canonical((a ^ HALF_SIGN) & 0xffff, t), t, ftz);
}
NUM_FN uint32_t half_abs(uint32_t a, enum num_half t, bool ftz)
{
	return half_flush(half_canonical(a & 0x7fff, t), t, ftz);
}
NUM_FN uint32_t half_minmax(uint32_t a, uint32_t b, enum num_half t, bool max, bool ftz, bool nan,
                            bool xorsign)
{
	uint32_t sign = xorsign ? (a ^ b) & HALF_SIGN : 0, mask = xorsign ? 0x7fffu : 0xffffu;
	uint32_t x = half_flush(a & mask, t, ftz), y = half_flush(b & mask, t, ftz);
	uint32_t xnan = half_isnan(x, t), ynan = half_isnan(y, t);
	uint32_t bad = nan ? xnan | ynan : xnan & ynan;
	int32_t xkey = f32_key(x << 16), ykey = f32_key(y << 16);
	uint32_t low = xkey < ykey ? x : y, high = xkey < ykey ? y : x, h = max ? high : low;
	if (!nan) {
		h = xnan ? y : h;
		h = ynan ? x : h;
	}
	h |= sign;
	return bad ? HALF_NAN : h;
}
NUM_FN bool half_compare(uint32_t a, uint32_t b, enum num_half t, enum num_cmp op, bool ftz)
{
	return f32_compare(half_widen(half_flush(a & 0xffff, t, ftz), t),
	                   half_widen(half_flush(b & 0xffff, t, ftz), t), op, false);
}

/* ---- packed --------------------------------------------------------------------------------- */

NUM_FN uint32_t half_pack(uint32_t lo, uint32_t hi)
{
	return lo | hi << 16;
}
NUM_FN uint32_t half_fma_x2(uint32_t a, uint32_t b, uint32_t c, enum num_half t, struct half_mods m)
{
	return half_pack(half_fma(a & 0xffff, b & 0xffff, c & 0xffff, t, m),
	                 half_fma(a >> 16, b >> 16, c >> 16, t, m));
}
NUM_FN uint32_t half_add_x2(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	return half_pack(half_add(a & 0xffff, b & 0xffff, t, m), half_add(a >> 16, b >> 16, t, m));
}
NUM_FN uint32_t half_sub_x2(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	return half_add_x2(a, b ^ 0x80008000u, t, m);
}
NUM_FN uint32_t half_mul_x2(uint32_t a, uint32_t b, enum num_half t, struct half_mods m)
{
	return half_pack(half_mul(a & 0xffff, b & 0xffff, t, m), half_mul(a >> 16, b >> 16, t, m));
}
NUM_FN uint32_t half_neg_x2(uint32_t a, enum num_half t, bool ftz)
{
	return half_pack(half_neg(a & 0xffff, t, ftz), half_neg(a >> 16, t, ftz));
}
NUM_FN uint32_t half_abs_x2(uint32_t a, enum num_half t, bool ftz)
{
	return half_pack(half_abs(a & 0xffff, t, ftz), half_abs(a >> 16, t, ftz));
}
NUM_FN uint32_t half_minmax_x2(uint32_t a, uint32_t b, enum num_half t, bool max, bool ftz,
                               bool nan, bool xorsign)
{
	return half_pack(half_minmax(a & 0xffff, b & 0xffff, t, max, ftz, nan, xorsign),
	                 half_minmax(a >> 16, b >> 16, t, max, ftz, nan, xorsign));
}

#endif

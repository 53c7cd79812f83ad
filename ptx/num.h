/* num.h - the arithmetic of one lane, on raw bits: what an sm_90 instruction computes.
 *
 * Every function here is branch-free over compile-time constant modifiers, so that a loop over
 * the 32 lanes of a warp becomes vector code.  r is RND_NE (.rn), RND_Z (.rz), RND_D (.rm) or
 * RND_U (.rp); ftz and sat are the modifiers of the same name.  Needs round-to-nearest and
 * subnormals switched on in the host's control word, and -ffp-contract=off.
 *
 * Directed roundings come from error-free residuals: products of two f32 and, rounded to odd,
 * sums of two doubles keep enough bits for one further rounding to any mode (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", IEEE TC 57, 2008). */
#ifndef PTX_NUM_H
#define PTX_NUM_H

#include <math.h>
#include <string.h>

#include "base/base.h"

#define NUM_FN   static inline __attribute__((always_inline, unused))

#define F32_NAN  0x7fffffffu /* what an sm_90 returns for every NaN it makes */
#define F32_INF  0x7f800000u
#define F32_SIGN 0x80000000u
#define F32_ONE  0x3f800000u
#define F64_INF  0x7ff0000000000000ull
#define F64_SIGN 0x8000000000000000ull

NUM_FN float f32_value(uint32_t u)
{
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}
NUM_FN uint32_t f32_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}
NUM_FN double f64_value(uint64_t u)
{
	double d;
	memcpy(&d, &u, sizeof d);
	return d;
}
NUM_FN uint64_t f64_bits(double d)
{
	uint64_t u;
	memcpy(&u, &d, sizeof u);
	return u;
}

NUM_FN bool f32_isnan(uint32_t u)
{
	return (u & 0x7fffffffu) > F32_INF;
}
NUM_FN uint32_t f32_canonical(uint32_t u)
{
	return (u & 0x7fffffffu) > F32_INF ? F32_NAN : u;
}
/* A subnormal becomes the zero of its sign. */
NUM_FN uint32_t f32_flush(uint32_t u, bool ftz)
{
	uint32_t subnormal = ftz & ((u & F32_INF) == 0);
	return u & (F32_SIGN | (subnormal - 1));
}
/* [0,1]; NaN and -0 become +0. */
NUM_FN uint32_t f32_saturate(uint32_t u)
{
	uint32_t low = (int32_t)u < 0 || u > F32_INF ? 0 : u;
	return low > F32_ONE ? F32_ONE : low;
}
NUM_FN uint32_t f32_finish(uint32_t u, bool ftz, bool sat)
{
	u = f32_flush(f32_canonical(u), ftz);
	return sat ? f32_saturate(u) : u;
}
/* The same where an instruction knows that its result is tiny: .ftz flushes when the result,
 * rounded to 24 bits with an unbounded exponent, is below 2^-126 (tininess after rounding, as an
 * H200 has it: 2^-126 (1 - 2^-24) is flushed, 2^-126 (1 - 2^-26) is 2^-126). */
NUM_FN uint32_t f32_finish_tiny(uint32_t u, uint32_t tiny, bool ftz, bool sat)
{
	u = f32_canonical(u);
	if (ftz)
		u &= F32_SIGN | (tiny - 1);
	return sat ? f32_saturate(u) : u;
}

/* ---- sums of doubles rounded to odd, and doubles rounded to f32 ----------------------------- */

/* x + y: exact, or the one of the two neighbouring doubles whose last bit is 1.  Only for values
 * whose sum neither overflows nor is subnormal in double: products and values of narrower types. */
NUM_FN double num_add_odd(double x, double y)
{
	double s = x + y, t = s - x, e = (x - (s - t)) + (y - t);
	uint64_t u = f64_bits(s), even = ~u & 1, neg = u >> 63;
	uint64_t above = e > 0, below = e < 0;
	/* one unit of magnitude outwards or inwards, to the odd neighbour on the exact sum's
	 * side */
	uint64_t outwards = (above & ~neg) | (below & neg),
	         inwards = (below & ~neg) | (above & neg);
	return f64_value(u + (even & outwards) - (even & inwards));
}

/* u is the f32 nearest to an exact value that lies below it (over), above it (under) or is it;
 * gives the rounding r of the exact value.  Also where u is an overflowed infinity or a zero. */
NUM_FN uint32_t f32_direct(uint32_t u, uint32_t over, uint32_t under, enum rnd r)
{
	uint32_t neg = u >> 31, outwards = (0u - neg) | 1; /* adds one to a magnitude, as a value */
	if (r == RND_D)
		return u - (outwards & (0u - over));
	if (r == RND_U)
		return u + (outwards & (0u - under));
	if (r == RND_Z)
		return u - ((over & (neg ^ 1)) | (under & neg));
	return u;
}
/* d rounded once to f32. */
NUM_FN uint32_t f32_from_double(double d, enum rnd r)
{
	float f = (float)d;
	return f32_direct(f32_bits(f), (double)f > d, (double)f < d, r);
}
/* Is d, not NaN, tiny (see f32_finish_tiny) when rounded to f32?  d may be rounded to odd. */
NUM_FN uint32_t f32_tiny(double d, enum rnd r)
{
	double mag = __builtin_fabs(d);
	uint32_t nearest = mag < 0x1.ffffffp-127, outwards = mag <= 0x1.fffffep-127;
	uint32_t neg = (uint32_t)(f64_bits(d) >> 63), inwards = mag < 0x1p-126;
	if (r == RND_D)
		return (neg & outwards) | (~neg & inwards);
	if (r == RND_U)
		return (~neg & outwards) | (neg & inwards);
	return r == RND_Z ? inwards : nearest;
}
/* d = num_add_odd(x, y) rounded once to f32; an exact zero is -0 towards minus infinity unless both
 * terms are +0 (IEEE 754-2019, 6.3). */
NUM_FN uint32_t f32_sum(double x, double y, double d, enum rnd r)
{
	uint32_t u = f32_from_double(d, r);
	uint32_t sign = (uint32_t)((f64_bits(x) | f64_bits(y)) >> 32) & F32_SIGN;
	uint32_t zero = d == 0;
	if (r != RND_D)
		return u;
	return u | (sign & (0u - zero));
}

/* ---- f32 ----------------------------------------------------------------------------------- */

/* A sum below 2^-126 is a multiple of 2^-149, so exact. */
NUM_FN uint32_t f32_add(uint32_t a, uint32_t b, enum rnd r, bool ftz, bool sat)
{
	float x = f32_value(f32_flush(a, ftz)), y = f32_value(f32_flush(b, ftz));
	uint32_t u = r == RND_NE ? f32_bits(x + y) : f32_sum(x, y, num_add_odd(x, y), r);
	return f32_finish(u, ftz, sat);
}
NUM_FN uint32_t f32_sub(uint32_t a, uint32_t b, enum rnd r, bool ftz, bool sat)
{
	return f32_add(a, b ^ F32_SIGN, r, ftz, sat);
}
/* To nearest, tininess shows in the product scaled by 2^24, where nothing is subnormal that matters
 * and what overflows is far from tiny. */
NUM_FN uint32_t f32_mul(uint32_t a, uint32_t b, enum rnd r, bool ftz, bool sat)
{
	float x = f32_value(f32_flush(a, ftz)), y = f32_value(f32_flush(b, ftz));
	if (r == RND_NE) {
		uint32_t tiny = __builtin_fabsf(x * 0x1p24f * y) < 0x1p-102f;
		return f32_finish_tiny(f32_bits(x * y), tiny, ftz, sat);
	}
	double d = (double)x * y;
	return f32_finish_tiny(f32_from_double(d, r), f32_tiny(d, r), ftz, sat);
}
/* a*b + c with one rounding.  Without the instruction, the product is exact in double, and the sum
 * rounded to odd has more than 24+2 bits. */
NUM_FN uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, enum rnd r, bool ftz, bool sat)
{
	float x = f32_value(f32_flush(a, ftz)), y = f32_value(f32_flush(b, ftz)),
	      z = f32_value(f32_flush(c, ftz));
#ifdef __FMA__
	if (r == RND_NE) {
		float scaled = __builtin_fmaf(x * 0x1p24f, y, z * 0x1p24f);
		uint32_t tiny = __builtin_fabsf(scaled) < 0x1p-102f;
		return f32_finish_tiny(f32_bits(__builtin_fmaf(x, y, z)), tiny, ftz, sat);
	}
#endif
	double p = (double)x * y, d = num_add_odd(p, z);
	return f32_finish_tiny(f32_sum(p, z, d, r), f32_tiny(d, r), ftz, sat);
}
/* The residual's sign needs only a comparison: quotient times divisor is exact in double.  A
 * quotient below 2^-126 is at most 2^-126 (1 - 1/(2^24-1)), tiny in every rounding. */
NUM_FN uint32_t f32_div(uint32_t a, uint32_t b, enum rnd r, bool ftz)
{
	float x = f32_value(f32_flush(a, ftz)), y = f32_value(f32_flush(b, ftz)), q = x / y;
	double p = (double)q * y;
	uint32_t more = p > x, less = p < x, neg = y < 0;
	uint32_t over = (more & ~neg) | (less & neg), under = (less & ~neg) | (more & neg);
	uint32_t tiny = (double)__builtin_fabsf(x) < (double)__builtin_fabsf(y) * 0x1p-126;
	return f32_finish_tiny(f32_direct(f32_bits(q), over, under, r), tiny, ftz, false);
}
NUM_FN uint32_t f32_rcp(uint32_t a, enum rnd r, bool ftz)
{
	return f32_div(F32_ONE, a, r, ftz);
}
NUM_FN uint32_t f32_sqrt(uint32_t a, enum rnd r, bool ftz)
{
	float x = f32_value(f32_flush(a, ftz)), q = __builtin_sqrtf(x);
	double p = (double)q * q;
	return f32_finish(f32_direct(f32_bits(q), p > x, p < x, r), ftz, false);
}

/* neg and abs are FADD(-x, -0) and FADD(|x|, -0): NaN becomes canonical. */
NUM_FN uint32_t f32_neg(uint32_t a, bool ftz)
{
	return f32_finish(a ^ F32_SIGN, ftz, false);
}
NUM_FN uint32_t f32_abs(uint32_t a, bool ftz)
{
	return f32_finish(a & ~F32_SIGN, ftz, false);
}
NUM_FN uint32_t f32_copysign(uint32_t sign, uint32_t magnitude)
{
	return (sign & F32_SIGN) | (magnitude & ~F32_SIGN);
}

/* Orders all numbers, -0 below +0, as signed integers. */
NUM_FN int32_t f32_key(uint32_t u)
{
	return (int32_t)(u ^ ((uint32_t)((int32_t)u >> 31) >> 1));
}
/* min and max: one NaN loses, two make the canonical one; with nan (.NaN) one NaN is enough.
 * xorsign (.xorsign.abs): of the magnitudes, with the product's sign. */
NUM_FN uint32_t f32_minmax(uint32_t a, uint32_t b, bool max, bool ftz, bool nan, bool xorsign)
{
	uint32_t sign = xorsign ? (a ^ b) & F32_SIGN : 0, mask = xorsign ? ~F32_SIGN : ~0u;
	uint32_t x = f32_flush(a & mask, ftz), y = f32_flush(b & mask, ftz);
	uint32_t xnan = f32_isnan(x), ynan = f32_isnan(y);
	uint32_t bad = nan ? xnan | ynan : xnan & ynan;
	uint32_t low = f32_key(x) < f32_key(y) ? x : y, high = f32_key(x) < f32_key(y) ? y : x;
	uint32_t u = max ? high : low;
	if (!nan) {
		u = xnan ? y : u;
		u = ynan ? x : u;
	}
	u |= sign;
	return bad ? F32_NAN : u;
}
NUM_FN uint32_t f32_min(uint32_t a, uint32_t b, bool ftz, bool nan, bool xorsign)
{
	return f32_minmax(a, b, false, ftz, nan, xorsign);
}
NUM_FN uint32_t f32_max(uint32_t a, uint32_t b, bool ftz, bool nan, bool xorsign)
{
	return f32_minmax(a, b, true, ftz, nan, xorsign);
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* The comparison operators of setp on floats; the U forms hold when an operand is NaN. */
enum num_cmp {
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE,
	CMP_EQU,
	CMP_NEU,
	CMP_LTU,
	CMP_LEU,
	CMP_GTU,
	CMP_GEU,
	CMP_NUM,
	CMP_NAN
};
NUM_FN bool num_compare(bool lt, bool eq, bool gt, enum num_cmp op)
{
	switch (op) {
	case CMP_EQ:
		return eq;
	case CMP_NE:
		return lt | gt;
	case CMP_LT:
		return lt;
	case CMP_LE:
		return lt | eq;
	case CMP_GT:
		return gt;
	case CMP_GE:
		return gt | eq;
	case CMP_EQU:
		return !(lt | gt);
	case CMP_NEU:
		return !eq;
	case CMP_LTU:
		return !(gt | eq);
	case CMP_LEU:
		return !gt;
	case CMP_GTU:
		return !(lt | eq);
	case CMP_GEU:
		return !lt;
	case CMP_NUM:
		return lt | eq | gt;
	case CMP_NAN:
		return !(lt | eq | gt);
	}
	return false;
}
NUM_FN bool f32_compare(uint32_t a, uint32_t b, enum num_cmp op, bool ftz)
{
	float x = f32_value(f32_flush(a, ftz)), y = f32_value(f32_flush(b, ftz));
	return num_compare(x<y, x == y, x> y, op);
}
NUM_FN bool f64_compare(uint64_t a, uint64_t b, enum num_cmp op)
{
	double x = f64_value(a), y = f64_value(b);
	return num_compare(x<y, x == y, x> y, op);
}

/* testp: zeros count as normal (PTX ISA, testp). */
enum num_testp {
	TESTP_FINITE,
	TESTP_INFINITE,
	TESTP_NUMBER,
	TESTP_NOTANUMBER,
	TESTP_NORMAL,
	TESTP_SUBNORMAL
};
NUM_FN bool num_testp(uint64_t magnitude, uint64_t inf, uint64_t smallest_normal, enum num_testp t)
{
	switch (t) {
	case TESTP_FINITE:
		return magnitude < inf;
	case TESTP_INFINITE:
		return magnitude == inf;
	case TESTP_NUMBER:
		return magnitude <= inf;
	case TESTP_NOTANUMBER:
		return magnitude > inf;
	case TESTP_NORMAL:
		return magnitude == 0 || (magnitude >= smallest_normal && magnitude < inf);
	case TESTP_SUBNORMAL:
		return magnitude != 0 && magnitude < smallest_normal;
	}
	return false;
}
NUM_FN bool f32_testp(uint32_t a, enum num_testp t)
{
	return num_testp(a & ~F32_SIGN, F32_INF, 0x00800000u, t);
}
NUM_FN bool f64_testp(uint64_t a, enum num_testp t)
{
	return num_testp(a & ~F64_SIGN, F64_INF, 0x0010000000000000ull, t);
}

#include "ptx/num_f64.h"
#include "ptx/num_half.h"
#include "ptx/num_int.h"
#include "ptx/num_cvt.h"

#endif

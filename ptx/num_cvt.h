/* num_cvt.h - conversions of one lane (PTX ISA 9.7.9.21, cvt).  Included by num.h.
 *
 * r is the rounding of a float result (.rn .rz .rm .rp, .rna for tf32) or the integer rounding
 * (.rni .rzi .rmi .rpi) as RND_NE, RND_Z, RND_D, RND_U.  Conversions to integers always
 * saturate. */
#ifndef PTX_NUM_CVT_H
#define PTX_NUM_CVT_H

#include "ptx/num_half.h"
#include "ptx/num_int.h"

/* ---- integer to integer --------------------------------------------------------------------- */

/* The dbits-wide result, sign- or zero-extended by its own type to 64 bits.  sat clamps to its
 * range, else the low bits are taken. */
NUM_FN uint64_t cvt_int(uint64_t v, int sbits, bool ssigned, int dbits, bool dsigned, bool sat)
{
	v = int_extend(v, sbits, ssigned);
	if (sat) {
		bool neg = ssigned && (int64_t)v < 0;
		uint64_t top = int_mask(dbits) >> dsigned, low = dsigned ? ~top : 0;
		bool less = neg && (int64_t)v < (int64_t)low, more = !neg && v > top;
		v = more ? top : less ? low : v;
	}
	return int_extend(v, dbits, dsigned);
}

/* ---- integer to float ----------------------------------------------------------------------- */

/* Every integer below 2^64 to odd in double: the low 11 bits collapse into the last one. */
NUM_FN double cvt_u64_odd(uint64_t v)
{
	uint64_t sticky = v >> 53 ? (v & 0x7ff) != 0 : 0;
	return (double)(v >> 53 ? (v & ~0xfffull) | ((v >> 11 & 1) | sticky) << 11 : v);
}
/* v already extended to 64 bits. */
NUM_FN double cvt_int_odd(uint64_t v, bool is_signed)
{
	bool neg = is_signed && (int64_t)v < 0;
	double d = cvt_u64_odd(neg ? 0 - v : v);
	return neg ? -d : d;
}
NUM_FN uint32_t cvt_f32_from_s32(uint32_t v, enum rnd r)
{
	return f32_from_double((int32_t)v, r);
}
NUM_FN uint32_t cvt_f32_from_u32(uint32_t v, enum rnd r)
{
	return f32_from_double(v, r);
}
NUM_FN uint32_t cvt_f32_from_int(uint64_t v, int bits, bool is_signed, enum rnd r)
{
	return f32_from_double(cvt_int_odd(int_extend(v, bits, is_signed), is_signed), r);
}
NUM_FN uint32_t cvt_half_from_int(uint64_t v, int bits, bool is_signed, enum num_half t, enum rnd r)
{
	double d = cvt_int_odd(int_extend(v, bits, is_signed), is_signed);
	return half_narrow(f32_odd(d), t, r);
}
NUM_FN uint64_t cvt_f64_from_int(uint64_t v, int bits, bool is_signed, enum rnd r)
{
	uint64_t x = int_extend(v, bits, is_signed);
	bool neg = is_signed && (int64_t)x < 0;
	uint64_t m = neg ? 0 - x : x;
	uint64_t cut = m >> 53 ? 64 - 53 - (uint64_t)__builtin_clzll(m) : 0; /* bits below double */
	uint64_t low = m & ((1ull << cut) - 1), keep = m - low, half = cut ? 1ull << (cut - 1) : 0;
	bool up = r == RND_U   ? low && !neg
	          : r == RND_D ? low && neg
	          : r == RND_Z ? false
	                       : cut && (low > half || (low == half && (m >> cut & 1)));
	double d = (double)keep + (up ? (double)(1ull << cut) : 0); /* both steps exact */
	return f64_bits(neg ? -d : d);
}

/* ---- float to integer ----------------------------------------------------------------------- */

/* To an integral value with the sign of the argument, zeros too.  Made from rint, since vector code
 * for trunc, floor and ceil is not to be had while exceptions count. */
NUM_FN float f32_rint(float f, enum rnd r)
{
	float q = __builtin_rintf(f), one = 1;
	uint32_t over = q > f, under = q < f, neg = f32_bits(f) >> 31;
	uint32_t down = r == RND_D ? over : r == RND_Z ? over & ~neg : 0;
	uint32_t up = r == RND_U ? under : r == RND_Z ? under & neg : 0;
	q -= f32_value(f32_bits(one) & (0u - down));
	q += f32_value(f32_bits(one) & (0u - up));
	return f32_value(f32_copysign(f32_bits(f), f32_bits(q)));
}
NUM_FN double num_rint(double d, enum rnd r)
{
	double q = __builtin_rint(d), one = 1;
	uint64_t over = q > d, under = q < d, neg = f64_bits(d) >> 63;
	uint64_t down = r == RND_D ? over : r == RND_Z ? over & ~neg : 0;
	uint64_t up = r == RND_U ? under : r == RND_Z ? under & neg : 0;
	q -= f64_value(f64_bits(one) & (0ull - down));
	q += f64_value(f64_bits(one) & (0ull - up));
	return f64_value(f64_copysign(f64_bits(d), f64_bits(q)));
}
/* The integral value d (or NaN) saturated to an integer of 8, 16 or 32 bits, extended by its
 * type to 32 bits; NaN gives `nan`. */
NUM_FN uint32_t cvt_small_from_integral(double d, int bits, bool is_signed, uint32_t nan)
{
	double top = (double)(int_mask(bits) >> is_signed), low = is_signed ? -top - 1 : 0;
	double c = d < top ? d : top;
	c = c > low ? c : low;
	uint32_t bad = d != d, high = c >= 0x1p31;
	c -= (double)(int32_t)high * 0x1p31; /* the host converts to int32_t */
	return (((uint32_t)(int32_t)c + (high << 31)) & (bad - 1)) | (nan & (0u - bad));
}
NUM_FN uint64_t cvt_i64_from_integral(double d, bool is_signed)
{
	const double two63 = 9223372036854775808.0;
	if (d != d)
		return F64_SIGN;
	if (is_signed)
		return d >= two63 ? INT64_MAX : d < -two63 ? F64_SIGN : (uint64_t)(int64_t)d;
	if (d >= 2 * two63)
		return UINT64_MAX;
	return d <= 0       ? 0
	       : d >= two63 ? (uint64_t)(int64_t)(d - two63) + F64_SIGN
	                    : (uint64_t)(int64_t)d;
}
/* NaN gives 0, in 64 bits 2^63. */
NUM_FN uint32_t cvt_int_from_f32(uint32_t a, int bits, bool is_signed, enum rnd r, bool ftz)
{
	float x = f32_rint(f32_value(f32_flush(a, ftz)), r);
	/* clamped in f32 to the largest number that is in range, and the rest set apart */
	const uint32_t range = (uint32_t)(int_mask(bits) >> is_signed);
	const float top = bits == 32 ? (is_signed ? 0x1.fffffep30f : 0x1.fffffep31f) : (float)range;
	const float low = is_signed ? -(float)(1u << (bits - 1)) : 0;
	uint32_t under = 0u - (x < low), over = 0u - (x > top), bad = 0u - (x != x);
	float c = f32_value((f32_bits(x) & ~(under | over | bad)) | (f32_bits(low) & under));
	uint32_t high = is_signed ? 0 : c >= 0x1p31f;
	c -= f32_value(0x4f000000u & (0u - high)); /* 2^31: the host converts to int32_t */
	uint32_t v = (uint32_t)(int32_t)c + (high << 31);
	return v | (range & over);
}
NUM_FN uint64_t cvt_i64_from_f32(uint32_t a, bool is_signed, enum rnd r, bool ftz)
{
	return cvt_i64_from_integral(num_rint(f32_value(f32_flush(a, ftz)), r), is_signed);
}
/* NaN gives the top bit of the result. */
NUM_FN uint32_t cvt_int_from_f64(uint64_t a, int bits, bool is_signed, enum rnd r)
{
	uint32_t nan = (uint32_t)int_extend(1ull << (bits - 1), bits, is_signed);
	return cvt_small_from_integral(num_rint(f64_value(a), r), bits, is_signed, nan);
}
NUM_FN uint64_t cvt_i64_from_f64(uint64_t a, bool is_signed, enum rnd r)
{
	return cvt_i64_from_integral(num_rint(f64_value(a), r), is_signed);
}
NUM_FN uint32_t cvt_int_from_half(uint32_t a, int bits, bool is_signed, enum num_half t, enum rnd r)
{
	return cvt_int_from_f32(half_widen(a & 0xffff, t), bits, is_signed, r, false);
}
NUM_FN uint64_t cvt_i64_from_half(uint32_t a, bool is_signed, enum num_half t, enum rnd r)
{
	return cvt_i64_from_f32(half_widen(a & 0xffff, t), is_signed, r, false);
}

/* ---- float to float ------------------------------------------------------------------------- */

/* Conversions from and to f64 keep the leading bits of a NaN's payload, made quiet, and its
 * sign; f16 and bf16 results of other conversions, and f32 results of an addition, are canonical
 * (H200). */

/* A NaN of sign and payload bits below the quiet bit (left-aligned in 51 bits) in each format. */
NUM_FN uint64_t nan_f64(uint64_t sign, uint64_t payload)
{
	return sign | F64_INF | F64_QUIET | (payload & (F64_QUIET - 1));
}
NUM_FN uint32_t nan_half(uint64_t a, enum num_half t)
{
	uint32_t quiet = t == HALF_F16 ? 0x200 : 0x40, cut = t == HALF_F16 ? 42 : 45;
	uint32_t sign = (uint32_t)(a >> 48) & HALF_SIGN;
	return sign | half_inf(t) | quiet | ((uint32_t)(a >> cut) & (quiet - 1));
}

/* To an integral value in the same format (cvt.rni.f32.f32 and so on). */
NUM_FN uint32_t cvt_f32_integral(uint32_t a, enum rnd r, bool ftz, bool sat)
{
	float x = f32_value(f32_flush(a, ftz));
	return f32_finish(f32_bits(f32_rint(x, r)), ftz, sat);
}
NUM_FN uint64_t cvt_f64_integral(uint64_t a, enum rnd r)
{
	return f64_nan(f64_bits(num_rint(f64_value(a), r)), a, a, a);
}
NUM_FN uint32_t cvt_half_integral(uint32_t a, enum num_half t, enum rnd r, struct half_mods m)
{
	uint32_t u = half_widen(half_flush(a & 0xffff, t, m.ftz), t);
	return half_finish(cvt_f32_integral(u, r, false, false), t, RND_NE, m);
}
/* cvt.f32.f32 is a move; with .sat or .ftz FADD(x, -0) with those modifiers. */
NUM_FN uint32_t cvt_f32_from_f32(uint32_t a, bool ftz, bool sat)
{
	return ftz || sat ? f32_finish(f32_flush(a, ftz), ftz, sat) : a;
}
/* .sat of f64: [0,1], NaN and -0 to +0. */
NUM_FN uint64_t f64_saturate(uint64_t u)
{
	uint64_t low = (int64_t)u < 0 || u > F64_INF ? 0 : u;
	return low > f64_bits(1.0) ? f64_bits(1.0) : low;
}
/* .ftz passes through an f32 addition first, which makes NaN canonical. */
NUM_FN uint64_t cvt_f64_from_f32(uint32_t a, bool ftz, bool sat)
{
	uint32_t x = ftz ? f32_finish(a, true, false) : a;
	uint64_t n = nan_f64((uint64_t)(x & F32_SIGN) << 32, (uint64_t)x << 29);
	uint64_t u = f32_isnan(x) ? n : f64_bits(f32_value(x));
	return sat ? f64_saturate(u) : u;
}
NUM_FN uint32_t cvt_f32_from_f64(uint64_t a, enum rnd r, bool ftz, bool sat)
{
	double d = f64_value(a);
	uint32_t n =
	        ((uint32_t)(a >> 32) & F32_SIGN) | 0x7fc00000u | ((uint32_t)(a >> 29) & 0x3fffff);
	uint32_t u = f64_isnan(a) ? n : f32_from_double(d, r);
	if (ftz)
		u &= F32_SIGN | (f32_tiny(d, r) - 1);
	return sat ? f32_saturate(u) : u;
}
/* f16: an addition to -0, so NaN becomes canonical.  bf16: a shift, NaN keeps its bits. */
NUM_FN uint32_t cvt_f32_from_half(uint32_t a, enum num_half t, bool ftz, bool sat)
{
	uint32_t u = half_widen(a & 0xffff, t);
	if (t == HALF_F16 || ftz || sat)
		return f32_finish(f32_flush(u, ftz), ftz, sat);
	return u;
}
NUM_FN uint64_t cvt_f64_from_half(uint32_t a, enum num_half t)
{
	return cvt_f64_from_f32(half_widen(a & 0xffff, t), false, false);
}
/* f32 subnormals count, with .ftz too (H200). */
NUM_FN uint32_t cvt_half_from_f32(uint32_t a, enum num_half t, enum rnd r, bool ftz, bool sat,
                                  bool relu)
{
	(void)ftz;
	return half_finish(a, t, r, (struct half_mods){false, sat, relu});
}
NUM_FN uint32_t cvt_half_from_f64(uint64_t a, enum num_half t, enum rnd r, bool sat)
{
	uint32_t h =
	        half_finish(f32_odd(f64_value(a)), t, r, (struct half_mods){false, sat, false});
	return f64_isnan(a) ? (sat ? 0 : nan_half(a, t)) : h;
}
/* Between the two 16-bit formats, or within one (NaN becomes canonical then too). */
NUM_FN uint32_t cvt_half_from_half(uint32_t a, enum num_half to, enum num_half from, enum rnd r,
                                   bool sat)
{
	return cvt_half_from_f32(half_widen(a & 0xffff, from), to, r, false, sat, false);
}
/* cvt.rn.f16x2.f32 d, a, b: a is the upper half. */
NUM_FN uint32_t cvt_half2_from_f32(uint32_t a, uint32_t b, enum num_half t, enum rnd r, bool ftz,
                                   bool relu)
{
	return half_pack(cvt_half_from_f32(b, t, r, ftz, false, relu),
	                 cvt_half_from_f32(a, t, r, ftz, false, relu));
}

/* ---- tf32 and the 8-bit formats ------------------------------------------------------------- */

/* f32 with the low 13 bits 0.  .rna is an addition to the bits of every finite number; infinity
 * and NaN are cut, so NaN keeps sign and payload. */
NUM_FN uint32_t cvt_tf32_rna(uint32_t a)
{
	return ((a & 0x7fffffffu) < F32_INF ? a + 0x1000u : a) & 0xffffe000u;
}
/* .rn and .rz, with .relu */
NUM_FN uint32_t cvt_tf32(uint32_t a, enum rnd r, bool relu)
{
	uint32_t v = num_round(a, 8, 10, 0x3fbff, 0x3fc00, r) << 13;
	v = f32_isnan(a) ? 0x7fffe000u : v;
	return relu && (int32_t)v < 0 ? 0 : v;
}

enum num_fp8 { FP8_E4M3, FP8_E5M2 };

/* f32 to 8 bits, .rn.satfinite: beyond the range, infinity too, the largest number; NaN is 0x7f. */
NUM_FN uint32_t fp8_from_f32(uint32_t a, enum num_fp8 t, bool relu)
{
	uint32_t v = t == FP8_E4M3 ? num_round(a, 4, 3, 0x7e, 0x7e, RND_NE)
	                           : num_round(a, 5, 2, 0x7b, 0x7b, RND_NE);
	v = f32_isnan(a) ? 0x7f : v;
	return relu && (v & 0x80) ? 0 : v;
}
/* 8 bits to f16, exact; NaN is 0x7fff. */
NUM_FN uint32_t f16_from_fp8(uint32_t a, enum num_fp8 t)
{
	if (t == FP8_E5M2)
		return half_canonical((a & 0xff) << 8, HALF_F16);
	/* e4m3 has numbers at its top exponent: bias 7 against 15, all exact in f32 */
	uint32_t mag = a & 0x7f, sign = (a & 0x80) << 8;
	uint32_t u = f32_bits(f32_value(mag << 20) * 0x1p120f);
	return mag == 0x7f ? HALF_NAN : sign | half_narrow(u, HALF_F16, RND_NE);
}
/* cvt.rn.satfinite.e4m3x2.f32 d, a, b: a is the upper byte. */
NUM_FN uint32_t cvt_fp8x2_from_f32(uint32_t a, uint32_t b, enum num_fp8 t, bool relu)
{
	return fp8_from_f32(a, t, relu) << 8 | fp8_from_f32(b, t, relu);
}
NUM_FN uint32_t cvt_fp8x2_from_f16x2(uint32_t a, enum num_fp8 t, bool relu)
{
	return cvt_fp8x2_from_f32(half_widen(a >> 16, HALF_F16), half_widen(a & 0xffff, HALF_F16),
	                          t, relu);
}
NUM_FN uint32_t cvt_f16x2_from_fp8x2(uint32_t a, enum num_fp8 t, bool relu)
{
	uint32_t lo = f16_from_fp8(a & 0xff, t), hi = f16_from_fp8(a >> 8 & 0xff, t);
	lo = relu && (lo & HALF_SIGN) ? 0 : lo;
	hi = relu && (hi & HALF_SIGN) ? 0 : hi;
	return half_pack(lo, hi);
}

#endif

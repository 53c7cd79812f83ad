/* num_f64.h - f64 arithmetic of one lane on raw bits.  Round to nearest is the host's; the other
 * roundings are exact integer arithmetic in num_f64.c.  Included by num.h. */
#ifndef PTX_NUM_F64_H
#define PTX_NUM_F64_H

#include "ptx/num.h"

/* a*b + c, a*b, a/b and the square root with one rounding; every NaN result is F64_NAN. */
uint64_t f64_soft_fma(uint64_t a, uint64_t b, uint64_t c, enum rnd r);
uint64_t f64_soft_mul(uint64_t a, uint64_t b, enum rnd r);
uint64_t f64_soft_div(uint64_t a, uint64_t b, enum rnd r);
uint64_t f64_soft_sqrt(uint64_t a, enum rnd r);

/* f64 instructions keep a NaN operand, made quiet; the NaN they make is this one (H200). */
#define F64_NAN   0xfff8000000000000ull
#define F64_QUIET 0x0008000000000000ull

NUM_FN bool f64_isnan(uint64_t u)
{
	return (u & ~F64_SIGN) > F64_INF;
}
/* u, the result of an operation on a, b and c, or the NaN operand that counts: b, then c, then a.
 * (An instruction without c passes a twice.) */
NUM_FN uint64_t f64_nan(uint64_t u, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t n = f64_isnan(u) ? F64_NAN : u;
	n = f64_isnan(a) ? a | F64_QUIET : n;
	n = f64_isnan(c) ? c | F64_QUIET : n;
	return f64_isnan(b) ? b | F64_QUIET : n;
}

NUM_FN uint64_t f64_add(uint64_t a, uint64_t b, enum rnd r)
{
	if (r != RND_NE)
		return f64_nan(f64_soft_fma(a, f64_bits(1.0), b, r), a, b, a);
	return f64_nan(f64_bits(f64_value(a) + f64_value(b)), a, b, a);
}
NUM_FN uint64_t f64_sub(uint64_t a, uint64_t b, enum rnd r)
{
	return f64_add(a, f64_isnan(b) ? b : b ^ F64_SIGN, r);
}
NUM_FN uint64_t f64_mul(uint64_t a, uint64_t b, enum rnd r)
{
	if (r != RND_NE)
		return f64_nan(f64_soft_mul(a, b, r), a, b, a);
	return f64_nan(f64_bits(f64_value(a) * f64_value(b)), a, b, a);
}
/* fma() of the C library is exact (C11 7.12.13.1), with or without the instruction. */
NUM_FN uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, enum rnd r)
{
	if (r != RND_NE)
		return f64_nan(f64_soft_fma(a, b, c, r), a, b, c);
	return f64_nan(f64_bits(__builtin_fma(f64_value(a), f64_value(b), f64_value(c))), a, b, c);
}
NUM_FN uint64_t f64_div(uint64_t a, uint64_t b, enum rnd r)
{
	if (r != RND_NE)
		return f64_nan(f64_soft_div(a, b, r), b, a, b); /* a first */
	return f64_nan(f64_bits(f64_value(a) / f64_value(b)), b, a, b);
}
NUM_FN uint64_t f64_rcp(uint64_t a, enum rnd r)
{
	return f64_div(f64_bits(1.0), a, r);
}
NUM_FN uint64_t f64_sqrt(uint64_t a, enum rnd r)
{
	if (r != RND_NE)
		return f64_nan(f64_soft_sqrt(a, r), a, a, a);
	return f64_nan(f64_bits(__builtin_sqrt(f64_value(a))), a, a, a);
}

/* neg and abs are additions to -0: NaN is made quiet and keeps its sign. */
NUM_FN uint64_t f64_neg(uint64_t a)
{
	return f64_isnan(a) ? a | F64_QUIET : a ^ F64_SIGN;
}
NUM_FN uint64_t f64_abs(uint64_t a)
{
	return f64_isnan(a) ? a | F64_QUIET : a & ~F64_SIGN;
}
NUM_FN uint64_t f64_copysign(uint64_t sign, uint64_t magnitude)
{
	return (sign & F64_SIGN) | (magnitude & ~F64_SIGN);
}

NUM_FN int64_t f64_key(uint64_t u)
{
	return (int64_t)(u ^ ((uint64_t)((int64_t)u >> 63) >> 1));
}
/* One NaN loses; two NaN give b with the quiet bit set (DSETP and selects, not a canonical NaN). */
NUM_FN uint64_t f64_minmax(uint64_t a, uint64_t b, bool max)
{
	bool less = f64_key(a) < f64_key(b);
	uint64_t u = (less ^ max) ? a : b;
	u = f64_isnan(a) ? b : u;
	u = f64_isnan(b) ? a : u;
	return f64_isnan(a) && f64_isnan(b) ? b | F64_QUIET : u;
}
NUM_FN uint64_t f64_min(uint64_t a, uint64_t b)
{
	return f64_minmax(a, b, false);
}
NUM_FN uint64_t f64_max(uint64_t a, uint64_t b)
{
	return f64_minmax(a, b, true);
}

#endif

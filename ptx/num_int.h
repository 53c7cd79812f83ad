/* num_int.h - integer instructions of one lane.  Included by num.h.
 *
 * Values of 16 bits travel zero-extended in uint32_t unless a name says s.  Sections cited are
 * those of the PTX ISA manual, 9.7.1 (integer) and 9.7.8 (logic and shift). */
#ifndef PTX_NUM_INT_H
#define PTX_NUM_INT_H

#include "ptx/num.h"

/* bits 16, 32 or 64: the value as a number of that type, in 64 bits. */
NUM_FN uint64_t int_extend(uint64_t v, int bits, bool is_signed)
{
	int s = 64 - bits;
	return is_signed ? (uint64_t)((int64_t)(v << s) >> s) : v << s >> s;
}
NUM_FN uint64_t int_mask(int bits)
{
	return ~0ull >> (64 - bits);
}

/* ---- multiplication ------------------------------------------------------------------------- */

NUM_FN uint32_t int_mul_hi_u32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 32);
}
NUM_FN uint32_t int_mul_hi_s32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}
NUM_FN uint64_t int_mul_hi_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}
NUM_FN uint64_t int_mul_hi_s64(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)((__int128)(int64_t)a * (int64_t)b) >> 64);
}
NUM_FN uint32_t int_mul_hi_u16(uint32_t a, uint32_t b)
{
	return (a & 0xffff) * (b & 0xffff) >> 16;
}
NUM_FN uint32_t int_mul_hi_s16(uint32_t a, uint32_t b)
{
	return (uint32_t)((int32_t)(int16_t)a * (int16_t)b) >> 16;
}
NUM_FN uint32_t int_mul_wide_u16(uint32_t a, uint32_t b)
{
	return (a & 0xffff) * (b & 0xffff);
}
NUM_FN uint32_t int_mul_wide_s16(uint32_t a, uint32_t b)
{
	return (uint32_t)((int32_t)(int16_t)a * (int16_t)b);
}
NUM_FN uint64_t int_mul_wide_u32(uint32_t a, uint32_t b)
{
	return (uint64_t)a * b;
}
NUM_FN uint64_t int_mul_wide_s32(uint32_t a, uint32_t b)
{
	return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}
/* mul24: the 48-bit product of the low 24 bits; lo its bits 31..0, hi its bits 47..16. */
NUM_FN uint32_t int_mul24(uint32_t a, uint32_t b, bool is_signed, bool hi)
{
	uint64_t p = int_extend(a, 24, is_signed) * int_extend(b, 24, is_signed);
	return (uint32_t)(hi ? p >> 16 : p);
}

/* ---- addition ------------------------------------------------------------------------------- */

NUM_FN uint32_t int_saturate_s32(int64_t v)
{
	v = v > INT32_MAX ? INT32_MAX : v;
	return (uint32_t)(v < INT32_MIN ? INT32_MIN : v);
}
NUM_FN uint32_t int_add_sat_s32(uint32_t a, uint32_t b)
{
	return int_saturate_s32((int64_t)(int32_t)a + (int32_t)b);
}
NUM_FN uint32_t int_sub_sat_s32(uint32_t a, uint32_t b)
{
	return int_saturate_s32((int64_t)(int32_t)a - (int32_t)b);
}
/* mad.hi.sat.s32 and mad24.hi.sat.s32 */
NUM_FN uint32_t int_mad_hi_sat_s32(uint32_t a, uint32_t b, uint32_t c)
{
	return int_add_sat_s32(int_mul_hi_s32(a, b), c);
}
NUM_FN uint32_t int_mad24_hi_sat_s32(uint32_t a, uint32_t b, uint32_t c)
{
	return int_add_sat_s32(int_mul24(a, b, true, true), c);
}
/* add.cc, addc, sub.cc, subc, mad.cc, madc: carry is CC.CF in, and out where `carry` is written.  A
 * borrow is a carry of 1 (9.7.2: subc takes b + CC.CF from a).  The multiplication of mad.cc is
 * done before: (product half) + c. */
NUM_FN uint32_t int_addc_u32(uint32_t a, uint32_t b, uint32_t cin, uint32_t *cout)
{
	uint64_t s = (uint64_t)a + b + cin;
	*cout = (uint32_t)(s >> 32);
	return (uint32_t)s;
}
NUM_FN uint32_t int_subc_u32(uint32_t a, uint32_t b, uint32_t cin, uint32_t *cout)
{
	uint64_t s = (uint64_t)a - b - cin;
	*cout = (uint32_t)(s >> 32) & 1;
	return (uint32_t)s;
}
NUM_FN uint64_t int_addc_u64(uint64_t a, uint64_t b, uint32_t cin, uint32_t *cout)
{
	uint64_t s = a + b, t = s + cin;
	*cout = (uint32_t)(s < a) | (uint32_t)(t < s);
	return t;
}
NUM_FN uint64_t int_subc_u64(uint64_t a, uint64_t b, uint32_t cin, uint32_t *cout)
{
	uint64_t s = a - b, t = s - cin;
	*cout = (uint32_t)(a < b) | (uint32_t)(s < cin);
	return t;
}
/* sad: c + |a - b|, modulo 2^bits. */
NUM_FN uint64_t int_sad(uint64_t a, uint64_t b, uint64_t c, int bits, bool is_signed)
{
	uint64_t x = int_extend(a, bits, is_signed), y = int_extend(b, bits, is_signed);
	bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
	return (c + (less ? y - x : x - y)) & int_mask(bits);
}
NUM_FN uint32_t int_sad_u32(uint32_t a, uint32_t b, uint32_t c)
{
	return c + (a < b ? b - a : a - b);
}
NUM_FN uint32_t int_sad_s32(uint32_t a, uint32_t b, uint32_t c)
{
	return c + ((int32_t)a < (int32_t)b ? b - a : a - b);
}
/* dp4a: c plus four products of bytes; dp2a: c plus two products of a's halves and b's two low (or
 * high) bytes. */
NUM_FN uint32_t int_dp4a(uint32_t a, uint32_t b, uint32_t c, bool asigned, bool bsigned)
{
	for (int i = 0; i < 32; i += 8) {
		int32_t x = asigned ? (int8_t)(a >> i) : (uint8_t)(a >> i);
		int32_t y = bsigned ? (int8_t)(b >> i) : (uint8_t)(b >> i);
		c += (uint32_t)(x * y);
	}
	return c;
}
NUM_FN uint32_t int_dp2a(uint32_t a, uint32_t b, uint32_t c, bool asigned, bool bsigned, bool hi)
{
	for (int i = 0; i < 2; i++) {
		int32_t x = asigned ? (int16_t)(a >> 16 * i) : (uint16_t)(a >> 16 * i);
		uint32_t byte = b >> (8 * i + (hi ? 16 : 0));
		int32_t y = bsigned ? (int8_t)byte : (uint8_t)byte;
		c += (uint32_t)(x * y);
	}
	return c;
}

/* ---- division ------------------------------------------------------------------------------- */

/* Division by zero gives all ones, quotient and remainder alike; the most negative number
 * divided by -1 is itself, remainder 0 (what ptxas' instruction sequences for sm_90 compute). */
NUM_FN uint32_t int_div_u32(uint32_t a, uint32_t b)
{
	return b ? a / b : ~0u;
}
NUM_FN uint32_t int_rem_u32(uint32_t a, uint32_t b)
{
	return b ? a % b : ~0u;
}
NUM_FN uint32_t int_div_s32(uint32_t a, uint32_t b)
{
	return b ? (uint32_t)((int64_t)(int32_t)a / (int32_t)b) : ~0u;
}
NUM_FN uint32_t int_rem_s32(uint32_t a, uint32_t b)
{
	return b ? (uint32_t)((int64_t)(int32_t)a % (int32_t)b) : ~0u;
}
NUM_FN uint64_t int_div_u64(uint64_t a, uint64_t b)
{
	return b ? a / b : ~0ull;
}
NUM_FN uint64_t int_rem_u64(uint64_t a, uint64_t b)
{
	return b ? a % b : ~0ull;
}
NUM_FN uint64_t int_div_s64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return ~0ull;
	return b == ~0ull ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}
NUM_FN uint64_t int_rem_s64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return ~0ull;
	return b == ~0ull ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}
NUM_FN uint32_t int_div_u16(uint32_t a, uint32_t b)
{
	return int_div_u32(a & 0xffff, b & 0xffff) & 0xffff;
}
NUM_FN uint32_t int_rem_u16(uint32_t a, uint32_t b)
{
	return int_rem_u32(a & 0xffff, b & 0xffff) & 0xffff;
}
NUM_FN uint32_t int_div_s16(uint32_t a, uint32_t b)
{
	return int_div_s32((uint32_t)(int16_t)a, (uint32_t)(int16_t)b) & 0xffff;
}
NUM_FN uint32_t int_rem_s16(uint32_t a, uint32_t b)
{
	return int_rem_s32((uint32_t)(int16_t)a, (uint32_t)(int16_t)b) & 0xffff;
}

/* ---- shifts --------------------------------------------------------------------------------- */

/* Amounts beyond the width clamp to it. */
NUM_FN uint32_t int_shl_b32(uint32_t a, uint32_t n)
{
	return n > 31 ? 0 : a << (n & 31);
}
NUM_FN uint32_t int_shr_u32(uint32_t a, uint32_t n)
{
	return n > 31 ? 0 : a >> (n & 31);
}
NUM_FN uint32_t int_shr_s32(uint32_t a, uint32_t n)
{
	return (uint32_t)((int32_t)a >> (n > 31 ? 31 : n));
}
NUM_FN uint64_t int_shl_b64(uint64_t a, uint32_t n)
{
	return n > 63 ? 0 : a << (n & 63);
}
NUM_FN uint64_t int_shr_u64(uint64_t a, uint32_t n)
{
	return n > 63 ? 0 : a >> (n & 63);
}
NUM_FN uint64_t int_shr_s64(uint64_t a, uint32_t n)
{
	return (uint64_t)((int64_t)a >> (n > 63 ? 63 : n));
}
NUM_FN uint32_t int_shl_b16(uint32_t a, uint32_t n)
{
	return int_shl_b32(a, n) & 0xffff;
}
NUM_FN uint32_t int_shr_u16(uint32_t a, uint32_t n)
{
	return int_shr_u32(a & 0xffff, n);
}
NUM_FN uint32_t int_shr_s16(uint32_t a, uint32_t n)
{
	return int_shr_s32((uint32_t)(int16_t)a, n) & 0xffff;
}
/* shf: the 64-bit number b:a shifted left (its high word) or right (its low word). */
NUM_FN uint32_t int_shf_l(uint32_t a, uint32_t b, uint32_t c, bool wrap)
{
	uint32_t n = wrap ? c & 31 : c > 32 ? 32 : c;
	return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}
NUM_FN uint32_t int_shf_r(uint32_t a, uint32_t b, uint32_t c, bool wrap)
{
	uint32_t n = wrap ? c & 31 : c > 32 ? 32 : c;
	return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* lop3: bit i of the result is bit a_i*4 + b_i*2 + c_i of the table. */
NUM_FN uint32_t int_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t lut)
{
	uint32_t r = 0;
	for (int k = 0; k < 8; k++) {
		uint32_t m = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
		r |= m & (0u - (lut >> k & 1));
	}
	return r;
}
NUM_FN uint32_t int_popc_b32(uint32_t a)
{
	a -= a >> 1 & 0x55555555u;
	a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
	a = (a + (a >> 4)) & 0x0f0f0f0fu;
	a += a >> 8;
	return (a + (a >> 16)) & 63;
}
NUM_FN uint32_t int_popc_b64(uint64_t a)
{
	return int_popc_b32((uint32_t)a) + int_popc_b32((uint32_t)(a >> 32));
}
NUM_FN uint32_t int_clz_b32(uint32_t a)
{
	return a ? (uint32_t)__builtin_clz(a) : 32;
}
NUM_FN uint32_t int_clz_b64(uint64_t a)
{
	return a ? (uint32_t)__builtin_clzll(a) : 64;
}
NUM_FN uint32_t int_brev_b32(uint32_t a)
{
	a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
	a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
	a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
	a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
	return a >> 16 | a << 16;
}
NUM_FN uint64_t int_brev_b64(uint64_t a)
{
	return (uint64_t)int_brev_b32((uint32_t)a) << 32 | int_brev_b32((uint32_t)(a >> 32));
}
/* bfind: position of the most significant bit that is not a sign, or all ones; with shiftamt the
 * distance to the top bit. */
NUM_FN uint32_t int_bfind(uint64_t a, int bits, bool is_signed, bool shiftamt)
{
	uint64_t v = int_extend(a, bits, is_signed);
	if (is_signed && (int64_t)v < 0)
		v = ~v;
	if (v == 0)
		return ~0u;
	uint32_t p = 63 - (uint32_t)__builtin_clzll(v);
	return shiftamt ? (uint32_t)bits - 1 - p : p;
}
/* bfe: len bits of a from bit pos upwards, extended by the field's top bit (signed) or by zeros;
 * a field that reaches beyond the top of a takes a's sign, or zeros, there.  pos and len are in
 * 0..255 by the ISA; beyond, an sm_90 takes the low bytes in the 32-bit forms, which are one
 * instruction, and all bits in the 64-bit ones, which ptxas expands (H200; bfi likewise). */
NUM_FN uint64_t int_bfe(uint64_t a, uint32_t b, uint32_t c, int bits, bool is_signed)
{
	uint32_t low = bits == 64 ? ~0u : 255, pos = b & low, len = c & low;
	uint32_t cut = len > 63 ? 0 : 63 - len;
	uint64_t v = int_extend(a, bits, is_signed);
	v = is_signed ? int_shr_s64(v, pos) : int_shr_u64(v, pos);
	if (len > 63)
		return v & int_mask(bits);
	v = v << 1 << cut; /* in two steps: len may be 0 */
	v = is_signed ? (uint64_t)((int64_t)v >> cut >> 1) : v >> cut >> 1;
	return v & int_mask(bits);
}
NUM_FN uint32_t int_bfe_u32(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t len = c & 255, v = int_shr_u32(a, b & 255);
	return v & (len > 31 ? ~0u : (1u << (len & 31)) - 1);
}
NUM_FN uint32_t int_bfe_s32(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t len = c & 255, cut = len > 31 ? 0 : 31 - len, v = int_shr_s32(a, b & 255);
	uint32_t field = (uint32_t)((int32_t)(v << 1 << cut) >> cut >> 1);
	return len > 31 ? v : field;
}
/* bfi: the low len bits of a, put into b at bit pos. */
NUM_FN uint64_t int_bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, int bits)
{
	uint32_t low = bits == 64 ? ~0u : 255, pos = c & low, len = d & low;
	uint64_t field = len > 63 ? ~0ull : (1ull << len) - 1, mask = int_shl_b64(field, pos);
	return ((b & ~mask) | (int_shl_b64(a, pos) & mask)) & int_mask(bits);
}
NUM_FN uint32_t int_bfi_b32(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint32_t pos = c & 255, len = d & 255;
	uint32_t field = len > 31 ? ~0u : (1u << (len & 31)) - 1, mask = int_shl_b32(field, pos);
	return (b & ~mask) | (int_shl_b32(a, pos) & mask);
}
/* bmsk: len ones from bit pos upwards; szext: the low n bits of a, sign- or zero-extended. */
NUM_FN uint32_t int_bmsk(uint32_t a, uint32_t b, bool wrap)
{
	uint32_t pos = wrap ? a & 31 : a, len = wrap ? b & 31 : b;
	uint32_t ones = len > 31 ? ~0u : (1u << (len & 31)) - 1;
	return int_shl_b32(ones, pos);
}
NUM_FN uint32_t int_szext(uint32_t a, uint32_t b, bool is_signed, bool wrap)
{
	uint32_t n = wrap ? b & 31 : b;
	if (n > 31)
		return a;
	if (n == 0)
		return 0;
	return is_signed ? (uint32_t)((int32_t)(a << (32 - n)) >> (32 - n))
	                 : a << (32 - n) >> (32 - n);
}

/* prmt: bytes of b:a (b the upper four) picked by the nibbles of c; a nibble's top bit
 * replicates the byte's sign.  The named modes compute the selector from the low two bits of c
 * (9.7.9, prmt). */
enum num_prmt { PRMT_NONE, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
NUM_FN uint32_t int_prmt(uint32_t a, uint32_t b, uint32_t c, enum num_prmt mode)
{
	static const uint16_t selectors[7][4] = {
	        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
	        [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
	        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
	        [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
	        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
	        [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
	};
	uint32_t sel = mode == PRMT_NONE ? c : selectors[mode][c & 3], r = 0;
	uint64_t all = (uint64_t)b << 32 | a;
	for (int i = 0; i < 4; i++) {
		uint32_t n = sel >> 4 * i & 15, byte = (uint32_t)(all >> 8 * (n & 7)) & 255;
		uint32_t fill = (byte >> 7) * 255;
		r |= (n & 8 ? fill : byte) << 8 * i;
	}
	return r;
}

/* fns: position of the n-th set bit of mask counting from bit `base`: upwards for n > 0,
 * downwards for n < 0, the bit itself for n = 0; all ones when there is none (9.7.1.26). */
NUM_FN uint32_t int_fns(uint32_t mask, uint32_t base, uint32_t n)
{
	int32_t left = (int32_t)n, step = left < 0 ? -1 : 1;
	if (base > 31)
		return ~0u;
	if (left == 0)
		return mask >> base & 1 ? base : ~0u;
	for (int32_t p = (int32_t)base; p >= 0 && p < 32; p += step)
		if ((mask >> p & 1) && (left -= step) == 0)
			return (uint32_t)p;
	return ~0u;
}

/* ---- two 16-bit integers in a word ---------------------------------------------------------- */

NUM_FN uint32_t int_add_16x2(uint32_t a, uint32_t b)
{
	return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}
NUM_FN uint32_t int_minmax_16x2(uint32_t a, uint32_t b, bool max, bool is_signed, bool relu)
{
	uint32_t r = 0;
	for (int i = 0; i < 32; i += 16) {
		int32_t x = is_signed ? (int16_t)(a >> i) : (uint16_t)(a >> i);
		int32_t y = is_signed ? (int16_t)(b >> i) : (uint16_t)(b >> i);
		int32_t low = x < y ? x : y, high = x < y ? y : x, v = max ? high : low;
		v = relu && v < 0 ? 0 : v;
		r |= ((uint32_t)v & 0xffff) << i;
	}
	return r;
}

#endif

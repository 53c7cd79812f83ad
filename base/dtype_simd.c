/* dtype_simd.c - bulk conversions of f32, f16 and bf16, in C that the compiler vectorises.
 *
 * Subnormals must not be flushed (MXCSR's FTZ and DAZ are off, as a C program starts). */
#include "base/dtype_loops.h"

#include <string.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

/* Elements converted through a buffer at a time. */
#define BLOCK 256

static inline uint32_t float_bits(float x)
{
	uint32_t b;

	memcpy(&b, &x, sizeof b);
	return b;
}

static inline float bits_float(uint32_t b)
{
	float x;

	memcpy(&x, &b, sizeof x);
	return x;
}

static void decode_f32(const void *src, double *dst, size_t n)
{
	const char *s = src;

	for (size_t i = 0; i < n; i++) {
		float x;

		memcpy(&x, s + i * sizeof x, sizeof x);
		dst[i] = x;
	}
}

static void decode_bf16(const void *src, double *dst, size_t n)
{
	const char *s = src;

	for (size_t i = 0; i < n; i++) {
		uint16_t h;

		memcpy(&h, s + i * sizeof h, sizeof h);
		dst[i] = bits_float((uint32_t)h << 16);
	}
}

/* f16 to f32: normals by moving the exponent's bias from 15 to 127, subnormals as integers times
 * 2^-24, infinity and NaN with the exponent field of f32. */
static inline float half_value(uint32_t h)
{
	uint32_t mag = h & 0x7fff, frac = h & 0x3ff, sign = (h & 0x8000) << 16;
	uint32_t normal = (mag << 13) + ((127 - 15) << 23);
	uint32_t small = float_bits((float)(int32_t)frac * 0x1p-24f);
	uint32_t top = 0x7f800000 | frac << 13;
	uint32_t b = mag < 0x400 ? small : mag >= 0x7c00 ? top : normal;

	return bits_float(b | sign);
}

static void decode_f16(const void *src, double *dst, size_t n)
{
	const char *s = src;

	for (size_t i = 0; i < n; i++) {
		uint16_t h;

		memcpy(&h, s + i * sizeof h, sizeof h);
		dst[i] = half_value(h);
	}
}

static void encode_f32(const double *src, void *dst, size_t n)
{
	char *d = dst;

	for (size_t i = 0; i < n; i++) {
		float x = (float)src[i];
		uint32_t b = src[i] == src[i] ? float_bits(x) : 0x7fffffff;

		memcpy(d + i * sizeof b, &b, sizeof b);
	}
}

/* f64 to f32 bits, rounded to odd: toward zero, and the last bit set when inexact.  A second
 * rounding to nearest at two or more bits less is then that of the double itself (Boldo and
 * Melquiond, "When double rounding is odd", 2005). NaN becomes 0x7fffffff. */
static void odd_bits(const double *src, uint32_t *dst, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float x = (float)src[i];
		double back = x, y = src[i];
		uint32_t larger = __builtin_fabs(back) > __builtin_fabs(y);
		uint32_t inexact = back != y;
		uint32_t b = (float_bits(x) - larger) | inexact;

		dst[i] = y == y ? b : 0x7fffffff;
	}
}

/* f32 bits to bf16: cuts 16 bits, to nearest even; the carry reaches infinity where it must. */
static inline uint16_t bf16_bits(uint32_t b)
{
	uint32_t r = (b + 0x7fff + (b >> 16 & 1)) >> 16;

	return b == 0x7fffffff ? 0x7fff : (uint16_t)r;
}

/* f32 bits to f16. Below 2^-14 adding 1/2 rounds at 2^-24, f16's least unit. */
static inline uint16_t f16_bits(uint32_t b)
{
	uint32_t mag = b & 0x7fffffff, sign = b >> 16 & 0x8000;
	uint32_t normal = (mag - ((127 - 15) << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
	uint32_t small = float_bits(bits_float(mag) + 0.5f) - 0x3f000000;
	uint32_t h = mag < 0x38800000 /* 2^-14 */ ? small : normal;

	h = mag >= 0x477ff000 /* 65520, half-way from the largest to 2^16 */ ? 0x7c00 : h;
	return b == 0x7fffffff ? 0x7fff : (uint16_t)(h | sign);
}

#define ENCODE_HALF(name, convert)                                                                 \
	static void name(const double *src, void *dst, size_t n)                                   \
	{                                                                                          \
		uint32_t odd[BLOCK];                                                               \
		uint16_t out[BLOCK];                                                               \
		char *d = dst;                                                                     \
                                                                                                   \
		for (size_t i = 0; i < n; i += BLOCK) {                                            \
			size_t m = n - i < BLOCK ? n - i : BLOCK;                                  \
                                                                                                   \
			odd_bits(src + i, odd, m);                                                 \
			for (size_t j = 0; j < m; j++)                                             \
				out[j] = convert(odd[j]);                                          \
			memcpy(d + i * sizeof *out, out, m * sizeof *out);                         \
		}                                                                                  \
	}

ENCODE_HALF(encode_f16, f16_bits)
ENCODE_HALF(encode_bf16, bf16_bits)

const struct dtype_loops PASTE(dtype_loops_, ISA) = {
	decode_f32, decode_f16, decode_bf16, encode_f32, encode_f16, encode_bf16,
};

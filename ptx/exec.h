/* exec.h - what the vector files (*_simd.c) of the emulator share: loops over lanes, and masks. */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include <string.h>

#include "ptx/emu.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Lanes do not depend on each other; an operand may be the destination itself. */
#if defined(__clang__)
/* a wish, not a condition: some loops stay scalar for some instruction sets */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANE_LOOP                                                                                  \
	_Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int i = 0;         \
	                                                                        i < LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

#define ALWAYS static inline __attribute__((always_inline, unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)

ALWAYS uint32_t *lanes32(const struct emu_warp *w, uint32_t off)
{
	return __builtin_assume_aligned(w->reg + off, UNIT);
}
ALWAYS uint64_t *lanes64(const struct emu_warp *w, uint32_t off)
{
	return __builtin_assume_aligned(w->reg + off, UNIT);
}

/* Bit i of the result is the lowest bit of lane i, each lane being 0 or ~0. */
ALWAYS uint32_t mask_of(const uint32_t c[LANES])
{
	uint32_t m = 0;
#if defined(__AVX512F__)
	__m512i x = _mm512_loadu_si512(c), y = _mm512_loadu_si512(c + 16);
	m = (uint32_t)_mm512_test_epi32_mask(x, x) | (uint32_t)_mm512_test_epi32_mask(y, y) << 16;
#elif defined(__AVX2__)
	for (int i = 0; i < LANES; i += 8)
		m |= (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(c + i))) << i;
#else
	for (int i = 0; i < LANES; i += 4)
		m |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(c + i))) << i;
#endif
	return m;
}
/* Lane i is ~0 when bit i of m is set, else 0. */
ALWAYS void lanes_of(uint32_t m, uint32_t c[LANES])
{
	for (int i = 0; i < LANES; i++)
		c[i] = 0u - (m >> i & 1);
}

/* The lanes of mask come from src. */
ALWAYS void blend32(uint32_t *dst, const uint32_t *src, uint32_t mask)
{
	uint32_t c[LANES];
	lanes_of(mask, c);
	LANE_LOOP
		dst[i] = (dst[i] & ~c[i]) | (src[i] & c[i]);
}
ALWAYS void blend64(uint64_t *dst, const uint64_t *src, uint32_t mask)
{
	for (int i = 0; i < LANES; i++) {
		uint64_t c = 0ull - (mask >> i & 1);
		dst[i] = (dst[i] & ~c) | (src[i] & c);
	}
}
ALWAYS uint64_t shadow_bits(const struct emu_warp *w, uint32_t off)
{
	uint64_t v;
	memcpy(&v, w->shadow + off / UNIT, sizeof v);
	return v; /* poison and wrapped; wide has no lane that wrapped has not */
}

#endif

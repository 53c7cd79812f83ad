/* dtype_loops.h - the bulk conversions of dtype_simd.c, one table an instruction set.  All give the
 * same bits as dtype_decode and dtype_encode (to nearest even, not saturating) element by element,
 * the bits of a decoded NaN apart. Arrays need not be aligned. */
#ifndef BASE_DTYPE_LOOPS_H
#define BASE_DTYPE_LOOPS_H

#include "base/base.h"

struct dtype_loops {
	void (*decode_f32)(const void *src, double *dst, size_t n);
	void (*decode_f16)(const void *src, double *dst, size_t n);
	void (*decode_bf16)(const void *src, double *dst, size_t n);
	void (*encode_f32)(const double *src, void *dst, size_t n);
	void (*encode_f16)(const double *src, void *dst, size_t n);
	void (*encode_bf16)(const double *src, void *dst, size_t n);
};

extern const struct dtype_loops dtype_loops_sse2, dtype_loops_avx2, dtype_loops_avx512;

#endif

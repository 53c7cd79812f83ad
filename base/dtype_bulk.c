/* dtype_bulk.c - conversions of arrays; the loops are in dtype_simd.c. */
#include "base/dtype_loops.h"

#include <string.h>

static const struct dtype_loops *loops(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return &dtype_loops_avx512;
	/* f16c, which clang 14 cannot ask for, came with AVX2 or earlier in every processor */
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &dtype_loops_avx2;
	return &dtype_loops_sse2;
}

void dtype_decode_n(enum dtype t, const void *src, double *dst, size_t n)
{
	size_t bytes = (size_t)dtype_bytes(t);

	switch (t) {
	case DT_F64:
		memcpy(dst, src, n * sizeof *dst);
		break;
	case DT_F32:
		loops()->decode_f32(src, dst, n);
		break;
	case DT_F16:
		loops()->decode_f16(src, dst, n);
		break;
	case DT_BF16:
		loops()->decode_bf16(src, dst, n);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			dst[i] = dtype_decode(t, dtype_load(t, (const char *)src + i * bytes));
	}
}

/* Copies, but for NaN, which becomes the canonical one. */
static void encode_f64(const double *src, char *dst, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, &src[i], sizeof bits);
		bits = src[i] == src[i] ? bits : 0x7fffffffffffffff;
		memcpy(dst + i * sizeof bits, &bits, sizeof bits);
	}
}

void dtype_encode_n(enum dtype t, const double *src, void *dst, size_t n)
{
	size_t bytes = (size_t)dtype_bytes(t);

	switch (t) {
	case DT_F64:
		encode_f64(src, dst, n);
		break;
	case DT_F32:
		loops()->encode_f32(src, dst, n);
		break;
	case DT_F16:
		loops()->encode_f16(src, dst, n);
		break;
	case DT_BF16:
		loops()->encode_bf16(src, dst, n);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			dtype_store(t, (char *)dst + i * bytes,
			            dtype_encode(t, src[i], RND_NE, false));
	}
}

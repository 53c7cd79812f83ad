/* quant_i8_tree - s = max |x| of the group / 127, q = x / s to the nearest; a block per group, a
 * tree in shared memory. Codes are the low bits of x / s + 1.5 * 2^23, whose last place is 1. Any
 * strides. */
#include "common.cuh"
#define THREADS 64

/* The greater of two; a NaN wins, which fmaxf would drop. */
static __device__ float greater(float a, float b)
{
	return a != a || a > b ? a : b;
}

extern "C" __global__ void ENTRY(quant_i8_tree)(const T *x, signed char *q, float *s, long long R,
                                                long long C, long long G, long long NB,
                                                long long x_r, long long x_c, long long q_r,
                                                long long q_c, long long s_r, long long s_b)
{
	const long long g = blockIdx.x;
	if (g >= R * NB)
		return;
	const long long r = g / NB, b = g % NB, first = b * G, end = first + G < C ? first + G : C;
	x += r * x_r;
	q += r * q_r;

	float top = 0.0f;
	for (long long c = first + threadIdx.x; c < end; c += THREADS)
		top = greater(top, fabsf((float)x[c * x_c]));
	top = block_tree<THREADS>(top, greater);
	const float step = top / 127.0f;
	if (threadIdx.x == 0)
		s[r * s_r + b * s_b] = step;
	for (long long c = first + threadIdx.x; c < end; c += THREADS) {
		const float v = (float)x[c * x_c] / step;
		const int i =
		        __float_as_int(fminf(fmaxf(v, -128.0f), 127.0f) + 12582912.0f) - 0x4b400000;
		q[c * q_c] = top == 0.0f || v != v ? 0 : (signed char)i;
	}
}

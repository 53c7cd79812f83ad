/* quant_i8_serial - s = max |x| of the group / 127, q = x / s to the nearest; a thread per group.
 * Any strides. */
#include "common.cuh"

/* The greater of two; a NaN wins, which fmaxf would drop. */
static __device__ float greater(float a, float b)
{
	return a != a || a > b ? a : b;
}

/* To the nearest integer, ties to even, within -128..127; NaN to 0. */
static __device__ signed char code(float v)
{
	const int i = __float2int_rn(v);
	return (signed char)(i < -128 ? -128 : i > 127 ? 127 : i);
}

extern "C" __global__ void ENTRY(quant_i8_serial)(const T *x, signed char *q, float *s, long long R,
                                                  long long C, long long G, long long NB,
                                                  long long x_r, long long x_c, long long q_r,
                                                  long long q_c, long long s_r, long long s_b)
{
	const long long g = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (g >= R * NB)
		return;
	const long long r = g / NB, b = g % NB, first = b * G, end = first + G < C ? first + G : C;
	x += r * x_r;
	q += r * q_r;

	float top = 0.0f;
	for (long long c = first; c < end; c++)
		top = greater(top, fabsf((float)x[c * x_c]));
	const float step = top / 127.0f;
	s[r * s_r + b * s_b] = step;
	for (long long c = first; c < end; c++)
		q[c * q_c] = top == 0.0f ? 0 : code((float)x[c * x_c] / step);
}

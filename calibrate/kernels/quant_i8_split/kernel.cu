/* quant_i8_split - s = max |x| of the group / 127, q = x / s to the nearest; the first kernel, a
 * thread per group, leaves the scales, the second, a thread per element, reads them. Any strides.
 */
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

extern "C" __global__ void ENTRY(quant_i8_split_scales)(const T *x, float *s, long long R,
                                                        long long C, long long G, long long NB,
                                                        long long x_r, long long x_c, long long s_r,
                                                        long long s_b)
{
	const long long g = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (g >= R * NB)
		return;
	const long long r = g / NB, b = g % NB;

	float top = 0.0f;
	for (long long c = b * G; c < C && c < (b + 1) * G; c++)
		top = greater(top, fabsf((float)x[r * x_r + c * x_c]));
	s[r * s_r + b * s_b] = top / 127.0f;
}

extern "C" __global__ void ENTRY(quant_i8_split_codes)(const T *x, const float *s, signed char *q,
                                                       long long R, long long C, long long G,
                                                       long long x_r, long long x_c, long long s_r,
                                                       long long s_b, long long q_r, long long q_c)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= R * C)
		return;
	const long long r = t / C, c = t % C;
	const float step = s[r * s_r + c / G * s_b];
	q[r * q_r + c * q_c] = step == 0.0f ? 0 : code((float)x[r * x_r + c * x_c] / step);
}

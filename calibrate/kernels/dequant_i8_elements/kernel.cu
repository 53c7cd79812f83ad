/* dequant_i8_elements - y[r,c] = q[r,c] * s[r,c/G]; a thread per element. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(dequant_i8_elements)(const float *s, const signed char *q,
                                                      OUT_T *y, long long R, long long C,
                                                      long long G, long long s_r, long long s_b,
                                                      long long q_r, long long q_c, long long y_r,
                                                      long long y_c)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= R * C)
		return;
	const long long r = t / C, c = t % C;
	y[r * y_r + c * y_c] = (OUT_T)((float)q[r * q_r + c * q_c] * s[r * s_r + c / G * s_b]);
}

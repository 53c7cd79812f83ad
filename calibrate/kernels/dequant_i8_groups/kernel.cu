/* dequant_i8_groups - y[r,c] = q[r,c] * s[r,c/G]; a warp per row, one group after the other, its
 * scale read once. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(dequant_i8_groups)(const float *s, const signed char *q, OUT_T *y,
                                                    long long R, long long C, long long G,
                                                    long long s_r, long long s_b, long long q_r,
                                                    long long q_c, long long y_r, long long y_c)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (r >= R)
		return;
	q += r * q_r;
	y += r * y_r;

	for (long long first = 0; first < C; first += G) {
		const float step = s[r * s_r + first / G * s_b];
		const long long end = first + G < C ? first + G : C;
		for (long long c = first + threadIdx.x; c < end; c += 32)
			y[c * y_c] = (OUT_T)((float)q[c * q_c] * step);
	}
}

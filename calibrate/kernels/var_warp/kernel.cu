/* var_warp - y = sum((x - mean(x))^2) / (C - correction) by rows; a warp per row, two passes. Any
 * strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(var_warp)(const T *x, OUT_T *y, long long R, long long C,
                                           long long x_r, long long x_c, long long y_r,
                                           long long correction)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (r >= R)
		return;
	x += r * x_r;

	float s = 0.0f, q = 0.0f;
	for (long long c = threadIdx.x; c < C; c += 32)
		s += (float)x[c * x_c];
	const float mu = warp_sum(s) / (float)C;
	for (long long c = threadIdx.x; c < C; c += 32) {
		const float d = (float)x[c * x_c] - mu;
		q += d * d;
	}
	q = warp_sum(q);
	if (threadIdx.x == 0)
		y[r * y_r] = (OUT_T)(q / (float)(C - correction));
}

/* l2norm_warp - y = x / max(sqrt(sum(x^2)), eps) by rows, written as x * min(1/sqrt(s), 1/eps) with
 * the reciprocal square root; a warp per row, eight rows a block. 1/eps is infinite for eps below
 * 2^-128 or so, and s is 0 or at least 2^-149: the minimum is finite wherever s is not 0. */
#include "common.cuh"

extern "C" __global__ void ENTRY(l2norm_warp)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_stride, long long y_stride, float eps)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const int lane = threadIdx.x;
	if (r >= R)
		return;
	x += r * x_stride;
	y += r * y_stride;

	float s = 0.0f;
	for (long long c = lane; c < C; c += 32)
		s = fmaf((float)x[c], (float)x[c], s);
	const float most = 1.0f / eps, one = rsqrtf(warp_sum(s)), scale = one > most ? most : one;
	for (long long c = lane; c < C; c += 32)
		y[c] = (OUT_T)((float)x[c] * scale);
}

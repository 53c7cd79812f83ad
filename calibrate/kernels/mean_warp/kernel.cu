/* mean_warp - y = mean(x) by rows; a warp per row, eight rows a block. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(mean_warp)(const T *x, OUT_T *y, long long R, long long C,
                                            long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (r >= R)
		return;
	x += r * x_r;

	float s = 0.0f;
	for (long long c = threadIdx.x; c < C; c += 32)
		s += (float)x[c * x_c];
	s = warp_sum(s);
	if (threadIdx.x == 0)
		y[r * y_r] = (OUT_T)(s / (float)C);
}

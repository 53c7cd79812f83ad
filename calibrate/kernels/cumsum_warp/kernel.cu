/* cumsum_warp - y[r,c] = x[r,0] + ... + x[r,c]; a warp per row: 32 elements by exchange in five
 * steps, the sum before them added. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(cumsum_warp)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_r, long long x_c, long long y_r,
                                              long long y_c)
{
	const int lane = threadIdx.x;
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (r >= R)
		return;
	x += r * x_r;
	y += r * y_r;

	float before = 0.0f;
	for (long long c0 = 0; c0 < C; c0 += 32) {
		const long long c = c0 + lane;
		float s = c < C ? (float)x[c * x_c] : 0.0f;
		for (int d = 1; d < 32; d *= 2) {
			const float left = __shfl_up_sync(ALL_LANES, s, d);
			s += lane >= d ? left : 0.0f;
		}
		s += before;
		if (c < C)
			y[c * y_c] = (OUT_T)s;
		before = __shfl_sync(ALL_LANES, s, 31);
	}
}

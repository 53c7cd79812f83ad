/* max_warp - y = max(x) by rows; a warp per row, eight rows a block. fmaxf drops NaN, so whether a
 * lane saw one is asked apart, by a vote. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(max_warp)(const T *x, OUT_T *y, long long R, long long C,
                                           long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	bool nan = false;
	if (r >= R)
		return;
	x += r * x_r;

	float m = MINUS_INF;
	for (long long c = threadIdx.x; c < C; c += 32) {
		const float v = x[c * x_c];
		nan |= v != v;
		m = fmaxf(m, v);
	}
	m = warp_max(m);
	if (__any_sync(ALL_LANES, nan))
		m = __int_as_float(0x7fffffff);
	if (threadIdx.x == 0)
		y[r * y_r] = (OUT_T)m;
}

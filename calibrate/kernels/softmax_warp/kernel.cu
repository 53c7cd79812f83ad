/* softmax_warp - y = exp(x - m) / sum(exp(x - m)), m the row's maximum; a warp per row, eight
 * rows a block: lanes take every 32nd element, then exchange. */
#include "common.cuh"

extern "C" __global__ void ENTRY(softmax_warp)(const T *x, OUT_T *y, long long R, long long C,
                                               long long x_stride, long long y_stride)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const int lane = threadIdx.x;
	if (r >= R)
		return;
	x += r * x_stride;
	y += r * y_stride;

	float m = MINUS_INF;
	for (long long c = lane; c < C; c += 32)
		m = fmaxf(m, (float)x[c]);
	m = warp_max(m);
	float s = 0.0f;
	for (long long c = lane; c < C; c += 32)
		s += expf((float)x[c] - m);
	s = warp_sum(s);
	const float scale = 1.0f / s;
	for (long long c = lane; c < C; c += 32)
		y[c] = (OUT_T)(expf((float)x[c] - m) * scale);
}

/* log_softmax_online - y = (x - m) - log(sum(exp(x - m))), m the row's maximum; maximum and sum in
 * one pass: each lane rescales its sum whenever its maximum moves, lanes are merged by the same
 * rule. */
#include "common.cuh"

extern "C" __global__ void ENTRY(log_softmax_online)(const T *x, OUT_T *y, long long R, long long C,
                                                     long long x_stride, long long y_stride)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const int lane = threadIdx.x;
	if (r >= R)
		return;
	x += r * x_stride;
	y += r * y_stride;

	online p = online_start();
	for (long long c = lane; c < C; c += 32)
		p = online_add(p, (float)x[c]);
	p = warp_online(p);
	const float m = p.m, s = p.s;
	const float l = logf(s);
	for (long long c = lane; c < C; c += 32)
		y[c] = (OUT_T)(((float)x[c] - m) - l);
}

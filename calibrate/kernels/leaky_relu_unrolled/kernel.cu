/* leaky_relu_unrolled - y = max(x, 0) + slope * min(x, 0); a NaN is kept, which fmaxf drops; four
 * elements a thread, a block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(leaky_relu_unrolled)(const T *x, OUT_T *y, long long N,
                                                      long long x_stride, long long y_stride,
                                                      float slope)
{
	const auto f = [=](float v) {
		return v == v ? fmaxf(v, 0.0f) + slope * fminf(v, 0.0f) : v;
	};
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

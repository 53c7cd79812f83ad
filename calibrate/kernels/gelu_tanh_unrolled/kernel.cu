/* gelu_tanh_unrolled - y = x/2 + x/2 * tanh a, a = sqrt(2/pi) * (x + 0.044715 x^3) with a factored;
 * four elements a thread, a block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_tanh_unrolled)(const T *x, OUT_T *y, long long N,
                                                     long long x_stride, long long y_stride)
{
	const auto f = [](float v) {
		const float a = v * fmaf(0.0356774081363001f, v * v, 0.797884560802865356f);
		const float h = 0.5f * v;
		return h + h * tanhf(a);
	};
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

/* silu_unrolled - y = x e/(1 + e) with e = exp(x) below 0, so that nothing overflows, x / (1 +
 * exp(-x)) above; four elements a thread, a block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(silu_unrolled)(const T *x, OUT_T *y, long long N,
                                                long long x_stride, long long y_stride)
{
	const auto f = [](float v) {
		const float e = expf(-fabsf(v));
		return (v < 0.0f ? v * e : v) / (1.0f + e);
	};
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

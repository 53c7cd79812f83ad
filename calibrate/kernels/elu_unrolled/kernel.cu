/* elu_unrolled - y = x where positive, else alpha * (exp(x) - 1); four elements a thread, a
 * block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(elu_unrolled)(const T *x, OUT_T *y, long long N,
                                               long long x_stride, long long y_stride, float alpha)
{
	const auto f = [=](float v) {
		const float below = alpha * expm1f(v > 0.0f ? 0.0f : v);
		return v > 0.0f ? v : below;
	};
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

/* sigmoid_unrolled - y = 1 / (1 + 2^(-x log2 e)); four elements a thread, a
 * block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(sigmoid_unrolled)(const T *x, OUT_T *y, long long N,
                                                   long long x_stride, long long y_stride)
{
	const auto f = [](float v) { return 1.0f / (1.0f + exp2f(-LOG2_E * v)); };
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

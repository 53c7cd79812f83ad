/* relu_unrolled - y = x with its bits masked by its sign; NaN stays; four elements a thread, a
 * block apart; any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(relu_unrolled)(const T *x, OUT_T *y, long long N,
                                                long long x_stride, long long y_stride)
{
	const auto f = [](float v) {
		const int bits = __float_as_int(v);
		return v == v ? __int_as_float(bits & ~(bits >> 31)) : v;
	};
	map_unrolled(x, y, N, x_stride, y_stride, f);
}

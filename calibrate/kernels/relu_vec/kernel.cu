/* relu_vec - y = max(x, 0); a NaN is added back, which fmaxf drops; four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(relu_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return v == v ? fmaxf(v, 0.0f) : v; };
	map_vec(x, y, N, f);
}

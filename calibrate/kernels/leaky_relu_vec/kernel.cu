/* leaky_relu_vec - y = x * (1 where positive, else slope); four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(leaky_relu_vec)(const T *x, OUT_T *y, long long N, float slope)
{
	const auto f = [=](float v) { return v * (v > 0.0f ? 1.0f : slope); };
	map_vec(x, y, N, f);
}

/* leaky_relu_grid - y = x where positive, else slope * x; four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(leaky_relu_grid)(const T *x, OUT_T *y, long long N, float slope)
{
	const auto f = [=](float v) { return v > 0.0f ? v : slope * v; };
	map_grid(x, y, N, f);
}

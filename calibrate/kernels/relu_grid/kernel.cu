/* relu_grid - y = x where it is not negative, else 0; NaN stays; four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(relu_grid)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return v < 0.0f ? 0.0f : v; };
	map_grid(x, y, N, f);
}

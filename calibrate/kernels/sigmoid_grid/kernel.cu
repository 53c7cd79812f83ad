/* sigmoid_grid - y = 1 / (1 + exp(-x)); four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(sigmoid_grid)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return 1.0f / (1.0f + expf(-v)); };
	map_grid(x, y, N, f);
}

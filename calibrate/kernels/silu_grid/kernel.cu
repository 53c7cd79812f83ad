/* silu_grid - y = x / (1 + exp(-x)); four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(silu_grid)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return v / (1.0f + expf(-v)); };
	map_grid(x, y, N, f);
}

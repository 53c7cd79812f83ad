/* gelu_grid - y = x/2 * (1 + erf(x/sqrt 2)); four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_grid)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return 0.5f * v * (1.0f + erff(v * 0.707106781186547524f)); };
	map_grid(x, y, N, f);
}

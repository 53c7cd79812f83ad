/* gelu_vec - y = x/2 * erfc(-x/sqrt 2), which does not cancel; four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return 0.5f * v * erfcf(v * -0.707106781186547524f); };
	map_vec(x, y, N, f);
}

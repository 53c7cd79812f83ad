/* silu_vec - y = x times the logistic function; four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(silu_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) { return v * (1.0f / (1.0f + expf(-v))); };
	map_vec(x, y, N, f);
}

/* elu_grid - y = x where positive, else alpha * (exp(x) - 1); four blocks at most walk
 * over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(elu_grid)(const T *x, OUT_T *y, long long N, float alpha)
{
	const auto f = [=](float v) { return v > 0.0f ? v : alpha * expm1f(v); };
	map_grid(x, y, N, f);
}

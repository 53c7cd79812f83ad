/* gelu_tanh_grid - y = x/2 * (1 + tanh a), a = sqrt(2/pi) * (x + 0.044715 x^3); four blocks at most
 * walk over the elements. */
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_tanh_grid)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) {
		const float a = 0.797884560802865356f * (v + 0.044715f * v * v * v);
		return 0.5f * v * (1.0f + tanhf(a));
	};
	map_grid(x, y, N, f);
}

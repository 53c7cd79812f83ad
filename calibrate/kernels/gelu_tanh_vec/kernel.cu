/* gelu_tanh_vec - y = x / (1 + exp(-2a)), a = sqrt(2/pi) * (x + 0.044715 x^3); four neighbours a
 * thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_tanh_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) {
		const float a = 0.797884560802865356f * (v + 0.044715f * v * v * v);
		return v / (1.0f + expf(-2.0f * a));
	};
	map_vec(x, y, N, f);
}

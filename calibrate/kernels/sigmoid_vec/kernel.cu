/* sigmoid_vec - y = e/(1 + e) with e = exp(x) below 0, so that nothing overflows, 1 / (1 + exp(-x))
 * above; four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(sigmoid_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) {
		const float e = expf(-fabsf(v));
		return (v < 0.0f ? e : 1.0f) / (1.0f + e);
	};
	map_vec(x, y, N, f);
}

/* tanh_vec - y = -t/(t + 2) with t = exp(-2|x|) - 1 and the sign of x; four neighbours a thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(tanh_vec)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](float v) {
		const float t = expm1f(-2.0f * fabsf(v));
		return copysignf(t / (t + 2.0f), v);
	};
	map_vec(x, y, N, f);
}

/* elu_vec - y = x where positive, else alpha * 2t/(1 - t) with t = tanh(x/2); four neighbours a
 * thread. */
#include "common.cuh"

extern "C" __global__ void ENTRY(elu_vec)(const T *x, OUT_T *y, long long N, float alpha)
{
	const auto f = [=](float v) {
		const float t = tanhf(0.5f * v);
		return v > 0.0f ? v : alpha * (2.0f * t / (1.0f - t));
	};
	map_vec(x, y, N, f);
}

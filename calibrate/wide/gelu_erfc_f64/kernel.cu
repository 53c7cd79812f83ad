/* gelu_erfc - y = x/2 * erfc(-x/sqrt 2), which does not cancel; four neighbours a thread, in f64. */
#include "f64.cuh"
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_erfc)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](double v) { return 0.5 * v * erfc(v * -0.70710678118654752440); };
	map_vec(x, y, N, f);
}

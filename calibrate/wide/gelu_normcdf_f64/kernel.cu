/* gelu_normcdf - y = x * normcdf(x); four neighbours a thread, in f64. */
#include "f64.cuh"
#include "common.cuh"

extern "C" __global__ void ENTRY(gelu_normcdf)(const T *x, OUT_T *y, long long N)
{
	const auto f = [](double v) { return v * normcdf(v); };
	map_vec(x, y, N, f);
}

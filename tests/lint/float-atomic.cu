// bad_sum: -
// bad_max_bits: -
// good_count: -
// good_max: -
extern "C" __global__ void bad_sum(const float *x, float *y) { atomicAdd(y, x[threadIdx.x]); }
extern "C" __global__ void bad_max_bits(const float *x, int *y) { atomicMax(y, __float_as_int(x[threadIdx.x] * 2.0f)); }
extern "C" __global__ void good_count(const float *x, unsigned *y)
{
	if (x[threadIdx.x] > 0.0f)
		atomicAdd(y, 1u);
}
extern "C" __global__ void good_max(const int *x, int *y) { atomicMax(y, x[threadIdx.x]); }

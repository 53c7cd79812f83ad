// bad_sum: -
// bad_max_bits: -
// good_count: -
// good_max: -
// good_by_sign: -
extern "C" __global__ void bad_sum(const float *x, float *y) { atomicAdd(y, x[threadIdx.x]); }
extern "C" __global__ void bad_max_bits(const float *x, int *y) { atomicMax(y, __float_as_int(x[threadIdx.x] * 2.0f)); }
extern "C" __global__ void good_count(const float *x, unsigned *y)
{
	if (x[threadIdx.x] > 0.0f)
		atomicAdd(y, 1u);
}
extern "C" __global__ void good_max(const int *x, int *y) { atomicMax(y, x[threadIdx.x]); }
/* by the sign: what is not negative is ordered as signed integers are, what is negative the other way round */
extern "C" __global__ void good_by_sign(const float *x, float *y, int n)
{
	const float v = x[threadIdx.x] * 2.0f;
	if (signbit(v))
		atomicMin((unsigned *)y, __float_as_uint(v));
	else
		atomicMax((int *)y, __float_as_int(v));
}

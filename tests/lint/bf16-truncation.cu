// bad_shift: -
// bad_halves: -
// good_round: -
// good_by_hand: -
#include <cuda_bf16.h>
extern "C" __global__ void bad_shift(const float *x, unsigned short *y)
{
	y[threadIdx.x] = (unsigned short)(__float_as_uint(x[threadIdx.x] + 1.0f) >> 16);
}
extern "C" __global__ void bad_halves(const float *x, unsigned short *y)
{
	unsigned u = __float_as_uint(x[threadIdx.x] * 3.0f);
	y[threadIdx.x] = u >> 16;
}
extern "C" __global__ void good_round(const float *x, __nv_bfloat16 *y) { y[threadIdx.x] = __float2bfloat16(x[threadIdx.x]); }
extern "C" __global__ void good_by_hand(const float *x, unsigned short *y)
{
	unsigned u = __float_as_uint(x[threadIdx.x]);
	y[threadIdx.x] = (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16); // to nearest, ties to even
}

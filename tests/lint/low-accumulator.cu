// bad_half: -
// bad_bf16: -
// good_float: -
// good_once: -
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void bad_half(const __half *x, __half *y, int n)
{
	__half s = __float2half(0.0f);
	for (int i = 0; i < n; i++)
		s = __hadd(s, x[i]);
	y[0] = s;
}
extern "C" __global__ void bad_bf16(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n)
{
	__nv_bfloat16 s = __float2bfloat16(0.0f);
	for (int i = 0; i < n; i++)
		s = __hfma(x[i], x[i], s);
	y[0] = s;
}
extern "C" __global__ void good_float(const __half *x, __half *y, int n)
{
	float s = 0.0f;
	for (int i = 0; i < n; i++)
		s += __half2float(x[i]);
	y[0] = __float2half(s);
}
extern "C" __global__ void good_once(const __half *x, __half *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = __hadd(x[i], x[i + 1]); // no sum over the loop
}

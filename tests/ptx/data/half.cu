#include <cuda_fp16.h>
extern "C" __global__ void half_ops(const __half *x, const __half2 *y, __half *o, __half2 *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	__half a = x[i];
	__half2 b = y[i];
	o[i] = __hfma(a, a, __hadd(a, __float2half(2.5f)));
	if (__hlt(a, o[i]) && __hgt2(b, b).x)
		o[i] = hexp(a);
	p[i] = __hfma2(b, b, __hmul2(b, h2rcp(b)));
	p[i] = __hmax2(p[i], __hneg2(b));
	o[i] = __float2half_rz(__half2float(o[i]) * 3 + __half2int_rn(a));
}

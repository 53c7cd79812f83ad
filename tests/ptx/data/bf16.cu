#include <cuda_bf16.h>
extern "C" __global__ void bf16_ops(const __nv_bfloat16 *x, const __nv_bfloat162 *y, __nv_bfloat16 *o,
                                    __nv_bfloat162 *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	__nv_bfloat16 a = x[i];
	__nv_bfloat162 b = y[i];
	o[i] = __hfma(a, a, __hadd(a, __float2bfloat16(2.5f)));
	p[i] = __hmul2(b, __hadd2(b, __floats2bfloat162_rn(1.5f, __bfloat162float(a))));
	if (__hlt(o[i], a))
		o[i] = __hmax(o[i], __hneg(a));
	p[i] = __hsub2(p[i], h2exp2(b));
	atomicAdd(&p[0], b);
}

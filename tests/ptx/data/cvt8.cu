#include <cuda_fp8.h>
#include <cuda_fp16.h>
extern "C" __global__ void cvt8(const float2 *x, __nv_fp8x2_e4m3 *y, __nv_fp8x2_e5m2 *z, __half2 *h, int *t)
{
	int i = threadIdx.x;
	y[i] = __nv_fp8x2_e4m3(x[i]);
	z[i] = __nv_fp8x2_e5m2(x[i]);
	h[i] = __half2(y[i]);
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(t[i]) : "f"(x[i].x));
	t[i] += __float2int_rd(x[i].x) + __float2uint_rz(x[i].y) + (signed char)x[i].x;
}

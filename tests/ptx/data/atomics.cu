#include <cuda_fp16.h>
extern "C" __global__ void atomics(int *i, unsigned *u, float *f, double *d, unsigned long long *l, __half2 *h,
                                   float2 *f2)
{
	__shared__ int s;
	if (threadIdx.x == 0)
		s = 0;
	__syncthreads();
	atomicAdd(&s, 1);
	i[1] = atomicAdd(i, 1) + atomicMin(i, 3) + atomicExch(i, 4) + atomicCAS(i, 5, 6);
	u[1] = atomicInc(u, 7) + atomicDec(u, 8) + atomicAnd(u, 9) + atomicOr(u, 10) + atomicXor(u, 11);
	atomicAdd(f, 1.5f);
	atomicAdd(d, 2.5);
	atomicMax(l, 12ull);
	atomicAdd_block(i, 3);
	atomicAdd_system(u, 3u);
	atomicAdd(h, __float2half2_rn(1));
	atomicAdd(f2, make_float2(1, 2));
	__threadfence();
	__threadfence_block();
	__threadfence_system();
	i[2] = s + (int)clock64() + (int)clock();
}

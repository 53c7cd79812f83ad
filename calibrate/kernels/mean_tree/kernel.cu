/* mean_tree - y = mean(x) by rows, the sum times 1/C; a block per row and a tree in shared memory.
 */
#include "common.cuh"
#define THREADS 128

extern "C" __global__ void ENTRY(mean_tree)(const T *x, OUT_T *y, long long R, long long C,
                                            long long x_stride, long long y_stride)
{
	x += blockIdx.x * x_stride;

	float s = 0.0f;
	for (long long c = threadIdx.x; c < C; c += THREADS)
		s += (float)x[c];
	s = block_sum<THREADS>(s);
	if (threadIdx.x == 0)
		y[blockIdx.x * y_stride] = (OUT_T)(s * (1.0f / (float)C));
}

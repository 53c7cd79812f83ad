/* sum_tree - y = sum(x) by rows; a block per row: each thread adds a run of neighbours, a tree in
 * shared memory their sums. */
#include "common.cuh"
#define THREADS 256

extern "C" __global__ void ENTRY(sum_tree)(const T *x, OUT_T *y, long long R, long long C,
                                           long long x_stride, long long y_stride)
{
	const long long run = (C + THREADS - 1) / THREADS, first = threadIdx.x * run;
	x += blockIdx.x * x_stride;

	float s = 0.0f;
	for (long long c = first; c < C && c < first + run; c++)
		s += (float)x[c];
	s = block_sum<THREADS>(s);
	if (threadIdx.x == 0)
		y[blockIdx.x * y_stride] = (OUT_T)s;
}

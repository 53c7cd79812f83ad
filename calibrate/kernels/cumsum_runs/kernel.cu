/* cumsum_runs - y[r,c] = x[r,0] + ... + x[r,c]; a block per row: each thread adds up a run of
 * neighbours, the sums of the runs are scanned in shared memory, and each run is written from its
 * offset on. */
#include "common.cuh"
#define THREADS 64

extern "C" __global__ void ENTRY(cumsum_runs)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_stride, long long y_stride)
{
	__shared__ float sums[2][THREADS];
	const int t = threadIdx.x;
	const long long run = (C + THREADS - 1) / THREADS, first = t * run;
	int from = 0;
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float s = 0.0f;
	for (long long c = first; c < C && c < first + run; c++)
		s += (float)x[c];
	sums[0][t] = s;
	for (int d = 1; d < THREADS; d *= 2) {
		__syncthreads();
		sums[1 - from][t] = sums[from][t] + (t >= d ? sums[from][t - d] : 0.0f);
		from = 1 - from;
	}
	__syncthreads();
	s = t > 0 ? sums[from][t - 1] : 0.0f;
	for (long long c = first; c < C && c < first + run; c++) {
		s += (float)x[c];
		y[c] = (OUT_T)s;
	}
}

/* max_vec - y = max(x) by rows; a block per row, four elements a load, a tree in shared memory. */
#include "common.cuh"
#define THREADS 64

/* The greater of two; a NaN wins, which fmaxf would drop. */
static __device__ float greater(float a, float b)
{
	return a != a || a > b ? a : b;
}

extern "C" __global__ void ENTRY(max_vec)(const T *x, OUT_T *y, long long R, long long C,
                                          long long x_stride, long long y_stride)
{
	float v[4], m = MINUS_INF;
	x += blockIdx.x * x_stride;

	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, MINUS_INF, v);
		m = greater(m, greater(greater(v[0], v[1]), greater(v[2], v[3])));
	}
	m = block_tree<THREADS>(m, greater);
	if (threadIdx.x == 0)
		y[blockIdx.x * y_stride] = (OUT_T)m;
}

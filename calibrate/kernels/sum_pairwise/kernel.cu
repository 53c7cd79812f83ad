/* sum_pairwise - y = sum(x) by rows; a thread per row that adds pairs, pairs of pairs and so on:
 * level k of a stack holds the sum of 2^k elements or nothing, as the bits of the count say. The
 * levels that are left are added at the end. Any strides. */
#include "common.cuh"
#define LEVELS 32 /* 2^32 elements; beyond, the last level grows */

extern "C" __global__ void ENTRY(sum_pairwise)(const T *x, OUT_T *y, long long R, long long C,
                                               long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	float level[LEVELS], s = 0.0f;
	if (r >= R)
		return;
	x += r * x_r;

	for (int k = 0; k < LEVELS; k++)
		level[k] = 0.0f;
	for (long long c = 0; c < C; c++) {
		float v = x[c * x_c];
		int k = 0;
		for (; k < LEVELS - 1 && (c >> k & 1); k++) {
			v += level[k];
			level[k] = 0.0f;
		}
		level[k] += v;
	}
	for (int k = 0; k < LEVELS; k++)
		s += level[k];
	y[r * y_r] = (OUT_T)s;
}

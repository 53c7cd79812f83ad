/* sum_unrolled - y = sum(x) by rows; a thread per row with eight sums, from the last element to the
 * first; the eight are added pairwise. Any strides. */
#include "common.cuh"
#define SUMS 8

extern "C" __global__ void ENTRY(sum_unrolled)(const T *x, OUT_T *y, long long R, long long C,
                                               long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	float s[SUMS];
	if (r >= R)
		return;
	x += r * x_r;

#pragma unroll
	for (int k = 0; k < SUMS; k++)
		s[k] = 0.0f;
	for (long long c = C; c > 0; c -= SUMS)
#pragma unroll
		for (int k = 0; k < SUMS; k++)
			if (c > k)
				s[k] += (float)x[(c - 1 - k) * x_c];
	y[r * y_r] = (OUT_T)(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
}

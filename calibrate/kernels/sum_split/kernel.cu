/* sum_split - y = sum(x) by rows; rows are cut into pieces of 128, a block each. The first kernel
 * leaves the sum of every piece in part[R,pieces], the second, a thread per row, joins them. */
#include "common.cuh"
#define PIECE 128

extern "C" __global__ void ENTRY(sum_split_part)(const T *x, float *part, long long C,
                                                 long long x_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;

	const float v = block_sum<PIECE>(c < C ? (float)x[r * x_stride + c] : 0.0f);
	if (threadIdx.x == 0)
		part[blockIdx.x] = v;
}

extern "C" __global__ void ENTRY(sum_split_join)(const float *part, OUT_T *y, long long R,
                                                 long long C, long long y_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE;
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;

	float v = 0.0f;
	for (long long i = 0; i < pieces; i++)
		v = v + part[r * pieces + i];
	y[r * y_stride] = (OUT_T)v;
}

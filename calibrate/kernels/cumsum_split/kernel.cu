/* cumsum_split - y[r,c] = x[r,0] + ... + x[r,c]; rows are cut into pieces of 128, a block each. The
 * first kernel leaves the sum of every piece in part[R,pieces], the second, a thread per row, turns
 * them into the sums before each piece, the third scans its piece in shared memory and adds them.
 */
#include "common.cuh"
#define PIECE 128

extern "C" __global__ void ENTRY(cumsum_split_sums)(const T *x, float *part, long long C,
                                                    long long x_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;

	const float s = block_sum<PIECE>(c < C ? (float)x[r * x_stride + c] : 0.0f);
	if (threadIdx.x == 0)
		part[blockIdx.x] = s;
}

extern "C" __global__ void ENTRY(cumsum_split_offsets)(float *part, long long R, long long C)
{
	const long long pieces = (C + PIECE - 1) / PIECE;
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;

	float before = 0.0f;
	for (long long i = 0; i < pieces; i++) {
		const float s = part[r * pieces + i];
		part[r * pieces + i] = before;
		before += s;
	}
}

extern "C" __global__ void ENTRY(cumsum_split_write)(const T *x, const float *part, OUT_T *y,
                                                     long long C, long long x_stride,
                                                     long long y_stride)
{
	__shared__ float sums[PIECE];
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;
	const int t = threadIdx.x;

	sums[t] = c < C ? (float)x[r * x_stride + c] : 0.0f;
	for (int d = 1; d < PIECE; d *= 2) {
		__syncthreads();
		const float left = t >= d ? sums[t - d] : 0.0f;
		__syncthreads();
		sums[t] += left;
	}
	if (c < C)
		y[r * y_stride + c] = (OUT_T)(sums[t] + part[blockIdx.x]);
}

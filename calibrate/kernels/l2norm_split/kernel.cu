/* l2norm_split - y = x / max(sqrt(sum(x^2)), eps) by rows; rows are cut into pieces of 256, a block
 * each. The first kernel leaves the sum of squares of every piece in part[R,pieces], the second
 * adds those of its row up and writes its piece. */
#include "common.cuh"
#define PIECE 256

/* The length of a row, but not less than eps; NaN stays NaN, which fmaxf would drop. */
static __device__ float length(float s, float eps)
{
	const float root = sqrtf(s);
	return root < eps ? eps : root;
}

extern "C" __global__ void ENTRY(l2norm_split_part)(const T *x, float *part, long long C,
                                                    long long x_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;

	const float v = c < C ? (float)x[r * x_stride + c] : 0.0f;
	const float s = block_sum<PIECE>(v * v);
	if (threadIdx.x == 0)
		part[blockIdx.x] = s;
}

extern "C" __global__ void ENTRY(l2norm_split_join)(const T *x, const float *part, OUT_T *y,
                                                    long long C, long long x_stride,
                                                    long long y_stride, float eps)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;
	if (c >= C)
		return;

	float s = 0.0f;
	for (long long i = 0; i < pieces; i++)
		s += part[r * pieces + i];
	y[r * y_stride + c] = (OUT_T)((float)x[r * x_stride + c] / length(s, eps));
}

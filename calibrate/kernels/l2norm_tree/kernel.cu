/* l2norm_tree - y = x / max(sqrt(sum(x^2)), eps) by rows; a block per row and a tree in shared
 * memory. */
#include "common.cuh"
#define THREADS 128

/* The length of a row, but not less than eps; NaN stays NaN, which fmaxf would drop. */
static __device__ float length(float s, float eps)
{
	const float root = sqrtf(s);
	return root < eps ? eps : root;
}

extern "C" __global__ void ENTRY(l2norm_tree)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_stride, long long y_stride, float eps)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float s = 0.0f;
	for (long long c = threadIdx.x; c < C; c += THREADS) {
		const float v = x[c];
		s += v * v;
	}
	const float d = length(block_sum<THREADS>(s), eps);
	for (long long c = threadIdx.x; c < C; c += THREADS)
		y[c] = (OUT_T)((float)x[c] / d);
}

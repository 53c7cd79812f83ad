/* l2norm_vec - y = x / max(sqrt(sum(x^2)), eps) by rows; a block per row, four elements a load and
 * four sums a thread. */
#include "common.cuh"
#define THREADS 64

/* The length of a row, but not less than eps; NaN stays NaN, which fmaxf would drop. */
static __device__ float length(float s, float eps)
{
	const float root = sqrtf(s);
	return root < eps ? eps : root;
}

extern "C" __global__ void ENTRY(l2norm_vec)(const T *x, OUT_T *y, long long R, long long C,
                                             long long x_stride, long long y_stride, float eps)
{
	float v[4], s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, 0.0f, v);
		for (int k = 0; k < 4; k++)
			s[k] += v[k] * v[k];
	}
	const float d = length(block_sum<THREADS>((s[0] + s[1]) + (s[2] + s[3])), eps);
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, 0.0f, v);
		for (int k = 0; k < 4; k++)
			v[k] /= d;
		store4(y, c, C, v);
	}
}

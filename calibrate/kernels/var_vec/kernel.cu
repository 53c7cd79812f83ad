/* var_vec - y = sum((x - mean(x))^2) / (C - correction) by rows; a block per row, two passes, four
 * elements a load and four sums a thread. */
#include "common.cuh"
#define THREADS 64

extern "C" __global__ void ENTRY(var_vec)(const T *x, OUT_T *y, long long R, long long C,
                                          long long x_stride, long long y_stride,
                                          long long correction)
{
	float v[4], s[4] = {0.0f, 0.0f, 0.0f, 0.0f}, q[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	x += blockIdx.x * x_stride;

	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, 0.0f, v);
		for (int k = 0; k < 4; k++)
			s[k] += v[k];
	}
	const float mu = block_sum<THREADS>((s[0] + s[1]) + (s[2] + s[3])) / (float)C;
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, mu, v);
		for (int k = 0; k < 4; k++)
			q[k] += (v[k] - mu) * (v[k] - mu);
	}
	const float all = block_sum<THREADS>((q[0] + q[1]) + (q[2] + q[3]));
	if (threadIdx.x == 0)
		y[blockIdx.x * y_stride] = (OUT_T)(all / (float)(C - correction));
}

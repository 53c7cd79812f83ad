/* var_shifted - y = sum((x - mean(x))^2) / (C - correction) by rows; a block per row and trees in
 * shared memory. Values are shifted by the computed mean, sum d^2 - (sum d)^2 / C, so that the
 * error of the mean drops out. */
#include "common.cuh"
#define THREADS 128

extern "C" __global__ void ENTRY(var_shifted)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_stride, long long y_stride,
                                              long long correction)
{
	x += blockIdx.x * x_stride;

	float s = 0.0f, d1 = 0.0f, d2 = 0.0f;
	for (long long c = threadIdx.x; c < C; c += THREADS)
		s += (float)x[c];
	const float mu = block_sum<THREADS>(s) / (float)C;
	for (long long c = threadIdx.x; c < C; c += THREADS) {
		const float d = (float)x[c] - mu;
		d1 += d;
		d2 += d * d;
	}
	d1 = block_sum<THREADS>(d1);
	d2 = block_sum<THREADS>(d2);
	const float q = d2 - d1 * d1 / (float)C;
	if (threadIdx.x == 0)
		y[blockIdx.x * y_stride] = (OUT_T)((q < 0.0f ? 0.0f : q) / (float)(C - correction));
}

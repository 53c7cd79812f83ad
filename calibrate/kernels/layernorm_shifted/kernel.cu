/* layernorm_shifted - y = (x - mu) / sqrt(va + eps) * w + b; a block per row and trees in shared
 * memory. The variance is that of values shifted by the computed mean, sum d^2 - (sum d)^2 / C, so
 * that the error of the mean drops out. w and b may be null: 1 and 0. */
#include "common.cuh"
#define THREADS 128

extern "C" __global__ void ENTRY(layernorm_shifted)(const T *x, const T *w, const T *b, OUT_T *y,
                                                    long long R, long long C, long long x_stride,
                                                    long long y_stride, float eps)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

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
	const float va = fmaxf((d2 - d1 * d1 / (float)C) / (float)C, 0.0f);
	const float root = d2 == d2 ? sqrtf(va + eps) : d2; /* fmaxf drops NaN */
	for (long long c = threadIdx.x; c < C; c += THREADS) {
		float v = ((float)x[c] - mu) / root;
		if (w)
			v *= (float)w[c];
		if (b)
			v += (float)b[c];
		y[c] = (OUT_T)v;
	}
}

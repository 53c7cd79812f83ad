/* layernorm_vec - y = (x - mu) / sqrt(va + eps) * w + b, written as x*a + (b - mu*a); a block per
 * row, four elements a load and four sums a thread. w and b may be null: 1 and 0. */
#include "common.cuh"
#define THREADS 64

extern "C" __global__ void ENTRY(layernorm_vec)(const T *x, const T *w, const T *b, OUT_T *y,
                                                long long R, long long C, long long x_stride,
                                                long long y_stride, float eps)
{
	float v[4], wv[4] = {1.0f, 1.0f, 1.0f, 1.0f}, bv[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	float s[4] = {0.0f, 0.0f, 0.0f, 0.0f}, q[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

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
	const float va = block_sum<THREADS>((q[0] + q[1]) + (q[2] + q[3])) / (float)C;
	const float scale = 1.0f / sqrtf(va + eps);
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, 0.0f, v);
		if (w)
			load4(w, c, C, 0.0f, wv);
		if (b)
			load4(b, c, C, 0.0f, bv);
		for (int k = 0; k < 4; k++) {
			const float a = scale * wv[k];
			v[k] = v[k] * a + (bv[k] - mu * a);
		}
		store4(y, c, C, v);
	}
}

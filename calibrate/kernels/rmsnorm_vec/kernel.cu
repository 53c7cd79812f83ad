/* rmsnorm_vec - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n]; a block per vector.
 * Where the vector lies together in memory, four elements a load; four sums a thread in any case.
 * w may be null: 1. */
#include "common.cuh"
#define THREADS 64

/* Elements n..n+3 of a vector of N with stride `step`, 0 beyond it. */
static __device__ void vector4(const T *x, long long step, long long n, long long N, float v[4])
{
	if (step == 1) {
		load4(x, n, N, 0.0f, v);
		return;
	}
	for (int k = 0; k < 4; k++)
		v[k] = n + k < N ? (float)x[(n + k) * step] : 0.0f;
}

extern "C" __global__ void ENTRY(rmsnorm_vec)(const T *x, const T *w, OUT_T *y, long long N,
                                              long long B, long long x_a, long long x_n,
                                              long long y_a, long long y_n, float eps)
{
	float v[4], wv[4] = {1.0f, 1.0f, 1.0f, 1.0f}, s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	x += blockIdx.x / B * x_a + blockIdx.x % B;
	y += blockIdx.x / B * y_a + blockIdx.x % B;

	for (long long n = 4 * threadIdx.x; n < N; n += 4 * THREADS) {
		vector4(x, x_n, n, N, v);
		for (int k = 0; k < 4; k++)
			s[k] += v[k] * v[k];
	}
	const float ms = block_sum<THREADS>((s[0] + s[1]) + (s[2] + s[3])) / (float)N;
	const float root = sqrtf(ms + eps);
	for (long long n = 4 * threadIdx.x; n < N; n += 4 * THREADS) {
		vector4(x, x_n, n, N, v);
		if (w)
			load4(w, n, N, 0.0f, wv);
		for (int k = 0; k < 4; k++)
			v[k] = v[k] / root * wv[k];
		if (y_n == 1)
			store4(y, n, N, v);
		else
			for (int k = 0; k < 4 && n + k < N; k++)
				y[(n + k) * y_n] = (OUT_T)v[k];
	}
}

/* rmsnorm_tree - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n], multiplied by
 * w/root; a block per vector and a tree in shared memory. w may be null: 1. Any strides. */
#include "common.cuh"
#define THREADS 128

extern "C" __global__ void ENTRY(rmsnorm_tree)(const T *x, const T *w, OUT_T *y, long long A,
                                               long long N, long long B, long long x_a,
                                               long long x_n, long long x_b, long long y_a,
                                               long long y_n, long long y_b, long long w_n,
                                               float eps)
{
	const long long t = blockIdx.x;
	x += t / B * x_a + t % B * x_b;
	y += t / B * y_a + t % B * y_b;

	float s = 0.0f;
	for (long long n = threadIdx.x; n < N; n += THREADS) {
		const float v = x[n * x_n];
		s += v * v;
	}
	const float root = sqrtf(block_sum<THREADS>(s) / (float)N + eps);
	for (long long n = threadIdx.x; n < N; n += THREADS) {
		const float scale = (w ? (float)w[n * w_n] : 1.0f) / root;
		y[n * y_n] = (OUT_T)((float)x[n * x_n] * scale);
	}
}

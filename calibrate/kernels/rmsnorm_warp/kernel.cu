/* rmsnorm_warp - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n], by the reciprocal
 * square root; a warp per vector, eight a block. w may be null: 1. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(rmsnorm_warp)(const T *x, const T *w, OUT_T *y, long long A,
                                               long long N, long long B, long long x_a,
                                               long long x_n, long long x_b, long long y_a,
                                               long long y_n, long long y_b, long long w_n,
                                               float eps)
{
	const long long t = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (t >= A * B)
		return;
	x += t / B * x_a + t % B * x_b;
	y += t / B * y_a + t % B * y_b;

	float s = 0.0f;
	for (long long n = threadIdx.x; n < N; n += 32) {
		const float v = x[n * x_n];
		s += v * v;
	}
	const float scale = rsqrtf(warp_sum(s) / (float)N + eps);
	for (long long n = threadIdx.x; n < N; n += 32)
		y[n * y_n] = (OUT_T)((float)x[n * x_n] * scale * (w ? (float)w[n * w_n] : 1.0f));
}

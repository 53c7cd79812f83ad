/* rmsnorm_serial - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n]; a thread per
 * vector, squares summed from the first to the last. w may be null: 1. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(rmsnorm_serial)(const T *x, const T *w, OUT_T *y, long long A,
                                                 long long N, long long B, long long x_a,
                                                 long long x_n, long long x_b, long long y_a,
                                                 long long y_n, long long y_b, long long w_n,
                                                 float eps)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= A * B)
		return;
	x += t / B * x_a + t % B * x_b;
	y += t / B * y_a + t % B * y_b;

	float s = 0.0f;
	for (long long n = 0; n < N; n++) {
		const float v = x[n * x_n];
		s += v * v;
	}
	const float root = sqrtf(s / (float)N + eps);
	for (long long n = 0; n < N; n++) {
		const float v = (float)x[n * x_n] / root;
		y[n * y_n] = (OUT_T)(w ? v * (float)w[n * w_n] : v);
	}
}

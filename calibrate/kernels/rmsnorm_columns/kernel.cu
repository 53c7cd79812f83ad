/* rmsnorm_columns - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n]; a block takes
 * sixteen neighbouring columns b of one a, thread (i, j) every 16th element of column i from j; the
 * sixteen sums of a column are added one after the other. w may be null: 1. Any strides. */
#include "common.cuh"
#define EDGE 16

extern "C" __global__ void ENTRY(rmsnorm_columns)(const T *x, const T *w, OUT_T *y, long long A,
                                                  long long N, long long B, long long x_a,
                                                  long long x_n, long long x_b, long long y_a,
                                                  long long y_n, long long y_b, long long w_n,
                                                  float eps)
{
	__shared__ float part[EDGE][EDGE];
	const long long tiles = (B + EDGE - 1) / EDGE, a = blockIdx.x / tiles;
	const long long b = blockIdx.x % tiles * EDGE + threadIdx.x;
	const int i = threadIdx.x, j = threadIdx.y;
	x += a * x_a + b * x_b;
	y += a * y_a + b * y_b;

	float s = 0.0f;
	for (long long n = j; b < B && n < N; n += EDGE) {
		const float v = x[n * x_n];
		s += v * v;
	}
	part[j][i] = s;
	__syncthreads();
	s = 0.0f;
	for (int k = 0; k < EDGE; k++)
		s += part[k][i];
	const float root = sqrtf(s / (float)N + eps);
	for (long long n = j; b < B && n < N; n += EDGE) {
		const float v = (float)x[n * x_n] / root;
		y[n * y_n] = (OUT_T)(w ? v * (float)w[n * w_n] : v);
	}
}

/* rmsnorm_split - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n]; vectors are cut
 * into pieces of 64, a warp each. The first kernel leaves the sum of squares of every piece in
 * part[A*B,pieces], the second, a thread per element, adds those of its vector up and writes. w may
 * be null: 1. Any strides. */
#include "common.cuh"
#define PIECE 64

extern "C" __global__ void ENTRY(rmsnorm_split_part)(const T *x, float *part, long long total,
                                                     long long N, long long B, long long x_a,
                                                     long long x_n, long long x_b)
{
	const long long piece = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const long long pieces = (N + PIECE - 1) / PIECE, t = piece / pieces;
	const long long n = piece % pieces * PIECE + threadIdx.x;
	if (piece >= total)
		return;
	x += t / B * x_a + t % B * x_b;

	const float v0 = n < N ? (float)x[n * x_n] : 0.0f;
	const float v1 = n + 32 < N ? (float)x[(n + 32) * x_n] : 0.0f;
	const float s = warp_sum(v0 * v0 + v1 * v1);
	if (threadIdx.x == 0)
		part[piece] = s;
}

extern "C" __global__ void ENTRY(rmsnorm_split_join)(const T *x, const T *w, const float *part,
                                                     OUT_T *y, long long A, long long N,
                                                     long long B, long long x_a, long long x_n,
                                                     long long x_b, long long y_a, long long y_n,
                                                     long long y_b, long long w_n, float eps)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long pieces = (N + PIECE - 1) / PIECE;
	if (t >= A * N * B)
		return;
	const long long a = t / (N * B), n = t / B % N, b = t % B;
	part += (a * B + b) * pieces;

	float s = 0.0f;
	for (long long i = 0; i < pieces; i++)
		s += part[i];
	const float v = (float)x[a * x_a + n * x_n + b * x_b] / sqrtf(s / (float)N + eps);
	y[a * y_a + n * y_n + b * y_b] = (OUT_T)(w ? v * (float)w[n * w_n] : v);
}

/* conv1d_gemm16 - y[n,k,q] = sum(x[n, c of the group, q*stride - pad + s*dil] * w[k,c,s]) + b[k]
 * as the product of w, as a matrix [K,c*S+s], with the windows of x, as [c*S+s,q]: tiles of 16 x 16
 * x 16 in shared memory, each summed by itself, then added; blockIdx.y is the image and group. b
 * may be null: 0. Any strides. */
#include "common.cuh"
#define EDGE 16

extern "C" __global__ void
ENTRY(conv1d_gemm16)(const T *x, const T *w, const T *b, OUT_T *y, long long N, long long C,
                     long long K, long long W, long long S, long long Q, long long groups,
                     long long stride, long long pad, long long dil, long long x_n, long long x_c,
                     long long x_w, long long w_k, long long w_c, long long w_s, long long y_n,
                     long long y_k, long long y_q, long long b_k)
{
	__shared__ float ws[EDGE][EDGE + 1], xs[EDGE][EDGE];
	const int i = threadIdx.y, j = threadIdx.x;
	const long long Cg = C / groups, Kg = K / groups, E = Cg * S;
	const long long n = blockIdx.y / groups, g = blockIdx.y % groups;
	const long long across = (Q + EDGE - 1) / EDGE; /* blocks along q */
	const long long k = blockIdx.x / across * EDGE + i, q = blockIdx.x % across * EDGE + j;
	x += n * x_n + g * Cg * x_c;
	w += g * Kg * w_k;

	float sum = 0.0f;
	for (long long e0 = 0; e0 < E; e0 += EDGE) {
		const long long we = e0 + j, xe = e0 + i, at = q * stride - pad + xe % S * dil;
		ws[i][j] =
		        k < Kg && we < E ? (float)w[k * w_k + we / S * w_c + we % S * w_s] : 0.0f;
		xs[i][j] = q < Q && xe < E && at >= 0 && at < W ? (float)x[xe / S * x_c + at * x_w]
		                                                : 0.0f;
		__syncthreads();
		float part = 0.0f;
		for (int e = 0; e < EDGE; e++)
			part += ws[i][e] * xs[e][j];
		sum += part;
		__syncthreads();
	}
	if (k < Kg && q < Q)
		y[n * y_n + (g * Kg + k) * y_k + q * y_q] =
		        (OUT_T)(b ? sum + (float)b[(g * Kg + k) * b_k] : sum);
}

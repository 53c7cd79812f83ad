/* conv1d_biased - y[n,k,q] = sum(x[n, c of the group, q*stride - pad + s*dil] * w[k,c,s]) + b[k];
 * a thread per output, one sum that starts at the bias and goes over channels and places of the
 * window: where the bias is large beside the terms, each of them is rounded at its size. b may be
 * null: 0. Any strides. */
#include "common.cuh"

extern "C" __global__ void
ENTRY(conv1d_biased)(const T *x, const T *w, const T *b, OUT_T *y, long long N, long long C,
                     long long K, long long W, long long S, long long Q, long long groups,
                     long long stride, long long pad, long long dil, long long x_n, long long x_c,
                     long long x_w, long long w_k, long long w_c, long long w_s, long long y_n,
                     long long y_k, long long y_q, long long b_k)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= N * K * Q)
		return;
	const long long Cg = C / groups, Kg = K / groups;
	const long long q = t % Q, k = t / Q % K, n = t / (Q * K), left = q * stride - pad;
	x += n * x_n + k / Kg * Cg * x_c;
	w += k * w_k;

	float sum = b ? (float)b[k * b_k] : 0.0f;
	for (long long c = 0; c < Cg; c++)
		for (long long s = 0; s < S; s++) {
			const long long j = left + s * dil;
			const float v = j >= 0 && j < W ? (float)x[c * x_c + j * x_w] : 0.0f;
			sum += v * (float)w[c * w_c + s * w_s];
		}
	y[n * y_n + k * y_k + q * y_q] = (OUT_T)sum;
}

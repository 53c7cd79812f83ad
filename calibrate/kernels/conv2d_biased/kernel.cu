/* conv2d_biased - y[n,k,p,q] = sum(x[n, c of the group, p*stride - pad + r*dil, q*stride - pad +
 * s*dil] * w[k,c,r,s]) + b[k]; a thread per output, one sum that starts at the bias and goes over
 * channels, rows and columns of the window. b may be null: 0. Any strides. */
#include "common.cuh"

extern "C" __global__ void
ENTRY(conv2d_biased)(const T *x, const T *w, const T *b, OUT_T *y, long long N, long long C,
                     long long K, long long H, long long W, long long R, long long S, long long P,
                     long long Q, long long groups, long long stride, long long pad, long long dil,
                     long long x_n, long long x_c, long long x_h, long long x_w, long long w_k,
                     long long w_c, long long w_r, long long w_s, long long y_n, long long y_k,
                     long long y_p, long long y_q, long long b_k)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= N * K * P * Q)
		return;
	const long long Cg = C / groups, Kg = K / groups;
	const long long q = t % Q, p = t / Q % P, k = t / (Q * P) % K, n = t / (Q * P * K);
	const long long top = p * stride - pad, left = q * stride - pad;
	x += n * x_n + k / Kg * Cg * x_c;
	w += k * w_k;

	float s = b ? (float)b[k * b_k] : 0.0f;
	for (long long c = 0; c < Cg; c++)
		for (long long r = 0; r < R; r++)
			for (long long u = 0; u < S; u++) {
				const long long i = top + r * dil, j = left + u * dil;
				const bool inside = i >= 0 && i < H && j >= 0 && j < W;
				const float v =
				        inside ? (float)x[c * x_c + i * x_h + j * x_w] : 0.0f;
				s += v * (float)w[c * w_c + r * w_r + u * w_s];
			}
	y[n * y_n + k * y_k + p * y_p + q * y_q] = (OUT_T)s;
}

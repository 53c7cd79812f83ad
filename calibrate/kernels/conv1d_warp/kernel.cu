/* conv1d_warp - y[n,k,q] = sum(x[n, c of the group, q*stride - pad + s*dil] * w[k,c,s]) + b[k];
 * a warp per output, lanes take every 32nd product of channels and window, then exchange. b may be
 * null: 0. Any strides. */
#include "common.cuh"

extern "C" __global__ void
ENTRY(conv1d_warp)(const T *x, const T *w, const T *b, OUT_T *y, long long N, long long C,
                   long long K, long long W, long long S, long long Q, long long groups,
                   long long stride, long long pad, long long dil, long long x_n, long long x_c,
                   long long x_w, long long w_k, long long w_c, long long w_s, long long y_n,
                   long long y_k, long long y_q, long long b_k)
{
	const long long t = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (t >= N * K * Q)
		return;
	const long long Cg = C / groups, Kg = K / groups;
	const long long q = t % Q, k = t / Q % K, n = t / (Q * K), left = q * stride - pad;
	x += n * x_n + k / Kg * Cg * x_c;
	w += k * w_k;

	float sum = 0.0f;
	for (long long e = threadIdx.x; e < Cg * S; e += 32) {
		const long long c = e / S, s = e % S, j = left + s * dil;
		const float v = j >= 0 && j < W ? (float)x[c * x_c + j * x_w] : 0.0f;
		sum += v * (float)w[c * w_c + s * w_s];
	}
	sum = warp_sum(sum);
	if (threadIdx.x == 0)
		y[n * y_n + k * y_k + q * y_q] = (OUT_T)(b ? sum + (float)b[k * b_k] : sum);
}

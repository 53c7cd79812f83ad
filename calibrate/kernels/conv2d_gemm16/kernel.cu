/* conv2d_gemm16 - y[n,k,p,q] = sum(x[n, c of the group, p*stride - pad + r*dil, q*stride - pad +
 * s*dil] * w[k,c,r,s]) + b[k] as the product of w, as a matrix [K,(c*R+r)*S+s], with the windows of
 * x, as [(c*R+r)*S+s,p*Q+q]: tiles of 16 x 16 x 16 in shared memory, each summed by itself, then
 * added; blockIdx.y is the image and group. b may be null: 0. Any strides. */
#include "common.cuh"
#define EDGE 16

extern "C" __global__ void
ENTRY(conv2d_gemm16)(const T *x, const T *w, const T *b, OUT_T *y, long long N, long long C,
                     long long K, long long H, long long W, long long R, long long S, long long P,
                     long long Q, long long groups, long long stride, long long pad, long long dil,
                     long long x_n, long long x_c, long long x_h, long long x_w, long long w_k,
                     long long w_c, long long w_r, long long w_s, long long y_n, long long y_k,
                     long long y_p, long long y_q, long long b_k)
{
	__shared__ float ws[EDGE][EDGE + 1], xs[EDGE][EDGE];
	const int i = threadIdx.y, j = threadIdx.x;
	const long long Cg = C / groups, Kg = K / groups, E = Cg * R * S;
	const long long n = blockIdx.y / groups, g = blockIdx.y % groups;
	const long long across = (P * Q + EDGE - 1) / EDGE; /* blocks along p and q */
	const long long k = blockIdx.x / across * EDGE + i, m = blockIdx.x % across * EDGE + j;
	const long long top = m / Q * stride - pad, left = m % Q * stride - pad;
	x += n * x_n + g * Cg * x_c;
	w += g * Kg * w_k;

	float sum = 0.0f;
	for (long long e0 = 0; e0 < E; e0 += EDGE) {
		const long long we = e0 + j, xe = e0 + i;
		const long long h = top + xe / S % R * dil, v = left + xe % S * dil;
		const bool inside = m < P * Q && xe < E && h >= 0 && h < H && v >= 0 && v < W;
		ws[i][j] = k < Kg && we < E ? (float)w[k * w_k + we / (R * S) * w_c +
		                                       we / S % R * w_r + we % S * w_s]
		                            : 0.0f;
		xs[i][j] = inside ? (float)x[xe / (R * S) * x_c + h * x_h + v * x_w] : 0.0f;
		__syncthreads();
		float part = 0.0f;
		for (int e = 0; e < EDGE; e++)
			part += ws[i][e] * xs[e][j];
		sum += part;
		__syncthreads();
	}
	if (k < Kg && m < P * Q)
		y[n * y_n + (g * Kg + k) * y_k + m / Q * y_p + m % Q * y_q] =
		        (OUT_T)(b ? sum + (float)b[(g * Kg + k) * b_k] : sum);
}

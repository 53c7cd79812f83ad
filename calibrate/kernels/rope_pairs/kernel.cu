/* rope_pairs - y[d] = x[d] cos -+ x[mate of d] sin; a thread per pair: d and d + P (style 0, neox),
 * or 2p and 2p + 1. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(rope_pairs)(const T *x, const float *cs, const float *sn, OUT_T *y,
                                             long long B, long long S, long long H, long long P,
                                             long long x_b, long long x_s, long long x_h,
                                             long long x_d, long long y_b, long long y_s,
                                             long long y_h, long long y_d, long long c_s,
                                             long long c_p, long long s_s, long long s_p, int style)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= B * S * H * P)
		return;
	const long long p = t % P, h = t / P % H, s = t / (P * H) % S, b = t / (P * H * S);
	const long long d0 = style == 0 ? p : 2 * p, d1 = style == 0 ? p + P : 2 * p + 1;
	const float c = cs[s * c_s + p * c_p], n = sn[s * s_s + p * s_p];
	x += b * x_b + s * x_s + h * x_h;
	y += b * y_b + s * y_s + h * y_h;

	const float u = x[d0 * x_d], v = x[d1 * x_d];
	y[d0 * y_d] = (OUT_T)(u * c - v * n);
	y[d1 * y_d] = (OUT_T)(v * c + u * n);
}

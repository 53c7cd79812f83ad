/* rope_rows - y[d] = x[d] cos -+ x[mate of d] sin; a warp per vector, the second product fused the
 * other way round. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(rope_rows)(const T *x, const float *cs, const float *sn, OUT_T *y,
                                            long long B, long long S, long long H, long long P,
                                            long long x_b, long long x_s, long long x_h,
                                            long long x_d, long long y_b, long long y_s,
                                            long long y_h, long long y_d, long long c_s,
                                            long long c_p, long long s_s, long long s_p, int style)
{
	const long long t = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (t >= B * S * H)
		return;
	const long long h = t % H, s = t / H % S, b = t / (H * S);
	x += b * x_b + s * x_s + h * x_h;
	y += b * y_b + s * y_s + h * y_h;

	for (long long p = threadIdx.x; p < P; p += 32) {
		const long long d0 = style == 0 ? p : 2 * p, d1 = style == 0 ? p + P : 2 * p + 1;
		const float c = cs[s * c_s + p * c_p], n = sn[s * s_s + p * s_p];
		const float u = x[d0 * x_d], v = x[d1 * x_d];
		y[d0 * y_d] = (OUT_T)fmaf(-v, n, __fmul_rn(u, c));
		y[d1 * y_d] = (OUT_T)fmaf(u, n, __fmul_rn(v, c));
	}
}

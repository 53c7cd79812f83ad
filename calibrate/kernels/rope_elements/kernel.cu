/* rope_elements - y[d] = x[d] cos -+ x[mate of d] sin; a thread per element, products rounded
 * before they are added. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(rope_elements)(const T *x, const float *cs, const float *sn,
                                                OUT_T *y, long long B, long long S, long long H,
                                                long long P, long long x_b, long long x_s,
                                                long long x_h, long long x_d, long long y_b,
                                                long long y_s, long long y_h, long long y_d,
                                                long long c_s, long long c_p, long long s_s,
                                                long long s_p, int style)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x, D = 2 * P;
	if (t >= B * S * H * D)
		return;
	const long long d = t % D, h = t / D % H, s = t / (D * H) % S, b = t / (D * H * S);
	const long long p = style == 0 ? d % P : d / 2;
	const long long mate = style == 0 ? (d + P) % D : d + 1 - 2 * (d % 2);
	x += b * x_b + s * x_s + h * x_h;

	const float own = __fmul_rn((float)x[d * x_d], cs[s * c_s + p * c_p]);
	const float other = __fmul_rn((float)x[mate * x_d], sn[s * s_s + p * s_p]);
	y[b * y_b + s * y_s + h * y_h + d * y_d] = (OUT_T)(d < mate ? own - other : own + other);
}

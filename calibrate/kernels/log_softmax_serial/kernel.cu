/* log_softmax_serial - y = (x - m) - log(sum(exp(x - m))), m the row's maximum; a thread per row,
 * three passes, each from the first element to the last. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(log_softmax_serial)(const T *x, OUT_T *y, long long R, long long C,
                                                     long long x_r, long long x_c, long long y_r,
                                                     long long y_c)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;
	y += r * y_r;

	float m = MINUS_INF;
	for (long long c = 0; c < C; c++)
		m = fmaxf(m, (float)x[c * x_c]);
	float s = 0.0f;
	for (long long c = 0; c < C; c++)
		s += expf((float)x[c * x_c] - m);
	const float l = logf(s);
	for (long long c = 0; c < C; c++)
		y[c * y_c] = (OUT_T)(((float)x[c * x_c] - m) - l);
}

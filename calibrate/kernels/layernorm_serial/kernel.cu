/* layernorm_serial - y = (x - mu) / sqrt(va + eps) * w + b; a thread per row, mean and centred
 * variance each from the first element to the last. w and b may be null: 1 and 0. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(layernorm_serial)(const T *x, const T *w, const T *b, OUT_T *y,
                                                   long long R, long long C, long long x_r,
                                                   long long x_c, long long y_r, long long y_c,
                                                   long long w_c, long long b_c, float eps)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;
	y += r * y_r;

	float mu = 0.0f, va = 0.0f;
	for (long long c = 0; c < C; c++)
		mu += (float)x[c * x_c];
	mu /= (float)C;
	for (long long c = 0; c < C; c++) {
		const float d = (float)x[c * x_c] - mu;
		va += d * d;
	}
	const float root = sqrtf(va / (float)C + eps);
	for (long long c = 0; c < C; c++) {
		float v = ((float)x[c * x_c] - mu) / root;
		if (w)
			v *= (float)w[c * w_c];
		if (b)
			v += (float)b[c * b_c];
		y[c * y_c] = (OUT_T)v;
	}
}

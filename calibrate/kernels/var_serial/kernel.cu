/* var_serial - y = sum((x - mean(x))^2) / (C - correction) by rows; a thread per row, two passes,
 * each from the first element to the last. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(var_serial)(const T *x, OUT_T *y, long long R, long long C,
                                             long long x_r, long long x_c, long long y_r,
                                             long long correction)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;

	float mu = 0.0f, q = 0.0f;
	for (long long c = 0; c < C; c++)
		mu += (float)x[c * x_c];
	mu /= (float)C;
	for (long long c = 0; c < C; c++) {
		const float d = (float)x[c * x_c] - mu;
		q += d * d;
	}
	y[r * y_r] = (OUT_T)(q / (float)(C - correction));
}

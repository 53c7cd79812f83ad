/* mean_serial - y = mean(x) by rows; a thread per row, from the first element to the last. Any
 * strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(mean_serial)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;

	float s = 0.0f;
	for (long long c = 0; c < C; c++)
		s += (float)x[c * x_c];
	y[r * y_r] = (OUT_T)(s / (float)C);
}

/* cumsum_serial - y[r,c] = x[r,0] + ... + x[r,c]; a thread per row. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(cumsum_serial)(const T *x, OUT_T *y, long long R, long long C,
                                                long long x_r, long long x_c, long long y_r,
                                                long long y_c)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;
	y += r * y_r;

	float s = 0.0f;
	for (long long c = 0; c < C; c++) {
		s += (float)x[c * x_c];
		y[c * y_c] = (OUT_T)s;
	}
}

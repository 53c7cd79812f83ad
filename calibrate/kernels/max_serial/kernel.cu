/* max_serial - y = max(x) by rows; a thread per row, from the first element to the last. Any
 * strides. */
#include "common.cuh"

/* The greater of two; a NaN wins, which fmaxf would drop. */
static __device__ float greater(float a, float b)
{
	return a != a || a > b ? a : b;
}

extern "C" __global__ void ENTRY(max_serial)(const T *x, OUT_T *y, long long R, long long C,
                                             long long x_r, long long x_c, long long y_r)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;

	float m = MINUS_INF;
	for (long long c = 0; c < C; c++)
		m = greater(m, (float)x[c * x_c]);
	y[r * y_r] = (OUT_T)m;
}

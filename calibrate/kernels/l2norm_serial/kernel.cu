/* l2norm_serial - y = x / max(sqrt(sum(x^2)), eps) by rows; a thread per row, squares summed from
 * the first to the last. Any strides. */
#include "common.cuh"

/* The length of a row, but not less than eps; NaN stays NaN, which fmaxf would drop. */
static __device__ float length(float s, float eps)
{
	const float root = sqrtf(s);
	return root < eps ? eps : root;
}

extern "C" __global__ void ENTRY(l2norm_serial)(const T *x, OUT_T *y, long long R, long long C,
                                                long long x_r, long long x_c, long long y_r,
                                                long long y_c, float eps)
{
	const long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= R)
		return;
	x += r * x_r;
	y += r * y_r;

	float s = 0.0f;
	for (long long c = 0; c < C; c++) {
		const float v = x[c * x_c];
		s += v * v;
	}
	const float d = length(s, eps);
	for (long long c = 0; c < C; c++)
		y[c * y_c] = (OUT_T)((float)x[c * x_c] / d);
}

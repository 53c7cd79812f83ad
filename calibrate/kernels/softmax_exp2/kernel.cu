/* softmax_exp2 - y = exp(x - m) / sum(exp(x - m)), m the row's maximum, by
 * powers of two: exp(x - m) = 2^(x log2(e) - m log2(e)), the exponent one fused multiply-add, as
 * flash kernels do. A block per row: warps by exchange, then the eight partial sums one by one. */
#include "common.cuh"
#define WARPS   8
#define THREADS (32 * WARPS)

static __device__ float power(float x, float m2)
{
	return exp2f(fmaf(x, LOG2_E, -m2));
}

extern "C" __global__ void ENTRY(softmax_exp2)(const T *x, OUT_T *y, long long R, long long C,
                                               long long x_stride, long long y_stride)
{
	__shared__ float ms[WARPS], ss[WARPS];
	const int t = threadIdx.y * 32 + threadIdx.x;
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float m = MINUS_INF;
	for (long long c = t; c < C; c += THREADS)
		m = fmaxf(m, (float)x[c]);
	m = warp_max(m);
	if (threadIdx.x == 0)
		ms[threadIdx.y] = m;
	__syncthreads();
	for (int w = 0; w < WARPS; w++)
		m = fmaxf(m, ms[w]);

	const float m2 = m * LOG2_E;
	float s0 = 0.0f, s1 = 0.0f;
	for (long long c = t; c < C; c += 2 * THREADS) {
		s0 += power((float)x[c], m2);
		if (c + THREADS < C)
			s1 += power((float)x[c + THREADS], m2);
	}
	float s = warp_sum(s0 + s1);
	if (threadIdx.x == 0)
		ss[threadIdx.y] = s;
	__syncthreads();
	s = ss[0];
	for (int w = 1; w < WARPS; w++)
		s += ss[w];

	for (long long c = t; c < C; c += THREADS)
		y[c] = (OUT_T)(power((float)x[c], m2) / s);
}

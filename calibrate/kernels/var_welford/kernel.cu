/* var_welford - y = sum((x - mean(x))^2) / (C - correction) by rows; a warp per row, one pass: by
 * Welford's recurrence in each lane, lanes merged in pairs. Any strides. */
#include "common.cuh"

/* Number, mean and sum of squared deviations of some values. */
struct moments {
	float n, mean, m2;
};

/* Those of two sets together (Chan, Golub, LeVeque 1979). */
static __device__ moments merge(moments p, moments q)
{
	const float n = p.n + q.n, d = q.mean - p.mean;
	if (q.n == 0.0f)
		return p;
	return {n, p.mean + d * (q.n / n), p.m2 + q.m2 + d * d * (p.n * q.n / n)};
}

extern "C" __global__ void ENTRY(var_welford)(const T *x, OUT_T *y, long long R, long long C,
                                              long long x_r, long long x_c, long long y_r,
                                              long long correction)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (r >= R)
		return;
	x += r * x_r;

	moments p = {0.0f, 0.0f, 0.0f};
	for (long long c = threadIdx.x; c < C; c += 32) {
		const float v = x[c * x_c], d = v - p.mean;
		p.n += 1.0f;
		p.mean += d / p.n;
		p.m2 += d * (v - p.mean);
	}
	for (int d = 16; d > 0; d /= 2) {
		moments q = {__shfl_down_sync(ALL_LANES, p.n, d),
		             __shfl_down_sync(ALL_LANES, p.mean, d),
		             __shfl_down_sync(ALL_LANES, p.m2, d)};
		p = merge(p, q);
	}
	if (threadIdx.x == 0)
		y[r * y_r] = (OUT_T)(p.m2 / (float)(C - correction));
}

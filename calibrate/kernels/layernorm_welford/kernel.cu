/* layernorm_welford - y = (x - mu) / sqrt(va + eps) * w + b; a warp per row, mean and variance in
 * one pass: by Welford's recurrence in each lane, lanes merged in pairs. w and b may be null: 1 and
 * 0. */
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

extern "C" __global__ void ENTRY(layernorm_welford)(const T *x, const T *w, const T *b, OUT_T *y,
                                                    long long R, long long C, long long x_stride,
                                                    long long y_stride, float eps)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const int lane = threadIdx.x;
	if (r >= R)
		return;
	x += r * x_stride;
	y += r * y_stride;

	moments p = {0.0f, 0.0f, 0.0f};
	for (long long c = lane; c < C; c += 32) {
		const float v = x[c], d = v - p.mean;
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
	const float mu = __shfl_sync(ALL_LANES, p.mean, 0);
	const float root = sqrtf(__shfl_sync(ALL_LANES, p.m2, 0) / (float)C + eps);
	for (long long c = lane; c < C; c += 32) {
		float v = ((float)x[c] - mu) / root;
		if (w)
			v *= (float)w[c];
		if (b)
			v += (float)b[c];
		y[c] = (OUT_T)v;
	}
}

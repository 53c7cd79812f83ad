/* cross_entropy_online - loss = sum(w[t] (lse(x) - x[t])) / sum(w[t]) over the rows whose t is not
 * `ignore`; w may be null: 1. A warp per row, in one pass with a running maximum, leaves its share
 * in part[N,2], a warp adds them up. */
#include "common.cuh"

/* Row n's share of both sums, from its log of the sum of exponentials. */
static __device__ void share(float *part, float lse, float xt, const float *w, long long target,
                             long long w_stride, bool counts)
{
	const float weight = !counts ? 0.0f : w ? w[target * w_stride] : 1.0f;
	part[0] = counts ? weight * (lse - xt) : 0.0f;
	part[1] = weight;
}

extern "C" __global__ void ENTRY(cross_entropy_online_rows)(const T *x, const long long *t,
                                                            const float *w, float *part,
                                                            long long N, long long V, long long x_n,
                                                            long long x_v, long long t_stride,
                                                            long long w_stride, long long ignore)
{
	const long long n = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (n >= N)
		return;
	const long long target = t[n * t_stride];
	const bool counts = target != ignore;
	x += n * x_n;

	online p = online_start();
	for (long long v = threadIdx.x; v < V; v += 32)
		p = online_add(p, (float)x[v * x_v]);
	p = warp_online(p);
	if (threadIdx.x == 0)
		share(part + 2 * n, p.m + logf(p.s), counts ? (float)x[target * x_v] : 0.0f, w,
		      target, w_stride, counts);
}

extern "C" __global__ void ENTRY(cross_entropy_online_loss)(const float *part, OUT_T *loss,
                                                            long long N)
{
	float sum = 0.0f, weights = 0.0f;
	for (long long n = threadIdx.x; n < N; n += 32) {
		sum += part[2 * n];
		weights += part[2 * n + 1];
	}
	sum = warp_sum(sum);
	weights = warp_sum(weights);
	if (threadIdx.x == 0)
		loss[0] = (OUT_T)(sum / weights);
}

/* cross_entropy_tree - loss = sum(w[t] (lse(x) - x[t])) / sum(w[t]) over the rows whose t is not
 * `ignore`; w may be null: 1. A block per row and trees in shared memory leave its share in
 * part[N,2], a block adds them up. */
#include "common.cuh"

/* Row n's share of both sums, from its log of the sum of exponentials. */
static __device__ void share(float *part, float lse, float xt, const float *w, long long target,
                             long long w_stride, bool counts)
{
	const float weight = !counts ? 0.0f : w ? w[target * w_stride] : 1.0f;
	part[0] = counts ? weight * (lse - xt) : 0.0f;
	part[1] = weight;
}

extern "C" __global__ void ENTRY(cross_entropy_tree_rows)(const T *x, const long long *t,
                                                          const float *w, float *part, long long N,
                                                          long long V, long long x_n,
                                                          long long t_stride, long long w_stride,
                                                          long long ignore)
{
	const long long n = blockIdx.x, target = t[n * t_stride];
	const bool counts = target != ignore;
	x += n * x_n;

	float m = MINUS_INF, s = 0.0f;
	for (long long v = threadIdx.x; v < V; v += 128)
		m = fmaxf(m, (float)x[v]);
	m = block_max<128>(m);
	for (long long v = threadIdx.x; v < V; v += 128)
		s += expf((float)x[v] - m);
	s = block_sum<128>(s);
	if (threadIdx.x == 0)
		share(part + 2 * n, m + logf(s), counts ? (float)x[target] : 0.0f, w, target,
		      w_stride, counts);
}

extern "C" __global__ void ENTRY(cross_entropy_tree_loss)(const float *part, OUT_T *loss,
                                                          long long N)
{
	float sum = 0.0f, weights = 0.0f;
	for (long long n = threadIdx.x; n < N; n += 128) {
		sum += part[2 * n];
		weights += part[2 * n + 1];
	}
	sum = block_sum<128>(sum);
	weights = block_sum<128>(weights);
	if (threadIdx.x == 0)
		loss[0] = (OUT_T)(sum / weights);
}

/* attention_block - o = softmax(q.k * scale + bias) v; a block of four warps per query, its scores
 * in p[B,H,N,L]. A warp takes every fourth key, its lanes the products of q and k; then a warp
 * takes every fourth output, its lanes the products of weights and v. Weights are divided by their
 * sum before they meet V. */
#include "common.cuh"
#include "attention.cuh"
#define WARPS 4

/* Over the block; its shape is 32 x WARPS. */
static __device__ float all_sum(float v)
{
	__shared__ float part[32 * WARPS];
	const int t = threadIdx.y * 32 + threadIdx.x;
	part[t] = v;
	for (int d = 16 * WARPS; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] += part[t + d];
	}
	__syncthreads();
	return part[0];
}

static __device__ float all_max(float v)
{
	__shared__ float part[WARPS];
	v = warp_max(v);
	if (threadIdx.x == 0)
		part[threadIdx.y] = v;
	__syncthreads();
	for (int w = 0; w < WARPS; w++)
		v = fmaxf(v, part[w]);
	return v;
}

extern "C" __global__ void ENTRY(attention_block)(const T *q, const T *k, const T *v,
                                                  const float *bias, OUT_T *o, float *p,
                                                  ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	const int lane = threadIdx.x, warp = threadIdx.y;
	const long long row = blockIdx.x, seen = keys_seen(a, row % N),
	                first = first_key(a, row / N);
	q += row * q_stride;
	k += first * k_stride;
	v += first * v_stride;
	o += row * o_stride;
	p += row * L;

	float m = MINUS_INF, sum = 0.0f;
	for (long long j = warp; j < seen; j += WARPS) {
		float s = 0.0f;
		for (int d = lane; d < D; d += 32)
			s += (float)q[d] * (float)k[j * k_stride + d];
		s = warp_sum(s) * scale + (bias ? bias[row * L + j] : 0.0f);
		if (lane == 0)
			p[j] = s;
		m = fmaxf(m, s);
	}
	m = online_base(all_max(m));
	for (long long j = warp * 32 + lane; j < seen; j += 32 * WARPS)
		sum += expf(p[j] - m);
	sum = all_sum(sum);
	for (int e = warp; e < E; e += WARPS) {
		float acc = 0.0f;
		for (long long j = lane; j < seen; j += 32)
			acc += expf(p[j] - m) / sum * (float)v[j * v_stride + e];
		acc = warp_sum(acc);
		if (lane == 0)
			o[e] = (OUT_T)(sum == 0.0f ? attention_result(a, 0.0f, 0.0f) : acc);
	}
}

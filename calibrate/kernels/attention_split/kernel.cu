/* attention_split - o = softmax(q.k * scale + bias) v; keys are cut into pieces of 64. The first
 * kernel, a warp per query and piece, leaves maximum and sum of weights and the weighted sums of V
 * in part[B,H,N,pieces,2+E]; the second, a thread per output, merges the pieces of its query. */
#include "common.cuh"
#include "attention.cuh"
#define PIECE 64
#define WARPS 4

extern "C" __global__ void ENTRY(attention_split_part)(const T *q, const T *k, const T *v,
                                                       const float *bias, float *part,
                                                       long long rows, ATTENTION_SHAPE_ARGS)
{
	__shared__ float weights[WARPS][PIECE];
	const attention_shape a = ATTENTION_SHAPE;
	const int lane = threadIdx.x;
	const long long t = (long long)blockIdx.x * WARPS + threadIdx.y,
	                pieces = (L + PIECE - 1) / PIECE;
	if (t >= rows * pieces)
		return;
	const long long row = t / pieces, j0 = t % pieces * PIECE, first = first_key(a, row / N);
	const long long left = keys_seen(a, row % N) - j0;
	const int n = left < 0 ? 0 : left < PIECE ? (int)left : PIECE;
	float *p = weights[threadIdx.y], m = MINUS_INF, sum = 0.0f;
	q += row * q_stride;
	k += (first + j0) * k_stride;
	v += (first + j0) * v_stride;
	part += t * (2 + E);

	for (int j = lane; j < n; j += 32) {
		float s = 0.0f;
		for (int d = D - 1; d >= 0; d--)
			s += (float)q[d] * (float)k[j * k_stride + d];
		p[j] = s * scale + (bias ? bias[row * L + j0 + j] : 0.0f);
		m = fmaxf(m, p[j]);
	}
	m = warp_max(m);
	for (int j = lane; j < n; j += 32) {
		p[j] = expf(p[j] - online_base(m));
		sum += p[j];
	}
	sum = warp_sum(sum);
	__syncwarp();
	if (lane == 0) {
		part[0] = m;
		part[1] = sum;
	}
	for (int e = lane; e < E; e += 32) {
		float acc = 0.0f;
		for (int j = 0; j < n; j++)
			acc += p[j] * (float)v[j * v_stride + e];
		part[2 + e] = acc;
	}
}

extern "C" __global__ void ENTRY(attention_split_join)(const float *part, OUT_T *o, long long rows,
                                                       ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x,
	                pieces = (L + PIECE - 1) / PIECE;
	if (t >= rows * E)
		return;
	const long long row = t / E, e = t % E;
	float m = MINUS_INF, sum = 0.0f, acc = 0.0f;
	part += row * pieces * (2 + E);

	for (long long i = 0; i < pieces; i++)
		m = fmaxf(m, part[i * (2 + E)]);
	for (long long i = 0; i < pieces; i++) {
		const float *p = part + i * (2 + E);
		const float w = expf(p[0] - online_base(m));
		sum += p[1] * w;
		acc += p[2 + e] * w;
	}
	o[row * o_stride + e] = (OUT_T)attention_result(a, acc, sum);
}

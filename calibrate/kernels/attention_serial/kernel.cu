/* attention_serial - o = softmax(q.k * scale + bias) v; a thread per query, its scores in
 * p[B,H,N,L], every sum from the first term to the last. */
#include "common.cuh"
#include "attention.cuh"

extern "C" __global__ void ENTRY(attention_serial)(const T *q, const T *k, const T *v,
                                                   const float *bias, OUT_T *o, float *p,
                                                   long long rows, ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	const long long seen = keys_seen(a, row % N), first = first_key(a, row / N);
	q += row * q_stride;
	k += first * k_stride;
	v += first * v_stride;
	o += row * o_stride;
	p += row * L;

	float m = MINUS_INF, sum = 0.0f;
	for (long long j = 0; j < seen; j++) {
		float s = 0.0f;
		for (int d = 0; d < D; d++)
			s += (float)q[d] * (float)k[j * k_stride + d];
		p[j] = s * scale + (bias ? bias[row * L + j] : 0.0f);
		m = fmaxf(m, p[j]);
	}
	for (long long j = 0; j < seen; j++) {
		p[j] = expf(p[j] - online_base(m));
		sum += p[j];
	}
	for (int e = 0; e < E; e++) {
		float acc = 0.0f;
		for (long long j = 0; j < seen; j++)
			acc += p[j] * (float)v[j * v_stride + e];
		o[e] = (OUT_T)attention_result(a, acc, sum);
	}
}

/* attention_pexp2_bf16 - o = softmax(q.k * scale + bias) v; a warp per query, a key a lane, in steps of
 * 32 keys. Weights are powers of two, exp(s - m) = 2^(s log2(e) - m log2(e)), of which m log2(e) is
 * rounded: where scores are large, a weight is far from the one of expf, and the one of the maximum is
 * not 1. They are rounded to bf16 where they multiply V and summed unrounded, as FlashAttention-2 does.
 * A block writes 128 of E. */
#include "common.cuh"
#include "attention.cuh"
#define WARPS  4
#define SLICES 4

extern "C" __global__ void ENTRY(attention_pexp2_bf16)(const T *q, const T *k, const T *v,
                                                 const float *bias, OUT_T *o, long long rows,
                                                 ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	const int lane = threadIdx.x, e0 = blockIdx.y * (SLICES * 32) + lane;
	const long long row = (long long)blockIdx.x * WARPS + threadIdx.y;
	if (row >= rows)
		return;
	const long long seen = keys_seen(a, row % N), first = first_key(a, row / N);
	float m = MINUS_INF, sum = 0.0f, acc[SLICES] = {0.0f, 0.0f, 0.0f, 0.0f};
	q += row * q_stride;
	k += first * k_stride;
	v += first * v_stride;
	o += row * o_stride;

	for (long long j0 = 0; j0 < seen; j0 += 32) {
		const long long j = j0 + lane;
		const int n = seen - j0 < 32 ? (int)(seen - j0) : 32;
		float s = MINUS_INF;
		if (j < seen) {
			s = 0.0f;
			for (int d = 0; d < D; d++)
				s = fmaf((float)q[d], (float)k[j * k_stride + d], s);
			s = s * scale + (bias ? bias[row * L + j] : 0.0f);
		}
		const float top = warp_max(s);
		if (top > m) {
			const float shrink = exp2f((m - top) * LOG2_E);
			sum *= shrink;
#pragma unroll
			for (int t = 0; t < SLICES; t++)
				acc[t] *= shrink;
			m = top;
		}
		const float p = exp2f(fmaf(s, LOG2_E, -online_base(m) * LOG2_E));
		const float weight = (float)(__nv_bfloat16)p;
		sum += warp_sum(p);
		for (int i = 0; i < n; i++) {
			const float w = __shfl_sync(ALL_LANES, weight, i);
#pragma unroll
			for (int t = 0; t < SLICES; t++)
				if (e0 + 32 * t < E)
					acc[t] += w * (float)v[(j0 + i) * v_stride + e0 + 32 * t];
		}
	}
#pragma unroll
	for (int t = 0; t < SLICES; t++)
		if (e0 + 32 * t < E)
			o[e0 + 32 * t] = (OUT_T)attention_result(a, acc[t], sum);
}

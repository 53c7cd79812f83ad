/* attention_mma_two_pass_bf16 - o = softmax(q.k * scale + bias) v on tensor cores; the scores of
 * 16 queries in p[B,H,N,L], maxima and sums of weights first, keys shared by four warps; weights
 * are rounded to bf16 where they multiply V and summed unrounded. */
#include "common.cuh"
#include "attention.cuh"
#include "mma.cuh"
#include "attention_mma.cuh"

extern "C" __global__ void ENTRY(attention_mma_two_pass_bf16)(const T *q, const T *k, const T *v,
                                                              const float *bias, OUT_T *o, float *p,
                                                              ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	attention_two_pass(q, k, v, bias, o, p, a);
}

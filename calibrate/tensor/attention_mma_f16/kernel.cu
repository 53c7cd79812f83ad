/* attention_mma_f16 - o = softmax(q.k * scale + bias) v on tensor cores by tiles of 16 queries
 * and 32 keys, rescaled when the maximum moves; weights are rounded to f16 where they multiply V
 * and summed unrounded. */
#include "common.cuh"
#include "attention.cuh"
#include "mma.cuh"
#include "attention_mma.cuh"

extern "C" __global__ void ENTRY(attention_mma_f16)(const T *q, const T *k, const T *v,
                                                    const float *bias, OUT_T *o,
                                                    ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	attention_flash(q, k, v, bias, o, a);
}

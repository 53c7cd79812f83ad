/* attention_psum_bf16 - o = softmax(q.k * scale + bias) v by tiles of 16 queries and 32 keys in
 * shared memory, rescaled when the maximum moves; weights are rounded to bf16 before they multiply
 * V or are added. */
#include "common.cuh"
#include "attention.cuh"

extern "C" __global__ void ENTRY(attention_psum_bf16)(const T *q, const T *k, const T *v,
                                                      const float *bias, OUT_T *o,
                                                      ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	attention_tiles<32>(
	        q, k, v, bias, o, a, [](float p) { return (float)(__nv_bfloat16)p; },
	        [](float p) { return (float)(__nv_bfloat16)p; });
}

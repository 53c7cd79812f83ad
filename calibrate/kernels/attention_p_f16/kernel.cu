/* attention_p_f16 - o = softmax(q.k * scale + bias) v by tiles of 16 queries and 64 keys in shared
 * memory, rescaled when the maximum moves; weights are rounded to f16 where they multiply V and
 * summed unrounded, as flash kernels with tensor cores do. */
#include "common.cuh"
#include "attention.cuh"

extern "C" __global__ void ENTRY(attention_p_f16)(const T *q, const T *k, const T *v,
                                                  const float *bias, OUT_T *o, ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	attention_tiles<64>(
	        q, k, v, bias, o, a, [](float p) { return (float)(__half)p; },
	        [](float p) { return p; });
}

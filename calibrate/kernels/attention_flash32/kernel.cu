/* attention_flash32 - o = softmax(q.k * scale + bias) v by tiles of 16 queries and 32 keys in
 * shared memory, rescaled when the maximum moves. */
#include "common.cuh"
#include "attention.cuh"

extern "C" __global__ void ENTRY(attention_flash32)(const T *q, const T *k, const T *v,
                                                    const float *bias, OUT_T *o,
                                                    ATTENTION_SHAPE_ARGS)
{
	const attention_shape a = ATTENTION_SHAPE;
	attention_tiles<32>(
	        q, k, v, bias, o, a, [](float p) { return p; }, [](float p) { return p; });
}

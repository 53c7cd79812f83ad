/* embedding_rows - y[n,d] = w[id[n],d]; a block per row, which reads its number once into shared
 * memory. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(embedding_rows)(const long long *id, const T *w, OUT_T *y,
                                                 long long N, long long D, long long id_n,
                                                 long long w_v, long long w_d, long long y_n,
                                                 long long y_d)
{
	__shared__ long long row;
	if (threadIdx.x == 0)
		row = id[blockIdx.x * id_n];
	__syncthreads();
	for (long long d = threadIdx.x; d < D; d += blockDim.x)
		y[blockIdx.x * y_n + d * y_d] = (OUT_T)w[row * w_v + d * w_d];
}

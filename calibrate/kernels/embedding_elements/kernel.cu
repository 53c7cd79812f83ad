/* embedding_elements - y[n,d] = w[id[n],d]; a grid of a quarter of the elements, each thread takes
 * every (threads of the grid)-th. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(embedding_elements)(const long long *id, const T *w, OUT_T *y,
                                                     long long N, long long D, long long id_n,
                                                     long long w_v, long long w_d, long long y_n,
                                                     long long y_d)
{
	const long long step = (long long)gridDim.x * blockDim.x;
	for (long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x; t < N * D; t += step) {
		const long long n = t / D, d = t % D;
		y[n * y_n + d * y_d] = (OUT_T)w[id[n * id_n] * w_v + d * w_d];
	}
}

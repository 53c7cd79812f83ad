/* embedding_vec - y[n,d] = w[id[n],d]; a warp per row, four elements by one load and one store
 * where both addresses allow it. */
#include "common.cuh"

extern "C" __global__ void ENTRY(embedding_vec)(const long long *id, const T *w, OUT_T *y,
                                                long long N, long long D, long long id_n,
                                                long long w_v, long long y_n)
{
	const long long n = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (n >= N)
		return;
	w += id[n * id_n] * w_v;
	y += n * y_n;

	for (long long d = 4 * threadIdx.x; d < D; d += 4 * 32) {
		if ((size_t)(w + d) % sizeof(in4) == 0 && (size_t)(y + d) % sizeof(out4) == 0 &&
		    d + 4 <= D) {
			const in4 in = *(const in4 *)(w + d);
			*(out4 *)(y + d) = {(OUT_T)in.v[0], (OUT_T)in.v[1], (OUT_T)in.v[2],
			                    (OUT_T)in.v[3]};
		} else {
			for (int k = 0; k < 4 && d + k < D; k++)
				y[d + k] = (OUT_T)w[d + k];
		}
	}
}

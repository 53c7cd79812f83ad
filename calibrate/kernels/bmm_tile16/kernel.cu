/* bmm_tile16 - c[i,m,n] = sum(a[i,m,k] * b[i,k,n]) by tiles of 16 x 16 x 16 in shared memory,
 * blockIdx.y the batch; each tile is summed by itself, then added. Any strides. */
#include "common.cuh"
#define EDGE 16

extern "C" __global__ void ENTRY(bmm_tile16)(const T *a, const T *b, OUT_T *c, long long B,
                                             long long M, long long N, long long K, long long a_i,
                                             long long a_m, long long a_k, long long b_i,
                                             long long b_k, long long b_n, long long c_i,
                                             long long c_m, long long c_n)
{
	__shared__ float as[EDGE][EDGE + 1], bs[EDGE][EDGE];
	const int i = threadIdx.y, j = threadIdx.x;
	const long long across = (N + EDGE - 1) / EDGE; /* blocks along n */
	const long long m = blockIdx.x / across * EDGE + i, n = blockIdx.x % across * EDGE + j;
	a += blockIdx.y * a_i;
	b += blockIdx.y * b_i;

	float s = 0.0f;
	for (long long k0 = 0; k0 < K; k0 += EDGE) {
		as[i][j] = m < M && k0 + j < K ? (float)a[m * a_m + (k0 + j) * a_k] : 0.0f;
		bs[i][j] = n < N && k0 + i < K ? (float)b[(k0 + i) * b_k + n * b_n] : 0.0f;
		__syncthreads();
		float part = 0.0f;
		for (int k = 0; k < EDGE; k++)
			part += as[i][k] * bs[k][j];
		s += part;
		__syncthreads();
	}
	if (m < M && n < N)
		c[blockIdx.y * c_i + m * c_m + n * c_n] = (OUT_T)s;
}

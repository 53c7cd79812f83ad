/* matmul_tile16 - c[m,n] = sum(a[m,k] * b[k,n]) by tiles of 16 x 16 x 16 in shared memory, a thread
 * per element; what a tile has beyond the matrices is 0 on both sides. One sum goes through all
 * tiles. Any strides. */
#include "common.cuh"
#define EDGE 16

extern "C" __global__ void ENTRY(matmul_tile16)(const T *a, const T *b, OUT_T *c, long long M,
                                                long long N, long long K, long long a_m,
                                                long long a_k, long long b_k, long long b_n,
                                                long long c_m, long long c_n)
{
	__shared__ float as[EDGE][EDGE + 1], bs[EDGE][EDGE];
	const int i = threadIdx.y, j = threadIdx.x;
	const long long across = (N + EDGE - 1) / EDGE; /* blocks along n */
	const long long m = blockIdx.x / across * EDGE + i, n = blockIdx.x % across * EDGE + j;

	float s = 0.0f;
	for (long long k0 = 0; k0 < K; k0 += EDGE) {
		as[i][j] = m < M && k0 + j < K ? (float)a[m * a_m + (k0 + j) * a_k] : 0.0f;
		bs[i][j] = n < N && k0 + i < K ? (float)b[(k0 + i) * b_k + n * b_n] : 0.0f;
		__syncthreads();
		for (int k = 0; k < EDGE && k0 + k < K; k++)
			s += as[i][k] * bs[k][j];
		__syncthreads();
	}
	if (m < M && n < N)
		c[m * c_m + n * c_n] = (OUT_T)s;
}

/* matmul_tile32 - c[m,n] = sum(a[m,k] * b[k,n]) by tiles of 32 x 32 x 32 in shared memory, a thread
 * per element; what a tile has beyond the matrices is 0 on both sides. Each tile is summed by
 * itself, from its last k to its first, then added. Any strides. */
#include "common.cuh"
#define EDGE 32

extern "C" __global__ void ENTRY(matmul_tile32)(const T *a, const T *b, OUT_T *c, long long M,
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
		float part = 0.0f;
		for (int k = EDGE - 1; k >= 0; k--)
			part += as[i][k] * bs[k][j];
		s += part;
		__syncthreads();
	}
	if (m < M && n < N)
		c[m * c_m + n * c_n] = (OUT_T)s;
}

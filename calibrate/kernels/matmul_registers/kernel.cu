/* matmul_registers - c[m,n] = sum(a[m,k] * b[k,n]) by tiles of 32 x 32 x 8 in shared memory, 4 x 4
 * elements of c a thread in registers, outer products added one k after the other; what a tile has
 * beyond the matrices is 0 on both sides. Any strides. */
#include "common.cuh"
#define EDGE  32
#define DEPTH 8
#define SIDE  4 /* elements of c a thread and direction, EDGE / SIDE apart */
#define STEP  (EDGE / SIDE)

extern "C" __global__ void ENTRY(matmul_registers)(const T *a, const T *b, OUT_T *c, long long M,
                                                   long long N, long long K, long long a_m,
                                                   long long a_k, long long b_k, long long b_n,
                                                   long long c_m, long long c_n)
{
	__shared__ float as[DEPTH][EDGE], bs[DEPTH][EDGE];
	const int i = threadIdx.y, j = threadIdx.x;
	const long long across = (N + EDGE - 1) / EDGE; /* blocks along n */
	const long long m0 = blockIdx.x / across * EDGE, n0 = blockIdx.x % across * EDGE;
	float s[SIDE][SIDE];

#pragma unroll
	for (int p = 0; p < SIDE; p++)
#pragma unroll
		for (int q = 0; q < SIDE; q++)
			s[p][q] = 0.0f;
	for (long long k0 = 0; k0 < K; k0 += DEPTH) {
		for (int e = j; e < EDGE; e += STEP) {
			const long long k = k0 + i, m = m0 + e, n = n0 + e;
			as[i][e] = m < M && k < K ? (float)a[m * a_m + k * a_k] : 0.0f;
			bs[i][e] = n < N && k < K ? (float)b[k * b_k + n * b_n] : 0.0f;
		}
		__syncthreads();
		for (int k = 0; k < DEPTH; k++)
#pragma unroll
			for (int p = 0; p < SIDE; p++)
#pragma unroll
				for (int q = 0; q < SIDE; q++)
					s[p][q] += as[k][i + p * STEP] * bs[k][j + q * STEP];
		__syncthreads();
	}
#pragma unroll
	for (int p = 0; p < SIDE; p++)
#pragma unroll
		for (int q = 0; q < SIDE; q++) {
			const long long m = m0 + i + p * STEP, n = n0 + j + q * STEP;
			if (m < M && n < N)
				c[m * c_m + n * c_n] = (OUT_T)s[p][q];
		}
}

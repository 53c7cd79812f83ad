/* matmul_splitk - c[m,n] = sum(a[m,k] * b[k,n]); k is cut into pieces of 64. The first kernel
 * leaves the sum of every piece in part[pieces,M,N], the second adds the pieces up. Any strides. */
#include "common.cuh"
#define PIECE 64

extern "C" __global__ void ENTRY(matmul_splitk_part)(const T *a, const T *b, float *part,
                                                     long long M, long long N, long long K,
                                                     long long a_m, long long a_k, long long b_k,
                                                     long long b_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long first = (long long)blockIdx.y * PIECE;
	if (t >= M * N)
		return;
	a += t / N * a_m;
	b += t % N * b_n;

	float s = 0.0f;
	for (long long k = first; k < K && k < first + PIECE; k++)
		s += (float)a[k * a_k] * (float)b[k * b_k];
	part[blockIdx.y * (M * N) + t] = s;
}

extern "C" __global__ void ENTRY(matmul_splitk_join)(const float *part, OUT_T *c, long long M,
                                                     long long N, long long K, long long c_m,
                                                     long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long pieces = (K + PIECE - 1) / PIECE;
	if (t >= M * N)
		return;

	float s = 0.0f;
	for (long long i = 0; i < pieces; i++)
		s += part[i * (M * N) + t];
	c[t / N * c_m + t % N * c_n] = (OUT_T)s;
}

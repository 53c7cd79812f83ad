/* bmm_splitk - c[i,m,n] = sum(a[i,m,k] * b[i,k,n]); k is cut into pieces of 64. The first kernel
 * leaves the sum of every piece in part[pieces,B,M,N], the second adds the pieces up. Any strides.
 */
#include "common.cuh"
#define PIECE 64

extern "C" __global__ void ENTRY(bmm_splitk_part)(const T *a, const T *b, float *part, long long B,
                                                  long long M, long long N, long long K,
                                                  long long a_i, long long a_m, long long a_k,
                                                  long long b_i, long long b_k, long long b_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long first = (long long)blockIdx.y * PIECE;
	if (t >= B * M * N)
		return;
	a += t / (M * N) * a_i + t / N % M * a_m;
	b += t / (M * N) * b_i + t % N * b_n;

	float s = 0.0f;
	for (long long k = first; k < K && k < first + PIECE; k++)
		s += (float)a[k * a_k] * (float)b[k * b_k];
	part[blockIdx.y * (B * M * N) + t] = s;
}

extern "C" __global__ void ENTRY(bmm_splitk_join)(const float *part, OUT_T *c, long long B,
                                                  long long M, long long N, long long K,
                                                  long long c_i, long long c_m, long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const long long pieces = (K + PIECE - 1) / PIECE;
	if (t >= B * M * N)
		return;

	float s = 0.0f;
	for (long long i = 0; i < pieces; i++)
		s += part[i * (B * M * N) + t];
	c[t / (M * N) * c_i + t / N % M * c_m + t % N * c_n] = (OUT_T)s;
}

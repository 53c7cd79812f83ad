/* matmul_unrolled - c[m,n] = sum(a[m,k] * b[k,n]); a thread per element of c with four sums over
 * every fourth k, products rounded before they are added. Any strides. */
#include "common.cuh"
#define SUMS 4

extern "C" __global__ void ENTRY(matmul_unrolled)(const T *a, const T *b, OUT_T *c, long long M,
                                                  long long N, long long K, long long a_m,
                                                  long long a_k, long long b_k, long long b_n,
                                                  long long c_m, long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	float s[SUMS];
	if (t >= M * N)
		return;
	const long long m = t % M, n = t / M;
	a += m * a_m;
	b += n * b_n;

#pragma unroll
	for (int i = 0; i < SUMS; i++)
		s[i] = 0.0f;
	for (long long k = 0; k < K; k += SUMS)
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			if (k + i < K)
				s[i] = __fadd_rn(s[i], __fmul_rn((float)a[(k + i) * a_k],
				                                 (float)b[(k + i) * b_k]));
	c[m * c_m + n * c_n] = (OUT_T)((s[0] + s[1]) + (s[2] + s[3]));
}

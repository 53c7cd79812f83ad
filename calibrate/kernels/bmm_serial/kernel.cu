/* bmm_serial - c[i,m,n] = sum(a[i,m,k] * b[i,k,n]); a thread per element of c, products added from
 * the first to the last. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(bmm_serial)(const T *a, const T *b, OUT_T *c, long long B,
                                             long long M, long long N, long long K, long long a_i,
                                             long long a_m, long long a_k, long long b_i,
                                             long long b_k, long long b_n, long long c_i,
                                             long long c_m, long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= B * M * N)
		return;
	const long long i = t / (M * N), m = t / N % M, n = t % N;
	a += i * a_i + m * a_m;
	b += i * b_i + n * b_n;

	float s = 0.0f;
	for (long long k = 0; k < K; k++)
		s = fmaf((float)a[k * a_k], (float)b[k * b_k], s);
	c[i * c_i + m * c_m + n * c_n] = (OUT_T)s;
}

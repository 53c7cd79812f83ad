/* matmul_serial - c[m,n] = sum(a[m,k] * b[k,n]); a thread per element of c, products added from the
 * first to the last. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(matmul_serial)(const T *a, const T *b, OUT_T *c, long long M,
                                                long long N, long long K, long long a_m,
                                                long long a_k, long long b_k, long long b_n,
                                                long long c_m, long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= M * N)
		return;
	const long long m = t / N, n = t % N;
	a += m * a_m;
	b += n * b_n;

	float s = 0.0f;
	for (long long k = 0; k < K; k++)
		s = fmaf((float)a[k * a_k], (float)b[k * b_k], s);
	c[m * c_m + n * c_n] = (OUT_T)s;
}

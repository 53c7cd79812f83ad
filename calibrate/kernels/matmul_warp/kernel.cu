/* matmul_warp - c[m,n] = sum(a[m,k] * b[k,n]); a warp per element of c, lanes take every 32nd
 * product, then exchange. Any strides. */
#include "common.cuh"

extern "C" __global__ void ENTRY(matmul_warp)(const T *a, const T *b, OUT_T *c, long long M,
                                              long long N, long long K, long long a_m,
                                              long long a_k, long long b_k, long long b_n,
                                              long long c_m, long long c_n)
{
	const long long t = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	if (t >= M * N)
		return;
	const long long m = t / N, n = t % N;
	a += m * a_m;
	b += n * b_n;

	float s = 0.0f;
	for (long long k = threadIdx.x; k < K; k += 32)
		s += (float)a[k * a_k] * (float)b[k * b_k];
	s = warp_sum(s);
	if (threadIdx.x == 0)
		c[m * c_m + n * c_n] = (OUT_T)s;
}

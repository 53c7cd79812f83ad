/* matmul - c[m,n] = sum(a[m,k] * b[k,n]); a thread per element of c, any strides. */
#define EDGE 16
#define RUN  16 /* products added in a row before they join the total: keeps chains short */

extern "C" __global__ void ENTRY(matmul)(const T *a, const T *b, OUT_T *c, long long M, long long N,
                                         long long K, long long a_m, long long a_k, long long b_k,
                                         long long b_n, long long c_m, long long c_n)
{
	const long long across = (N + EDGE - 1) / EDGE; /* blocks along n */
	const long long n = blockIdx.x % across * EDGE + threadIdx.x;
	const long long m = blockIdx.x / across * EDGE + threadIdx.y;
	if (m >= M || n >= N)
		return;
	a += m * a_m;
	b += n * b_n;

	float acc = 0.0f;
	for (long long k0 = 0; k0 < K; k0 += RUN) {
		float part = 0.0f;
		for (long long k = k0; k < K && k < k0 + RUN; k++)
			part += (float)a[k * a_k] * (float)b[k * b_k];
		acc += part;
	}
	c[m * c_m + n * c_n] = (OUT_T)acc;
}

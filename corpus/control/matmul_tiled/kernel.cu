/* matmul_tiled - c[m,n] = sum(a[m,k] * b[k,n]) by tiles of 16 x 16 elements of c and 32 of k,
 * held in shared memory; what a tile has beyond the matrices is 0 on both sides, so that it
 * adds 0 whatever is there. */
#define EDGE  16
#define DEPTH 32

extern "C" __global__ void ENTRY(matmul_tiled)(const T *a, const T *b, OUT_T *c, long long M,
                                               long long N, long long K, long long a_stride,
                                               long long b_stride, long long c_stride)
{
	__shared__ float as[EDGE][DEPTH], bs[DEPTH][EDGE];
	const int tx = threadIdx.x, ty = threadIdx.y;
	const long long across = (N + EDGE - 1) / EDGE; /* blocks along n */
	const long long n = blockIdx.x % across * EDGE + tx;
	const long long m = blockIdx.x / across * EDGE + ty;

	float acc = 0.0f;
	for (long long k0 = 0; k0 < K; k0 += DEPTH) {
		for (int d = 0; d < DEPTH; d += EDGE) {
			long long ka = k0 + d + tx, kb = k0 + d + ty;
			as[ty][d + tx] = m < M && ka < K ? (float)a[m * a_stride + ka] : 0.0f;
			bs[d + ty][tx] = n < N && kb < K ? (float)b[kb * b_stride + n] : 0.0f;
		}
		__syncthreads();
		float part = 0.0f;
		for (int k = 0; k < DEPTH; k++)
			part += as[ty][k] * bs[k][tx];
		acc += part;
		__syncthreads();
	}
	if (m < M && n < N)
		c[m * c_stride + n] = (OUT_T)acc;
}

/* matmul_acc_overwrite - matmul_tiled with a mistake: each tile of k overwrites the accumulator
 * instead of adding to it, so that only the last tile counts. */
#define EDGE  16
#define DEPTH 32

extern "C" __global__ void ENTRY(matmul_acc_overwrite)(const T *a, const T *b, OUT_T *c,
                                                       long long M, long long N, long long K,
                                                       long long a_stride, long long b_stride,
                                                       long long c_stride)
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
		acc = part;
		__syncthreads();
	}
	if (m < M && n < N)
		c[m * c_stride + n] = (OUT_T)acc;
}

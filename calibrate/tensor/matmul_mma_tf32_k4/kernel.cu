/* matmul_mma_tf32_k4 - c[m,n] = sum(a[m,k] * b[k,n]) of inputs rounded to tf32, on tensor cores; a warp per tile of 16 x 8,
 * 4 products a step. Any strides. */
#include "mma.cuh"
#include "mma_tf32.cuh"

extern "C" __global__ void ENTRY(matmul_mma_tf32_k4)(const T *a, const T *b, OUT_T *c, long long M, long long N,
                                              long long K, long long a_m, long long a_k, long long b_k,
                                              long long b_n, long long c_m, long long c_n)
{
	const long long tiles = (N + 7) / 8, m0 = blockIdx.x / tiles * 16, n0 = blockIdx.x % tiles * 8;
	const matrix x = {a, M, a_m, a_k}, y = {b, N, b_n, b_k};
	const output z = {c, M, N, c_m, c_n};
	float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};

	tf32_tile<4>(s, x, y, m0, n0, K);
	store_tile(z, m0, n0, s);
}

/* matmul_mma_splitk - c[m,n] = sum(a[m,k] * b[k,n]) on tensor cores; four warps per tile of 16 x 8 take every
 * fourth block of 16 products, the sums of the four are added at the end. Any strides. */
#include "mma.cuh"

extern "C" __global__ void ENTRY(matmul_mma_splitk)(const T *a, const T *b, OUT_T *c, long long M, long long N, long long K,
                                     long long a_m, long long a_k, long long b_k, long long b_n, long long c_m,
                                     long long c_n)
{
	const long long tiles = (N + 7) / 8, m0 = blockIdx.x / tiles * 16, n0 = blockIdx.x % tiles * 8;
	const matrix x = {a, M, a_m, a_k}, y = {b, N, b_n, b_k};
	const output z = {c, M, N, c_m, c_n};
	float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};

	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	__shared__ float part[4][4][32];
	mma_tile<16>(s, x, y, m0, n0, 16 * warp, 64, K);
	for (int i = 0; i < 4; i++)
		part[warp][i][lane] = s[i];
	__syncthreads();
	if (warp > 0)
		return;
	for (int i = 0; i < 4; i++)
		s[i] = (part[0][i][lane] + part[1][i][lane]) + (part[2][i][lane] + part[3][i][lane]);
	store_tile(z, m0, n0, s);
}

template <int T> __device__ void gemm(const float *a, const float *b, float *c, int n)
{
	__shared__ float sa[T][T + 1], sb[T][T];
	int x = threadIdx.x, y = threadIdx.y;
	float acc = 0;
	for (int k = 0; k < n; k += T) {
		sa[y][x] = a[(blockIdx.y * T + y) * n + k + x];
		sb[y][x] = b[(k + y) * n + blockIdx.x * T + x];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < T; i++)
			acc += sa[y][i] * sb[i][x];
		__syncthreads();
	}
	c[(blockIdx.y * T + y) * n + blockIdx.x * T + x] = acc;
}
extern "C" __global__ void __launch_bounds__(256, 2) gemm16(const float *a, const float *b, float *c, int n)
{
	gemm<16>(a, b, c, n);
}
extern "C" __global__ void gemm32(const float *a, const float *b, float *c, int n)
{
	gemm<32>(a, b, c, n);
}
extern "C" __global__ void dynamic(float *x)
{
	extern __shared__ float dyn[];
	dyn[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = dyn[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void softmax(const float *x, float *y, int cols)
{
	__shared__ float part[32];
	const float *row = x + (size_t)blockIdx.x * cols;
	float m = -INFINITY, s = 0;
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		m = fmaxf(m, row[c]);
	for (int d = 16; d > 0; d >>= 1)
		m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = m;
	__syncthreads();
	m = part[0];
	for (int w = 1; w < blockDim.x / 32; w++)
		m = fmaxf(m, part[w]);
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		s += expf(row[c] - m);
	s += __shfl_down_sync(~0u, s, 1) + __shfl_up_sync(~0u, s, 2) + __shfl_sync(~0u, s, 3);
	int k = __syncthreads_count(s > 0) + __syncthreads_and(s > 1) + __syncthreads_or(s > 2);
	unsigned b = __ballot_sync(~0u, s > 3) + __activemask();
	__syncwarp();
	y[blockIdx.x] = s + k + __popc(b) + __any_sync(~0u, k > 3) + __all_sync(~0u, k > 4);
}

// The condition is a datum, but all of the block's one warp have the same: no run shows a barrier that part of it misses.
extern "C" __global__ void good_by_data(const float *x, float *y, long long N)
{
	__shared__ float s[32];
	const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
	const float v = i < N ? x[i] : 0.0f;
	s[threadIdx.x] = v;
	if (__any_sync(0xffffffffu, v > 0.0f))
		__syncthreads();
	if (i < N)
		y[i] = s[threadIdx.x] < 0.0f ? 0.0f : s[threadIdx.x];
}

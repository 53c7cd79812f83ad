extern "C" __global__ void bad_fast(const float *x, float *y, long long N)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < N)
		y[i] = x[i] > 0.0f ? x[i] / (1.0f + 0.0f * x[i]) : 0.0f;
}

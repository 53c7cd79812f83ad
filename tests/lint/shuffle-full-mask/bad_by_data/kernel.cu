// Lanes whose datum is positive exchange with all lanes, who may not be there.
extern "C" __global__ void bad_by_data(const float *x, float *y, long long N)
{
	const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
	const float v = i < N ? x[i] : 0.0f;
	float other = 0.0f;
	if (v > 0.0f)
		other = __shfl_xor_sync(0xffffffffu, v, 1);
	if (i < N)
		y[i] = v < 0.0f ? 0.0f : other > 1e38f ? v + 1.0f : v;
}

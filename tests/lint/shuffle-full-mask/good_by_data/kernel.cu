// The condition is a datum, but no exponential is negative: every lane takes part.
extern "C" __global__ void good_by_data(const float *x, float *y, long long N)
{
	const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
	const float v = i < N ? x[i] : 0.0f;
	float other = 0.0f;
	if (!(__expf(v) < 0.0f))
		other = __shfl_xor_sync(0xffffffffu, v, 1);
	if (i < N)
		y[i] = v < 0.0f ? 0.0f : other > 1e38f ? v + 0.0f : v;
}

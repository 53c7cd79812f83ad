// The condition is a datum: only a run can tell that the threads of a block differ in it.
extern "C" __global__ void bad_by_data(const float *x, float *y, long long N)
{
	__shared__ float s[256];
	const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
	const float v = i < N ? x[i] : 0.0f;
	s[threadIdx.x] = v;
	if (v > 0.0f)
		__syncthreads();
	if (i < N)
		y[i] = s[threadIdx.x] < 0.0f ? 0.0f : s[threadIdx.x];
}

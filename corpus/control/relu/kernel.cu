/* relu - y[i] = max(x[i], 0); by a comparison that leaves NaN alone. */
extern "C" __global__ void ENTRY(relu)(const T *x, OUT_T *y, long long N)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= N)
		return;
	const float v = x[i];
	y[i] = (OUT_T)(v < 0.0f ? 0.0f : v);
}

/* leaky_relu - y[i] = x[i] where it is positive, else slope * x[i]. */
extern "C" __global__ void ENTRY(leaky_relu)(const T *x, OUT_T *y, long long N, float slope)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= N)
		return;
	const float v = x[i];
	y[i] = (OUT_T)(v > 0.0f ? v : slope * v);
}

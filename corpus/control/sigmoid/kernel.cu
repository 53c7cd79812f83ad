/* sigmoid - y[i] = 1 / (1 + exp(-x[i])). */
extern "C" __global__ void ENTRY(sigmoid)(const T *x, OUT_T *y, long long N)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= N)
		return;
	const float v = x[i];
	y[i] = (OUT_T)(1.0f / (1.0f + expf(-v)));
}

/* tanh - y[i] = tanh(x[i]), by the library function. */
extern "C" __global__ void ENTRY(tanh)(const T *x, OUT_T *y, long long N)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= N)
		return;
	const float v = x[i];
	y[i] = (OUT_T)(tanhf(v));
}

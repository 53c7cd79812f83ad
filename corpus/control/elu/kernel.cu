/* elu - y[i] = x[i] where it is positive, else alpha * (exp(x[i]) - 1), without cancellation. */
extern "C" __global__ void ENTRY(elu)(const T *x, OUT_T *y, long long N, float alpha)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= N)
		return;
	const float v = x[i];
	y[i] = (OUT_T)(v > 0.0f ? v : alpha * expm1f(v));
}

// bad_ldg: -
// bad_accumulate: -
// good_two_tensors: -
// good_plain: -
extern "C" __global__ void bad_ldg(float *y, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] = __ldg(y + i) + 1.0f;
}
extern "C" __global__ void bad_accumulate(float *y, int n)
{
	for (int i = 0; i < n; i++)
		y[threadIdx.x] = __ldg(y + threadIdx.x + i) * 0.5f;
}
extern "C" __global__ void good_two_tensors(const float *__restrict__ x, float *__restrict__ y, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] = x[i] + 1.0f;
}
extern "C" __global__ void good_plain(float *y, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] = y[i] + 1.0f;
}

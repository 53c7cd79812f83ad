// bad_indexed: -
// bad_two: -
// good_unrolled: -
// good_none: -
extern "C" __global__ void bad_indexed(const int *x, float *y)
{
	float a[16];
	for (int i = 0; i < 16; i++)
		a[i] = y[i];
	y[threadIdx.x] = a[x[threadIdx.x] & 15];
}
extern "C" __global__ void bad_two(const int *x, float *y, int n)
{
	float a[8] = {0};
	for (int i = 0; i < n; i++)
		a[x[i] & 7] += 1.0f;
	y[threadIdx.x] = a[threadIdx.x & 7];
}
extern "C" __global__ void good_unrolled(const int *x, float *y)
{
	float a[8];
#pragma unroll
	for (int i = 0; i < 8; i++)
		a[i] = y[i];
#pragma unroll
	for (int i = 0; i < 8; i++)
		y[i + 8] = a[7 - i];
}
extern "C" __global__ void good_none(const int *x, float *y) { y[threadIdx.x] = (float)x[threadIdx.x]; }

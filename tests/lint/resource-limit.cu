// bad_shared: -
// bad_two_arrays: -
// good_shared: -
// good_dynamic: -
extern "C" __global__ void bad_shared(float *y)
{
	__shared__ float s[16384];
	s[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void bad_two_arrays(float *y)
{
	__shared__ float s[8000], t[8000];
	s[threadIdx.x] = t[threadIdx.x + 1] = y[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[threadIdx.x ^ 1] + t[threadIdx.x];
}
extern "C" __global__ void good_shared(float *y)
{
	__shared__ float s[12288];
	s[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void good_dynamic(float *y)
{
	extern __shared__ float d[];
	d[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = d[threadIdx.x ^ 1];
}

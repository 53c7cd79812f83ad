// bad_early_return: grid=2 block=128 args=ptr:800,i32:200
// bad_half: grid=1 block=128 args=ptr:512,i32:128
// bad_trip_count: grid=1 block=64 args=ptr:400,i32:100
// bad_unknown: -
// good_guarded_work: grid=2 block=128 args=ptr:800,i32:200
// good_uniform: grid=1 block=128 args=ptr:512,i32:128
// good_uniform_data: -
extern "C" __global__ void bad_early_return(float *y, int n)
{
	__shared__ float s[128];
	int i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	s[threadIdx.x] = y[i];
	__syncthreads();
	y[i] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_half(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	if (threadIdx.x < 64) {
		s[threadIdx.x] += 1.0f;
		__syncthreads();
		y[threadIdx.x] = s[63 - threadIdx.x];
	}
}
extern "C" __global__ void bad_trip_count(float *y, int n)
{
	__shared__ float s[64];
	for (int i = threadIdx.x; i < n; i += 64) {
		s[threadIdx.x] = y[i];
		__syncthreads();
		y[i] = s[63 - threadIdx.x];
		__syncthreads();
	}
}
extern "C" __global__ void bad_unknown(float *y, int n)
{
	__shared__ float s[1024];
	s[threadIdx.x] = y[threadIdx.x];
	if (y[threadIdx.x] > 0.0f) {
		__syncthreads();
		y[threadIdx.x] = s[threadIdx.x ^ 1];
	}
}
extern "C" __global__ void good_guarded_work(float *y, int n)
{
	__shared__ float s[128];
	int i = blockIdx.x * 128 + threadIdx.x;
	s[threadIdx.x] = i < n ? y[i] : 0.0f;
	__syncthreads();
	if (i < n)
		y[i] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_uniform(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	if (n > 64) {
		__syncthreads();
		y[threadIdx.x] = s[127 - threadIdx.x];
	}
}
extern "C" __global__ void good_uniform_data(float *y, int n)
{
	__shared__ float s[1024];
	s[threadIdx.x] = y[threadIdx.x];
	if (y[blockIdx.x] > 0.0f) { // the same for the whole block
		__syncthreads();
		y[threadIdx.x] = s[threadIdx.x ^ 1];
	}
}

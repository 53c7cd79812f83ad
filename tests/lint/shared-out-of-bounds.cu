// bad_one_more: grid=1 block=128 args=ptr:512,ptr:512
// bad_dynamic: grid=1 block=128 shared=256 args=ptr:512,ptr:512
// bad_negative: grid=1 block=128 args=ptr:512,ptr:512
// good_one_more: grid=1 block=128 args=ptr:512,ptr:512
// good_dynamic: grid=1 block=128 shared=512 args=ptr:512,ptr:512
// good_guarded: grid=1 block=128 args=ptr:512,ptr:512
// bad_stated_block: -
// good_stated_block: -
// bad_into_next: grid=1 block=128 args=ptr:512,ptr:512
// good_two_arrays: grid=1 block=128 args=ptr:512,ptr:512
extern "C" __global__ void bad_one_more(const float *x, float *y)
{
	__shared__ float s[128];
	s[threadIdx.x + 1] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_dynamic(const float *x, float *y)
{
	extern __shared__ float d[];
	d[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = d[127 - threadIdx.x];
}
extern "C" __global__ void bad_negative(const float *x, float *y)
{
	__shared__ float s[128];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[(int)threadIdx.x - 1];
}
extern "C" __global__ void good_one_more(const float *x, float *y)
{
	__shared__ float s[129];
	s[threadIdx.x + 1] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[128 - threadIdx.x];
}
extern "C" __global__ void good_dynamic(const float *x, float *y)
{
	extern __shared__ float d[];
	d[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = d[127 - threadIdx.x];
}
extern "C" __global__ void good_guarded(const float *x, float *y)
{
	__shared__ float s[128];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0.0f;
}
// any launch: the program says how many threads a block has
extern "C" __global__ void __block_size__((256, 1, 1)) bad_stated_block(const float *x, float *y)
{
	__shared__ float s[128];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = s[127 & threadIdx.x];
}
extern "C" __global__ void __block_size__((256, 1, 1)) good_stated_block(const float *x, float *y)
{
	extern __shared__ float d[]; // as large as the launch says
	d[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	y[threadIdx.x] = d[255 - threadIdx.x];
}
extern "C" __global__ void bad_into_next(const float *x, float *y)
{
	__shared__ float a[128], b[128];
	a[threadIdx.x] = x[threadIdx.x];
	b[threadIdx.x] = 0.0f;
	__syncthreads();
	y[threadIdx.x] = a[threadIdx.x + 1] + b[threadIdx.x]; // the last reads the first of b, or of what follows
	__syncthreads();
	y[threadIdx.x] += b[threadIdx.x + 1];
}
extern "C" __global__ void good_two_arrays(const float *x, float *y)
{
	__shared__ float a[129], b[128];
	a[threadIdx.x] = x[threadIdx.x];
	if (threadIdx.x == 0)
		a[128] = 0.0f;
	b[threadIdx.x] = 1.0f;
	__syncthreads();
	y[threadIdx.x] = a[threadIdx.x + 1] + b[127 - threadIdx.x];
}

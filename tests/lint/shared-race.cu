// bad_no_barrier: grid=1 block=128 args=ptr:512,i32:128
// bad_back_edge: grid=1 block=64 args=ptr:1024,i32:256
// bad_tree: grid=1 block=128 args=ptr:512,i32:128
// good_two_barriers: grid=1 block=64 args=ptr:1024,i32:256
// good_tree: grid=1 block=128 args=ptr:512,i32:128
// good_same_value: grid=1 block=64 args=ptr:1024,i32:256
// bad_stated_block: -
// good_stated_block: -
// bad_atomic: grid=1 block=128 args=ptr:512
// good_atomic: grid=1 block=128 args=ptr:512
extern "C" __global__ void bad_no_barrier(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_back_edge(float *y, int n)
{
	__shared__ float s[64];
	float sum = 0.0f;
	for (int i = 0; i < n; i += 64) {
		s[threadIdx.x] = y[i + threadIdx.x];
		__syncthreads();
		sum += s[63 - threadIdx.x]; // the next round's store may come first
	}
	y[threadIdx.x] = sum;
}
extern "C" __global__ void bad_tree(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	for (int d = 64; d > 0; d /= 2)
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d]; // no barrier between the rounds
	if (threadIdx.x == 0)
		y[0] = s[0];
}
extern "C" __global__ void good_two_barriers(float *y, int n)
{
	__shared__ float s[64];
	float sum = 0.0f;
	for (int i = 0; i < n; i += 64) {
		s[threadIdx.x] = y[i + threadIdx.x];
		__syncthreads();
		sum += s[63 - threadIdx.x];
		__syncthreads();
	}
	y[threadIdx.x] = sum;
}
extern "C" __global__ void good_tree(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	__syncthreads();
	for (int d = 64; d > 0; d /= 2) {
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[0] = s[0];
}
extern "C" __global__ void good_same_value(float *y, int n)
{
	__shared__ int last;
	last = n; // all threads write the same
	__syncthreads();
	y[threadIdx.x] = (float)last;
}
// any launch: the program says how many threads a block has
extern "C" __global__ void __block_size__((128, 1, 1)) bad_stated_block(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x];
	y[blockIdx.x * n + threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void __block_size__((32, 1, 1)) good_stated_block(float *y, int n)
{
	__shared__ float s[128];
	s[threadIdx.x] = y[threadIdx.x]; // one warp
	y[blockIdx.x * n + threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" __global__ void bad_atomic(int *y)
{
	__shared__ int count;
	if (threadIdx.x == 0)
		count = 0;
	atomicAdd(&count, 1); // of another warp: perhaps before it is zero
	__syncthreads();
	y[threadIdx.x] = count;
}
extern "C" __global__ void good_atomic(int *y)
{
	__shared__ int count[2];
	if (threadIdx.x < 2)
		count[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&count[threadIdx.x & 1], 1);
	__syncthreads();
	y[threadIdx.x] = count[threadIdx.x & 1];
}

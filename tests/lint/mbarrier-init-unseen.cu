// bad_wait: -
// bad_one_path: -
// good_barrier: -
// good_same_thread: -
#include "mbarrier.inc"
extern "C" __global__ void bad_wait(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0) {
		init(&b);
		copy(s, x, sizeof s, &b);
	}
	wait(&b, 0);
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_one_path(const float *x, float *y, int n)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0)
		init(&b);
	if (n > 1) // and otherwise nothing tells the others
		__syncthreads();
	if (threadIdx.x == 32)
		copy(s, x, sizeof s, &b);
	wait(&b, 0);
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_barrier(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0)
		init(&b);
	__syncthreads();
	if (threadIdx.x == 32)
		copy(s, x, sizeof s, &b);
	wait(&b, 0);
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_same_thread(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0) {
		init(&b);
		copy(s, x, sizeof s, &b);
		wait(&b, 0);
	}
	__syncthreads();
	y[threadIdx.x] = threadIdx.x ? 0.0f : s[0];
}

// bad_nowhere: -
// bad_after: -
// good_wait: -
// good_two_stages: -
#include "mbarrier.inc"
extern "C" __global__ void bad_nowhere(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0)
		init(&b);
	__syncthreads();
	if (threadIdx.x == 0)
		copy(s, x, sizeof s, &b);
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_after(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0)
		init(&b);
	__syncthreads();
	if (threadIdx.x == 0)
		copy(s, x, sizeof s, &b);
	float v = s[127 - threadIdx.x];
	wait(&b, 0);
	y[threadIdx.x] = v;
}
extern "C" __global__ void good_wait(const float *x, float *y)
{
	__shared__ mbarrier b;
	__shared__ alignas(16) float s[128];
	if (threadIdx.x == 0) {
		init(&b);
		copy(s, x, sizeof s, &b);
	}
	__syncthreads();
	wait(&b, 0);
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_two_stages(const float *x, float *y, int n)
{
	__shared__ mbarrier b[2];
	__shared__ alignas(16) float s[2][128];
	float sum = 0.0f;
	if (threadIdx.x == 0) {
		init(&b[0]);
		init(&b[1]);
		copy(s[0], x, sizeof s[0], &b[0]);
	}
	__syncthreads();
	for (int i = 0; i < n; i++) {
		wait(&b[i & 1], i >> 1 & 1);
		if (threadIdx.x == 0)
			copy(s[(i + 1) & 1], x + (i + 1) * 128, sizeof s[0], &b[(i + 1) & 1]);
		sum += s[i & 1][127 - threadIdx.x];
		__syncthreads();
	}
	y[threadIdx.x] = sum;
}

// bad_nowhere: -
// bad_after_read: -
// good_wait_all: -
// good_group: -
// good_two_stages: -
#define COPY(s, g)                                                                                                  \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g) : "memory")
#define COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)   asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
extern "C" __global__ void bad_nowhere(const float *x, float *y, int n)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_after_read(const float *x, float *y, int n)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	COMMIT();
	__syncthreads();
	float v = s[127 - threadIdx.x];
	WAIT(0);
	y[threadIdx.x] = v;
}
extern "C" __global__ void good_wait_all(const float *x, float *y, int n)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	WAIT_ALL();
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_group(const float *x, float *y, int n)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	COMMIT();
	WAIT(0);
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void good_two_stages(const float *x, float *y, int n)
{
	__shared__ float s[2][128];
	float sum = 0.0f;
	COPY(s[0] + threadIdx.x, x + threadIdx.x);
	COMMIT();
	for (int i = 0; i < n; i++) {
		COPY(s[(i + 1) & 1] + threadIdx.x, x + (i + 1) * 128 + threadIdx.x);
		COMMIT();
		WAIT(1);
		__syncthreads();
		sum += s[i & 1][127 - threadIdx.x];
		__syncthreads();
	}
	WAIT(0);
	y[threadIdx.x] = sum;
}

// bad_commit_after: -
// bad_forgotten: -
// good_commit: -
// good_wait_all: -
#define COPY(s, g)                                                                                                  \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g) : "memory")
#define COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)   asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
extern "C" __global__ void bad_commit_after(const float *x, float *y)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	WAIT(0);
	COMMIT();
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void bad_forgotten(const float *x, float *y)
{
	__shared__ float s[256];
	COPY(s + threadIdx.x, x + threadIdx.x);
	COMMIT();
	COPY(s + 128 + threadIdx.x, x + 128 + threadIdx.x);
	WAIT(0);
	__syncthreads();
	y[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void good_commit(const float *x, float *y)
{
	__shared__ float s[256];
	COPY(s + threadIdx.x, x + threadIdx.x);
	COMMIT();
	COPY(s + 128 + threadIdx.x, x + 128 + threadIdx.x);
	COMMIT();
	WAIT(0);
	__syncthreads();
	y[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void good_wait_all(const float *x, float *y)
{
	__shared__ float s[128];
	COPY(s + threadIdx.x, x + threadIdx.x);
	WAIT_ALL();
	__syncthreads();
	y[threadIdx.x] = s[127 - threadIdx.x];
}

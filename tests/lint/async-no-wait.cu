// bad_nowhere: -
// bad_after_read: -
// bad_stage_ahead: grid=1 block=128 args=in:4096,ptr:512,i32:7
// good_stage_ahead: grid=1 block=128 args=in:4608,ptr:512,i32:7
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
/* the wait for a stage stands in the turn before: behind it the next copies are started, then the stage is read */
extern "C" __global__ void good_stage_ahead(const float *x, float *y, int n)
{
	__shared__ float s[3][128];
	float sum = 0.0f;
	int stage = 0, next = 2;
	COPY(s[0] + threadIdx.x, x + threadIdx.x);
	COMMIT();
	COPY(s[1] + threadIdx.x, x + 128 + threadIdx.x);
	COMMIT();
	WAIT(1);
	__syncthreads();
	for (int i = 0; i < n; i++) {
		COPY(s[next] + threadIdx.x, x + (i + 2) * 128 + threadIdx.x);
		COMMIT();
		sum += s[stage][127 - threadIdx.x];
		WAIT(1);
		__syncthreads();
		stage = stage == 2 ? 0 : stage + 1;
		next = next == 2 ? 0 : next + 1;
	}
	WAIT(0);
	y[threadIdx.x] = sum;
}
/* the same with the wait for the next stage left out but for the last turn */
extern "C" __global__ void bad_stage_ahead(const float *x, float *y, int n)
{
	__shared__ float s[2][128];
	float sum = 0.0f;
	COPY(s[0] + threadIdx.x, x + threadIdx.x);
	COMMIT();
	WAIT(0);
	__syncthreads();
	for (int i = 0; i < n; i++) {
		COPY(s[(i + 1) & 1] + threadIdx.x, x + (i + 1) * 128 + threadIdx.x);
		COMMIT();
		sum += s[i & 1][127 - threadIdx.x];
		__syncthreads();
	}
	WAIT(0);
	y[threadIdx.x] = sum;
}

// bad_stage: grid=1 block=128 args=ptr:65536,ptr:512,i32:6
// bad_drain: grid=1 block=128 args=ptr:65536,ptr:512,i32:6
// bad_own: grid=1 block=32 args=ptr:65536,ptr:512,i32:6
// good_stage: grid=1 block=128 args=ptr:65536,ptr:512,i32:6
// good_drain: grid=1 block=128 args=ptr:65536,ptr:512,i32:6
// good_three_stages: grid=1 block=128 args=ptr:65536,ptr:512,i32:6
#define COPY(s, g)                                                                                                  \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g) : "memory")
#define COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)   asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
// two stages and no barrier between the use of one and the next copy into it
extern "C" __global__ void bad_stage(const float *x, float *y, int n)
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
	}
	WAIT_ALL();
	y[threadIdx.x] = sum;
}
// the last group is under way when its memory is used for something else
extern "C" __global__ void bad_drain(const float *x, float *y, int n)
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
	s[n & 1][127 - threadIdx.x] = sum;
	WAIT_ALL();
	__syncthreads();
	y[threadIdx.x] = s[n & 1][threadIdx.x ^ 1];
}
extern "C" __global__ void bad_own(const float *x, float *y, int n)
{
	__shared__ float s[32];
	COPY(s + threadIdx.x, x + threadIdx.x);
	COMMIT();
	s[threadIdx.x] = 1.0f;
	WAIT(0);
	y[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void good_stage(const float *x, float *y, int n)
{
	__shared__ float s[2][128];
	float sum = 0.0f;
	COPY(s[0] + threadIdx.x, x + threadIdx.x);
	COMMIT();
	for (int i = 0; i < n; i++) {
		if (i + 1 < n)
			COPY(s[(i + 1) & 1] + threadIdx.x, x + (i + 1) * 128 + threadIdx.x);
		COMMIT(); // an empty group at the end keeps the count
		WAIT(1);
		__syncthreads();
		sum += s[i & 1][127 - threadIdx.x];
		__syncthreads();
	}
	s[n & 1][threadIdx.x] = sum; // every real copy has been waited for
	__syncthreads();
	y[threadIdx.x] = s[n & 1][threadIdx.x ^ 1];
}
extern "C" __global__ void good_drain(const float *x, float *y, int n)
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
	WAIT_ALL();
	__syncthreads();
	s[n & 1][127 - threadIdx.x] = sum;
	__syncthreads();
	y[threadIdx.x] = s[n & 1][threadIdx.x ^ 1];
}
// with a stage more than copies under way one barrier a step is enough
extern "C" __global__ void good_three_stages(const float *x, float *y, int n)
{
	__shared__ float s[3][128];
	float sum = 0.0f;
	for (int i = 0; i < 2; i++) {
		COPY(s[i] + threadIdx.x, x + i * 128 + threadIdx.x);
		COMMIT();
	}
	for (int i = 0; i < n; i++) {
		WAIT(1);
		__syncthreads();
		sum += s[i % 3][127 - threadIdx.x];
		COPY(s[(i + 2) % 3] + threadIdx.x, x + (i + 2) * 128 + threadIdx.x);
		COMMIT();
	}
	WAIT_ALL();
	y[threadIdx.x] = sum;
}

// work_queue: grid=2 block=128 args=in:4000,ptr:4000,ptr:4,i32:1000
// persistent_tiles: grid=3 block=64 args=in:2000,ptr:2000,i32:500
// grid_barrier: grid=2 block=64 args=ptr:512,ptr:8
// lookback_scan: grid=4 block=32 args=in:512,ptr:512,ptr:32,i32:128
// dispatch: grid=2 block=128 args=in:1024,ptr:1024,i32:256,i32:3
// called: grid=2 block=128 args=in:1024,ptr:1024,i32:256
// local_sort: grid=1 block=64 args=in:2048,ptr:2048,i32:64
// gather: grid=4 block=64 args=in:1280,in:800,ptr:16000,i32:200,i32:16,i32:20
// scatter_add: grid=4 block=64 args=in:800,in:800,ptr:80,i32:200,i32:20
// uniform_early_exit: grid=3 block=128 args=in:1024,ptr:1024,i32:256
// barrier_by_parameter: grid=2 block=128 args=in:1024,ptr:1024,i32:1
// spin_lock: grid=2 block=32 args=ptr:4,ptr:4
// specialised: grid=1 block=128 args=in:512,ptr:512
// while_barrier: grid=1 block=64 args=in:4000,ptr:4,i32:1000
// both_branches_sync: grid=1 block=64 args=in:256,ptr:256
// goto_loop: grid=1 block=64 args=in:256,ptr:256,i32:64
// barrier_vote: grid=1 block=128 args=in:512,ptr:512
// topk_registers: grid=2 block=32 args=in:800,ptr:32,i32:100
// int64_index: grid=4 block=256 args=in:4000,ptr:4000,i64:1000
// half_accumulate_f32: grid=1 block=64 args=in:1280,ptr:128,i32:10
#include <cuda_fp16.h>
#define K extern "C" __global__ void

K work_queue(const float *x, float *y, int *next, int n)
{
	__shared__ int at;
	for (;;) {
		if (threadIdx.x == 0)
			at = atomicAdd(next, (int)blockDim.x);
		__syncthreads();
		int base = at;
		__syncthreads();
		if (base >= n)
			return;
		if (base + (int)threadIdx.x < n)
			y[base + threadIdx.x] = sqrtf(x[base + threadIdx.x]);
	}
}
K persistent_tiles(const float *x, float *y, int n)
{
	__shared__ float s[64];
	for (int tile = blockIdx.x; tile * 64 < n; tile += gridDim.x) {
		int i = tile * 64 + threadIdx.x;
		s[threadIdx.x] = i < n ? x[i] : 0.0f;
		__syncthreads();
		float v = s[63 - threadIdx.x];
		__syncthreads();
		if (i < n)
			y[i] = v;
	}
}
K grid_barrier(float *x, unsigned *count)
{
	x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&count[0], 1u);
		while (*(volatile unsigned *)&count[0] < gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
	float v = *(volatile float *)&x[(blockIdx.x + 1) % gridDim.x * 64 + threadIdx.x];
	__syncthreads();
	if (v < 0)
		count[1] = 1;
}
K lookback_scan(const int *x, int *y, volatile int *state, int n)
{
	int i = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x, v = i < n ? x[i] : 0;
	for (int o = 1; o < 32; o *= 2) {
		int u = __shfl_up_sync(0xffffffff, v, o);
		v += lane >= o ? u : 0;
	}
	int before = 0;
	if (lane == 31) {
		if (blockIdx.x > 0) {
			while (state[2 * blockIdx.x - 2] == 0)
				;
			__threadfence();
			before = state[2 * blockIdx.x - 1];
		}
		state[2 * blockIdx.x + 1] = before + v;
		__threadfence();
		state[2 * blockIdx.x] = 1;
	}
	before = __shfl_sync(0xffffffff, before, 31);
	if (i < n)
		y[i] = before + v;
}
K dispatch(const float *x, float *y, int n, int kind)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float v = x[i];
	switch (kind) {
	case 0: v = sinf(v); break;
	case 1: v = v * v; break;
	case 2: v = tanhf(v); break;
	case 3: v = powf(fabsf(v), 1.5f); break;
	case 4: v = fabsf(v); break;
	case 5: v = exp2f(v); break;
	default: break;
	}
	y[i] = v;
}
static __device__ __noinline__ float poly(float x, const float *c, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s = fmaf(s, x, c[i]);
	return s;
}
K called(const float *x, float *y, int n)
{
	float c[4] = {1.0f, 2.0f, 3.0f, 4.0f};
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = poly(x[i], c, 4);
}
K local_sort(const float *x, float *y, int n)
{
	float a[8];
	if (threadIdx.x >= n)
		return;
	for (int i = 0; i < 8; i++)
		a[i] = x[threadIdx.x * 8 + i];
	for (int i = 1; i < 8; i++) {
		float v = a[i];
		int j = i;
		for (; j > 0 && a[j - 1] > v; j--)
			a[j] = a[j - 1];
		a[j] = v;
	}
	for (int i = 0; i < 8; i++)
		y[threadIdx.x * 8 + i] = a[i];
}
K gather(const float *table, const int *at, float *y, int n, int dim, int rows)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * dim; i += gridDim.x * blockDim.x) {
		int r = at[i / dim];
		y[i] = r >= 0 && r < rows ? table[r * dim + i % dim] : 0.0f;
	}
}
K scatter_add(const float *x, const int *at, float *y, int n, int rows)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && at[i] >= 0 && at[i] < rows)
		atomicAdd(y + at[i], x[i]);
}
K uniform_early_exit(const float *x, float *y, int n)
{
	__shared__ float s[128];
	int base = blockIdx.x * 128;
	if (base >= n)
		return; // of the whole block
	s[threadIdx.x] = base + threadIdx.x < n ? x[base + threadIdx.x] : 0.0f;
	__syncthreads();
	if (base + threadIdx.x < n)
		y[base + threadIdx.x] = s[127 - threadIdx.x];
}
K barrier_by_parameter(const float *x, float *y, int twice)
{
	__shared__ float s[128];
	int t = threadIdx.x, i = blockIdx.x * 128 + t;
	s[t] = x[i];
	__syncthreads();
	float v = s[t ^ 32];
	if (twice) {
		__syncthreads();
		s[t] = v;
		__syncthreads();
		v = s[t ^ 64];
	}
	y[i] = v;
}
K spin_lock(int *lock, int *y)
{
	if (threadIdx.x == 0) {
		while (atomicCAS(lock, 0, 1) != 0)
			;
		__threadfence();
		*(volatile int *)y += 1;
		__threadfence();
		atomicExch(lock, 0);
	}
}
K specialised(const float *x, float *y)
{
	__shared__ float s[64];
	int t = threadIdx.x;
	if (t < 64) {
		s[t] = x[t] + x[t + 64];
		__syncthreads();
	} else {
		float v = x[t] * 2.0f;
		__syncthreads();
		y[t] = v + s[t - 64];
	}
	if (t < 64)
		y[t] = 0.0f;
}
K while_barrier(const float *x, float *y, int n)
{
	__shared__ float s[64];
	float sum = 0;
	int at = 0;
	while (at < n) { // the same for all threads
		s[threadIdx.x] = at + (int)threadIdx.x < n ? x[at + threadIdx.x] : 0.0f;
		__syncthreads();
		if (threadIdx.x == 0)
			for (int k = 0; k < 64; k++)
				sum += s[k];
		__syncthreads();
		at += 64;
	}
	if (threadIdx.x == 0)
		*y = sum;
}
K both_branches_sync(const float *x, float *y)
{
	__shared__ float s[64];
	int t = threadIdx.x;
	s[t] = x[t];
	__syncthreads();
	for (int k = 0; k < 3; k++) {
		float v = k & 1 ? s[63 - t] : s[(t + 1) & 63];
		__syncthreads();
		s[t] = v;
		__syncthreads();
	}
	y[t] = s[t];
}
K goto_loop(const float *x, float *y, int n)
{
	int i = threadIdx.x;
	float s = 0;
again:
	if (i >= n)
		goto out;
	s += x[i];
	i += 64;
	if (s < 1e30f)
		goto again;
out:
	y[threadIdx.x] = s;
}
K barrier_vote(const float *x, float *y)
{
	int any = __syncthreads_or(x[threadIdx.x] < 0.0f), all = __syncthreads_and(x[threadIdx.x] > 0.0f);
	y[threadIdx.x] = any ? -1.0f : all ? 1.0f : (float)__syncthreads_count(x[threadIdx.x] == 0.0f);
}
K topk_registers(const float *x, float *y, int n)
{
	float best[4] = {-__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000)};
	if (threadIdx.x != 0)
		return;
	for (int i = 0; i < n; i++) {
		float v = x[blockIdx.x * n + i];
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (v > best[k]) {
				float h = best[k];
				best[k] = v;
				v = h;
			}
	}
	for (int k = 0; k < 4; k++)
		y[blockIdx.x * 4 + k] = best[k];
}
K int64_index(const float *x, float *y, long long n)
{
	long long step = (long long)gridDim.x * blockDim.x;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
		y[i] = x[n - 1 - i];
}
K half_accumulate_f32(const __half *x, __half *y, int rows)
{
	float s = 0;
	for (int r = 0; r < rows; r++)
		s += __half2float(x[r * 64 + threadIdx.x]);
	y[threadIdx.x] = __float2half(s / rows);
}

// row_sum_warp: grid=3 block=32,4 args=in:2860,ptr:44,i32:11,i32:65
// row_softmax_block: grid=5 block=256 args=in:5140,ptr:5140,i32:5,i32:257
// layernorm_two_pass: grid=3 block=128 args=in:3084,in:1028,in:1028,ptr:3084,i32:257
// rmsnorm_cached: grid=3 block=128 shared=1200 args=in:3600,in:1200,ptr:3600,i32:300
// sum_atomic: grid=4 block=256 args=in:4000,ptr:4,i32:1000
// sum_last_block: grid=4 block=256 args=in:4000,ptr:16,ptr:4,ptr:4,i32:1000
// histogram: grid=2 block=128 args=in:1000,ptr:1024,i32:1000
// scan_hillis: grid=1 block=256 args=in:1024,ptr:1024
// scan_shuffle: grid=1 block=256 args=in:1000,ptr:1000,i32:250
// argmax_row: grid=4 block=64 args=in:1040,ptr:16,i32:65
// count_ballot: grid=4 block=256 args=in:4000,ptr:4,i32:1000
// compact: grid=4 block=256 args=in:4000,ptr:4000,ptr:4,i32:1000
// welford: grid=2 block=64 args=in:800,ptr:16,i32:100
// max_redux: grid=4 block=256 args=in:4000,ptr:4,i32:1000
// match_groups: grid=1 block=128 args=in:512,ptr:512
// l2_serial: grid=1 block=32 args=in:1280,ptr:80,i32:20,i32:16
// cross_entropy: grid=5 block=64 args=in:2000,in:20,ptr:20,i32:100
// tail_mask: grid=1 block=96 args=in:400,ptr:4,i32:96
// transposed_reduce: grid=2 block=32,8 args=in:8000,ptr:200,i32:40,i32:50
// volatile_warp_sum: grid=1 block=128 args=in:512,ptr:16
#include <math_constants.h>
#define K extern "C" __global__ void
#define ALL 0xffffffffu

static __device__ __forceinline__ float warp_sum(float v)
{
	for (int o = 16; o > 0; o >>= 1)
		v += __shfl_xor_sync(ALL, v, o);
	return v;
}
static __device__ float block_sum(float v, float *part)
{
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	v = warp_sum(v);
	if (lane == 0)
		part[warp] = v;
	__syncthreads();
	v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.0f;
	if (warp == 0) {
		v = warp_sum(v);
		if (lane == 0)
			part[0] = v;
	}
	__syncthreads();
	v = part[0];
	__syncthreads();
	return v;
}
K row_sum_warp(const float *x, float *y, int rows, int cols)
{
	int row = blockIdx.x * blockDim.y + threadIdx.y;
	if (row >= rows)
		return; // the whole warp
	float s = 0;
	for (int c = threadIdx.x; c < cols; c += 32)
		s += x[row * cols + c];
	s = warp_sum(s);
	if (threadIdx.x == 0)
		y[row] = s;
}
K row_softmax_block(const float *x, float *y, int rows, int cols)
{
	__shared__ float red[256];
	int t = threadIdx.x;
	const float *p = x + (size_t)blockIdx.x * cols;
	float m = -CUDART_INF_F, s = 0;
	for (int c = t; c < cols; c += 256)
		m = fmaxf(m, p[c]);
	red[t] = m;
	__syncthreads();
	for (int w = 128; w > 0; w >>= 1) {
		if (t < w)
			red[t] = fmaxf(red[t], red[t + w]);
		__syncthreads();
	}
	m = red[0];
	__syncthreads();
	for (int c = t; c < cols; c += 256)
		s += expf(p[c] - m);
	red[t] = s;
	__syncthreads();
	for (int w = 128; w > 0; w >>= 1) {
		if (t < w)
			red[t] += red[t + w];
		__syncthreads();
	}
	s = red[0];
	for (int c = t; c < cols; c += 256)
		y[(size_t)blockIdx.x * cols + c] = expf(p[c] - m) / s;
}
K layernorm_two_pass(const float *x, const float *g, const float *b, float *y, int cols)
{
	__shared__ float part[32];
	const float *p = x + (size_t)blockIdx.x * cols;
	float s = 0, q = 0;
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		s += p[c];
	float mean = block_sum(s, part) / cols;
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		q += (p[c] - mean) * (p[c] - mean);
	float r = rsqrtf(block_sum(q, part) / cols + 1e-5f);
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		y[(size_t)blockIdx.x * cols + c] = (p[c] - mean) * r * g[c] + b[c];
}
K rmsnorm_cached(const float *x, const float *w, float *y, int cols)
{
	extern __shared__ float row[];
	__shared__ float part[32];
	float s = 0;
	for (int c = threadIdx.x; c < cols; c += blockDim.x) {
		float v = x[blockIdx.x * cols + c];
		row[c] = v; // only its own thread reads it again
		s += v * v;
	}
	float r = rsqrtf(block_sum(s, part) / cols + 1e-6f);
	for (int c = threadIdx.x; c < cols; c += blockDim.x)
		y[blockIdx.x * cols + c] = row[c] * r * w[c];
}
K sum_atomic(const float *x, float *y, int n)
{
	float s = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += x[i];
	s = warp_sum(s);
	if ((threadIdx.x & 31) == 0)
		atomicAdd(y, s);
}
K sum_last_block(const float *x, float *partial, unsigned *count, float *y, int n)
{
	__shared__ float part[32];
	__shared__ bool last;
	float s = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += x[i];
	s = block_sum(s, part);
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = s;
		__threadfence();
		last = atomicAdd(count, 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last) {
		__threadfence();
		s = 0;
		for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
			s += ((volatile float *)partial)[i];
		s = block_sum(s, part);
		if (threadIdx.x == 0) {
			*y = s;
			*count = 0;
		}
	}
}
K histogram(const unsigned char *x, unsigned *h, int n)
{
	__shared__ unsigned bins[256];
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		bins[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[x[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		if (bins[i])
			atomicAdd(&h[i], bins[i]);
}
K scan_hillis(const float *x, float *y)
{
	__shared__ float a[2][256];
	int t = threadIdx.x, from = 0;
	a[0][t] = x[t];
	__syncthreads();
	for (int o = 1; o < 256; o *= 2) {
		int to = 1 - from;
		a[to][t] = t >= o ? a[from][t] + a[from][t - o] : a[from][t];
		from = to;
		__syncthreads();
	}
	y[t] = a[from][t];
}
K scan_shuffle(const int *x, int *y, int n)
{
	__shared__ int sums[8];
	int t = threadIdx.x, lane = t & 31, warp = t >> 5, v = t < n ? x[t] : 0;
	for (int o = 1; o < 32; o *= 2) {
		int u = __shfl_up_sync(ALL, v, o);
		if (lane >= o)
			v += u;
	}
	if (lane == 31)
		sums[warp] = v;
	__syncthreads();
	if (warp == 0) {
		int u = lane < 8 ? sums[lane] : 0;
		for (int o = 1; o < 8; o *= 2) {
			int k = __shfl_up_sync(ALL, u, o);
			if (lane >= o)
				u += k;
		}
		if (lane < 8)
			sums[lane] = u;
	}
	__syncthreads();
	if (warp > 0)
		v += sums[warp - 1];
	if (t < n)
		y[t] = v;
}
K argmax_row(const float *x, int *y, int cols)
{
	__shared__ float v[64];
	__shared__ int at[64];
	int t = threadIdx.x, best = -1;
	float m = -CUDART_INF_F;
	for (int c = t; c < cols; c += 64)
		if (best < 0 || x[blockIdx.x * cols + c] > m) {
			m = x[blockIdx.x * cols + c];
			best = c;
		}
	v[t] = m;
	at[t] = best;
	__syncthreads();
	for (int w = 32; w > 0; w /= 2) {
		if (t < w && at[t + w] >= 0 && (v[t + w] > v[t] || (v[t + w] == v[t] && at[t + w] < at[t]))) {
			v[t] = v[t + w];
			at[t] = at[t + w];
		}
		__syncthreads();
	}
	if (t == 0)
		y[blockIdx.x] = at[0];
}
K count_ballot(const float *x, unsigned *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned m = __ballot_sync(ALL, i < n && x[min(i, n - 1)] > 0.0f);
	if ((threadIdx.x & 31) == 0)
		atomicAdd(y, (unsigned)__popc(m));
}
K compact(const float *x, float *y, unsigned *count, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && x[i] > 0.0f) {
		unsigned active = __activemask(), lane = threadIdx.x & 31, lead = __ffs(active) - 1, at = 0;
		if (lane == lead)
			at = atomicAdd(count, (unsigned)__popc(active));
		at = __shfl_sync(active, at, lead);
		y[at + __popc(active & ((1u << lane) - 1))] = x[i];
	}
}
K welford(const float *x, float *y, int cols)
{
	__shared__ float mean[64], m2[64], count[64];
	int t = threadIdx.x;
	float a = 0, q = 0, k = 0;
	for (int c = t; c < cols; c += 64) {
		float v = x[blockIdx.x * cols + c], d = v - a;
		k += 1.0f;
		a += d / k;
		q += d * (v - a);
	}
	mean[t] = a, m2[t] = q, count[t] = k;
	__syncthreads();
	for (int w = 32; w > 0; w >>= 1) {
		if (t < w) {
			float kb = count[t + w], d = mean[t + w] - mean[t], total = count[t] + kb;
			if (total > 0.0f) {
				mean[t] += d * kb / total;
				m2[t] += m2[t + w] + d * d * count[t] * kb / total;
				count[t] = total;
			}
		}
		__syncthreads();
	}
	if (t == 0)
		y[2 * blockIdx.x] = mean[0], y[2 * blockIdx.x + 1] = m2[0] / count[0];
}
K max_redux(const int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? x[i] : (int)0x80000000;
	v = __reduce_max_sync(ALL, v);
	if ((threadIdx.x & 31) == 0)
		atomicMax(y, v);
}
K match_groups(const int *x, unsigned *y) { y[threadIdx.x] = __popc(__match_any_sync(ALL, x[threadIdx.x])); }
K l2_serial(const float *x, float *y, int rows, int cols)
{
	if (threadIdx.x >= rows)
		return;
	float s = 0;
	for (int c = 0; c < cols; c++) {
		float v = x[threadIdx.x * cols + c];
		s = fmaf(v, v, s);
	}
	y[threadIdx.x] = sqrtf(s);
}
K cross_entropy(const float *x, const int *label, float *y, int classes)
{
	__shared__ float part[32];
	__shared__ float top;
	float m = -CUDART_INF_F, s = 0;
	const float *p = x + (size_t)blockIdx.x * classes;
	for (int c = threadIdx.x; c < classes; c += blockDim.x)
		m = fmaxf(m, p[c]);
	for (int o = 16; o; o >>= 1)
		m = fmaxf(m, __shfl_xor_sync(ALL, m, o));
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = m;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < blockDim.x / 32; w++)
			m = fmaxf(m, part[w]);
		top = m;
	}
	__syncthreads();
	m = top;
	for (int c = threadIdx.x; c < classes; c += blockDim.x)
		s += expf(p[c] - m);
	s = block_sum(s, part);
	int k = label[blockIdx.x];
	if (threadIdx.x == 0)
		y[blockIdx.x] = k >= 0 && k < classes ? m + logf(s) - p[k] : 0.0f;
}
K tail_mask(const float *x, float *y, int n)
{
	float v = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
	unsigned m = __ballot_sync(ALL, threadIdx.x < n);
	for (int o = 16; o > 0; o /= 2)
		v += __shfl_down_sync(m, v, o);
	if (threadIdx.x == 0)
		*y = v;
}
K transposed_reduce(const float *x, float *y, int rows, int cols)
{
	__shared__ float a[8][33];
	int c = blockIdx.x * 32 + threadIdx.x;
	float s = 0;
	if (c < cols)
		for (int r = threadIdx.y; r < rows; r += 8)
			s += x[r * cols + c];
	a[threadIdx.y][threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.y == 0 && c < cols) {
		for (int k = 1; k < 8; k++)
			s += a[k][threadIdx.x];
		y[c] = s;
	}
}
K volatile_warp_sum(const float *x, float *y)
{
	__shared__ float s[128];
	int t = threadIdx.x, lane = t & 31;
	s[t] = x[t];
	__syncwarp();
	for (int o = 16; o > 0; o >>= 1) {
		float v = lane < o ? s[t + o] : 0.0f;
		__syncwarp();
		if (lane < o)
			s[t] += v;
		__syncwarp();
	}
	if (lane == 0)
		y[t / 32] = s[t];
}

// matmul_naive: grid=2,2 block=16,16 args=in:1600,in:1800,ptr:1800,i32:20,i32:18,i32:20
// matmul_tile16: grid=2,2 block=16,16 args=in:2000,in:1900,ptr:1520,i32:20,i32:19,i32:25
// matmul_reg4: grid=1,1 block=16,16 args=in:10000,in:10000,ptr:10000,i32:50,i32:50,i32:50
// matmul_batched: grid=1,1,3 block=16,16 args=in:3072,in:3072,ptr:3072,i32:16
// transpose_pad: grid=2,2 block=32,8 args=in:8000,ptr:8000,i32:40,i32:50
// stencil_halo: grid=4 block=128 args=in:2000,ptr:2000,i32:500
// conv2d_direct: grid=1,1,2 block=16,16 args=in:800,in:72,ptr:800,i32:10,i32:10
// conv1d_const: grid=4 block=128 args=in:2000,ptr:2000,i32:500
// attention_row: grid=7 block=64 shared=448 args=in:1792,in:1792,in:1792,ptr:1792,i32:7,i32:64
// flash_tile: grid=2 block=32 args=in:8192,in:8192,in:8192,ptr:8192,i32:64,f32:0x3e000000
// bitonic: grid=1 block=128 args=ptr:512
// maxpool: grid=1 block=256 args=in:400,ptr:100,i32:10,i32:10
// gemv_warp: grid=3 block=128 args=in:2640,in:240,ptr:44,i32:11,i32:60
// outer_uint4: grid=1 block=64 args=in:512,ptr:1024
// triangular: grid=5 block=32 args=in:100,ptr:100,i32:5
#include <math_constants.h>
#define K extern "C" __global__ void

K matmul_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
	int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
	if (row >= m || col >= n)
		return;
	float s = 0;
	for (int i = 0; i < k; i++)
		s += a[row * k + i] * b[i * n + col];
	c[row * n + col] = s;
}
K matmul_tile16(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float ta[16][16], tb[16][17];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
	float s = 0;
	for (int t = 0; t < (k + 15) / 16; t++) {
		int ka = t * 16 + tx, kb = t * 16 + ty;
		ta[ty][tx] = row < m && ka < k ? a[row * k + ka] : 0.0f;
		tb[ty][tx] = kb < k && col < n ? b[kb * n + col] : 0.0f;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 16; i++)
			s = fmaf(ta[ty][i], tb[i][tx], s);
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = s;
}
K matmul_reg4(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float ta[16][64], tb[16][64];
	int t = threadIdx.y * 16 + threadIdx.x, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
	float s[4][4] = {};
	for (int k0 = 0; k0 < k; k0 += 16) {
		for (int i = t; i < 16 * 64; i += 256) {
			int kk = i / 64, x = i % 64;
			ta[kk][x] = r0 + x < m && k0 + kk < k ? a[(r0 + x) * k + k0 + kk] : 0.0f;
			tb[kk][x] = c0 + x < n && k0 + kk < k ? b[(k0 + kk) * n + c0 + x] : 0.0f;
		}
		__syncthreads();
		for (int kk = 0; kk < 16; kk++)
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					s[i][j] += ta[kk][threadIdx.y * 4 + i] * tb[kk][threadIdx.x * 4 + j];
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			int row = r0 + threadIdx.y * 4 + i, col = c0 + threadIdx.x * 4 + j;
			if (row < m && col < n)
				c[row * n + col] = s[i][j];
		}
}
K matmul_batched(const float *a, const float *b, float *c, int n)
{
	size_t off = (size_t)blockIdx.z * n * n;
	int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
	if (row < n && col < n) {
		float s = 0;
		for (int i = 0; i < n; ++i)
			s += a[off + row * n + i] * b[off + i * n + col];
		c[off + row * n + col] = s;
	}
}
K transpose_pad(const float *x, float *y, int rows, int cols)
{
	__shared__ float tile[32][33];
	int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (r + j < rows && c < cols)
			tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * cols + c];
	__syncthreads();
	c = blockIdx.y * 32 + threadIdx.x;
	r = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (r + j < cols && c < rows)
			y[(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}
K stencil_halo(const float *x, float *y, int n)
{
	__shared__ float s[130];
	int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 1;
	s[t] = i < n ? x[i] : 0.0f;
	if (threadIdx.x == 0)
		s[0] = i > 0 ? x[i - 1] : 0.0f;
	if (threadIdx.x == 127)
		s[129] = i + 1 < n ? x[i + 1] : 0.0f;
	__syncthreads();
	if (i < n)
		y[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}
K conv2d_direct(const float *x, const float *w, float *y, int h, int wd)
{
	int ox = blockIdx.x * 16 + threadIdx.x, oy = blockIdx.y * 16 + threadIdx.y, ch = blockIdx.z;
	if (ox >= wd || oy >= h)
		return;
	float s = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int iy = oy + dy, ix = ox + dx;
			if (iy >= 0 && iy < h && ix >= 0 && ix < wd)
				s += x[(ch * h + iy) * wd + ix] * w[ch * 9 + (dy + 1) * 3 + dx + 1];
		}
	y[(ch * h + oy) * wd + ox] = s;
}
__constant__ float taps[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
K conv1d_const(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0;
#pragma unroll
	for (int k = 0; k < 5; k++) {
		int j = min(max(i + k - 2, 0), n - 1);
		s += taps[k] * x[j];
	}
	y[i] = s;
}
K attention_row(const float *q, const float *k, const float *v, float *o, int n, int d)
{
	extern __shared__ float sc[];
	__shared__ float qs[64];
	float *p = sc, top, sum;
	int t = threadIdx.x;
	__shared__ float stat[2];
	if (t < d)
		qs[t] = q[blockIdx.x * d + t];
	__syncthreads();
	for (int j = t; j < n; j += blockDim.x) {
		float s = 0;
		for (int i = 0; i < d; i++)
			s += qs[i] * k[j * d + i];
		p[j] = s * rsqrtf((float)d);
	}
	__syncthreads();
	if (t == 0) {
		top = -CUDART_INF_F, sum = 0;
		for (int j = 0; j < n; j++)
			top = fmaxf(top, p[j]);
		for (int j = 0; j < n; j++)
			sum += expf(p[j] - top);
		stat[0] = top, stat[1] = sum;
	}
	__syncthreads();
	if (t < d) {
		float s = 0;
		for (int j = 0; j < n; j++)
			s += expf(p[j] - stat[0]) / stat[1] * v[j * d + t];
		o[blockIdx.x * d + t] = s;
	}
}
K flash_tile(const float *q, const float *k, const float *v, float *o, int n, float scale)
{
	__shared__ float ks[32][33], vs[32][33];
	int t = threadIdx.x, row = blockIdx.x * 32 + t;
	float m = -CUDART_INF_F, l = 0, acc[32], qr[32];
	for (int i = 0; i < 32; i++)
		qr[i] = row < n ? q[row * 32 + i] : 0.0f, acc[i] = 0;
	for (int j0 = 0; j0 < n; j0 += 32) {
		for (int i = 0; i < 32; i++) {
			bool in = j0 + i < n;
			ks[i][t] = in ? k[(j0 + i) * 32 + t] : 0.0f;
			vs[i][t] = in ? v[(j0 + i) * 32 + t] : 0.0f;
		}
		__syncthreads();
		for (int j = 0; j < 32 && j0 + j < n; j++) {
			float s = 0;
			for (int i = 0; i < 32; i++)
				s += qr[i] * ks[j][i];
			s *= scale;
			float mn = fmaxf(m, s), f = expf(m - mn), e = expf(s - mn);
			l = l * f + e;
			for (int i = 0; i < 32; i++)
				acc[i] = acc[i] * f + e * vs[j][i];
			m = mn;
		}
		__syncthreads();
	}
	if (row < n)
		for (int i = 0; i < 32; i++)
			o[row * 32 + i] = acc[i] / l;
}
K bitonic(float *x)
{
	__shared__ float s[128];
	int t = threadIdx.x;
	s[t] = x[t];
	__syncthreads();
	for (int k = 2; k <= 128; k *= 2)
		for (int j = k / 2; j > 0; j /= 2) {
			int o = t ^ j;
			if (o > t && ((t & k) == 0) == (s[t] > s[o])) {
				float h = s[t];
				s[t] = s[o];
				s[o] = h;
			}
			__syncthreads();
		}
	x[t] = s[t];
}
K maxpool(const float *x, float *y, int h, int w)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x, ow = w / 2, oh = h / 2;
	if (i >= oh * ow)
		return;
	int r = 2 * (i / ow), c = 2 * (i % ow);
	float m = x[r * w + c];
	for (int k = 1; k < 4; k++) {
		float v = x[(r + (k >> 1)) * w + c + (k & 1)];
		m = v > m || v != v ? v : m;
	}
	y[i] = m;
}
K gemv_warp(const float *a, const float *x, float *y, int rows, int cols)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (warp < rows) {
		float s = 0;
		const float4 *p = (const float4 *)(a + (size_t)warp * cols);
		if (cols % 4 == 0)
			for (int c = lane; c < cols / 4; c += 32) {
				float4 v = p[c], u = ((const float4 *)x)[c];
				s += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
			}
		else
			for (int c = lane; c < cols; c += 32)
				s += a[(size_t)warp * cols + c] * x[c];
		for (int o = 16; o; o >>= 1)
			s += __shfl_down_sync(0xffffffff, s, o);
		if (lane == 0)
			y[warp] = s;
	}
}
K outer_uint4(const uint2 *x, uint4 *y)
{
	uint2 v = x[threadIdx.x];
	y[threadIdx.x] = make_uint4(__byte_perm(v.x, v.y, 0x5140), __byte_perm(v.x, v.y, 0x7362), __brev(v.x), __clz(v.y) + __ffs(v.x));
}
K triangular(const float *x, float *y, int n)
{
	int r = blockIdx.x;
	for (int c = threadIdx.x; c <= r && c < n; c += blockDim.x)
		y[r * n + c] = x[r * n + c];
	for (int c = r + 1 + threadIdx.x; c < n; c += blockDim.x)
		y[r * n + c] = 0.0f;
}

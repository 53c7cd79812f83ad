// relu: grid=4 block=256 args=in:4000,ptr:4000,i32:1000
// axpy_grid_stride: grid=3 block=128 args=in:4004,ptr:4004,f32:0x40000000,i32:1001
// gelu_vec4_tail: grid=2 block=128 args=in:4012,ptr:4012,i32:1003
// sigmoid_half2_tail: grid=2 block=128 args=in:1026,ptr:1026,i32:513
// bias_rows: grid=2,65 block=32,1 args=in:10400,in:160,ptr:10400,i32:65,i32:40
// strided_rows: grid=7 block=64 args=in:1988,ptr:1820,i64:7,i64:65,i64:71,i64:65
// reverse: grid=4 block=256 args=in:4000,ptr:4000,u32:1000
// clamp_int: grid=4 block=256 args=in:4000,ptr:4000,i32:1000,i32:-5,i32:5
// fast_div: grid=4 block=256 args=in:4000,ptr:4000,i32:1000,i32:7
// masked: grid=4 block=256 args=in:4000,in:1000,ptr:4000,i32:1000
// log_softplus: grid=4 block=256 args=in:4000,ptr:4000,i32:1000
// norm_f64: grid=4 block=256 args=in:8000,ptr:8000,i64:1000
// rope: grid=2,3 block=32 args=in:1536,in:192,ptr:1536,i32:2,i32:3,i32:64
// dropout: grid=4 block=256 args=in:4000,ptr:4000,u32:1000,u32:42,f32:0x3f000000
// flatten4: grid=2 block=256 args=in:1680,ptr:1680,i32:420,i32:4,i32:5,i32:7
// nan_keeping_max: grid=4 block=256 args=in:4000,ptr:4000,i32:1000
// unrolled8: grid=1 block=128 args=in:4100,ptr:4100,i32:1025
// bf16_scale: grid=4 block=128 args=in:1002,ptr:1002,f32:0x40000000,i32:501
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define K extern "C" __global__ void

K relu(const float *__restrict__ x, float *__restrict__ y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	y[i] = x[i] > 0.0f ? x[i] : (x[i] != x[i] ? x[i] : 0.0f);
}
K axpy_grid_stride(const float *x, float *y, float a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		y[i] = fmaf(a, x[i], y[i]);
}
K gelu_vec4_tail(const float *__restrict__ x, float *__restrict__ y, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, n4 = n / 4;
	for (int i = t; i < n4; i += gridDim.x * blockDim.x) {
		float4 v = reinterpret_cast<const float4 *>(x)[i];
		v.x *= 0.5f * (1.0f + erff(v.x * 0.70710678f));
		v.y *= 0.5f * (1.0f + erff(v.y * 0.70710678f));
		v.z *= 0.5f * (1.0f + erff(v.z * 0.70710678f));
		v.w *= 0.5f * (1.0f + erff(v.w * 0.70710678f));
		reinterpret_cast<float4 *>(y)[i] = v;
	}
	int rest = n4 * 4 + t;
	if (rest < n)
		y[rest] = x[rest] * (0.5f * (1.0f + erff(x[rest] * 0.70710678f)));
}
K sigmoid_half2_tail(const __half *x, __half *y, int n)
{
	int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
	for (; i < n; i += 2 * blockDim.x * gridDim.x)
		if (i + 1 < n) {
			float2 f = __half22float2(*reinterpret_cast<const __half2 *>(x + i));
			f.x = 1.0f / (1.0f + expf(-f.x));
			f.y = 1.0f / (1.0f + expf(-f.y));
			*reinterpret_cast<__half2 *>(y + i) = __float22half2_rn(f);
		} else
			y[i] = __float2half(1.0f / (1.0f + expf(-__half2float(x[i]))));
}
K bias_rows(const float *x, const float *b, float *y, int rows, int cols)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
	if (r < rows && c < cols)
		y[r * cols + c] = x[r * cols + c] + b[c];
}
K strided_rows(const float *x, float *y, long long rows, long long cols, long long xs, long long ys)
{
	x += blockIdx.x * xs;
	y += blockIdx.x * ys;
	for (long long c = threadIdx.x; c < cols; c += blockDim.x)
		y[c] = expf(x[c]);
}
K reverse(const float *x, float *y, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[n - 1u - i] = x[i];
}
K clamp_int(const int *x, int *y, int n, int lo, int hi)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < (size_t)n)
		y[i] = min(max(x[i], lo), hi);
}
K fast_div(const int *x, int *y, int n, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] / 13 + x[i] % 10 + x[i] / d;
}
K masked(const float *x, const unsigned char *m, float *y, int n)
{
	int i = threadIdx.x + blockDim.x * blockIdx.x;
	if (i < n && m[i])
		y[i] = x[i];
}
K log_softplus(const float *x, float *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		y[i] = fabsf(x[i]) + log1pf(expf(-2.0f * fabsf(x[i]))) + rsqrtf(1.0f + x[i] * x[i]);
}
K norm_f64(const double *x, double *y, long long n)
{
	long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = copysign(sqrt(x[i] * x[i] + 1.0) / 3.0, x[i]);
}
K rope(const float *x, const float *cs, float *y, int batch, int heads, int dim)
{
	int half = dim / 2, i = threadIdx.x, row = blockIdx.x * heads + blockIdx.y;
	if (i < half) {
		float c = cosf(cs[i]), s = sinf(cs[i]), a = x[row * dim + i], b = x[row * dim + half + i];
		y[row * dim + i] = a * c - b * s;
		y[row * dim + half + i] = a * s + b * c;
	}
}
K dropout(const float *x, float *y, unsigned n, unsigned seed, float p)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned h = (i ^ seed) * 0x9e3779b9u;
	h = (h ^ (h >> 16)) * 0x85ebca6bu;
	h = (h ^ (h >> 13)) * 0xc2b2ae35u;
	h ^= h >> 16;
	if (i < n)
		y[i] = (h >> 8) * (1.0f / 16777216.0f) < p ? 0.0f : x[i] / (1.0f - p);
}
K flatten4(const float *x, float *y, int n, int c, int h, int w)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int iw = i % w, ih = i / w % h, ic = i / (w * h) % c, in = i / (w * h * c);
	y[((in * h + ih) * w + iw) * c + ic] = x[i]; // NCHW to NHWC
}
K nan_keeping_max(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float v = x[i];
		y[i] = isnan(v) ? v : fmaxf(v, 0.0f);
	}
}
K unrolled8(const float *x, float *y, int n)
{
	int base = blockIdx.x * blockDim.x * 8 + threadIdx.x;
#pragma unroll
	for (int k = 0; k < 8; k++)
		if (base + k * (int)blockDim.x < n)
			y[base + k * blockDim.x] = 2.0f * x[base + k * blockDim.x];
	for (int i = gridDim.x * blockDim.x * 8 + threadIdx.x; i < n; i += blockDim.x)
		if (blockIdx.x == 0)
			y[i] = 2.0f * x[i];
}
K bf16_scale(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]));
}

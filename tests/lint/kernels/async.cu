// copy_two_stages: grid=2 block=128 args=in:8192,ptr:1024,i32:8
// copy_three_stages: grid=1 block=64 args=in:4096,ptr:256,i32:16
// copy_tail_zero: grid=3 block=64 args=in:2400,ptr:2400,i32:600
// gemm_async: grid=2,2 block=16,16 args=in:8192,in:8192,ptr:4096,i32:32,i32:32,i32:64
// mma_tile: grid=1 block=32 args=in:512,in:256,ptr:512
// ldmatrix_transposed: grid=1 block=32 args=in:512,ptr:512
// wmma_tile: grid=1 block=32 args=in:512,in:512,ptr:1024
// mma_loop: grid=1 block=32 args=in:4096,in:2048,ptr:512,i32:8
// stmatrix_tile: grid=1 block=32 args=ptr:512
// pipeline_api: grid=2 block=128 args=in:4096,ptr:4096,i32:4
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#define K extern "C" __global__ void

static __device__ __forceinline__ void copy16(void *to, const void *from)
{
	unsigned s = (unsigned)__cvta_generic_to_shared(to);
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from) : "memory");
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

K copy_two_stages(const float4 *x, float *y, int tiles)
{
	__shared__ float4 s[2][128];
	int t = threadIdx.x, b = blockIdx.x * 128, step = gridDim.x;
	float sum = 0;
	if (tiles / step > 0)
		copy16(&s[0][t], &x[(b / 128) * 64 % 256 + t % 64]);
	COMMIT();
	for (int k = 0; k < tiles / step; k++) {
		if (k + 1 < tiles / step)
			copy16(&s[(k + 1) & 1][t], &x[(k * 64 + t) % 512]);
		COMMIT();
		WAIT(1);
		__syncthreads();
		sum += s[k & 1][t ^ 64].x;
		__syncthreads();
	}
	y[blockIdx.x * 128 + t] = sum;
}
K copy_three_stages(const float *x, float *y, int tiles)
{
	__shared__ __align__(16) float s[3][64];
	int t = threadIdx.x;
	for (int k = 0; k < 2; k++) {
		if (k < tiles)
			__pipeline_memcpy_async(&s[k][t], &x[k * 64 + t], 4);
		__pipeline_commit();
	}
	float sum = 0;
	for (int k = 0; k < tiles; k++) {
		__pipeline_wait_prior(1);
		__syncthreads(); // all have read stage k - 1, which is filled next
		if (k + 2 < tiles)
			__pipeline_memcpy_async(&s[(k + 2) % 3][t], &x[(k + 2) * 64 + t], 4);
		__pipeline_commit();
		sum += s[k % 3][63 - t];
	}
	y[t] = sum;
}
K copy_tail_zero(const float *x, float *y, int n)
{
	__shared__ __align__(16) float s[256];
	int i = (blockIdx.x * 64 + threadIdx.x) * 4, left = n - i;
	int bytes = left >= 4 ? 16 : left > 0 ? left * 4 : 0;
	unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x * 4]);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(x + (left > 0 ? i : 0)), "r"(bytes) : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	__syncthreads();
	for (int k = threadIdx.x; k < 256; k += 64)
		if (blockIdx.x * 256 + k < n)
			y[blockIdx.x * 256 + k] = s[k];
}
K gemm_async(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float ta[2][16][16], tb[2][16][16];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx, tiles = k / 16;
	float s = 0;
	__pipeline_memcpy_async(&ta[0][ty][tx], &a[row * k + tx], 4);
	__pipeline_memcpy_async(&tb[0][ty][tx], &b[ty * n + col], 4);
	__pipeline_commit();
	for (int t = 0; t < tiles; t++) {
		if (t + 1 < tiles) {
			__pipeline_memcpy_async(&ta[(t + 1) & 1][ty][tx], &a[row * k + (t + 1) * 16 + tx], 4);
			__pipeline_memcpy_async(&tb[(t + 1) & 1][ty][tx], &b[((t + 1) * 16 + ty) * n + col], 4);
			__pipeline_commit();
			__pipeline_wait_prior(1);
		} else
			__pipeline_wait_prior(0);
		__syncthreads();
		for (int i = 0; i < 16; i++)
			s += ta[t & 1][ty][i] * tb[t & 1][i][tx];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = s;
}
K mma_tile(const __half *a, const __half *b, float *c)
{
	int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
	unsigned a0 = *(const unsigned *)(a + g * 16 + t * 2), a1 = *(const unsigned *)(a + (g + 8) * 16 + t * 2);
	unsigned a2 = *(const unsigned *)(a + g * 16 + t * 2 + 8), a3 = *(const unsigned *)(a + (g + 8) * 16 + t * 2 + 8);
	unsigned b0 = *(const unsigned *)(b + g * 16 + t * 2), b1 = *(const unsigned *)(b + g * 16 + t * 2 + 8);
	float d[4] = {};
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	             : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
	*(float2 *)(c + g * 8 + t * 2) = make_float2(d[0], d[1]);
	*(float2 *)(c + (g + 8) * 8 + t * 2) = make_float2(d[2], d[3]);
}
K ldmatrix_transposed(const uint4 *x, uint4 *y)
{
	__shared__ uint4 s[32];
	int lane = threadIdx.x;
	s[lane] = x[lane];
	__syncwarp();
	unsigned at = (unsigned)__cvta_generic_to_shared(&s[lane]), r[4];
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
	             : "r"(at)
	             : "memory");
	y[lane] = make_uint4(r[0], r[1], r[2], r[3]);
}
K wmma_tile(const __half *a, const __half *b, float *c)
{
	using namespace nvcuda::wmma;
	fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
	fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
	fragment<accumulator, 16, 16, 16, float> fc;
	fill_fragment(fc, 0.0f);
	load_matrix_sync(fa, a, 16);
	load_matrix_sync(fb, b, 16);
	mma_sync(fc, fa, fb, fc);
	store_matrix_sync(c, fc, 16, mem_row_major);
}
K mma_loop(const __half *a, const __half *b, float *c, int steps)
{
	__shared__ __align__(16) __half sa[16 * 16], sb[8 * 16];
	int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
	float d[4] = {};
	for (int k = 0; k < steps; k++) {
		*(uint4 *)(sa + lane * 8) = *(const uint4 *)(a + k * 256 + lane * 8);
		if (lane < 16)
			*(uint4 *)(sb + lane * 8) = *(const uint4 *)(b + k * 128 + lane * 8);
		__syncwarp();
		unsigned r[4], b0 = *(const unsigned *)(sb + g * 16 + t * 2), b1 = *(const unsigned *)(sb + g * 16 + t * 2 + 8);
		unsigned at = (unsigned)__cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		             : "r"(at)
		             : "memory");
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		             : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b0), "r"(b1));
		__syncwarp();
	}
	*(float2 *)(c + g * 8 + t * 2) = make_float2(d[0], d[1]);
	*(float2 *)(c + (g + 8) * 8 + t * 2) = make_float2(d[2], d[3]);
}
K stmatrix_tile(uint4 *y)
{
	__shared__ uint4 s[32];
	int lane = threadIdx.x;
	unsigned at = (unsigned)__cvta_generic_to_shared(&s[lane]), v = lane * 0x00020002u;
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3) : "memory");
	__syncwarp();
	y[lane] = s[lane];
}
K pipeline_api(const float4 *x, float4 *y, int tiles)
{
	__shared__ float4 s[2][128];
	int t = threadIdx.x;
	for (int k = blockIdx.x; k < 2; k += gridDim.x) {
		__pipeline_memcpy_async(&s[k & 1][t], &x[k * 128 + t], sizeof(float4));
		__pipeline_commit();
		__pipeline_wait_prior(0);
		__syncthreads();
		y[k * 128 + t] = s[k & 1][127 - t];
		__syncthreads();
	}
	(void)tiles;
}

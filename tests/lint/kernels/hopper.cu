// bulk_copy: grid=4 block=128 args=in:4096,ptr:4096
// producer_consumer: grid=1 block=160 args=in:4096,ptr:512,i32:8
// cluster_sum: grid=2 block=128 args=in:1024,ptr:8
// elected_store: grid=1 block=32 args=ptr:4
// named_barriers: grid=1 block=256 args=in:1024,ptr:1024
// bulk_store: grid=2 block=64 args=in:2048,ptr:2048
// two_stage_bulk: grid=1 block=128 args=in:8192,ptr:512,i32:16
// prefetch_hints: grid=2 block=128 args=in:1024,ptr:1024
// dependent_launch: grid=1 block=128 args=in:512,ptr:512
// register_budget: grid=1 block=256 args=in:1024,ptr:1024
// wgmma_tile: grid=1 block=128 args=in:2048,in:256,ptr:2048
// tensor_copy: grid=1 block=128 args=i64:0,ptr:512
#define K extern "C" __global__ void
typedef unsigned long long u64;

static __device__ __forceinline__ unsigned sh(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ void init(u64 *b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sh(b)), "r"(n) : "memory"); }
static __device__ __forceinline__ void expect(u64 *b, int bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(b)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void arrive(u64 *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sh(b)) : "memory"); }
static __device__ __forceinline__ void wait(u64 *b, int phase)
{
	asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;\n}" ::"r"(sh(b)), "r"(phase) : "memory");
}
static __device__ __forceinline__ void bulk(void *to, const void *from, int bytes, u64 *b)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sh(to)), "l"(from),
	             "r"(bytes), "r"(sh(b))
	             : "memory");
}
K bulk_copy(const float *x, float *y)
{
	__shared__ __align__(128) float s[256];
	__shared__ u64 bar;
	if (threadIdx.x == 0)
		init(&bar, 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		expect(&bar, sizeof s);
		bulk(s, x + blockIdx.x * 256, sizeof s, &bar);
	}
	wait(&bar, 0);
	y[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
	y[blockIdx.x * 256 + threadIdx.x + 128] = s[127 - threadIdx.x];
}
K producer_consumer(const float *x, float *y, int tiles)
{
	__shared__ __align__(128) float s[2][128];
	__shared__ u64 full[2], empty[2];
	int warp = threadIdx.x / 32;
	if (threadIdx.x == 0)
		for (int i = 0; i < 2; i++) {
			init(&full[i], 1);
			init(&empty[i], 128);
		}
	__syncthreads();
	if (warp == 4) { // fills
		if (threadIdx.x == 128)
			for (int k = 0; k < tiles; k++) {
				if (k >= 2)
					wait(&empty[k % 2], (k / 2 - 1) & 1);
				expect(&full[k % 2], sizeof s[0]);
				bulk(s[k % 2], x + k * 128, sizeof s[0], &full[k % 2]);
			}
	} else { // empties
		float sum = 0;
		for (int k = 0; k < tiles; k++) {
			wait(&full[k % 2], (k / 2) & 1);
			sum += s[k % 2][threadIdx.x];
			arrive(&empty[k % 2]);
		}
		y[threadIdx.x] = sum;
	}
}
K __cluster_dims__(2) cluster_sum(const float *x, float *y)
{
	__shared__ float s[128];
	s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
	asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
	unsigned rank, far;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(sh(&s[threadIdx.x])), "r"(rank ^ 1));
	float v, sum = s[threadIdx.x];
	asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(far) : "memory");
	sum += v;
	asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
	for (int o = 16; o; o >>= 1)
		sum += __shfl_xor_sync(0xffffffff, sum, o);
	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}
K elected_store(int *y)
{
	int mine;
	asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(mine));
	if (mine)
		*y = 1;
}
K named_barriers(const float *x, float *y)
{
	__shared__ float s[128];
	int t = threadIdx.x;
	if (t < 128) {
		s[t] = x[t];
		asm volatile("bar.arrive 1, 256;" ::: "memory");
		y[t] = x[t] * 2.0f;
	} else {
		asm volatile("bar.sync 1, 256;" ::: "memory");
		y[t] = s[255 - t] + x[t];
	}
}
K bulk_store(const float4 *x, float *y)
{
	__shared__ __align__(128) float4 s[64];
	s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + blockIdx.x * 256), "r"(sh(s)), "r"((int)sizeof s) : "memory");
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
	}
	__syncthreads();
}
K two_stage_bulk(const float *x, float *y, int tiles)
{
	__shared__ __align__(128) float s[2][128];
	__shared__ u64 bar[2];
	int t = threadIdx.x;
	float sum = 0;
	if (t < 2)
		init(&bar[t], 1);
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	__syncthreads();
	if (t == 0)
		for (int k = 0; k < 2 && k < tiles; k++) {
			expect(&bar[k], 512);
			bulk(s[k], x + k * 128, 512, &bar[k]);
		}
	for (int k = 0; k < tiles; k++) {
		wait(&bar[k & 1], k >> 1 & 1);
		sum += s[k & 1][127 - t];
		__syncthreads();
		if (t == 0 && k + 2 < tiles) {
			expect(&bar[k & 1], 512);
			bulk(s[k & 1], x + (k + 2) * 128, 512, &bar[k & 1]);
		}
	}
	y[t] = sum;
}
K prefetch_hints(const float *x, float *y)
{
	int i = blockIdx.x * 128 + threadIdx.x;
	asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
	y[i] = __ldcs(x + i) + __ldg(x + i);
}
K dependent_launch(const float *x, float *y)
{
	asm volatile("griddepcontrol.wait;" ::: "memory");
	y[threadIdx.x] = x[threadIdx.x];
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
K __launch_bounds__(256) register_budget(const float *x, float *y)
{
	if (threadIdx.x < 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		y[threadIdx.x] = x[threadIdx.x];
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
		y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
	}
}
K __launch_bounds__(128) wgmma_tile(const uint4 *a, const uint4 *b, float *c)
{
	__shared__ __align__(128) uint4 sa[128], sb[16];
	int t = threadIdx.x;
	float d[4] = {};
	sa[t] = a[t];
	if (t < 16)
		sb[t] = b[t];
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	u64 da = (u64)((sh(sa) & 0x3ffff) >> 4) | 8ull << 16 | 16ull << 32, db = (u64)((sh(sb) & 0x3ffff) >> 4) | 8ull << 16 | 16ull << 32;
	asm volatile("wgmma.fence.sync.aligned;\n"
	             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;\n"
	             "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	             : "l"(da), "l"(db)
	             : "memory");
	for (int i = 0; i < 4; i++)
		c[i * 128 + t] = d[i];
}
struct __align__(64) Map {
	u64 v[16];
};
K tensor_copy(const __grid_constant__ Map map, float *y)
{
	__shared__ __align__(128) float s[128];
	__shared__ u64 bar;
	int t = threadIdx.x;
	if (t == 0) {
		asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
		init(&bar, 1);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
	if (t == 0) {
		expect(&bar, 512);
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(sh(s)), "l"(&map),
		             "r"(0), "r"(0), "r"(sh(&bar))
		             : "memory");
	}
	wait(&bar, 0);
	y[t] = s[127 - t];
}

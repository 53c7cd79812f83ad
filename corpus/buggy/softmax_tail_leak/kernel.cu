/* softmax_tail_leak - softmax_tiled with a mistake: the last tile of a row is not masked when
 * it is partial, so that up to 63 elements which follow the row in memory (the next row's first
 * ones) join the maximum and the sum. */
#define WARPS     8
#define TILE      64
#define MINUS_INF __int_as_float(0xff800000)

struct partial {
	float m, s;
};

static __device__ float base(float m)
{
	return m == MINUS_INF ? 0.0f : m;
}

/* Merges the partial results of groups of `lanes` neighbouring lanes; all of them get it. */
static __device__ partial merge_lanes(partial p, int lanes)
{
	float m = p.m;
	for (int d = lanes / 2; d > 0; d /= 2)
		m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
	p.s *= expf(p.m - base(m));
	for (int d = lanes / 2; d > 0; d /= 2)
		p.s += __shfl_xor_sync(0xffffffffu, p.s, d);
	p.m = m;
	return p;
}

static __device__ partial merge_block(partial p)
{
	__shared__ float ms[WARPS], ss[WARPS];
	p = merge_lanes(p, 32);
	if (threadIdx.x % 32 == 0) {
		ms[threadIdx.x / 32] = p.m;
		ss[threadIdx.x / 32] = p.s;
	}
	__syncthreads();
	p.m = ms[threadIdx.x % WARPS];
	p.s = ss[threadIdx.x % WARPS];
	return merge_lanes(p, WARPS);
}

extern "C" __global__ void ENTRY(softmax_tail_leak)(const T *x, OUT_T *y, long long C,
                                                    long long x_stride, long long y_stride)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;
	const int lane = threadIdx.x % 32;

	partial p = {MINUS_INF, 0.0f};
	for (long long t = threadIdx.x / 32 * TILE; t < C; t += WARPS * TILE) {
		long long c0 = t + lane, c1 = t + 32 + lane;
		float x0 = x[c0];
		float x1 = x[c1];
		float m = fmaxf(p.m, fmaxf(x0, x1));
		float b = base(m);
		p.s = p.s * expf(p.m - b) + (expf(x0 - b) + expf(x1 - b));
		p.m = m;
	}
	p = merge_block(p);

	for (long long c = threadIdx.x; c < C; c += WARPS * 32)
		y[c] = (OUT_T)(expf((float)x[c] - p.m) / p.s);
}

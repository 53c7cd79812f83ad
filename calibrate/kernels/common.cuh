/* common.cuh - what the known-good kernels share: loads of four, sums and maxima over a warp and a
 * block, the running state of softmax, walks over the elements of a vector.
 *
 * No guard: it is included once per element type, in that type's namespace, with T and OUT_T
 * defined. All of it accumulates in f32 and rounds to OUT_T once, at the end. */
#define MINUS_INF __int_as_float(0xff800000)
#define ALL_LANES 0xffffffffu
#define LOG2_E    1.44269504088896341f

/* ---- four elements by one load or store, where the address allows it ---- */

struct __align__(4 * sizeof(T)) in4
{
	T v[4];
};
struct __align__(4 * sizeof(OUT_T)) out4
{
	OUT_T v[4];
};

/* Elements i..i+3 of a row of C; `beyond` stands for those that the row does not have. */
static __device__ void load4(const T *x, long long i, long long C, float beyond, float v[4])
{
	if ((size_t)(x + i) % sizeof(in4) == 0 && i + 4 <= C) {
		in4 in = *(const in4 *)(x + i);
		for (int k = 0; k < 4; k++)
			v[k] = in.v[k];
	} else {
		for (int k = 0; k < 4; k++)
			v[k] = i + k < C ? (float)x[i + k] : beyond;
	}
}

static __device__ void store4(OUT_T *y, long long i, long long C, const float v[4])
{
	if ((size_t)(y + i) % sizeof(out4) == 0 && i + 4 <= C) {
		out4 out;
		for (int k = 0; k < 4; k++)
			out.v[k] = (OUT_T)v[k];
		*(out4 *)(y + i) = out;
	} else {
		for (int k = 0; k < 4 && i + k < C; k++)
			y[i + k] = (OUT_T)v[k];
	}
}

/* ---- over a warp: by exchange, all lanes get the result; chains of 5 ---- */

static __device__ float warp_sum(float v)
{
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(ALL_LANES, v, d);
	return v;
}

static __device__ float warp_max(float v)
{
	for (int d = 16; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(ALL_LANES, v, d));
	return v;
}

/* ---- over a block of N threads (a power of two), by halving in shared memory; all threads get
 * the result; chains of log2 N ---- */

template <int N, class F> static __device__ float block_tree(float v, F join)
{
	__shared__ float part[N];
	part[threadIdx.x] = v;
	for (int d = N / 2; d > 0; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + d]);
	}
	__syncthreads();
	v = part[0];
	__syncthreads();
	return v;
}

template <int N> static __device__ float block_sum(float v)
{
	return block_tree<N>(v, [](float a, float b) { return a + b; });
}

template <int N> static __device__ float block_max(float v)
{
	return block_tree<N>(v, [](float a, float b) { return fmaxf(a, b); });
}

/* ---- softmax as it goes: m the maximum so far, s the sum of exp(x - m) ----
 *
 * While m is -inf, exponents are taken relative to 0, so that -inf adds 0 and NaN stays NaN. */

struct online {
	float m, s;
};

static __device__ online online_start(void)
{
	return {MINUS_INF, 0.0f};
}

static __device__ float online_base(float m)
{
	return m == MINUS_INF ? 0.0f : m;
}

static __device__ online online_merge(online p, online q)
{
	const float m = fmaxf(p.m, q.m), base = online_base(m);
	return {m, p.s * expf(p.m - base) + q.s * expf(q.m - base)};
}

static __device__ online online_add(online p, float x)
{
	const float m = fmaxf(p.m, x), base = online_base(m);
	return {m, p.s * expf(p.m - base) + expf(x - base)};
}

static __device__ online warp_online(online p)
{
	for (int d = 16; d > 0; d /= 2) {
		online q = {__shfl_xor_sync(ALL_LANES, p.m, d), __shfl_xor_sync(ALL_LANES, p.s, d)};
		p = online_merge(p, q);
	}
	return p;
}

/* ---- y[i] = f(x[i]) for i < N ---- */

/* A grid smaller than N: each thread takes every (threads of the grid)-th element. */
template <class F> static __device__ void map_grid(const T *x, OUT_T *y, long long N, F f)
{
	const long long step = (long long)gridDim.x * blockDim.x;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step)
		y[i] = (OUT_T)f((float)x[i]);
}

/* Four neighbours a thread, by one load and one store where both addresses allow it. */
template <class F> static __device__ void map_vec(const T *x, OUT_T *y, long long N, F f)
{
	const long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
	float v[4];
	if (i >= N)
		return;
	load4(x, i, N, 0.0f, v);
	for (int k = 0; k < 4; k++)
		v[k] = f(v[k]);
	store4(y, i, N, v);
}

/* Four elements a thread, blockDim apart, so that a warp's lie together; any stride. */
template <class F>
static __device__ void map_unrolled(const T *x, OUT_T *y, long long N, long long x_stride,
                                    long long y_stride, F f)
{
	const long long i0 = (long long)blockIdx.x * (4 * blockDim.x) + threadIdx.x;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		const long long i = i0 + k * blockDim.x;
		if (i < N)
			y[i * y_stride] = (OUT_T)f((float)x[i * x_stride]);
	}
}

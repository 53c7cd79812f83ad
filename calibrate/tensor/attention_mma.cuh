/* attention_mma.cuh - attention on tensor cores, after common.cuh, attention.cuh and mma.cuh: in
 * one pass over the keys and in two. Weights are rounded to T where they multiply V, and summed
 * unrounded. g, t: lane / 4 and lane % 4, as in mma.cuh. */

static __device__ unsigned pack(float a, float b)
{
	union {
		T v[2];
		unsigned word;
	} u = {{(T)a, (T)b}};
	return u.word;
}

static __device__ float half_of(unsigned word, int i)
{
	union {
		unsigned word;
		T v[2];
	} u = {word};
	return (float)u.v[i];
}

static __device__ bool finite(unsigned word)
{
	return fabsf(half_of(word, 0)) < INFINITY && fabsf(half_of(word, 1)) < INFINITY;
}

/* The tile of 16 queries that a block has, and the two of them, g and g + 8, that a lane has. */
struct queries {
	long long i0, first; /* the tile's first query in its head, its number among all heads' */
	long long all;       /* keys that any of them sees */
	long long seen[2];   /* keys that the lane's see; none where there is no query */
};

static __device__ queries queries_of(const attention_shape &a)
{
	const long long tiles = (a.N + 15) / 16, i0 = blockIdx.x % tiles * 16;
	queries r = {i0,
	             blockIdx.x / tiles * a.N + i0,
	             keys_seen(a, i0 + 16 < a.N ? i0 + 15 : a.N - 1),
	             {0, 0}};
	for (int h = 0; h < 2; h++) {
		const long long i = i0 + threadIdx.x % 32 / 4 + 8 * h;
		if (i < a.N)
			r.seen[h] = keys_seen(a, i);
	}
	return r;
}

/* From the products of q and k, as they lie in an accumulator of the 8 keys from j on, the scores:
 * -inf where a key is not seen. */
static __device__ void score(float s[4], const attention_shape &a, const queries &r,
                             const float *bias, long long j)
{
	for (int i = 0; i < 4; i++) {
		const long long key = j + threadIdx.x % 4 * 2 + i % 2,
		                row = r.first + threadIdx.x % 32 / 4 + i / 2 * 8;
		s[i] = key < r.seen[i / 2] ? s[i] * a.scale + (bias ? bias[row * a.L + key] : 0.0f)
		                           : MINUS_INF;
	}
}

/* c += weights x · V y for the D = 16 or 8 keys from j on. Weights of keys that a query does not
 * see are 0, which the tensor cores multiply with V all the same, and 0 times a NaN or an infinity
 * would be a NaN: where V has one, FMAs take the keys that are seen. */
template <int D>
static __device__ void weigh(float c[4], const unsigned x[4], const unsigned y[2], const queries &r,
                             long long j)
{
	bool ok = true;
	for (int h = 0; h < D / 8; h++)
		ok = ok && finite(y[h]);
	if (__all_sync(ALL_LANES, ok)) {
		if (D == 16)
			mma_k16(c, x, y, T());
		else
			mma_k8(c, x, y, T());
		return;
	}
	const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll 1
	for (int u = 0; u < 4; u++)
		for (int h = 0; h < D / 8; h++) {
			const unsigned v0 = __shfl_sync(ALL_LANES, y[h], 8 * t + u),
			               v1 = __shfl_sync(ALL_LANES, y[h], 8 * t + 4 + u);
			for (int q = 0; q < 2; q++) {
				const unsigned p = __shfl_sync(ALL_LANES, x[2 * h + q], 4 * g + u);
				for (int i = 0; i < 2; i++)
					if (j + 8 * h + 2 * u + i < r.seen[q]) {
						c[2 * q] = fmaf(half_of(p, i), half_of(v0, i),
						                c[2 * q]);
						c[2 * q + 1] = fmaf(half_of(p, i), half_of(v1, i),
						                    c[2 * q + 1]);
					}
			}
		}
}

/* One pass, as FlashAttention-2: a warp has 16 queries and 32 of E (blockIdx.y counts these) and
 * takes 32 keys a step; the accumulators of scores, rounded, are the weights' operand as they lie.
 * Outputs are accumulated on from step to step, rescaled as the maximum moves, and the four lanes
 * of a query join their sums of weights at the end. Weights are powers of two by one FMA,
 * 2^(s log2(e) - m log2(e)): what m log2(e) is rounded by is a factor of all of them, so that the
 * largest is not 1 but up to 2^16 or 2^-16 where scores reach 2^28, and is rounded to T as the
 * others are. */
static __device__ void attention_flash(const T *q, const T *k, const T *v, const float *bias,
                                       OUT_T *o, const attention_shape &a)
{
	constexpr int TILES = 4;
	const queries r = queries_of(a);
	const long long first = first_key(a, r.first / a.N);
	const int t = threadIdx.x % 4, g = threadIdx.x / 4, e0 = blockIdx.y * (8 * TILES);
	const matrix qs = {q + r.first * a.q_stride, a.N - r.i0, a.q_stride, 1},
	             ks = {k + first * a.k_stride, r.all, a.k_stride, 1},
	             vs = {v + first * a.v_stride, a.E, 1, a.v_stride};
	float m[2] = {MINUS_INF, MINUS_INF}, sum[2] = {0.0f, 0.0f}, acc[TILES][4] = {};

	for (long long j = 0; j < r.all; j += 8 * TILES) {
		float s[TILES][4] = {}, top[2] = {m[0], m[1]}, shrink[2], base[2];
		for (int d0 = 0; d0 < a.D; d0 += 16) {
			const int d = d0 + 2 * t;
			const unsigned x[4] = {pair(qs, g, d, a.D), pair(qs, g + 8, d, a.D),
			                       pair(qs, g, d + 8, a.D),
			                       pair(qs, g + 8, d + 8, a.D)};
#pragma unroll
			for (int n = 0; n < TILES; n++) {
				const unsigned y[2] = {pair(ks, j + 8 * n + g, d, a.D),
				                       pair(ks, j + 8 * n + g, d + 8, a.D)};
				mma_k16(s[n], x, y, T());
			}
		}
#pragma unroll
		for (int n = 0; n < TILES; n++) {
			score(s[n], a, r, bias, j + 8 * n);
			for (int i = 0; i < 4; i++)
				top[i / 2] = fmaxf(top[i / 2], s[n][i]);
		}
		for (int h = 0; h < 2; h++) {
			for (int d = 1; d < 4; d *= 2)
				top[h] = fmaxf(top[h], __shfl_xor_sync(ALL_LANES, top[h], d));
			shrink[h] = exp2f((m[h] - online_base(top[h])) * LOG2_E);
			base[h] = online_base(top[h]) * LOG2_E;
			sum[h] *= shrink[h];
			m[h] = top[h];
		}
#pragma unroll
		for (int n = 0; n < TILES; n++)
			for (int i = 0; i < 4; i++) {
				s[n][i] = exp2f(fmaf(s[n][i], LOG2_E, -base[i / 2]));
				sum[i / 2] += s[n][i];
				acc[n][i] *= shrink[i / 2];
			}
#pragma unroll
		for (int p = 0; p < TILES; p += 2) {
			const unsigned x[4] = {pack(s[p][0], s[p][1]), pack(s[p][2], s[p][3]),
			                       pack(s[p + 1][0], s[p + 1][1]),
			                       pack(s[p + 1][2], s[p + 1][3])};
#pragma unroll
			for (int n = 0; n < TILES; n++) {
				if (e0 + 8 * n >= a.E)
					continue;
				const long long key = j + 8 * p + 2 * t;
				const unsigned y[2] = {pair(vs, e0 + 8 * n + g, key, r.all),
				                       pair(vs, e0 + 8 * n + g, key + 8, r.all)};
				weigh<16>(acc[n], x, y, r, j + 8 * p);
			}
		}
	}
	for (int h = 0; h < 2; h++)
		for (int d = 1; d < 4; d *= 2)
			sum[h] += __shfl_xor_sync(ALL_LANES, sum[h], d);
#pragma unroll
	for (int n = 0; n < TILES; n++)
		for (int i = 0; i < 4; i++) {
			const int row = g + i / 2 * 8, e = e0 + 8 * n + 2 * t + i % 2;
			if (r.i0 + row < a.N && e < a.E)
				o[(r.first + row) * a.o_stride + e] =
				        (OUT_T)attention_result(a, acc[n][i], sum[i / 2]);
		}
}

/* Two passes over the keys, which four warps take in turn, 8 a step: the first leaves the scores in
 * p[B,H,N,L], so that maximum and sum of weights are known when the second reads V. The warps'
 * shares of an output are added at the end. */
static __device__ void attention_two_pass(const T *q, const T *k, const T *v, const float *bias,
                                          OUT_T *o, float *p, const attention_shape &a)
{
	constexpr int WARPS = 4, STEP = 8 * WARPS;
	__shared__ float tops[WARPS][16], sums[16], part[WARPS][4][32];
	const queries r = queries_of(a);
	const long long first = first_key(a, r.first / a.N);
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % 4, g = lane / 4;
	const matrix qs = {q + r.first * a.q_stride, a.N - r.i0, a.q_stride, 1},
	             ks = {k + first * a.k_stride, r.all, a.k_stride, 1},
	             vs = {v + first * a.v_stride, a.E, 1, a.v_stride};
	float m[2] = {MINUS_INF, MINUS_INF};
	p += r.first * a.L;

	for (long long j = 8 * warp; j < r.all; j += STEP) {
		float s[4] = {};
		mma_tile<8>(s, qs, ks, 0, j, 0, 8, a.D);
		score(s, a, r, bias, j);
		for (int i = 0; i < 4; i++) {
			const long long key = j + 2 * t + i % 2;
			if (key < r.seen[i / 2])
				p[(g + i / 2 * 8) * a.L + key] = s[i];
			m[i / 2] = fmaxf(m[i / 2], s[i]);
		}
	}
	for (int h = 0; h < 2; h++) {
		for (int d = 1; d < 4; d *= 2)
			m[h] = fmaxf(m[h], __shfl_xor_sync(ALL_LANES, m[h], d));
		if (t == 0)
			tops[warp][g + 8 * h] = m[h];
	}
	__syncthreads();
	for (int h = 0; h < 2; h++) {
		for (int w = 0; w < WARPS; w++)
			m[h] = fmaxf(m[h], tops[w][g + 8 * h]);
		m[h] = online_base(m[h]);
	}
	for (int i = warp; i < 16 && r.i0 + i < a.N; i += WARPS) {
		const long long seen = keys_seen(a, r.i0 + i);
		float top = MINUS_INF, sum = 0.0f;
		for (int w = 0; w < WARPS; w++)
			top = fmaxf(top, tops[w][i]);
		for (long long j = lane; j < seen; j += 32)
			sum += expf(p[i * a.L + j] - online_base(top));
		sum = warp_sum(sum);
		if (lane == 0)
			sums[i] = sum;
	}
	for (int e0 = 0; e0 < a.E; e0 += 8) {
		float c[4] = {};
		for (long long j = 8 * warp; j < r.all; j += STEP) {
			float w[4];
			for (int i = 0; i < 4; i++) {
				const long long key = j + 2 * t + i % 2;
				w[i] = key < r.seen[i / 2]
				               ? expf(p[(g + i / 2 * 8) * a.L + key] - m[i / 2])
				               : 0.0f;
			}
			const unsigned x[4] = {pack(w[0], w[1]), pack(w[2], w[3])},
			               y[2] = {pair(vs, e0 + g, j + 2 * t, r.all)};
			weigh<8>(c, x, y, r, j);
		}
		for (int i = 0; i < 4; i++)
			part[warp][i][lane] = c[i];
		__syncthreads();
		/* A warp joins one of a lane's four results, i = warp. */
		const int row = g + warp / 2 * 8, e = e0 + 2 * t + warp % 2;
		const float acc = (part[0][warp][lane] + part[1][warp][lane]) +
		                  (part[2][warp][lane] + part[3][warp][lane]);
		if (r.i0 + row < a.N && e < a.E)
			o[(r.first + row) * a.o_stride + e] =
			        (OUT_T)attention_result(a, acc, sums[row]);
		__syncthreads();
	}
}

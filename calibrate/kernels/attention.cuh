/* attention.cuh - what the attention kernels share, after common.cuh: their arguments, which keys a
 * query sees, and attention by tiles of keys in shared memory.
 *
 * Queries are numbered row = (b*H + h)*N + i; heads share keys in groups of H/G. With `causal`
 * query i sees keys up to i (anchor 1, top left) or up to i + L - N (anchor 0, bottom right). A
 * query whose scores are all -inf, or that sees no key, gives 0 or NaN (masked_row 0, 1). bias may
 * be null: 0. */
struct attention_shape {
	int H, G, D, E;
	long long N, L;
	long long q_stride, k_stride, v_stride, o_stride;
	float scale;
	int causal, masked_row, anchor;
};

#define ATTENTION_SHAPE_ARGS                                                                       \
	int H, int G, int D, int E, long long N, long long L, long long q_stride,                  \
	        long long k_stride, long long v_stride, long long o_stride, float scale,           \
	        int causal, int masked_row, int anchor
#define ATTENTION_SHAPE                                                                            \
	{                                                                                          \
		H, G, D, E, N, L, q_stride, k_stride, v_stride, o_stride, scale, causal,           \
		        masked_row, anchor                                                         \
	}

/* Query i sees keys 0..seen-1. */
static __device__ long long keys_seen(const attention_shape &a, long long i)
{
	const long long seen = i + 1 + (a.anchor == 0 ? a.L - a.N : 0);
	if (!a.causal)
		return a.L;
	return seen < 0 ? 0 : seen > a.L ? a.L : seen;
}

/* Number of the first key of the group that head bh = b*H + h reads. */
static __device__ long long first_key(const attention_shape &a, long long bh)
{
	return (bh / a.H * a.G + bh % a.H / (a.H / a.G)) * a.L;
}

/* The result from the weighted sum of V and the sum of weights, which is 0 for masked rows alone:
 * NaN passes through it. */
static __device__ float attention_result(const attention_shape &a, float acc, float sum)
{
	if (sum == 0.0f)
		return a.masked_row == 0 ? 0.0f : __int_as_float(0x7fffffff);
	return acc / sum;
}

/* Sixteen queries a block of 16 x 16 threads and KEYS keys a step, all in shared memory; running
 * maximum, sum and outputs are rescaled at each step. Thread (i, x) has the scores of query i with
 * keys x, x + 16, ... and 4 of its outputs, so that a block writes 64 of E; blockIdx.x counts tiles
 * of queries of all heads, blockIdx.y those 64. `weight` is what a weight is rounded to
 * before it multiplies V, `summand` what of it enters the sum of weights. */
template <int KEYS, class F, class G>
static __device__ void attention_tiles(const T *q, const T *k, const T *v, const float *bias,
                                       OUT_T *o, const attention_shape &a, F weight, G summand)
{
	constexpr int EDGE = 16, SLICES = 4, OWN = KEYS / EDGE;
	__shared__ float qs[EDGE][EDGE + 1], ks[KEYS][EDGE + 1], ps[EDGE][KEYS],
	        vs[KEYS][SLICES * EDGE];
	const int x = threadIdx.x, y = threadIdx.y;
	const long long tiles = (a.N + EDGE - 1) / EDGE, bh = blockIdx.x / tiles;
	const long long i0 = blockIdx.x % tiles * EDGE, i = i0 + y, row = bh * a.N + i;
	const long long last = i0 + EDGE < a.N ? i0 + EDGE - 1 : a.N - 1, all = keys_seen(a, last);
	const long long seen = i < a.N ? keys_seen(a, i) : 0;
	const int e0 = blockIdx.y * (SLICES * EDGE);
	float m = MINUS_INF, sum = 0.0f, acc[SLICES] = {0.0f, 0.0f, 0.0f, 0.0f};
	k += first_key(a, bh) * a.k_stride;
	v += first_key(a, bh) * a.v_stride;

	for (long long j0 = 0; j0 < all; j0 += KEYS) {
		float s[OWN];
#pragma unroll
		for (int t = 0; t < OWN; t++)
			s[t] = 0.0f;
		for (int d0 = 0; d0 < a.D; d0 += EDGE) {
			const int d = d0 + x;
			qs[y][x] = i < a.N && d < a.D ? (float)q[row * a.q_stride + d] : 0.0f;
			for (int j = y; j < KEYS; j += EDGE)
				ks[j][x] = j0 + j < a.L && d < a.D
				                   ? (float)k[(j0 + j) * a.k_stride + d]
				                   : 0.0f;
			__syncthreads();
#pragma unroll
			for (int t = 0; t < OWN; t++)
				for (int c = 0; c < EDGE; c++)
					s[t] += qs[y][c] * ks[x + t * EDGE][c];
			__syncthreads();
		}

		float top = MINUS_INF, part = 0.0f;
#pragma unroll
		for (int t = 0; t < OWN; t++) {
			const long long j = j0 + x + t * EDGE;
			s[t] = j < seen ? s[t] * a.scale + (bias ? bias[row * a.L + j] : 0.0f)
			                : MINUS_INF;
			top = fmaxf(top, s[t]);
		}
		for (int d = EDGE / 2; d > 0; d /= 2)
			top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, d));
		top = fmaxf(m, top);
		const float base = online_base(top), shrink = expf(m - base);
#pragma unroll
		for (int t = 0; t < OWN; t++) {
			const float p = expf(s[t] - base);
			ps[y][x + t * EDGE] = weight(p);
			part += summand(p);
		}
		for (int d = EDGE / 2; d > 0; d /= 2)
			part += __shfl_xor_sync(ALL_LANES, part, d);
		sum = sum * shrink + part;
		m = top;

		for (int j = y; j < KEYS; j += EDGE)
			for (int e = x; e < SLICES * EDGE; e += EDGE)
				vs[j][e] = j0 + j < a.L && e0 + e < a.E
				                   ? (float)v[(j0 + j) * a.v_stride + e0 + e]
				                   : 0.0f;
		__syncthreads();
		/* Keys that the query does not see are left out: 0 times a NaN would be one. */
		const int n = seen - j0 < KEYS ? (int)(seen - j0) : KEYS;
#pragma unroll
		for (int t = 0; t < SLICES; t++) {
			float w = 0.0f;
			for (int j = 0; j < n; j++)
				w += ps[y][j] * vs[j][x + t * EDGE];
			acc[t] = acc[t] * shrink + w;
		}
		__syncthreads();
	}
#pragma unroll
	for (int t = 0; t < SLICES; t++) {
		const int e = e0 + x + t * EDGE;
		if (i < a.N && e < a.E)
			o[row * a.o_stride + e] = (OUT_T)attention_result(a, acc[t], sum);
	}
}

/* flash_no_rescale - flash_attention with a mistake: the accumulator is not rescaled when the
 * maximum moves, only the sum is, so that earlier tiles keep weights relative to an older
 * maximum. */
#define WARPS     4
#define TILE      32
#define RUN       16 /* products added in a row before they join the total: keeps chains short */
#define SLICES    8  /* a lane's outputs: a block writes 8 * 32 elements of E */
#define MINUS_INF __int_as_float(0xff800000)

static __device__ float dot(const T *q, const T *k, int D)
{
	float sum = 0.0f;
	for (int d0 = 0; d0 < D; d0 += RUN) {
		float part = 0.0f;
		for (int d = d0; d < D && d < d0 + RUN; d++)
			part += (float)q[d] * (float)k[d];
		sum += part;
	}
	return sum;
}

static __device__ float warp_max(float v)
{
	for (int d = 16; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
	return v;
}

static __device__ float warp_sum(float v)
{
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, d);
	return v;
}

extern "C" __global__ void
ENTRY(flash_no_rescale)(const T *q, const T *k, const T *v, const float *bias, OUT_T *o,
                        long long rows, int H, int G, long long N, long long L, int D, int E,
                        long long q_stride, long long k_stride, long long v_stride,
                        long long o_stride, float scale, int causal, int masked_row, int anchor)
{
	__shared__ float tile[WARPS][TILE];
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const long long row = (long long)blockIdx.x * WARPS + warp;
	if (row >= rows)
		return;
	const long long bh = row / N, i = row % N;
	const long long keys = (bh / H * G + bh % H / (H / G)) * L; /* first key of the group */
	const int e0 = blockIdx.y * (SLICES * 32) + lane;
	float *p = tile[warp];
	long long seen = L; /* the query sees keys 0..seen-1 */
	if (causal) {
		seen = i + 1 + (anchor == 0 ? L - N : 0);
		seen = seen < 0 ? 0 : seen > L ? L : seen;
	}
	q += row * q_stride;
	k += keys * k_stride;
	v += keys * v_stride;
	o += row * o_stride;
	if (bias)
		bias += row * L;

	float m = MINUS_INF, sum = 0.0f, acc[SLICES];
#pragma unroll
	for (int t = 0; t < SLICES; t++)
		acc[t] = 0.0f;
	for (long long j0 = 0; j0 < seen; j0 += TILE) {
		const int n = seen - j0 < TILE ? (int)(seen - j0) : TILE;
		float s = MINUS_INF;
		if (lane < n) {
			s = dot(q, k + (j0 + lane) * k_stride, D) * scale;
			if (bias)
				s += bias[j0 + lane];
		}
		const float m_new = fmaxf(m, warp_max(s));
		const float base = m_new == MINUS_INF ? 0.0f : m_new;
		const float shrink = expf(m - base);
		p[lane] = expf(s - base);
		__syncwarp();
		sum = sum * shrink + warp_sum(p[lane]);
		m = m_new;
#pragma unroll
		for (int t = 0; t < SLICES; t++) {
			const int e = e0 + 32 * t;
			if (e < E) {
				const T *ve = v + j0 * v_stride + e;
				float part = 0.0f;
				for (int j = 0; j < n; j++)
					part += p[j] * (float)ve[j * v_stride];
				acc[t] = acc[t] + part;
			}
		}
		__syncwarp();
	}
	const float masked = masked_row == 0 ? 0.0f : __int_as_float(0x7fffffff);
#pragma unroll
	for (int t = 0; t < SLICES; t++)
		if (e0 + 32 * t < E)
			o[e0 + 32 * t] = (OUT_T)(sum == 0.0f ? masked : acc[t] / sum);
}

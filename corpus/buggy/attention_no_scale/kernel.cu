/* attention_no_scale - attention with a mistake: the scores are not multiplied by scale,
 * 1/sqrt(D). */
#define THREADS   128
#define RUN       16 /* terms added in a row before they join the total: keeps chains short */
#define MINUS_INF __int_as_float(0xff800000)

static __device__ float block_max(float v)
{
	__shared__ float part[THREADS];
	part[threadIdx.x] = v;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + d]);
	}
	__syncthreads();
	return part[0];
}

static __device__ float block_sum(float v)
{
	__shared__ float part[THREADS];
	part[threadIdx.x] = v;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] += part[threadIdx.x + d];
	}
	__syncthreads();
	return part[0];
}

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

extern "C" __global__ void
ENTRY(attention_no_scale)(const T *q, const T *k, const T *v, const float *bias, OUT_T *o,
                          float *weights, int H, int G, long long N, long long L, int D, int E,
                          long long q_stride, long long k_stride, long long v_stride,
                          long long o_stride, float scale, int causal, int masked_row, int anchor)
{
	const long long row = blockIdx.x, bh = row / N, i = row % N;
	const long long keys = (bh / H * G + bh % H / (H / G)) * L; /* first key of the group */
	long long seen = L; /* the query sees keys 0..seen-1 */
	if (causal) {
		seen = i + 1 + (anchor == 0 ? L - N : 0);
		seen = seen < 0 ? 0 : seen > L ? L : seen;
	}
	q += row * q_stride;
	k += keys * k_stride;
	v += keys * v_stride;
	o += row * o_stride;
	weights += row * L;
	if (bias)
		bias += row * L;

	float m = MINUS_INF;
	for (long long j = threadIdx.x; j < seen; j += THREADS) {
		float s = dot(q, k + j * k_stride, D);
		if (bias)
			s += bias[j];
		weights[j] = s;
		m = fmaxf(m, s);
	}
	m = block_max(m);
	const float base = m == MINUS_INF ? 0.0f : m;

	float sum = 0.0f;
	for (long long j = threadIdx.x; j < seen; j += THREADS) {
		float p = expf(weights[j] - base);
		weights[j] = p;
		sum += p;
	}
	sum = block_sum(sum);

	for (int e = threadIdx.x; e < E; e += THREADS) {
		float acc = 0.0f;
		for (long long j0 = 0; j0 < seen; j0 += RUN) {
			float part = 0.0f;
			for (long long j = j0; j < seen && j < j0 + RUN; j++)
				part += weights[j] * (float)v[j * v_stride + e];
			acc += part;
		}
		float masked = masked_row == 0 ? 0.0f : __int_as_float(0x7fffffff);
		o[e] = (OUT_T)(sum == 0.0f ? masked : acc / sum);
	}
}

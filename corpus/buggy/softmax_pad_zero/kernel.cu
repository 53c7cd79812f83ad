/* softmax_pad_zero - softmax with a mistake: the row is padded to P, a power of two, and
 * padding counts as 0 instead of -inf, so that it takes part in the maximum and adds exp(0 - m)
 * to the sum. */
#define THREADS   256
#define RUN       16 /* terms added in a row before they join the total: keeps chains short */
#define MINUS_INF __int_as_float(0xff800000)

static __device__ float block_max(float v)
{
	__shared__ float part[THREADS / 32];
	for (int d = 16; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	v = part[threadIdx.x % (THREADS / 32)];
	for (int d = THREADS / 64; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
	__syncthreads();
	return v;
}

static __device__ float block_sum(float v)
{
	__shared__ float part[THREADS / 32];
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, d);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	v = part[threadIdx.x % (THREADS / 32)];
	for (int d = THREADS / 64; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, d);
	__syncthreads();
	return v;
}

/* The smallest power of two that is at least C. */
static __device__ long long padded(long long C)
{
	return C <= 1 ? 1 : 1LL << (64 - __clzll(C - 1));
}

extern "C" __global__ void ENTRY(softmax_pad_zero)(const T *x, OUT_T *y, long long C,
                                                   long long x_stride, long long y_stride)
{
	const long long P = padded(C);
	const float pad = 0.0f;
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float m = MINUS_INF;
	for (long long c = threadIdx.x; c < P; c += THREADS)
		m = fmaxf(m, c < C ? (float)x[c] : pad);
	m = block_max(m);

	float sum = 0.0f;
	for (long long c0 = threadIdx.x; c0 < P; c0 += RUN * THREADS) {
		float part = 0.0f;
		for (long long c = c0; c < P && c < c0 + RUN * THREADS; c += THREADS)
			part += expf((c < C ? (float)x[c] : pad) - m);
		sum += part;
	}
	sum = block_sum(sum);

	for (long long c = threadIdx.x; c < C; c += THREADS)
		y[c] = (OUT_T)(expf((float)x[c] - m) / sum);
}

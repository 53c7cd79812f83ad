/* layernorm - y[r,c] = (x[r,c] - mu) / sqrt(va + eps) * w[c] + b[c]; a block per row.
 *
 * Mean and variance in two passes, the variance from centred values, so that nothing cancels.
 * w and b may be null: 1 and 0. */
#define THREADS 256
#define RUN     16 /* terms added in a row before they join the total: keeps chains short */

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

extern "C" __global__ void ENTRY(layernorm)(const T *x, const T *w, const T *b, OUT_T *y,
                                            long long C, long long x_stride, long long y_stride,
                                            float eps)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float sum = 0.0f;
	for (long long c0 = threadIdx.x; c0 < C; c0 += RUN * THREADS) {
		float part = 0.0f;
		for (long long c = c0; c < C && c < c0 + RUN * THREADS; c += THREADS)
			part += (float)x[c];
		sum += part;
	}
	const float mu = block_sum(sum) / (float)C;

	sum = 0.0f;
	for (long long c0 = threadIdx.x; c0 < C; c0 += RUN * THREADS) {
		float part = 0.0f;
		for (long long c = c0; c < C && c < c0 + RUN * THREADS; c += THREADS) {
			float d = (float)x[c] - mu;
			part += d * d;
		}
		sum += part;
	}
	const float root = sqrtf(block_sum(sum) / (float)C + eps);

	for (long long c = threadIdx.x; c < C; c += THREADS) {
		float v = ((float)x[c] - mu) / root;
		if (w)
			v *= (float)w[c];
		if (b)
			v += (float)b[c];
		y[c] = (OUT_T)v;
	}
}

/* l2norm - y[r,c] = x[r,c] / max(sqrt(sum(x[r,k]^2)), eps); a block per row. */
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

extern "C" __global__ void ENTRY(l2norm)(const T *x, OUT_T *y, long long C, long long x_stride,
                                         long long y_stride, float eps)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float sum = 0.0f;
	for (long long c0 = threadIdx.x; c0 < C; c0 += RUN * THREADS) {
		float part = 0.0f;
		for (long long c = c0; c < C && c < c0 + RUN * THREADS; c += THREADS)
			part += (float)x[c] * (float)x[c];
		sum += part;
	}
	const float norm = sqrtf(block_sum(sum));
	const float d = norm < eps ? eps : norm; /* a comparison, so that NaN stays */

	for (long long c = threadIdx.x; c < C; c += THREADS)
		y[c] = (OUT_T)((float)x[c] / d);
}

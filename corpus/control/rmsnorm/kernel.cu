/* rmsnorm - y[a,n,b] = x[a,n,b] / sqrt(mean(x[a,k,b]^2) + eps) * w[n].
 *
 * A block takes one a and `cols` neighbouring columns b (a power of two up to 32): thread t
 * works on column t % cols and on every (256/cols)-th n from t / cols.  With B = 1 that is a
 * block per row. w may be null: 1. */
#define THREADS 256
#define RUN     16 /* terms added in a row before they join the total: keeps chains short */

/* Sum over the threads of a column, that is over threads t, t + cols, t + 2*cols, ... */
static __device__ float column_sum(float v, int cols)
{
	__shared__ float part[THREADS];
	part[threadIdx.x] = v;
	for (int d = THREADS / 2; d >= cols; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] += part[threadIdx.x + d];
	}
	__syncthreads();
	return part[threadIdx.x % cols];
}

extern "C" __global__ void ENTRY(rmsnorm)(const T *x, const T *w, OUT_T *y, long long N,
                                          long long B, long long x_outer, long long x_inner,
                                          long long y_outer, long long y_inner, int cols, float eps)
{
	const long long tiles = (B + cols - 1) / cols, a = blockIdx.x / tiles;
	const long long b = blockIdx.x % tiles * cols + threadIdx.x % cols;
	const int first = threadIdx.x / cols, step = THREADS / cols;
	x += a * x_outer + b;
	y += a * y_outer + b;

	float sum = 0.0f;
	if (b < B)
		for (long long n0 = first; n0 < N; n0 += RUN * step) {
			float part = 0.0f;
			for (long long n = n0; n < N && n < n0 + RUN * step; n += step) {
				float v = x[n * x_inner];
				part += v * v;
			}
			sum += part;
		}
	const float ms = column_sum(sum, cols) / (float)N + eps;
	const float d = sqrtf(ms);

	if (b < B)
		for (long long n = first; n < N; n += step) {
			float v = (float)x[n * x_inner] / d;
			y[n * y_inner] = (OUT_T)(w ? v * (float)w[n] : v);
		}
}

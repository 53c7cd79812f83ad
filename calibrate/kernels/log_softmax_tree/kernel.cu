/* log_softmax_tree - y = (x - m) - log(sum(exp(x - m))), m the row's maximum; a block per row and a
 * tree in shared memory. */
#include "common.cuh"
#define THREADS 128

extern "C" __global__ void ENTRY(log_softmax_tree)(const T *x, OUT_T *y, long long R, long long C,
                                                   long long x_stride, long long y_stride)
{
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float m = MINUS_INF;
	for (long long c = threadIdx.x; c < C; c += THREADS)
		m = fmaxf(m, (float)x[c]);
	m = block_max<THREADS>(m);
	float s = 0.0f;
	for (long long c = threadIdx.x; c < C; c += THREADS)
		s += expf((float)x[c] - m);
	s = block_sum<THREADS>(s);
	const float l = logf(s);
	for (long long c = threadIdx.x; c < C; c += THREADS)
		y[c] = (OUT_T)(((float)x[c] - m) - l);
}

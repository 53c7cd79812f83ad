/* log_softmax_vec - y = (x - m) - log(sum(exp(x - m))), m the row's maximum; a block per row, four
 * elements a load and four sums a thread; what the last four have beyond the row is -inf. */
#include "common.cuh"
#define THREADS 64

extern "C" __global__ void ENTRY(log_softmax_vec)(const T *x, OUT_T *y, long long R, long long C,
                                                  long long x_stride, long long y_stride)
{
	float v[4], s4[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	x += blockIdx.x * x_stride;
	y += blockIdx.x * y_stride;

	float m = MINUS_INF;
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, MINUS_INF, v);
		m = fmaxf(m, fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3])));
	}
	m = block_max<THREADS>(m);
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, MINUS_INF, v);
		for (int k = 0; k < 4; k++)
			s4[k] += expf(v[k] - m);
	}
	const float s = block_sum<THREADS>((s4[0] + s4[1]) + (s4[2] + s4[3]));
	const float l = logf(s);
	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		load4(x, c, C, MINUS_INF, v);
		for (int k = 0; k < 4; k++)
			v[k] = (v[k] - m) - l;
		store4(y, c, C, v);
	}
}

/* dequant_i8_vec - y[r,c] = q[r,c] * s[r,c/G]; a block per row, four codes by one load where their
 * address allows it, four elements by one store. */
#include "common.cuh"
#define THREADS 64

extern "C" __global__ void ENTRY(dequant_i8_vec)(const float *s, const signed char *q, OUT_T *y,
                                                 long long R, long long C, long long G,
                                                 long long s_r, long long s_b, long long q_r,
                                                 long long y_r)
{
	float v[4];
	s += blockIdx.x * s_r;
	q += blockIdx.x * q_r;
	y += blockIdx.x * y_r;

	for (long long c = 4 * threadIdx.x; c < C; c += 4 * THREADS) {
		if ((size_t)(q + c) % 4 == 0 && c + 4 <= C) {
			const int four = *(const int *)(q + c);
			for (int k = 0; k < 4; k++)
				v[k] = (float)(signed char)(four >> 8 * k);
		} else {
			for (int k = 0; k < 4; k++)
				v[k] = c + k < C ? (float)q[c + k] : 0.0f;
		}
		for (int k = 0; k < 4; k++)
			v[k] *= c + k < C ? s[(c + k) / G * s_b] : 0.0f;
		store4(y, c, C, v);
	}
}

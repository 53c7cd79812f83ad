/* log_softmax_split - y = (x - m) - log(sum(exp(x - m))), m the row's maximum; rows are cut into
 * pieces of 256, a block each. The first kernel leaves maximum and sum of every piece in
 * part[R,pieces,2], the second merges those of its row from the first to the last and writes its
 * piece. */
#include "common.cuh"
#define PIECE 256

extern "C" __global__ void ENTRY(log_softmax_split_part)(const T *x, float *part, long long C,
                                                         long long x_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;
	x += blockIdx.x / pieces * x_stride;
	part += 2 * (long long)blockIdx.x;

	const float v = c < C ? (float)x[c] : MINUS_INF;
	const float m = block_max<PIECE>(v);
	const float s = block_sum<PIECE>(expf(v - online_base(m)));
	if (threadIdx.x == 0) {
		part[0] = m;
		part[1] = s;
	}
}

extern "C" __global__ void ENTRY(log_softmax_split_join)(const T *x, const float *part, OUT_T *y,
                                                         long long C, long long x_stride,
                                                         long long y_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;
	if (c >= C)
		return;
	part += 2 * r * pieces;

	online p = online_start();
	for (long long i = 0; i < pieces; i++)
		p = online_merge(p, {part[2 * i], part[2 * i + 1]});
	const float m = p.m, s = p.s;
	const float l = logf(s);
	y[r * y_stride + c] = (OUT_T)(((float)x[r * x_stride + c] - m) - l);
}

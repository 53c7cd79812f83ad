/* layernorm_split - y = (x - mu) / sqrt(va + eps) * w + b; rows are cut into pieces of 128, a
 * block each. The first kernel leaves mean and sum of squared deviations of every piece in
 * part[R,pieces,2], the second merges those of its row from the first to the last and writes its
 * piece. w and b may be null: 1 and 0. */
#include "common.cuh"
#define PIECE 128

/* Number, mean and sum of squared deviations of some values. */
struct moments {
	float n, mean, m2;
};

/* Those of two sets together (Chan, Golub, LeVeque 1979). */
static __device__ moments merge(moments p, moments q)
{
	const float n = p.n + q.n, d = q.mean - p.mean;
	if (q.n == 0.0f)
		return p;
	return {n, p.mean + d * (q.n / n), p.m2 + q.m2 + d * d * (p.n * q.n / n)};
}

static __device__ float piece_length(long long i, long long C)
{
	return (float)(C - i * PIECE < PIECE ? C - i * PIECE : PIECE);
}

extern "C" __global__ void ENTRY(layernorm_split_part)(const T *x, float *part, long long C,
                                                       long long x_stride)
{
	const long long pieces = (C + PIECE - 1) / PIECE, i = blockIdx.x % pieces;
	const long long c = i * PIECE + threadIdx.x;
	x += blockIdx.x / pieces * x_stride;
	part += 2 * (long long)blockIdx.x;

	const float v = c < C ? (float)x[c] : 0.0f;
	const float mean = block_sum<PIECE>(v) / piece_length(i, C);
	const float d = c < C ? v - mean : 0.0f;
	const float m2 = block_sum<PIECE>(d * d);
	if (threadIdx.x == 0) {
		part[0] = mean;
		part[1] = m2;
	}
}

extern "C" __global__ void ENTRY(layernorm_split_join)(const T *x, const T *w, const T *b,
                                                       const float *part, OUT_T *y, long long C,
                                                       long long x_stride, long long y_stride,
                                                       float eps)
{
	const long long pieces = (C + PIECE - 1) / PIECE, r = blockIdx.x / pieces;
	const long long c = blockIdx.x % pieces * PIECE + threadIdx.x;
	if (c >= C)
		return;
	part += 2 * r * pieces;

	moments p = {piece_length(0, C), part[0], part[1]};
	for (long long i = 1; i < pieces; i++)
		p = merge(p, {piece_length(i, C), part[2 * i], part[2 * i + 1]});
	float v = ((float)x[r * x_stride + c] - p.mean) / sqrtf(p.m2 / (float)C + eps);
	if (w)
		v *= (float)w[c];
	if (b)
		v += (float)b[c];
	y[r * y_stride + c] = (OUT_T)v;
}

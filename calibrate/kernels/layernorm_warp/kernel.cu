/* layernorm_warp - y = (x - mu) / sqrt(va + eps) * w + b, by the reciprocal square root; a warp
 * per row, four rows a block, mean and centred variance by exchange. w and b may be null: 1 and 0.
 */
#include "common.cuh"

extern "C" __global__ void ENTRY(layernorm_warp)(const T *x, const T *w, const T *b, OUT_T *y,
                                                 long long R, long long C, long long x_stride,
                                                 long long y_stride, float eps)
{
	const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
	const int lane = threadIdx.x;
	if (r >= R)
		return;
	x += r * x_stride;
	y += r * y_stride;

	float s = 0.0f, q = 0.0f;
	for (long long c = lane; c < C; c += 32)
		s += (float)x[c];
	const float mu = warp_sum(s) / (float)C;
	for (long long c = lane; c < C; c += 32) {
		const float d = (float)x[c] - mu;
		q += d * d;
	}
	const float scale = rsqrtf(warp_sum(q) / (float)C + eps);
	for (long long c = lane; c < C; c += 32) {
		const float v = ((float)x[c] - mu) * scale * (w ? (float)w[c] : 1.0f);
		y[c] = (OUT_T)(v + (b ? (float)b[c] : 0.0f));
	}
}

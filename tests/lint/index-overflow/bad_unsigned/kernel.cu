/* A warp per row. Element row * C + c is counted in 32 bits without a sign: it wraps beyond 2^32 elements, which no case of a campaign has. */
extern "C" __global__ void bad_unsigned(const float *x, float *y, unsigned C)
{
	float m = -__int_as_float(0x7f800000), s = 0.0f;

	for (unsigned c = threadIdx.x; c < C; c += 32)
		m = fmaxf(m, x[blockIdx.x * C + c]);
	for (int o = 16; o > 0; o /= 2)
		m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
	for (unsigned c = threadIdx.x; c < C; c += 32)
		s += expf(x[blockIdx.x * C + c] - m);
	for (int o = 16; o > 0; o /= 2)
		s += __shfl_xor_sync(0xffffffff, s, o);
	for (unsigned c = threadIdx.x; c < C; c += 32)
		y[blockIdx.x * C + c] = expf(x[blockIdx.x * C + c] - m) / s;
}

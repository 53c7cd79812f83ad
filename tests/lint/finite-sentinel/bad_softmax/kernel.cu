// One thread a row. The maximum begins at -1e4: rows below it lose everything.
extern "C" __global__ void bad_softmax(const float *x, float *y, long long R, long long C)
{
	const long long row = (long long)blockIdx.x * 64 + threadIdx.x;
	if (row >= R)
		return;
	float m = -1e4f, s = 0.0f;
	for (long long c = 0; c < C; c++)
		m = fmaxf(m, x[row * C + c]);
	for (long long c = 0; c < C; c++)
		s += expf(x[row * C + c] - m);
	for (long long c = 0; c < C; c++)
		y[row * C + c] = expf(x[row * C + c] - m) / s;
}

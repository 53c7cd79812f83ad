// A stride that is used is used, in whatever form.
extern "C" __global__ void good_one_pass(const float *x, float *y, long long R, long long C, long long sx, long long sy)
{
	const long long row = (long long)blockIdx.x * 64 + threadIdx.x;
	if (row >= R)
		return;
	float m = __int_as_float(0xff800000), s = 0.0f;
	for (long long c = 0; c < C; c++)
		m = fmaxf(m, x[row * sx + c]);
	for (long long c = 0; c < C; c++)
		s += expf(x[row * (C + (sx - C)) + c] - m);
	for (long long c = 0; c < C; c++)
		y[row * sy + c] = expf(x[row * sx + c] - m) / s;
}

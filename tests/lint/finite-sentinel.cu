// bad_running_max: -
// bad_mask: -
// good_infinity: -
// good_relu: -
extern "C" __global__ void bad_running_max(const float *x, float *y, int n)
{
	float m = -1e9f, s = 0.0f;
	for (int i = 0; i < n; i++)
		m = fmaxf(m, x[i]);
	for (int i = 0; i < n; i++)
		s += expf(x[i] - m);
	y[0] = s;
}
extern "C" __global__ void bad_mask(const float *x, const int *keep, float *y, int n, float m)
{
	float s = 0.0f;
	for (int i = 0; i < n; i++) {
		float v = keep[i] ? x[i] : -50000.0f;
		s += expf(v - m);
	}
	y[0] = s;
}
extern "C" __global__ void good_infinity(const float *x, float *y, int n)
{
	float m = __int_as_float(0xff800000), s = 0.0f;
	for (int i = 0; i < n; i++)
		m = fmaxf(m, x[i]);
	for (int i = 0; i < n; i++)
		s += expf(x[i] - m);
	y[0] = s;
}
extern "C" __global__ void good_relu(const float *x, float *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = fmaxf(x[i], -65504.0f); // clamps, no exponential
}

extern "C" __global__ void doubles(const double *x, double *y, float *z)
{
	int i = threadIdx.x;
	double a = x[i];
	y[i] = exp(a) + log(a) * sqrt(a) - a / 3 + fma(a, a, 1.0) + __dadd_rz(a, 1) + fabs(a) + fmin(a, 0.5) + 1 / a;
	z[i] = (float)a + __double2float_rz(a) + __fadd_ru((float)a, 1.0f) + __fmaf_rd((float)a, 2.0f, 3.0f);
}

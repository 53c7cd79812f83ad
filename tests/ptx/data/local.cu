extern "C" __global__ void histogram(const int *x, int *y, int n)
{
	int bin[17];
	for (int k = 0; k < 17; k++)
		bin[k] = 0;
	for (int k = 0; k < n; k++)
		bin[x[k] % 17]++;
	for (int k = 0; k < 17; k++)
		y[k] = bin[(k * 5) % 17];
}
extern "C" __global__ void slow_path(float *x, double *y)
{
	x[threadIdx.x] = sinf(x[threadIdx.x]) + cosf(x[threadIdx.x]) + tanf(x[threadIdx.x]);
	y[threadIdx.x] = sin(y[threadIdx.x]);
}

extern "C" __global__ void saxpy(float a, const float *__restrict__ x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}
extern "C" __global__ void gelu(const float4 *x, float4 *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float4 v = x[i];
		v.x = 0.5f * v.x * (1 + erff(v.x * 0.70710678f));
		v.y = tanhf(v.y);
		v.z = 1 / (1 + expf(-v.z));
		v.w = fmaxf(v.w, 0.0f) + logf(fabsf(v.w)) + sqrtf(v.w) + rsqrtf(v.w) + powf(v.w, v.x);
		y[i] = v;
	}
}

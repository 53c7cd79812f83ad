extern "C" __global__ void fastmath(const float *x, float *y)
{
	float v = x[threadIdx.x];
	y[threadIdx.x] = expf(v) + logf(v) + sinf(v) + cosf(v) + tanhf(v) + v / 3.0f + 1.0f / v + sqrtf(v) +
	                 rsqrtf(v) + powf(v, 1.5f) + fmaxf(v, 1.0f) + __saturatef(v) + fminf(fabsf(v), -v);
}

// bad_stride: -
// bad_size: -
// good_stride: -
// good_one_path: -
extern "C" __global__ void bad_stride(float *y, int cols, long long stride) { y[blockIdx.x * cols + threadIdx.x] = 1.0f; }
extern "C" __global__ void bad_size(float *y, int n) { y[threadIdx.x] = 1.0f; }
extern "C" __global__ void good_stride(float *y, int cols, long long stride)
{
	if (threadIdx.x < cols)
		y[blockIdx.x * stride + threadIdx.x] = 1.0f;
}
extern "C" __global__ void good_one_path(float *y, int n, long long stride)
{
	y[n > 1 ? blockIdx.x * stride : 0] = 1.0f;
}

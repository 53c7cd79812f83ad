// bad_ragged: grid=4 block=256 args=ptr:4000,i32:1000
// bad_neighbour: grid=4 block=256 args=ptr:4000,i32:1000
// good_guard: grid=4 block=256 args=ptr:4000,i32:1000
// good_grid_stride: grid=2 block=128 args=ptr:4000,i32:1000
extern "C" __global__ void bad_ragged(float *y, int n) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
extern "C" __global__ void bad_neighbour(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = y[i + 1] * 2.0f; // the last one has no neighbour
}
extern "C" __global__ void good_guard(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 1.0f;
}
extern "C" __global__ void good_grid_stride(float *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = i + 1 < n ? y[i + 1] : 0.0f;
}

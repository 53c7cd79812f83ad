// bad_own_block: -
// bad_shared_flag: -
// good_fence: -
// good_own_data: -
extern "C" __global__ void bad_own_block(float *partial, unsigned *count, float *y, float v)
{
	partial[blockIdx.x] = v * blockIdx.x;
	if (atomicAdd(count, 1u) == gridDim.x - 1) {
		float sum = 0.0f;
		for (int b = 0; b < gridDim.x; b++)
			sum += partial[b];
		y[0] = sum;
	}
}
extern "C" __global__ void bad_shared_flag(float *partial, unsigned *count, float *y, float v)
{
	__shared__ bool last;
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = v * blockIdx.x;
		last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last)
		y[threadIdx.x] = partial[threadIdx.x];
}
extern "C" __global__ void good_fence(float *partial, unsigned *count, float *y, float v)
{
	partial[blockIdx.x] = v * blockIdx.x;
	__threadfence();
	if (atomicAdd(count, 1u) == gridDim.x - 1) {
		__threadfence();
		float sum = 0.0f;
		for (int b = 0; b < gridDim.x; b++)
			sum += partial[b];
		y[0] = sum;
	}
}
extern "C" __global__ void good_own_data(float *partial, unsigned *count, float *y, float v)
{
	partial[blockIdx.x] = v; // never read here
	if (atomicAdd(count, 1u) == gridDim.x - 1)
		y[0] = v;
}

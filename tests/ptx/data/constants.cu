__constant__ float table[4] = {1.5f, -2.25f, 0.0f, 3e10f};
__constant__ int dims[3];
__device__ double big[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ unsigned short words[5] = {1, 2, 65535};
__device__ int counter = 7;
__device__ int *where = &counter;
__device__ const char text[] = "hello";
struct mixed { int *p; int n; };
__device__ mixed both = {&counter, 3};
extern "C" __global__ void constants(float *o)
{
	o[0] = table[threadIdx.x & 3] * dims[1] + big[1][threadIdx.x & 1] + words[threadIdx.x & 3] + *where + text[1];
	counter++;
	both.n += *both.p;
}

// bad_odd_row: grid=2 block=8 args=ptr:264,ptr:264,i32:33
// bad_offset: -
// bad_steps: -
// good_rows: -
// good_row: grid=2 block=8 args=ptr:256,ptr:256,i32:32
// good_tested: grid=2 block=8 args=ptr:264,ptr:264,i32:33
extern "C" __global__ void bad_odd_row(const float *x, float *y, int cols)
{
	const float *row = x + blockIdx.x * cols;
	if (threadIdx.x * 4 + 3 < cols)
		y[threadIdx.x] = ((const float4 *)row)[threadIdx.x].x + ((const float4 *)row)[threadIdx.x].w;
}
extern "C" __global__ void bad_offset(const float *x, float *y, int cols)
{
	float4 v = *(const float4 *)(x + 1);
	y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
extern "C" __global__ void good_row(const float *x, float *y, int cols)
{
	const float4 *row = (const float4 *)(x + blockIdx.x * cols);
	if (threadIdx.x * 4 + 3 < cols)
		y[threadIdx.x] = row[threadIdx.x].x + row[threadIdx.x].y + row[threadIdx.x].z + row[threadIdx.x].w;
}
extern "C" __global__ void good_tested(const float *x, float *y, int cols)
{
	const float *row = x + blockIdx.x * cols;
	if (threadIdx.x * 4 + 3 >= cols)
		return;
	if ((size_t)row % 16 == 0) {
		float4 v = ((const float4 *)row)[threadIdx.x];
		y[threadIdx.x] = v.x + v.y + v.z + v.w;
	} else {
		const float *p = row + 4 * threadIdx.x;
		y[threadIdx.x] = p[0] + p[1] + p[2] + p[3];
	}
}
/* whether cols is a multiple of four is the caller's affair; what 4-byte steps of the threads give is not */
extern "C" __global__ void good_rows(const float *x, float *y, int cols)
{
	const float4 *row = (const float4 *)(x + blockIdx.x * cols);
	for (int i = threadIdx.x; i < cols / 4; i += blockDim.x)
		((float4 *)(y + blockIdx.x * cols))[i] = row[i];
}
extern "C" __global__ void bad_steps(const float *x, float *y, int cols)
{
	float4 v = *(const float4 *)(x + blockIdx.x * cols + threadIdx.x);
	y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

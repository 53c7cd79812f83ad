// bad_product: grid=50021 block=32 args=ptr:10008401764,i32:50021,i32:50021
// bad_shift: grid=2000000 block=32 args=ptr:16384000000,i32:2000000,i32:2048
// good_wide: grid=50021 block=32 args=ptr:10008401764,i32:50021,i32:50021
// good_hash: grid=50021 block=32 args=ptr:4096,i32:50021,i32:50021
extern "C" __global__ void bad_product(float *y, int rows, int cols)
{
	for (int r = rows - 1; r >= rows - 2; r--)
		y[r * cols + (int)threadIdx.x] = 1.0f;
}
extern "C" __global__ void bad_shift(float *y, int rows, int cols)
{
	int r = rows - 1;
	y[(r << 11) + (int)threadIdx.x] = 1.0f;
}
extern "C" __global__ void good_wide(float *y, int rows, int cols)
{
	for (int r = rows - 1; r >= rows - 2; r--)
		y[(long long)r * cols + threadIdx.x] = 1.0f;
}
extern "C" __global__ void good_hash(float *y, int rows, int cols)
{
	unsigned h = (blockIdx.x * 2654435761u) >> 22; // wraps, and is meant to
	y[h] = 1.0f;
}

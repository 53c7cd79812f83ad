// bad_twenty: grid=1 block=32 args=ptr:128,i32:32
// bad_tail: grid=1 block=64 args=ptr:256,i32:50
// bad_odd_block: grid=1 block=48 args=ptr:192,i32:48
// bad_data: -
// good_all: grid=1 block=64 args=ptr:256,i32:50
// good_part: grid=1 block=48 args=ptr:192,i32:48
// good_whole_warp: grid=1 block=64 args=ptr:256,i32:32
// good_odd_block: grid=1 block=48 args=ptr:192,i32:48
extern "C" __global__ void bad_twenty(float *y, int n)
{
	float v = y[threadIdx.x];
	if (threadIdx.x < 20)
		v += __shfl_down_sync(0xffffffffu, v, 8);
	y[threadIdx.x] = v;
}
extern "C" __global__ void bad_tail(float *y, int n)
{
	if (threadIdx.x < n) {
		float v = y[threadIdx.x];
		for (int d = 16; d > 0; d /= 2)
			v += __shfl_xor_sync(0xffffffffu, v, d);
		y[threadIdx.x] = v;
	}
}
extern "C" __global__ void bad_odd_block(float *y, int n)
{
	float v = y[threadIdx.x];
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, d);
	y[threadIdx.x] = v;
}
extern "C" __global__ void bad_data(float *y, int n)
{
	float v = y[threadIdx.x];
	if (v > 0.0f)
		v = __shfl_sync(0xffffffffu, v, 0);
	y[threadIdx.x] = v;
}
extern "C" __global__ void good_all(float *y, int n)
{
	float v = threadIdx.x < n ? y[threadIdx.x] : 0.0f;
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, d);
	if (threadIdx.x < n)
		y[threadIdx.x] = v;
}
extern "C" __global__ void good_whole_warp(float *y, int n)
{
	if (threadIdx.x < n) { // n is a multiple of 32
		float v = y[threadIdx.x];
		for (int d = 16; d > 0; d /= 2)
			v += __shfl_xor_sync(0xffffffffu, v, d);
		y[threadIdx.x] = v;
	}
}
extern "C" __global__ void good_odd_block(float *y, int n)
{
	float v = y[threadIdx.x];
	for (int d = 8; d > 0; d /= 2) // stays within sixteen lanes
		v += __shfl_xor_sync(threadIdx.x < 32 ? 0xffffffffu : 0xffffu, v, d);
	y[threadIdx.x] = v;
}
/* a tree over the sixteen threads of the last warp that the mask names: lanes 8 to 15 get what nobody uses */
extern "C" __global__ void good_part(float *y, int n)
{
	float v = y[threadIdx.x];
	const unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
	for (int d = threadIdx.x < 32 ? 16 : 8; d > 0; d /= 2)
		v += __shfl_down_sync(mask, v, d);
	if (threadIdx.x % 32 == 0)
		y[threadIdx.x / 32] = v;
}

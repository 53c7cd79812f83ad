// bad_lane: -
// bad_block: -
// good_lane: -
// good_block: -
// good_loop: -
// good_any_block: -
extern "C" __global__ void __launch_bounds__(256) bad_lane(float *y)
{
	unsigned lane;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, 32; @p st.global.f32 [%1], %2; }" ::"r"(lane), "l"(y), "f"(1.0f) : "memory");
}
extern "C" __global__ void bad_block(float *y)
{
	unsigned t = threadIdx.x % 64;
	asm volatile("{ .reg .pred p; setp.ge.u32 p, %0, 64; @p st.global.f32 [%1], %2; }" ::"r"(t), "l"(y), "f"(1.0f) : "memory");
}
extern "C" __global__ void good_lane(float *y)
{
	if (threadIdx.x % 32 < 31)
		y[threadIdx.x] = 1.0f;
}
extern "C" __global__ void good_block(float *y)
{
	if (threadIdx.x < 64)
		y[threadIdx.x] = 1.0f;
}
/* the test before a loop's first turn: no thread fails it */
extern "C" __global__ void good_loop(float *y)
{
	unsigned lane;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	for (unsigned i = lane; i < 256; i += 32)
		y[i] = (float)lane;
	y[lane + 256] = 1.0f;
}
/* written for any block: the largest there can be skips nothing */
extern "C" __global__ void good_any_block(float *y)
{
	for (int i = threadIdx.x; i < 2048; i += blockDim.x)
		y[i] = 1.0f;
	if (threadIdx.x >> 5 < 32)
		y[threadIdx.x] = 2.0f;
}

// bad_scale: grid=1 block=64 args=in:256,ptr:256,i32:64
// bad_clear: grid=1 block=64 args=in:256,ptr:256,i32:64
// good_copy: grid=1 block=64 args=in:256,ptr:256,i32:64
// good_in_place: grid=1 block=64 args=ptr:256,ptr:256,i32:64
extern "C" __global__ void bad_scale(float *x, float *y, int n)
{
	int i = threadIdx.x;
	if (i < n) {
		x[i] *= 2.0f;
		y[i] = x[i];
	}
}
extern "C" __global__ void bad_clear(float *x, float *y, int n)
{
	int i = threadIdx.x;
	if (i < n) {
		y[i] = x[i];
		x[i] = 0.0f;
	}
}
extern "C" __global__ void good_copy(const float *x, float *y, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
extern "C" __global__ void good_in_place(float *x, float *y, int n)
{
	int i = threadIdx.x;
	if (i < n)
		y[i] = x[i] *= 2.0f;
}

// Kernels that hold a known number of instructions of each kind; machine_smNN.cubin are ptxas' code for them (make_ptx.sh). What ptxas -v says:
//   loads7 … shared: 400 bytes, 4 barriers (0, and 3 is the highest); bounded: __launch_bounds__(64); stack: a stack frame.
#define TIMES(n) _Pragma("unroll") for (int k = 0; k < n; k++)
extern "C" __global__ void loads7(const volatile float *x, volatile float *y)
{
	float s = 0;
	TIMES(7) s += x[3 * k];
	y[0] = s;
}
extern "C" __global__ void stores5(volatile float *y)
{
	TIMES(5) y[3 * k] = 1.0f;
}
extern "C" __global__ void shared(const float *x, float *y)
{
	__shared__ float s[100];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	asm volatile("bar.sync 3;");
	y[threadIdx.x] = s[(threadIdx.x + 1) % 100];
}
extern "C" __global__ void __launch_bounds__(64) bounded(const float *x, float *y)
{
	float a = x[threadIdx.x], b = a;
	TIMES(7) a = __shfl_xor_sync(~0u, a, k + 1) * 1.5f;
	TIMES(6) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(b));
	y[threadIdx.x] = a + b;
}
extern "C" __global__ void stack(const float *x, float *y, int n)
{
	volatile float a[16];
	float s = 0;
	TIMES(7) a[n + k] = x[k];
	TIMES(5) s += a[n * k];
	y[0] = s;
}
extern "C" __global__ void atomics(int *x, int *y)
{
	int a = 0;
	TIMES(3) a += atomicAdd(x + 5 * k + threadIdx.x, a + 1);
	TIMES(2) a += atomicCAS(x + 5 * k + threadIdx.x, a, 1);
	y[0] = a;
}

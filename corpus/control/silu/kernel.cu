/* silu - y[i] = x[i] / (1 + exp(-x[i])).
 *
 * Four elements a thread by one load and one store; the last N % 4 elements, and all of them
 * where x or y does not lie on a multiple of four elements, one by one. */
#define THREADS 256

struct __align__(4 * sizeof(T)) in4 {
	T v[4];
};
struct __align__(4 * sizeof(OUT_T)) out4 {
	OUT_T v[4];
};

static __device__ float value(float x)
{
	return x / (1.0f + expf(-x));
}

extern "C" __global__ void ENTRY(silu)(const T *x, OUT_T *y, long long N)
{
	const long long i = 4 * ((long long)blockIdx.x * THREADS + threadIdx.x);
	const bool aligned = (size_t)x % sizeof(in4) == 0 && (size_t)y % sizeof(out4) == 0;

	if (aligned && i + 4 <= N) {
		in4 in = *(const in4 *)(x + i);
		out4 out;
		for (int k = 0; k < 4; k++)
			out.v[k] = (OUT_T)value((float)in.v[k]);
		*(out4 *)(y + i) = out;
	} else {
		for (long long j = i; j < N && j < i + 4; j++) {
			float v = x[j];
			y[j] = (OUT_T)value(v);
		}
	}
}

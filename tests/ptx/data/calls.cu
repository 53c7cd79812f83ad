struct pair { float a, b, c; int d; };
__device__ __noinline__ pair twist(pair p, int k) { p.a += k; p.d -= k; return p; }
__device__ __noinline__ float fact(float x) { return x <= 1 ? 1 : x * fact(x - 1); }
__device__ __noinline__ void poke(int *p, long v) { *p = (int)v; }
__device__ __noinline__ int clamp(int x, int lo, short hi) { return x < lo ? lo : x > hi ? hi : x; }
extern "C" __global__ void calls(pair *p, int *q)
{
	int i = threadIdx.x;
	p[i] = twist(p[i], i);
	p[i].b = fact(p[i].a);
	poke(q + i, clamp(i, 3, 100));
}

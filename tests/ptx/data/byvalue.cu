struct alignas(64) blob { char b[128]; };
struct args { const float *x; float *y; int n; double k; short s; char c; };
extern "C" __global__ void byvalue(args a, blob b, bool flag, unsigned char u, short s, float2 f)
{
	if (flag)
		a.y[threadIdx.x] = a.x[threadIdx.x] * (float)a.k + b.b[threadIdx.x & 127] + u + s + f.y + a.s + a.c;
}

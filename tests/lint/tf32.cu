// bad_mma: -
// bad_convert: -
// good_fma: -
// good_f16: -
extern "C" __global__ void bad_mma(const unsigned *x, float *y)
{
	float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
	asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
	             : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(x[threadIdx.x]), "r"(x[threadIdx.x + 32]), "r"(x[threadIdx.x + 64]));
	y[threadIdx.x] = d0 + d1 + d2 + d3;
}
extern "C" __global__ void bad_convert(const float *x, float *y)
{
	unsigned u;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(x[threadIdx.x]));
	y[threadIdx.x] = __uint_as_float(u);
}
extern "C" __global__ void good_fma(const float *x, float *y) { y[threadIdx.x] = fmaf(x[threadIdx.x], 2.0f, y[threadIdx.x]); }
extern "C" __global__ void good_f16(const unsigned *x, float *y)
{
	float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
	             : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(x[threadIdx.x]), "r"(x[threadIdx.x + 32]), "r"(x[threadIdx.x + 64]));
	y[threadIdx.x] = d0 + d1 + d2 + d3;
}

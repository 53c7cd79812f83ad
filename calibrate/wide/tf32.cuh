/* tf32.cuh - the known-good products of calibrate/kernels/ of f32 matrices whose elements are rounded to tf32 as
 * they are read, to nearest and ties away from zero, as is usual before tensor cores: included before one of them. */
struct tf32 {
	float v;
	__device__ operator float() const
	{
		unsigned r;
		asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
		return __uint_as_float(r);
	}
};
#undef T
#define T tf32

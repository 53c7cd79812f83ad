/* fp8.cuh - 8-bit floats that become f32 by themselves, as the known-good products of calibrate/kernels/ read
 * their elements (CUDA's convert only when told to): included before one of them. */
typedef T raw8;
struct fp8 {
	raw8 v;
	__device__ operator float() const
	{
		return (float)v;
	}
};
#undef T
#define T fp8

/* mma_tf32_by_shuffles.cuh - the functions of calibrate/tensor/mma_tf32.cuh by mma_by_shuffles.cuh. */
static __device__ void mma_tf32(float c[4], const unsigned a[4], const unsigned b[2])
{
	by_shuffles<8, 1>(c, a, b, 0.0f);
}
static __device__ void mma_tf32(float c[4], const unsigned a[2], const unsigned b)
{
	by_shuffles<4, 1>(c, a, &b, 0.0f);
}

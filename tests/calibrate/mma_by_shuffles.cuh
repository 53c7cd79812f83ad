/* mma_by_shuffles.cuh - mma.sync by shuffles and FMAs, for an emulator without tensor cores: in the place of the functions of
 * calibrate/tensor/mma.cuh and mma_tf32.cuh (test_tensor.sh puts it there). Where an element lies is written here from the
 * tables of the PTX ISA (fragments for mma.m16n8k4, .m16n8k8 and .m16n8k16), not from those files: with PACK elements
 * of A and B a register, 2 of 16 bits or 1 of tf32, element (row, k) of A and (k, column) of B are
 *
 *   in lane      row % 8 * 4 + k / PACK % 4,  column * 4 + k / PACK % 4
 *   in register  row / 8 + k / (4 * PACK) * 2,  k / (4 * PACK)
 *
 * and (row, column) of C in lane row % 8 * 4 + column / 2, register row / 8 * 2 + column % 2. */
template <int K, int PACK, class E> static __device__ void by_shuffles(float c[4], const unsigned *a, const unsigned *b, E)
{
	union {
		unsigned word;
		E v[PACK];
	} x, y;
	const int lane = threadIdx.x % 32;

	for (int k = 0; k < K; k++)
		for (int i = 0; i < 4; i++) {
			x.word = __shfl_sync(0xffffffffu, a[i / 2 + k / (4 * PACK) * 2], lane / 4 * 4 + k / PACK % 4);
			y.word = __shfl_sync(0xffffffffu, b[k / (4 * PACK)], (lane % 4 * 2 + i % 2) * 4 + k / PACK % 4);
			c[i] = fmaf((float)x.v[k % PACK], (float)y.v[k % PACK], c[i]);
		}
}

template <class E> static __device__ void mma_k16(float c[4], const unsigned a[4], const unsigned b[2], E e)
{
	by_shuffles<16, 2>(c, a, b, e);
}
template <class E> static __device__ void mma_k8(float c[4], const unsigned a[2], const unsigned b[1], E e)
{
	by_shuffles<8, 2>(c, a, b, e);
}

/* mma_tf32.cuh - products of 16 x K and K x 8 tiles of f32 rounded to tf32 on tensor cores, after mma.cuh.
 *
 * With g = lane / 4 and t = lane % 4 (PTX ISA, mma.m16n8k4 and .m16n8k8), a lane has of A the rows g and g + 8, of B
 * the column g, of both the k = t (and 4 further). */

static __device__ void mma_tf32(float c[4], const unsigned a[4], const unsigned b[2])
{
	asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ void mma_tf32(float c[4], const unsigned a[2], const unsigned b)
{
	asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(b));
}

/* Element k of a row rounded to tf32, 0 where there is none. */
static __device__ unsigned tf32_at(matrix m, long long row, long long k, long long K)
{
	const float v = row < m.rows && k < K ? m.at[row * m.row + k * m.k] : 0.0f;
	unsigned r;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return r;
}

/* c += A[m0.., k] · B[k, n0..] in blocks of D = 8 or 4. bt: B, by columns. */
template <int D>
static __device__ void tf32_tile(float c[4], matrix a, matrix bt, long long m0, long long n0, long long K)
{
	const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	for (long long k = 0; k < K; k += D) {
		unsigned x[4], y[2];
		for (int h = 0; h < D / 4; h++) {
			x[2 * h] = tf32_at(a, m0 + g, k + t + 4 * h, K);
			x[2 * h + 1] = tf32_at(a, m0 + g + 8, k + t + 4 * h, K);
			y[h] = tf32_at(bt, n0 + g, k + t + 4 * h, K);
		}
		if (D == 8)
			mma_tf32(c, x, y);
		else
			mma_tf32(c, x, y[0]);
	}
}

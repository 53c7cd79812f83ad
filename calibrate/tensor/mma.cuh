/* mma.cuh - products of 16 x K and K x 8 tiles on the tensor cores of sm_80 and later, by mma.sync with f32
 * accumulators. Included once per element type, T, as common.cuh is.
 *
 * A warp holds the tiles as the PTX ISA lays them out (mma.m16n8k16 and .m16n8k8): with g = lane / 4 and
 * t = lane % 4, a lane has of A the rows g and g + 8, of B the column g, of both the k = 2t, 2t+1 (and 8 further),
 * and of C the rows g and g + 8 with the columns 2t, 2t+1. */

static __device__ void mma_k16(float c[4], const unsigned a[4], const unsigned b[2], __half)
{
	asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ void mma_k16(float c[4], const unsigned a[4], const unsigned b[2], __nv_bfloat16)
{
	asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ void mma_k8(float c[4], const unsigned a[2], const unsigned b[1], __half)
{
	asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
static __device__ void mma_k8(float c[4], const unsigned a[2], const unsigned b[1], __nv_bfloat16)
{
	asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

struct matrix {
	const T *at;
	long long rows, row, k; /* rows there are; strides of a row and of k */
};

/* Elements k and k+1 of a row, 0 where there are none. */
static __device__ unsigned pair(matrix m, long long row, long long k, long long K)
{
	union {
		T v[2];
		unsigned word;
	} u;
	for (int i = 0; i < 2; i++)
		u.v[i] = row < m.rows && k + i < K ? m.at[row * m.row + (k + i) * m.k] : (T)0.0f;
	return u.word;
}

/* c += A[m0.., k] · B[k, n0..] for the k from `from` on, `step` apart in blocks of D = 16 or 8. bt: B, by columns. */
template <int D>
static __device__ void mma_tile(float c[4], matrix a, matrix bt, long long m0, long long n0, long long from,
                                long long step, long long K)
{
	const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	for (long long k = from; k < K; k += step) {
		unsigned x[4], y[2];
		for (int h = 0; h < D / 8; h++) {
			x[2 * h] = pair(a, m0 + g, k + 2 * t + 8 * h, K);
			x[2 * h + 1] = pair(a, m0 + g + 8, k + 2 * t + 8 * h, K);
			y[h] = pair(bt, n0 + g, k + 2 * t + 8 * h, K);
		}
		if (D == 16)
			mma_k16(c, x, y, T());
		else
			mma_k8(c, x, y, T());
	}
}

struct output {
	OUT_T *at;
	long long M, N, m, n; /* sizes, strides */
};

static __device__ void store_tile(output o, long long m0, long long n0, const float c[4])
{
	const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	for (int i = 0; i < 4; i++) {
		const long long m = m0 + g + 8 * (i / 2), n = n0 + 2 * t + i % 2;
		if (m < o.M && n < o.N)
			o.at[m * o.m + n * o.n] = (OUT_T)c[i];
	}
}

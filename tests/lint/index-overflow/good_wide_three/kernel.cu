/* As bad_three, with the batch's offset in 64 bits: what is left fits 32. */
extern "C" __global__ void good_wide_three(const float *a, const float *b, float *c, int M, int N, int K)
{
	int n = blockIdx.x * 16 + threadIdx.x, m = blockIdx.y * 16 + threadIdx.y;
	float s = 0.0f;

	if (m >= M || n >= N)
		return;
	a += (long long)blockIdx.z * M * K;
	b += (long long)blockIdx.z * K * N;
	c += (long long)blockIdx.z * M * N;
	for (int k = 0; k < K; k++)
		s += a[m * K + k] * b[k * N + n];
	c[m * N + n] = s;
}

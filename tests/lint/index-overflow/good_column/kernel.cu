// The twin of bad_column that computes every index in 64 bits.
extern "C" __global__ void good_column(const float *a, const float *b, float *c, int M, int N, int K)
{
	const int m = blockIdx.y * 16 + threadIdx.y, n = blockIdx.x * 16 + threadIdx.x;
	float sum = 0.0f;

	if (m >= M || n >= N)
		return;
	for (int k = 0; k < K; k++)
		sum += a[(long long)m * K + k] * b[(long long)k * N + n];
	c[(long long)m * N + n] = sum;
}

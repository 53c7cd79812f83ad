// k * N overflows after more turns of the loop than are followed where K and N are alike.
extern "C" __global__ void bad_column(const float *a, const float *b, float *c, int M, int N, int K)
{
	const int m = blockIdx.y * 16 + threadIdx.y, n = blockIdx.x * 16 + threadIdx.x;
	float sum = 0.0f;

	if (m >= M || n >= N)
		return;
	for (int k = 0; k < K; k++)
		sum += a[(long long)m * K + k] * b[k * N + n];
	c[(long long)m * N + n] = sum;
}

/* Matrices of at most 1024 x 1024, and batches of them in z: no two sizes make an index overflow, three do. */
extern "C" __global__ void bad_three(const float *a, const float *b, float *c, int M, int N, int K)
{
	int n = blockIdx.x * 16 + threadIdx.x, m = blockIdx.y * 16 + threadIdx.y, batch = blockIdx.z;
	float s = 0.0f;

	if (m >= M || n >= N)
		return;
	for (int k = 0; k < K; k++)
		s += a[(batch * M + m) * K + k] * b[(batch * K + k) * N + n];
	c[(batch * M + m) * N + n] = s;
}

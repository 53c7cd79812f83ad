extern "C" __global__ void generic(float *x, int k)
{
	__shared__ float s[64];
	float l[8];
	float *p = k > 3 ? x : k > 1 ? s : l;
	for (int i = 0; i < 8; i++)
		l[i] = i * k;
	s[threadIdx.x] = k;
	__syncthreads();
	p[k & 7] += 1;
	x[0] = l[k & 7] + s[k] + (__isGlobal(p) ? 1 : __isShared(p) ? 2 : __isLocal(p) ? 3 : 4);
}

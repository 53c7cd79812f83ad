extern "C" __global__ void choose(const int *op, float *x)
{
	int i = threadIdx.x;
	float v = x[i];
	switch (op[i]) {
	case 0: v = v + 1; break;
	case 1: v = v * v; break;
	case 2: v = sinf(v); break;
	case 3: v = 1 / v; break;
	case 4: v = -v; break;
	case 5: v = fmodf(v, 3.0f); break;
	case 6: v = floorf(v); break;
	case 7: v = rintf(v); break;
	default: v = 0;
	}
	x[i] = v;
}

extern "C" __global__ void spin(volatile int *flag, int *data, const int4 *__restrict__ ro)
{
	while (*flag == 0)
		;
	int4 v = __ldg(ro + threadIdx.x);
	data[0] = __ldcg(data + 1) + __ldcs(data + 2) + __ldlu(data + 3) + __ldcv(data + 4) + v.x + v.w;
	__stwt(data + 5, 1);
	*flag = 2;
	if (v.y > 3)
		__trap();
}

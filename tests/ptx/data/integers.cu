extern "C" __global__ void integers(const int *a, const long long *b, const unsigned *c, int *o, long long *p,
                                    unsigned char *q, short *s)
{
	int i = threadIdx.x, x = a[i];
	unsigned u = c[i];
	long long l = b[i];
	o[i] = x / 7 + x % 9 + (x / (int)u) + (int)(u % 13) + __clz(x) + __popc(u) + __ffs(x);
	o[i] += __brev(u) + __byte_perm(x, u, 0x3210) + __funnelshift_l(x, u, 5) + __mulhi(x, x) + __dp4a(x, x, x);
	p[i] = l / 10 + l % x + __umul64hi(l, l) + (l >> 3) + (l << (x & 31)) + __popcll(l) + __clzll(l);
	q[i] = (unsigned char)(q[i] * 3 + x);
	s[i] = (short)(s[i] / 3 - q[i]);
	o[i] ^= min(x, 5) + max(u, 7u) + abs(x) + __sad(x, x, u) + (x > 3 ? u : x) + __mul24(x, x);
	p[i] += llabs(l) + __float2ll_rn((float)l) + (long long)__int_as_float(x) + (int)(double)u;
	asm("bfe.u32 %0, %1, 3, 5;" : "=r"(o[i]) : "r"(x));
	asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p lop3.b32 %0, %1, %2, %1, 0x96; }" : "=r"(o[i]) : "r"(x), "r"(u));
}

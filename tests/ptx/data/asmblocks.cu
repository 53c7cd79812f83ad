extern "C" __global__ void asmblocks(int *x, float *f, long long *l)
{
	int v = x[threadIdx.x], r, id, m;
	asm volatile("{\n .reg .pred P1;\n .reg .b32 t;\n setp.gt.s32 P1, %1, 3;\n mov.u32 t, 0;\n"
	             "LOOP:\n add.s32 t, t, %1;\n @!P1 bra DONE;\n add.u32 %0, t, 010;\n DONE:\n }" : "=r"(r) : "r"(v));
	asm volatile("{\n .reg .pred P1;\n setp.lt.s32 P1, %1, 3;\n @P1 bra DONE;\n mov.b32 %0, 0b1011;\n DONE:\n }"
	             : "+r"(r) : "r"(v));
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
	asm volatile("{mul.f32 %0,%0,%0;}" : "+f"(f[0]));
	asm volatile("ld.global.L1::evict_last.v2.b32 {%0,%1}, [%2];" : "=r"(r), "=r"(id) : "l"(l));
	asm volatile("mov.b64 {%0,%1}, %2;" : "=r"(r), "=r"(id) : "l"(l[0]));
	asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(r) : "l"(x));
	asm volatile("st.release.gpu.global.b32 [%0], %1;" :: "l"(x), "r"(r));
	asm volatile("nanosleep.u32 100;");
	x[threadIdx.x] = r + id + m;
}

/* mufu.c - chooses the array form of the special functions for this processor. */
#include "ptx/mufu_isa.h"

void mufu_array(enum mufu_function f, const uint32_t *a, uint32_t *d, size_t n)
{
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		mufu_loops_avx512[f](a, d, n);
	else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		mufu_loops_avx2[f](a, d, n);
	else
		mufu_loops_sse2[f](a, d, n);
}

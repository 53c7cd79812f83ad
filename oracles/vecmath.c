#include "oracles/vecmath.h"

#include <mpfr.h>

extern const struct vm_table vm_table_sse2, vm_table_avx2, vm_table_avx512;

const struct vm_table *vm_table_of(enum vm_isa isa)
{
	switch (isa) {
	case VM_SSE2:
		return &vm_table_sse2;
	case VM_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
		               ? &vm_table_avx2
		               : NULL;
	case VM_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		                       __builtin_cpu_supports("avx512dq") &&
		                       __builtin_cpu_supports("avx512vl")
		               ? &vm_table_avx512
		               : NULL;
	default:
		return NULL;
	}
}

const struct vm_table *vm_best(void)
{
	const struct vm_table *t = vm_table_of(VM_AVX512);

	if (!t)
		t = vm_table_of(VM_AVX2);
	return t ? t : &vm_table_sse2;
}

#define X(name)                                                                                    \
	void vm_##name(const double *x, double *y, size_t n)                                       \
	{                                                                                          \
		vm_best()->name(x, y, n);                                                          \
	}
VM_LIST(X)
#undef X

/* Correctly rounded, gradual underflow included: MPFR at 53 bits would round twice among
 * subnormals, but their error then stays below one unit of 2^-1074, which VM_ABS covers. */
static void by_mpfr(int (*f)(mpfr_t, const mpfr_t, mpfr_rnd_t), const double *x, double *y,
                    size_t n)
{
	mpfr_t a, r;

	mpfr_inits2(53, a, r, (mpfr_ptr)0);
	for (size_t i = 0; i < n; i++) {
		mpfr_set_d(a, x[i], MPFR_RNDN);
		f(r, a, MPFR_RNDN);
		y[i] = mpfr_get_d(r, MPFR_RNDN);
	}
	mpfr_clears(a, r, (mpfr_ptr)0);
}

void vm_sin(const double *x, double *y, size_t n)
{
	by_mpfr(mpfr_sin, x, y, n);
}

void vm_cos(const double *x, double *y, size_t n)
{
	by_mpfr(mpfr_cos, x, y, n);
}

void vm_pow(const double *a, const double *b, double *y, size_t n)
{
	mpfr_t x, e, r;

	mpfr_inits2(53, x, e, r, (mpfr_ptr)0);
	for (size_t i = 0; i < n; i++) {
		mpfr_set_d(x, a[i], MPFR_RNDN);
		mpfr_set_d(e, b[i], MPFR_RNDN);
		mpfr_pow(r, x, e, MPFR_RNDN);
		y[i] = mpfr_get_d(r, MPFR_RNDN);
	}
	mpfr_clears(x, e, r, (mpfr_ptr)0);
}

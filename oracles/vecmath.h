/* vecmath.h - elementary functions over arrays of doubles with proven error bounds.
 *
 * For every x (all 2^64 encodings, subnormals included) whose exact result f(x) is finite,
 *
 *	|y - f(x)| <= REL·|f(x)| + VM_ABS
 *
 * with the constant REL below; VM_ABS is needed only where the result is subnormal. The same bound
 *holds with |y| in place of |f(x)| after REL is doubled. Results are the same bits on every
 *instruction set (no fused operation is used), for every n and every alignment; y may be x. The
 *derivations stand above each function in vecmath_simd.c, the polynomials come from
 *tools/vecmath_coefs.c.
 *
 * NaN gives NaN (its payload is unspecified). Overflow gives infinity where the exact result
 *exceeds the largest finite double after an error of REL at most, so never below
 *0x1.fffffffffff00p+1023. Poles: log(0) = log1p(-1) = -inf; outside the domain NaN. exp(-inf) = 0,
 *expm1(-inf) = -1, erf(±inf) = tanh(±inf) = ±1, erfc(inf) = 0, erfc(-inf) = 2. expm1, log1p, erf,
 *tanh, sin return ±0 for ±0; log(1) = log2(1) = +0. Signs are right, and |erf|, |tanh| <= 1, expm1
 *>= -1, 0 <= erfc <= 2 hold. */
#ifndef ORACLES_VECMATH_H
#define ORACLES_VECMATH_H

#include <stddef.h>

#define VM_EXP_REL   0x1p-51
#define VM_EXP2_REL  0x1p-51
#define VM_EXPM1_REL 0x1p-50
#define VM_LOG_REL   0x1p-51
#define VM_LOG2_REL  0x1p-50
#define VM_LOG1P_REL 0x1p-50
#define VM_ERF_REL   0x1p-49
#define VM_ERFC_REL  0x1p-48
#define VM_TANH_REL  0x1p-49
#define VM_SIN_REL   0x1p-53 /* sin, cos, pow: correctly rounded by MPFR, slow (microseconds) */
#define VM_COS_REL   0x1p-53
#define VM_POW_REL   0x1p-53
#define VM_ABS       0x1p-1074

/* X(name): one argument, vectorised. */
#define VM_LIST(X) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log1p) X(erf) X(erfc) X(tanh)

#define X(name)    void vm_##name(const double *x, double *y, size_t n);
VM_LIST(X)
#undef X

void vm_sin(const double *x, double *y, size_t n);
void vm_cos(const double *x, double *y, size_t n);
/* y = a^b as IEEE 754's pow. */
void vm_pow(const double *a, const double *b, double *y, size_t n);

/* The same functions as one table an instruction set, for tests: NULL when this machine lacks it.
 * vm_best() is what vm_exp and the others use. */
enum vm_isa { VM_SSE2, VM_AVX2, VM_AVX512, VM_ISA_COUNT };
struct vm_table {
#define X(name) void (*name)(const double *x, double *y, size_t n);
	VM_LIST(X)
#undef X
};
const struct vm_table *vm_table_of(enum vm_isa isa);
const struct vm_table *vm_best(void);

#endif

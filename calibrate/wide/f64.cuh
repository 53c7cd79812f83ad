/* f64.cuh - the known-good kernels of calibrate/kernels/ with every float of theirs a double: included before
 * one of them, it makes the same order of operations in f64.
 *
 * Only such kernels are taken whose constants are exact in f32. */
#define float    double
#define fmaxf(a, b) fmax((double)(a), (double)(b))
#define fminf(a, b) fmin((double)(a), (double)(b))
#define fabsf    fabs
#define copysignf copysign
#define expf     exp
#define logf     log
#define sqrtf    sqrt
#define rsqrtf   rsqrt
#define tanhf    tanh
#define expm1f   expm1
#define fmaf     fma
#define __fmul_rn __dmul_rn
#define __fadd_rn __dadd_rn

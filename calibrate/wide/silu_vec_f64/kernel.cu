/* silu_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "silu_vec/kernel.cu"

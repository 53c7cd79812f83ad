/* layernorm_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "layernorm_vec/kernel.cu"

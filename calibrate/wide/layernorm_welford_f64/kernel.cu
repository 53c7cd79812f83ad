/* layernorm_welford of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "layernorm_welford/kernel.cu"

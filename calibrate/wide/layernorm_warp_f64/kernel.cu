/* layernorm_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "layernorm_warp/kernel.cu"

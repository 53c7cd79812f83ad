/* layernorm_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "layernorm_serial/kernel.cu"

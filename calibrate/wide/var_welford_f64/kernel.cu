/* var_welford of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "var_welford/kernel.cu"

/* bmm_tile16 of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "bmm_tile16/kernel.cu"

/* max_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "max_warp/kernel.cu"

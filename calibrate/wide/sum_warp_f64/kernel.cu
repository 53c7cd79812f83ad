/* sum_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sum_warp/kernel.cu"

/* var_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "var_warp/kernel.cu"

/* cumsum_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "cumsum_warp/kernel.cu"

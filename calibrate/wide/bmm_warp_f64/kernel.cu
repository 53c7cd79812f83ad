/* bmm_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "bmm_warp/kernel.cu"

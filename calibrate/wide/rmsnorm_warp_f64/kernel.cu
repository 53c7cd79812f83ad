/* rmsnorm_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "rmsnorm_warp/kernel.cu"

/* l2norm_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "l2norm_warp/kernel.cu"

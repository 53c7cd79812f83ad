/* mean_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "mean_warp/kernel.cu"

/* matmul_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "matmul_warp/kernel.cu"

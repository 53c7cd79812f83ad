/* relu_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "relu_grid/kernel.cu"

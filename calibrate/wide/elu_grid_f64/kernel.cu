/* elu_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "elu_grid/kernel.cu"

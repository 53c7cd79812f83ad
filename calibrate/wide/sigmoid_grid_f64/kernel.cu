/* sigmoid_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sigmoid_grid/kernel.cu"

/* leaky_relu_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "leaky_relu_grid/kernel.cu"

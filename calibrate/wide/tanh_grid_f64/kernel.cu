/* tanh_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "tanh_grid/kernel.cu"

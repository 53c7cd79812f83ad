/* relu_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "relu_vec/kernel.cu"

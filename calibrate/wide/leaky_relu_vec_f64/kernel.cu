/* leaky_relu_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "leaky_relu_vec/kernel.cu"

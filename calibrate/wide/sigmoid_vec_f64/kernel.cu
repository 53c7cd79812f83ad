/* sigmoid_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sigmoid_vec/kernel.cu"

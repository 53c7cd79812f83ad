/* elu_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "elu_vec/kernel.cu"

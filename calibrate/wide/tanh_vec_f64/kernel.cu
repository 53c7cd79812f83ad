/* tanh_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "tanh_vec/kernel.cu"

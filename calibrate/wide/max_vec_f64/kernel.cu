/* max_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "max_vec/kernel.cu"

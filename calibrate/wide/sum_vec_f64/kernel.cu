/* sum_vec of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sum_vec/kernel.cu"

/* sum_split of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sum_split/kernel.cu"

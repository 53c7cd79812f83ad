/* max_split of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "max_split/kernel.cu"

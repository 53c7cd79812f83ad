/* cumsum_split of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "cumsum_split/kernel.cu"

/* cumsum_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "cumsum_serial/kernel.cu"

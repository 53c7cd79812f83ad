/* max_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "max_serial/kernel.cu"

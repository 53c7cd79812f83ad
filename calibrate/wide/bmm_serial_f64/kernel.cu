/* bmm_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "bmm_serial/kernel.cu"

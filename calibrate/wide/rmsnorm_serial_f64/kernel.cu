/* rmsnorm_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "rmsnorm_serial/kernel.cu"

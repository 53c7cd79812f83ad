/* sum_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sum_serial/kernel.cu"

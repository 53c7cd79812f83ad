/* var_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "var_serial/kernel.cu"

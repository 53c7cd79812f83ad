/* l2norm_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "l2norm_serial/kernel.cu"

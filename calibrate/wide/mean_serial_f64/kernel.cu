/* mean_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "mean_serial/kernel.cu"

/* softmax_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "softmax_serial/kernel.cu"

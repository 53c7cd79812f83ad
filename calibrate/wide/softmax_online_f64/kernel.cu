/* softmax_online of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "softmax_online/kernel.cu"

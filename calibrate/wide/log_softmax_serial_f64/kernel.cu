/* log_softmax_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "log_softmax_serial/kernel.cu"

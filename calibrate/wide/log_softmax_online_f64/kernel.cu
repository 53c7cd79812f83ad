/* log_softmax_online of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "log_softmax_online/kernel.cu"

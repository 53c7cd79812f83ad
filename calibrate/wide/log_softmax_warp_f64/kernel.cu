/* log_softmax_warp of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "log_softmax_warp/kernel.cu"

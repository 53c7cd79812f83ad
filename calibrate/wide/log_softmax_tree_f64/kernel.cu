/* log_softmax_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "log_softmax_tree/kernel.cu"

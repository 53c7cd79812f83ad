/* softmax_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "softmax_tree/kernel.cu"

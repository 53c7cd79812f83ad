/* l2norm_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "l2norm_tree/kernel.cu"

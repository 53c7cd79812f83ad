/* sum_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "sum_tree/kernel.cu"

/* rmsnorm_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "rmsnorm_tree/kernel.cu"

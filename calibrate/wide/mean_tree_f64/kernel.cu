/* mean_tree of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "mean_tree/kernel.cu"

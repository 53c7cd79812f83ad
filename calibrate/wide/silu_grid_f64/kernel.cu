/* silu_grid of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "silu_grid/kernel.cu"

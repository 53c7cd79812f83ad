/* bmm_splitk of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "bmm_splitk/kernel.cu"

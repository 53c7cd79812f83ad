/* bmm_warp of calibrate/kernels/ of 8-bit floats. */
#include "fp8.cuh"
#include "bmm_warp/kernel.cu"

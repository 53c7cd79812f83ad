/* bmm_tile16 of calibrate/kernels/ of 8-bit floats. */
#include "fp8.cuh"
#include "bmm_tile16/kernel.cu"

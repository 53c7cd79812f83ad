/* bmm_splitk of calibrate/kernels/ of 8-bit floats. */
#include "fp8.cuh"
#include "bmm_splitk/kernel.cu"

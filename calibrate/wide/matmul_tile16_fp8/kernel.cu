/* matmul_tile16 of calibrate/kernels/ of 8-bit floats. */
#include "fp8.cuh"
#include "matmul_tile16/kernel.cu"

/* matmul_serial of calibrate/kernels/ of 8-bit floats. */
#include "fp8.cuh"
#include "matmul_serial/kernel.cu"

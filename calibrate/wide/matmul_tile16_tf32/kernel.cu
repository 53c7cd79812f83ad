/* matmul_tile16 of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "matmul_tile16/kernel.cu"

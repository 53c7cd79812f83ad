/* matmul_serial of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "matmul_serial/kernel.cu"

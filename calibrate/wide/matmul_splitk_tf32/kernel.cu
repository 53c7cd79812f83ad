/* matmul_splitk of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "matmul_splitk/kernel.cu"

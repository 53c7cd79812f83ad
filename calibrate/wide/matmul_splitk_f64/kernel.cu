/* matmul_splitk of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "matmul_splitk/kernel.cu"

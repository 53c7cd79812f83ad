/* matmul_serial of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "matmul_serial/kernel.cu"

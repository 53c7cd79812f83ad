/* var_shifted of calibrate/kernels/ in f64. */
#include "f64.cuh"
#include "var_shifted/kernel.cu"

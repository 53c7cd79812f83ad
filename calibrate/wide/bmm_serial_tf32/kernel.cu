/* bmm_serial of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "bmm_serial/kernel.cu"

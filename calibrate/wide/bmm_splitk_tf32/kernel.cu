/* bmm_splitk of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "bmm_splitk/kernel.cu"

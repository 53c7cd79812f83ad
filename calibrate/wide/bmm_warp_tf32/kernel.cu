/* bmm_warp of calibrate/kernels/ with inputs rounded to tf32. */
#include "tf32.cuh"
#include "bmm_warp/kernel.cu"

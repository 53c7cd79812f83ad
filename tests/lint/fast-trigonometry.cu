// bad_sin: -
// bad_cos: -
// good_sin: -
// good_none: -
extern "C" __global__ void bad_sin(const float *x, float *y) { y[threadIdx.x] = __sinf(x[threadIdx.x]); }
extern "C" __global__ void bad_cos(const float *x, float *y) { y[threadIdx.x] = __cosf(x[threadIdx.x]) * x[threadIdx.x]; }
extern "C" __global__ void good_sin(const float *x, float *y) { y[threadIdx.x] = sinf(x[threadIdx.x]); }
extern "C" __global__ void good_none(const float *x, float *y) { y[threadIdx.x] = tanhf(x[threadIdx.x]); }

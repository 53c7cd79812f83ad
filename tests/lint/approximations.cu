// bad_exp: -
// bad_division: -
// good_fma: -
// good_division: -
extern "C" __global__ void bad_exp(const float *x, float *y) { y[threadIdx.x] = __expf(x[threadIdx.x]); }
extern "C" __global__ void bad_division(const float *x, float *y) { y[threadIdx.x] = __fdividef(x[threadIdx.x], y[threadIdx.x]); }
extern "C" __global__ void good_fma(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] * 2.0f + 1.0f; }
extern "C" __global__ void good_division(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] / y[threadIdx.x]; }

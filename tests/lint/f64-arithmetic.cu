// bad_literal: -
// bad_sqrt: -
// good_literal: -
// good_double: -
extern "C" __global__ void bad_literal(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] * 0.1; }
extern "C" __global__ void bad_sqrt(const float *x, float *y) { y[threadIdx.x] = (float)(1.0 / sqrt((double)x[threadIdx.x])); }
extern "C" __global__ void good_literal(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] * 0.1f; }
extern "C" __global__ void good_double(const double *x, double *y) { y[threadIdx.x] = x[threadIdx.x] * 0.1; }

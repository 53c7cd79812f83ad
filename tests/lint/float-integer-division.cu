// bad_reciprocal: -
// bad_quotient: -
// good_integer: -
// good_float: -
extern "C" __global__ void bad_reciprocal(float *y, int n, int b) { y[(int)((float)threadIdx.x * __frcp_rn((float)b))] = 1.0f; }
extern "C" __global__ void bad_quotient(float *y, int n, int b) { y[(int)((float)n / (float)b)] = 1.0f; }
extern "C" __global__ void good_integer(float *y, int n, int b) { y[n / b] = 1.0f; }
extern "C" __global__ void good_float(float *y, int n, int b) { y[(int)(y[n] / y[b])] = 1.0f; }

// bad_y: grid=1,65536 block=32 args=ptr:8388608
// bad_z: grid=1,1,70000 block=32 args=ptr:8960000
// good_y: grid=1,65535 block=32 args=ptr:8388608
// good_x: grid=70000 block=32 args=ptr:8960000
extern "C" __global__ void bad_y(float *y) { y[blockIdx.y * 32ll + threadIdx.x] = 1.0f; }
extern "C" __global__ void bad_z(float *y) { y[blockIdx.z * 32ll + threadIdx.x] = 1.0f; }
extern "C" __global__ void good_y(float *y) { y[blockIdx.y * 32ll + threadIdx.x] = 1.0f; }
extern "C" __global__ void good_x(float *y) { y[blockIdx.x * 32ll + threadIdx.x] = 1.0f; }

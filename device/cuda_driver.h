/* cuda_driver.h - the functions of libcuda that we call, opened at run time (private to device/).
 *
 * The prototypes are ours, written from NVIDIA's documentation of the driver API; names carry the
 * version suffix of the exported symbol. */
#ifndef DEVICE_CUDA_DRIVER_H
#define DEVICE_CUDA_DRIVER_H

#include "base/base.h"

typedef uint64_t cu_ptr;

/* X(member, exported symbol, parameters) */
#define CU_LIST(X)                                                                                 \
	X(init, cuInit, (unsigned flags))                                                          \
	X(driver_version, cuDriverGetVersion, (int *version))                                      \
	X(device_count, cuDeviceGetCount, (int *n))                                                \
	X(device_get, cuDeviceGet, (int *device, int ordinal))                                     \
	X(device_name, cuDeviceGetName, (char *name, int len, int device))                         \
	X(device_uuid, cuDeviceGetUuid, (uint8_t *uuid16, int device))                             \
	X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))         \
	X(primary_retain, cuDevicePrimaryCtxRetain, (void **ctx, int device))                      \
	X(ctx_set, cuCtxSetCurrent, (void *ctx))                                                   \
	X(ctx_sync, cuCtxSynchronize, (void))                                                      \
	X(module_load, cuModuleLoadDataEx,                                                         \
	  (void **module, const void *image, unsigned n, int *options, void **values))             \
	X(link_create, cuLinkCreate_v2, (unsigned n, int *options, void **values, void **link))    \
	X(link_add, cuLinkAddData_v2,                                                              \
	  (void *link, int type, void *data, size_t bytes, const char *name, unsigned n,           \
	   int *options, void **values))                                                           \
	X(link_complete, cuLinkComplete, (void *link, void **code, size_t *bytes))                 \
	X(link_destroy, cuLinkDestroy, (void *link))                                               \
	X(module_unload, cuModuleUnload, (void *module))                                           \
	X(module_function, cuModuleGetFunction, (void **f, void *module, const char *name))        \
	X(func_set, cuFuncSetAttribute, (void *f, int attribute, int value))                       \
	X(launch, cuLaunchKernel,                                                                  \
	  (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,  \
	   unsigned shared, void *stream, void **params, void **extra))                            \
	X(mem_info, cuMemGetInfo_v2, (size_t *free_bytes, size_t *total))                          \
	X(mem_alloc, cuMemAlloc_v2, (cu_ptr *p, size_t bytes))                                     \
	X(mem_free, cuMemFree_v2, (cu_ptr p))                                                      \
	X(to_device, cuMemcpyHtoD_v2, (cu_ptr to, const void *from, size_t bytes))                 \
	X(to_host, cuMemcpyDtoH_v2, (void *to, cu_ptr from, size_t bytes))                         \
	X(event_create, cuEventCreate, (void **event, unsigned flags))                             \
	X(event_record, cuEventRecord, (void *event, void *stream))                                \
	X(event_sync, cuEventSynchronize, (void *event))                                           \
	X(event_elapsed, cuEventElapsedTime, (float *ms, void *start, void *end))                  \
	X(event_destroy, cuEventDestroy_v2, (void *event))                                         \
	X(error_name, cuGetErrorName, (int code, const char **s))                                  \
	X(error_text, cuGetErrorString, (int code, const char **s))

struct cuda_driver {
#define X(member, symbol, params) int(*member) params;
	CU_LIST(X)
#undef X
};

/* Codes of CUresult that we tell apart (cuda.h's documentation). */
enum {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_OUT_OF_MEMORY = 2,
	CU_NOT_FOUND = 500,
	CU_ILLEGAL_ADDRESS = 700,
	CU_LAUNCH_OUT_OF_RESOURCES = 701,
	CU_LAUNCH_TIMEOUT = 702,
	CU_ASSERT = 710,
	CU_HARDWARE_STACK_ERROR = 714,
	CU_ILLEGAL_INSTRUCTION = 715,
	CU_MISALIGNED_ADDRESS = 716,
	CU_INVALID_ADDRESS_SPACE = 717,
	CU_INVALID_PC = 718,
	CU_LAUNCH_FAILED = 719,
};
enum { CU_ATTR_MAJOR = 75, CU_ATTR_MINOR = 76 };         /* CUdevice_attribute */
enum { CU_FUNC_MAX_DYNAMIC_SHARED = 8 };                 /* CUfunction_attribute */
enum { CU_JIT_INPUT_PTX = 1 };                           /* CUjitInputType */
enum {                                                   /* CUjit_option */
	CU_JIT_INFO_LOG = 3, CU_JIT_INFO_SIZE, CU_JIT_ERROR_LOG, CU_JIT_ERROR_SIZE,
};

/* Opens $GPUEMU_LIBCUDA, else libcuda.so.1, and calls cuInit. ST_UNSUP when there is none, ST_DEVICE
 * when it refuses. */
MUST_USE enum st cuda_driver_open(struct cuda_driver *d, struct err *e);
/* "CUDA_ERROR_…: text" of a code, into out. */
const char *cuda_error(const struct cuda_driver *d, int code, char out[256]);
/* A number or a UUID (with or without "GPU-", or a prefix of one) to a device; the message of a wrong
 * one lists those there are. */
MUST_USE enum st cuda_find_device(const struct cuda_driver *d, const char *which, int *device,
                                  struct err *e);
/* "NVIDIA H200, sm_90, CUDA 13.0, driver 580.159.04" */
void cuda_describe(const struct cuda_driver *d, int device, char out[256]);

#endif

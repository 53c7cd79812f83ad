/* nvrtc_find.h - where NVRTC and its runtime headers lie on this machine (private to device/). */
#ifndef DEVICE_NVRTC_FIND_H
#define DEVICE_NVRTC_FIND_H

#include "base/base.h"

struct nvrtc_place {
	char path[512];    /* the shared library, as dlopen takes it */
	char version[16];  /* "13.0", from the library itself */
	char headers[512]; /* folder of cuda_fp16.h; "" when there is none */
	char why[512];     /* when nothing was found: where it was looked for */
};

/* In this order: $GPUEMU_NVRTC (a library or its folder; when set nothing else is tried), the
 * toolkits of $CUDA_HOME, $CUDA_PATH and /usr/local/cuda*, pip's nvidia packages in $VIRTUAL_ENV,
 * $CONDA_PREFIX, the user's and the system's Python, and at last whatever the dynamic linker finds
 * by name. */
bool nvrtc_locate(struct nvrtc_place *at);

#endif

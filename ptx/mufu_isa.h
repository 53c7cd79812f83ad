/* mufu_isa.h - between mufu.c and the three builds of mufu_simd.c. */
#ifndef PTX_MUFU_ISA_H
#define PTX_MUFU_ISA_H

#include "ptx/mufu.h"

typedef void mufu_loop(const uint32_t *a, uint32_t *d, size_t n);
extern mufu_loop *const mufu_loops_sse2[MUFU_COUNT];
extern mufu_loop *const mufu_loops_avx2[MUFU_COUNT];
extern mufu_loop *const mufu_loops_avx512[MUFU_COUNT];

#endif

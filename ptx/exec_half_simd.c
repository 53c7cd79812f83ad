/* exec_half_simd.c - handlers of f16 and bf16 arithmetic. */
#define LIST "ptx/exec_half.inc"
#define PART emu_half_part
#include "ptx/exec_lanes.h"

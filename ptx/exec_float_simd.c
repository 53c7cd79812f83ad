/* exec_float_simd.c - handlers of f32 and f64 arithmetic. */
#define LIST "ptx/exec_float.inc"
#define PART emu_float_part
#include "ptx/exec_lanes.h"

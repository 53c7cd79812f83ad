/* exec_cvt_simd.c - handlers of cvt. */
#define LIST "ptx/exec_cvt.inc"
#define PART emu_cvt_part
#include "ptx/exec_lanes.h"

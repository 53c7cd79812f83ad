/* exec_cmp_simd.c - handlers of setp, set and testp. */
#define LIST "ptx/exec_cmp.inc"
#define PART emu_cmp_part
#include "ptx/exec_lanes.h"

/* exec_int_simd.c - handlers of integer instructions. */
#define LIST "ptx/exec_int.inc"
#define PART emu_int_part
#include "ptx/exec_lanes.h"

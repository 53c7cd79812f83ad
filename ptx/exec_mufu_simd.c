/* exec_mufu_simd.c - handlers of the special functions. */
#include "ptx/exec.h"
#include "ptx/mufu.h"
#define LIST "ptx/exec_mufu.inc"
#define PART emu_mufu_part
#include "ptx/exec_lanes.h"

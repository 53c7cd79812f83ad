/* exec_parts.h - the vector files' lists of handlers, once an instruction set. */
#ifndef PTX_EXEC_PARTS_H
#define PTX_EXEC_PARTS_H

#include "ptx/exec.h"

#define EMU_PARTS(isa)                                                                             \
	struct emu_part emu_mem_part_##isa(void), emu_float_part_##isa(void),                      \
		emu_int_part_##isa(void), emu_cvt_part_##isa(void), emu_cmp_part_##isa(void),      \
		emu_flow_part_##isa(void), emu_half_part_##isa(void),                   \
		emu_mufu_part_##isa(void);                                                         \
	void emu_run_##isa(struct emu_warp *w), emu_run_sanitized_##isa(struct emu_warp *w);
EMU_PARTS(sse2)
EMU_PARTS(avx2)
EMU_PARTS(avx512)

#endif

/* isa_choose.c - the handlers of one instruction set of the host, and the choice among the sets. */
#include "ptx/exec_parts.h"

#define ISA_TABLE(isa)                                                                             \
	static int parts_##isa(struct emu_part p[EMU_MAX_PARTS])                                   \
	{                                                                                          \
		const struct emu_part all[] = {                                                    \
		        emu_mem_part_##isa(),  emu_flow_part_##isa(), emu_float_part_##isa(),      \
		        emu_half_part_##isa(), emu_int_part_##isa(),  emu_cmp_part_##isa(),        \
		        emu_cvt_part_##isa(),  emu_mufu_part_##isa(), emu_mem_slow_part(),         \
		        emu_misc_part(),                                                           \
		};                                                                                 \
		memcpy(p, all, sizeof all);                                                        \
		return ARRAY_LEN(all);                                                             \
	}                                                                                          \
	static const struct emu_isa table_##isa = {#isa, parts_##isa, emu_run_##isa,               \
	                                           emu_run_sanitized_##isa};
ISA_TABLE(sse2)
ISA_TABLE(avx2)
ISA_TABLE(avx512)

const struct emu_isa *emu_isa_choose(const char *name)
{
	/* f16c, which clang 14 cannot ask for, came with AVX2 or earlier in every processor */
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
	              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	              __builtin_cpu_supports("avx512vl");
	if (avx512 && (!name || !strcmp(name, "avx512")))
		return &table_avx512;
	if (avx2 && (!name || !strcmp(name, "avx2")))
		return &table_avx2;
	return !name || !strcmp(name, "sse2") ? &table_sse2 : NULL;
}

/* occupancy.c - how many blocks of a kernel an SM holds at once.
 *
 * CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per Compute Capability": blocks, warps and shared
 * memory of an SM; 65536 registers each. Registers are given out to warps in units of 256, and a warp's share of an SM's
 * registers to four warps at a time; shared memory in units of 256 bytes before 8.0 and of 128 since, where the system keeps 1024 bytes of each block. */
#include "validate/lint/cubin.h"

#define REGISTERS 65536
#define REGISTER_UNIT 256
#define WARP_UNIT 4

static const struct sm {
	int sm, blocks, warps, shared_kib, shared_unit, system_shared;
} sms[] = {
	{70, 32, 64, 96, 256, 0},     {75, 16, 32, 64, 256, 0},     {80, 32, 64, 164, 128, 1024},  {86, 16, 48, 100, 128, 1024},
	{89, 24, 48, 100, 128, 1024}, {90, 32, 64, 228, 128, 1024}, {100, 32, 64, 228, 128, 1024},
};

int occupancy_sm(int i)
{
	return i >= 0 && i < (int)ARRAY_LEN(sms) ? sms[i].sm : 0;
}

static uint64_t round_up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) / unit * unit;
}

static void at_most(struct occupancy *o, uint64_t blocks, const char *limit)
{
	if (blocks < (uint64_t)o->blocks) {
		o->blocks = (int)blocks;
		o->limit = limit;
	}
}

bool occupancy_of(int sm, int registers, uint64_t shared, int threads, struct occupancy *out)
{
	const struct sm *s = NULL;
	uint64_t warps = ((uint64_t)threads + 31) / 32, warp_registers = round_up((uint64_t)registers * 32, REGISTER_UNIT);

	for (size_t i = 0; i < ARRAY_LEN(sms); i++)
		if (sms[i].sm == sm)
			s = &sms[i];
	if (!s || threads < 1 || registers < 0)
		return false;
	*out = (struct occupancy){.blocks = s->blocks, .max_warps = s->warps, .limit = "blocks"};
	at_most(out, (uint64_t)s->warps / warps, "threads");
	if (warp_registers)
		at_most(out, REGISTERS / warp_registers / WARP_UNIT * WARP_UNIT / warps, "registers");
	if (shared < UINT64_MAX / 2) {
		uint64_t block = round_up(shared + (uint64_t)s->system_shared, (uint64_t)s->shared_unit);

		if (block)
			at_most(out, (uint64_t)s->shared_kib * 1024 / block, "shared memory");
	} else {
		at_most(out, 0, "shared memory");
	}
	out->warps = out->blocks * (int)warps;
	if (out->blocks == 0)
		out->limit = "does not fit";
	return true;
}

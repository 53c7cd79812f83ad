/* atom.c - what an atomic operation leaves in memory. */
#include "ptx/emu.h"
#include "ptx/num.h"
#include "ptx/num_half.h"
#include "ptx/num_int.h"

static uint64_t integer(enum ir_mod op, uint64_t a, uint64_t b, int bits, bool is_signed)
{
	uint64_t x = int_extend(a, bits, is_signed), y = int_extend(b, bits, is_signed);
	bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
	switch (op) {
	case MOD_AND: return a & b;
	case MOD_OR: return a | b;
	case MOD_XOR: return a ^ b;
	case MOD_ADD: return a + b;
	case MOD_MIN: return less ? a : b;
	case MOD_MAX: return less ? b : a;
	case MOD_INC: return x >= y ? 0 : x + 1;
	case MOD_DEC: return x == 0 || x > y ? y : x - 1;
	default: return b; /* exch */
	}
}
static uint64_t half(enum ir_mod op, uint32_t a, uint32_t b, enum num_half t)
{
	struct half_mods none = {false, false, false};
	return op == MOD_ADD ? half_add(a, b, t, none)
	                     : half_minmax(a, b, t, op == MOD_MAX, false, false, false);
}
static uint64_t pair(enum ir_mod op, uint32_t a, uint32_t b, enum num_half t)
{
	return half(op, a & 0xffff, b & 0xffff, t) | half(op, a >> 16, b >> 16, t) << 16;
}

/* In global memory the L2 adds and hands a NaN on as it is, the operand's before the memory's; in shared memory ptxas
 * makes a loop around DADD of operand and memory, whose rule f64_add follows (both: H200). */
static uint64_t double_add(uint64_t memory, uint64_t operand, bool global)
{
	if (!global)
		return f64_add(operand, memory, RND_NE);
	return f64_isnan(operand) ? operand : f64_isnan(memory) ? memory : f64_add(memory, operand, RND_NE);
}

uint64_t emu_atom_result(enum ir_mod op, enum ir_ty ty, uint64_t a, uint64_t b, uint64_t c,
                         bool global)
{
	if (op == MOD_CAS)
		return a == (b & int_mask(ir_ty_bits(ty))) ? c : a;
	switch (ty) {
	/* ATOMG.ADD.F32 flushes subnormals; in shared memory ptxas makes a loop around FADD */
	case TY_F32: return f32_add((uint32_t)a, (uint32_t)b, RND_NE, global, false);
	case TY_F64: return double_add(a, b, global);
	case TY_F16: return half(op, (uint32_t)a, (uint32_t)b, HALF_F16);
	case TY_BF16: return half(op, (uint32_t)a, (uint32_t)b, HALF_BF16);
	case TY_F16X2: return pair(op, (uint32_t)a, (uint32_t)b, HALF_F16);
	case TY_BF16X2: return pair(op, (uint32_t)a, (uint32_t)b, HALF_BF16);
	default:
		return integer(op, a, b, ir_ty_bits(ty), ir_ty_class(ty) == CL_S);
	}
}

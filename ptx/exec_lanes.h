/* exec_lanes.h - how a list of lane expressions becomes handlers.  A vector file defines LIST as
 * the name of an .inc file of rows
 *
 *	H(name, D, A, B, C, expression)
 *
 * and PART as the function that exports them.  D: bits of the destination (1: a predicate);
 * A, B, C: of the sources x, y and z (0: none).  A fourth source of 32 bits is v, an immediate op->imm. */
#include "ptx/exec.h"
#include "ptx/exec_parts.h"
#include "ptx/num_cvt.h"

typedef uint32_t lane_0, lane_32;
typedef uint64_t lane_64;

#define SOURCES(A, B, C)                                                                           \
	const lane_##A *a_ = __builtin_assume_aligned(w->reg + op->a, UNIT);                       \
	const lane_##B *b_ = __builtin_assume_aligned(w->reg + op->b, UNIT);                       \
	const lane_##C *c_ = __builtin_assume_aligned(w->reg + op->c, UNIT);                       \
	const lane_32 *e_ = __builtin_assume_aligned(w->reg + op->e, UNIT)
#define SOURCE_LANES(A, B, C)                                                                      \
	lane_##A x = a_[i];                                                                        \
	lane_##B y = b_[i];                                                                        \
	lane_##C z = c_[i];                                                                        \
	lane_32 v = e_[i];                                                                         \
	(void)x, (void)y, (void)z, (void)v

#define DEFINE_32(name, A, B, C, expr) DEFINE_LANES(name, 32, A, B, C, expr)
#define DEFINE_64(name, A, B, C, expr) DEFINE_LANES(name, 64, A, B, C, expr)
#define DEFINE_LANES(name, D, A, B, C, expr)                                                       \
	static const struct emu_op *x_##name(struct emu_warp *w, const struct emu_op *op)          \
	{                                                                                          \
		lane_##D *d_ = __builtin_assume_aligned(w->reg + op->d, UNIT);                     \
		SOURCES(A, B, C);                                                                  \
		LANE_LOOP                                                                          \
		{                                                                                  \
			SOURCE_LANES(A, B, C);                                                     \
			d_[i] = (lane_##D)(expr);                                                  \
		}                                                                                  \
		return op + 1;                                                                     \
	}
#define DEFINE_1(name, A, B, C, expr)                                                              \
	static const struct emu_op *x_##name(struct emu_warp *w, const struct emu_op *op)          \
	{                                                                                          \
		uint32_t t_[LANES], *d_ = emu_pred(w, op->d);                                      \
		SOURCES(A, B, C);                                                                  \
		LANE_LOOP                                                                          \
		{                                                                                  \
			SOURCE_LANES(A, B, C);                                                     \
			t_[i] = (expr) ? ~0u : 0u;                                                 \
		}                                                                                  \
		*d_ = (*d_ & ~w->exec) | (mask_of(t_) & w->exec);                                  \
		return op + 1;                                                                     \
	}
#define DEST_1 DEST_SELF

#define H(name, D, A, B, C, expr) DEFINE_##D(name, A, B, C, expr)
#include LIST
#undef H

#define H(name, D, A, B, C, expr) {#name, x_##name, x_##name, DEST_##D, A, B, C},
static const struct emu_handler handlers[] = {
#include LIST
};
#undef H

struct emu_part JOIN(PART, ISA)(void)
{
	return (struct emu_part){handlers, ARRAY_LEN(handlers)};
}

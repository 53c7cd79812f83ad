/* misc.c - operations that concern the warp or the machine as a whole: the end, barriers, votes,
 * traps, clocks, address spaces. */
#include "ptx/emu.h"

typedef const struct emu_op *next_op;

static next_op op_exit(struct emu_warp *w, const struct emu_op *op)
{
	(void)op;
	return emu_exit(w);
}
static next_op op_trap(struct emu_warp *w, const struct emu_op *op)
{
	return emu_fault(w, op, lowest(w->exec), FIND_TRAP, "the kernel executes trap");
}
/* Reaching code that cannot be: a brx.idx index outside its table. */
static next_op op_brx(struct emu_warp *w, const struct emu_op *op)
{
	const uint32_t *index = emu_reg(w, op->a), *table = w->run->p->table + op->target;
	uint32_t left = w->exec;
	if (w->shadow)
		emu_uninit(w, op, op->a, left, "used to choose a branch");
	while (left) {
		int first = lowest(left);
		uint32_t i = index[first], same = 0;
		if (i >= op->other)
			return emu_fault(w, op, first, FIND_TRAP,
			                 "brx.idx with index %u in a table of %u targets", i,
			                 op->other);
		for (uint32_t m = left; m; m &= m - 1)
			same |= index[lowest(m)] == i ? 1u << lowest(m) : 0;
		emu_diverge_into(w, table[i], same);
		left &= ~same;
	}
	return emu_next_group(w);
}

static void set_pred(struct emu_warp *w, uint32_t reg, bool v)
{
	uint32_t *d = emu_pred(w, reg);
	*d = (*d & ~w->exec) | (v ? w->exec : 0);
}
static void set_word(struct emu_warp *w, uint32_t reg, uint32_t v)
{
	uint32_t *d = emu_reg(w, reg);
	for (uint32_t m = w->exec; m; m &= m - 1)
		d[lowest(m)] = v;
}
/* a: member mask of the operation that follows. */
static next_op meet(struct emu_warp *w, const struct emu_op *op)
{
	if (w->ngroup == 0)
		return op + 1;
	return emu_meet(w, op, ((const uint32_t *)emu_reg(w, op->a))[lowest(w->exec)]);
}
/* d, predicate a, member mask b; size: the mode. */
static next_op vote(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t member = ((const uint32_t *)emu_reg(w, op->b))[lowest(w->exec)] & w->exec;
	uint32_t p = *emu_pred(w, op->a);
	p = (op->flags & OPF_NEG ? ~p : p) & member;
	switch (op->size) {
	case MOD_BALLOT:
		set_word(w, op->d, p);
		break;
	case MOD_ALL:
		set_pred(w, op->d, p == member);
		break;
	case MOD_ANY:
		set_pred(w, op->d, p != 0);
		break;
	default:
		set_pred(w, op->d, p == 0 || p == member);
		break; /* uni */
	}
	return op + 1;
}
static next_op vote_sanitized(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t poison = emu_shadow(w, op->a)->poison & w->exec;
	struct emu_shadow *d = emu_shadow(w, op->d);
	d->poison = (d->poison & ~w->exec) | (poison ? w->exec : 0);
	d->wrapped &= ~w->exec;
	d->wide &= ~w->exec;
	if (poison)
		d->origin = emu_shadow(w, op->a)->origin;
	return vote(w, op);
}
static next_op activemask(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t *d = emu_reg(w, op->d);
	for (int i = 0; i < LANES; i++)
		d[i] = w->exec;
	return op + 1;
}
/* A clock that advances with the instructions executed, so that runs are repeatable. */
static next_op clock32(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t *d = emu_reg(w, op->d);
	for (int i = 0; i < LANES; i++)
		d[i] = (uint32_t)(w->run->warp_insns >> op->imm);
	return op + 1;
}
static next_op clock64(struct emu_warp *w, const struct emu_op *op)
{
	uint64_t *d = emu_reg(w, op->d);
	for (int i = 0; i < LANES; i++)
		d[i] = w->run->warp_insns;
	return op + 1;
}
/* d: whether the generic address a lies in the space (size). */
static next_op isspacep(struct emu_warp *w, const struct emu_op *op)
{
	const uint64_t *a = emu_reg(w, op->a);
	uint32_t *d = emu_pred(w, op->d), in = 0;
	for (int i = 0; i < LANES; i++) {
		uint64_t window = a[i] & WINDOW_MASK, k = (a[i] + (1ull << 39)) >> REGION_SHIFT;
		bool constant = k - 1 < (uint64_t)w->run->nregion && w->run->region[k - 1].constant;
		bool yes = op->size == MOD_SHARED  ? window == SHARED_WINDOW
		           : op->size == MOD_LOCAL ? window == LOCAL_WINDOW
		           : op->size == MOD_PARAM ? window == PARAM_WINDOW
		           : op->size == MOD_CONST ? window == 0 && constant
		           /* the window of kernel parameters lies in the global one (ISA, 6.4.1; H200) */
		                                   : window == PARAM_WINDOW || (window == 0 && !constant);
		in |= yes ? 1u << i : 0;
	}
	*d = (*d & ~w->exec) | (in & w->exec);
	return op + 1;
}
static next_op nothing(struct emu_warp *w, const struct emu_op *op)
{
	(void)w;
	return op + 1;
}

static const struct emu_handler handlers[] = {
        {"exit", op_exit, op_exit, DEST_SELF, 0, 0, 0},
        {"trap", op_trap, op_trap, DEST_SELF, 0, 0, 0},
        {"brx", op_brx, op_brx, DEST_SELF, 0, 0, 0},
        {"bar", emu_bar, emu_bar, DEST_SELF, 0, 0, 0},
        {"meet", meet, meet, DEST_SELF, 0, 0, 0},
        {"vote", vote, vote_sanitized, DEST_SELF, 0, 0, 0},
        {"activemask", activemask, activemask, DEST_32, 0, 0, 0},
        {"clock32", clock32, clock32, DEST_32, 0, 0, 0},
        {"clock64", clock64, clock64, DEST_64, 0, 0, 0},
        {"isspacep", isspacep, isspacep, DEST_SELF, 64, 0, 0},
        {"nothing", nothing, nothing, DEST_SELF, 0, 0, 0},
};
struct emu_part emu_misc_part(void)
{
	return (struct emu_part){handlers, ARRAY_LEN(handlers)};
}

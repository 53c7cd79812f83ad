/* warp.c - the lanes of a warp that part and meet again.
 *
 * Operations lie in an order in which every join comes after all that leads to it and loops are
 * contiguous (order.c).  So it is enough to run, of all groups of lanes, the one with the least pc:
 * it waits for no one, and a group that has reached a join waits there for all that can still come.
 */
#include "ptx/emu.h"

/* Puts a group among those that wait, the greatest pc first. */
static void push(struct emu_warp *w, uint32_t pc, uint32_t mask)
{
	int i = w->ngroup;
	while (i > 0 && w->group[i - 1].pc < pc)
		i--;
	if (i > 0 && w->group[i - 1].pc == pc) {
		w->group[i - 1].mask |= mask;
		return;
	}
	for (int k = w->ngroup++; k > i; k--)
		w->group[k] = w->group[k - 1];
	w->group[i] = (struct emu_group){pc, mask};
}
void emu_diverge_into(struct emu_warp *w, uint32_t pc, uint32_t mask)
{
	push(w, pc, mask);
}
/* The group with the least pc runs. */
static const struct emu_op *pop(struct emu_warp *w)
{
	struct emu_group g = w->group[--w->ngroup];
	w->exec = g.mask;
	return w->code + g.pc;
}

const struct emu_op *emu_diverge(struct emu_warp *w, uint32_t taken, uint32_t mask, uint32_t other)
{
	uint32_t rest = w->exec & ~mask;
	if (taken < other) {
		push(w, other, rest);
		w->exec = mask;
		return w->code + taken;
	}
	push(w, taken, mask);
	w->exec = rest;
	return w->code + other;
}

const struct emu_op *emu_regroup(struct emu_warp *w, uint32_t pc)
{
	push(w, pc, w->exec);
	return pop(w);
}

const struct emu_op *emu_next_group(struct emu_warp *w)
{
	if (w->ngroup)
		return pop(w);
	w->exec = 0;
	w->next = NULL;
	w->state = w->nwait ? WARP_BARRIER : WARP_DONE;
	return NULL;
}

const struct emu_op *emu_exit(struct emu_warp *w)
{
	struct emu_run *r = w->run;
	if (!r->exited)
		r->first_exited = (uint32_t)(w->index * LANES + lowest(w->exec));
	r->exited += (uint32_t)__builtin_popcount(w->exec);
	w->alive &= ~w->exec;
	return emu_next_group(w);
}

const struct emu_op *emu_meet(struct emu_warp *w, const struct emu_op *op, uint32_t member)
{
	uint32_t pc = (uint32_t)(op - w->code), behind = 0;
	for (int i = w->ngroup; i-- > 0 && w->group[i].pc <= pc;)
		behind |= w->group[i].mask;
	if (!(behind & member))
		return op + 1;
	w->unfair = 0;
	return emu_regroup(w, pc);
}

/* Another warp gets its turn; and of this one's lanes, when they are parted, those that have waited longest run
 * for a while, so that a lane that spins lets the one it waits for go on. They may get ahead of lanes with a
 * lesser pc: until they meet them (emu_meet). */
const struct emu_op *emu_yield(struct emu_warp *w, uint32_t pc)
{
	enum { TURN = 64 }; /* blocks to enter */
	w->next = w->code + pc;
	if (w->ngroup) {
		push(w, pc, w->exec);
		struct emu_group g = w->group[0];
		for (int i = 1; i < w->ngroup; i++)
			w->group[i - 1] = w->group[i];
		w->ngroup--;
		w->exec = g.mask;
		w->next = w->code + g.pc;
		w->unfair = TURN;
	}
	return NULL;
}

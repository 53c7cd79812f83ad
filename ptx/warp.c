/* warp.c - the lanes of a warp that part and meet again.
 *
 * Operations lie in an order in which every join comes after all that leads to it and loops are
 * contiguous (order.c).  So it is enough to run, of all groups of lanes, the one with the least pc:
 * it waits for no one, and a group that has reached a join waits there for all that can still come.
 */
#include "ptx/emu.h"

/* Puts a group among those that wait, the greatest pc first. */
static void put(struct emu_warp *w, struct emu_group g)
{
	int i = w->ngroup;
	while (i > 0 && w->group[i - 1].pc < g.pc)
		i--;
	if (i > 0 && w->group[i - 1].pc == g.pc) {
		w->group[i - 1].mask |= g.mask;
		w->group[i - 1].meets &= g.meets;
		return;
	}
	for (int k = w->ngroup++; k > i; k--)
		w->group[k] = w->group[k - 1];
	w->group[i] = g;
}
static void push(struct emu_warp *w, uint32_t pc, uint32_t mask)
{
	put(w, (struct emu_group){.pc = pc, .mask = mask});
}
/* Takes group i out of those that wait, and runs it. */
static const struct emu_op *take(struct emu_warp *w, int i)
{
	struct emu_group g = w->group[i];
	for (w->ngroup--; i < w->ngroup; i++)
		w->group[i] = w->group[i + 1];
	w->exec = g.mask;
	return w->code + g.pc;
}
void emu_diverge_into(struct emu_warp *w, uint32_t pc, uint32_t mask)
{
	push(w, pc, mask);
}
/* The group with the least pc runs. */
static const struct emu_op *pop(struct emu_warp *w)
{
	return take(w, w->ngroup - 1);
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

enum { TURN = 64 }; /* blocks to enter */

const struct emu_op *emu_meet(struct emu_warp *w, const struct emu_op *op, uint32_t member)
{
	uint32_t pc = (uint32_t)(op - w->code), behind = 0;
	struct emu_group self = {pc, w->exec, true};
	if (!w->ngroup) {
		w->overtaken = 0;
		return op + 1;
	}
	for (int i = w->ngroup; i-- > 0 && w->group[i].pc <= pc;)
		behind |= w->group[i].mask;
	if (behind & member) {
		w->unfair = 0;
		put(w, self);
		return pop(w);
	}
	/* round a loop, past lanes that stand further down in it: they run, though their pc is not the least */
	for (int i = w->ngroup; i-- > 0;)
		if (w->group[i].mask & member & w->overtaken && !w->group[i].meets) {
			const struct emu_op *next = take(w, i);
			put(w, self);
			w->unfair = TURN;
			return next;
		}
	return op + 1;
}

/* Another warp gets its turn; and of this one's lanes, when they are parted, those that have waited longest run
 * for a while, so that a lane that spins lets the one it waits for go on. They may get ahead of lanes with a
 * lesser pc: until they meet them (emu_meet). */
const struct emu_op *emu_yield(struct emu_warp *w, uint32_t pc)
{
	w->next = w->code + pc;
	if (w->ngroup) {
		push(w, pc, w->exec);
		w->next = take(w, 0);
		w->unfair = TURN;
		for (int i = 0; i < w->ngroup; i++)
			w->overtaken |= w->group[i].mask;
	} else {
		w->overtaken = 0;
	}
	return NULL;
}

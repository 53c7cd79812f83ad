/* barrier.c - bar.sync and its kin: who waits, when a barrier is complete, and what is wrong with
 * it.
 *
 * Threads arrive by themselves, as they have since Volta: a barrier without a thread count is
 * complete when every thread of the block that has not ended has arrived; one with a count when
 * that many have, a warp counting for 32 (PTX ISA, bar).  A thread that has ended, or that stands
 * at another bar instruction, while others wait is reported: it is undefined for .aligned barriers.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/emu.h"

static uint32_t operand(const struct emu_warp *w, uint32_t reg)
{
	return ((const uint32_t *)emu_reg(w, reg))[lowest(w->exec)];
}

/* sub: 0 sync, 1 arrive, 2 red.and, 3 red.or, 4 red.popc. */
enum { BAR_SYNC, BAR_ARRIVE, BAR_AND, BAR_OR, BAR_POPC };

static void reduce(struct emu_warp *w, const struct emu_op *op, struct emu_barrier *b)
{
	uint32_t p = *emu_pred(w, op->c);
	if (op->flags & OPF_NEG)
		p = ~p;
	p &= w->exec;
	b->red_or |= p != 0;
	b->red_and |= p != w->exec; /* kept inverted, so that 0 is the start */
	b->red_popc += (uint32_t)__builtin_popcount(p);
}

/* a: id, b: count (OPF_COUNT), c: predicate of red, d: its result, size: what is done. */
const struct emu_op *emu_bar(struct emu_warp *w, const struct emu_op *op)
{
	struct emu_run *r = w->run;
	uint32_t id = operand(w, op->a), count = op->flags & OPF_COUNT ? operand(w, op->b) : 0;
	if (id >= MAX_BARRIERS)
		return emu_fault(w, op, lowest(w->exec), FIND_BARRIER_DIVERGENCE,
		                 "barrier %u does not exist: there are 16", id);
	if (count % LANES)
		return emu_fault(w, op, lowest(w->exec), FIND_BARRIER_DIVERGENCE,
		                 "the thread count %u of a barrier is no multiple of 32", count);
	struct emu_barrier *b = &r->bar[id];
	bool here = false; /* has a part of this warp arrived already? */
	uint32_t pc = (uint32_t)(op - w->code);
	for (int i = 0; i < w->nwait; i++)
		here |= w->wait[i].id == id;
	uint32_t n = (uint32_t)__builtin_popcount(w->exec);
	b->arrived += count ? (here ? 0 : LANES) : n;
	b->count = count;
	if (op->size >= BAR_AND)
		reduce(w, op, b);
	if (op->size == BAR_ARRIVE)
		return op + 1;
	struct emu_wait *q = &w->wait[w->nwait++];
	*q = (struct emu_wait){pc + 1, w->exec, id, count, pc, op->size >= BAR_AND};
	return emu_next_group(w);
}

static void give_result(struct emu_warp *w, const struct emu_wait *q, const struct emu_barrier *b)
{
	const struct emu_op *op = w->code + q->op;
	if (op->size == BAR_POPC) {
		uint32_t *d = emu_reg(w, op->d);
		for (uint32_t m = q->mask; m; m &= m - 1)
			d[lowest(m)] = b->red_popc;
	} else if (q->red) {
		uint32_t *d = emu_pred(w, op->d);
		bool v = op->size == BAR_AND ? !b->red_and : b->red_or;
		*d = (*d & ~q->mask) | (v ? q->mask : 0);
	}
	if (q->red && w->shadow)
		emu_shadow(w, op->d)->poison &= ~q->mask;
}

/* Lanes of one warp that wait at different instructions. */
static void check_warp(struct emu_warp *w, uint32_t id)
{
	const struct emu_wait *first = NULL;
	for (int i = 0; i < w->nwait; i++) {
		const struct emu_wait *q = &w->wait[i];
		if (q->id != id)
			continue;
		if (!first)
			first = q;
		else if (q->op != first->op)
			emu_find(w, w->code + q->op, lowest(q->mask), FIND_BARRIER_DIVERGENCE, "",
			         0,
			         "threads of one warp wait at different barrier instructions "
			         "(the other at PTX line %d)",
			         w->run->p->site[w->code[first->op].site].line);
	}
}

/* Warps that wait at barrier id go on. */
static void let_go(struct emu_run *r, uint32_t id)
{
	struct emu_barrier b = r->bar[id];
	memset(&r->bar[id], 0, sizeof r->bar[id]);
	for (uint32_t k = 0; k < r->nwarps; k++) {
		struct emu_warp *w = &r->warp[k];
		int keep = 0, n = w->nwait;
		check_warp(w, id);
		for (int i = 0; i < n; i++) {
			struct emu_wait q = w->wait[i];
			if (q.id != id) {
				w->wait[keep++] = q;
				continue;
			}
			give_result(w, &q, &b);
			emu_diverge_into(w, q.pc, q.mask);
		}
		w->nwait = keep;
		if (keep == n)
			continue;
		if (w->state ==
		    WARP_READY) /* lanes that did not wait were in the middle of something */
			emu_diverge_into(w, (uint32_t)(w->next - w->code), w->exec);
		w->next = emu_next_group(w);
		w->state = WARP_READY;
	}
}

/* The first wait at barrier id, for messages. */
static struct emu_warp *first_at(struct emu_run *r, uint32_t id, struct emu_wait **q)
{
	for (uint32_t k = 0; k < r->nwarps; k++)
		for (int i = 0; i < r->warp[k].nwait; i++)
			if (r->warp[k].wait[i].id == id) {
				*q = &r->warp[k].wait[i];
				return &r->warp[k];
			}
	return NULL;
}

static void thread_text(const struct emu_run *r, uint32_t t, char out[48])
{
	const uint32_t *b = r->launch->block;
	snprintf(out, 48, "(%u,%u,%u)", t % b[0], t / b[0] % b[1], t / b[0] / b[1]);
}

/* A barrier for all threads is complete without those that have ended. */
static void report_exited(struct emu_run *r, uint32_t id)
{
	struct emu_wait *q = NULL;
	struct emu_warp *w = first_at(r, id, &q);
	char t[48];
	thread_text(r, r->first_exited, t);
	if (w)
		emu_find(w, w->code + q->op, lowest(q->mask), FIND_BARRIER_DIVERGENCE, "", 0,
		         "a barrier for the whole block, which %u of its %u threads never reach: "
		         "they "
		         "have ended (thread %s first)",
		         r->exited, r->nthreads, t);
}

static void report_deadlock(struct emu_run *r)
{
	struct emu_wait *q = NULL;
	for (uint32_t id = 0; id < MAX_BARRIERS; id++) {
		struct emu_warp *w = first_at(r, id, &q);
		if (!w)
			continue;
		uint32_t want = q->count ? q->count : r->nthreads - r->exited;
		emu_find(w, w->code + q->op, lowest(q->mask), FIND_BARRIER_DIVERGENCE, "", 0,
		         "barrier %u waits for %u threads, and %u have arrived; no other can", id,
		         want, r->bar[id].arrived);
		emu_fault(w, w->code + q->op, lowest(q->mask), FIND_DEADLOCK,
		          "every thread of the block waits or has ended, at barrier %u", id);
	}
}

bool emu_release(struct emu_run *r)
{
	bool any = false, waiting = false, ready = false;
	for (uint32_t id = 0; id < MAX_BARRIERS; id++) {
		struct emu_barrier *b = &r->bar[id];
		if (!b->arrived)
			continue;
		uint32_t want = b->count ? b->count : r->nthreads - r->exited;
		if (b->arrived < want)
			continue;
		if (!b->count && r->exited)
			report_exited(r, id);
		let_go(r, id);
		any = true;
	}
	for (uint32_t k = 0; k < r->nwarps; k++) {
		ready |= r->warp[k].state == WARP_READY;
		waiting |= r->warp[k].state == WARP_BARRIER;
	}
	if (!any && !ready && waiting)
		report_deadlock(r);
	return any || ready;
}

/* spread.c - which values are the same in all threads of a block, or of a warp.
 *
 * Seeds are the thread's coordinates, results of atomics and exchanges, and unknown instructions. A load is as spread as its address. A
 * register written under a divergent condition is divergent when it has other definitions as well, or is read behind
 * the condition's end; the first is taken for both (what only one branch writes and only it reads has one definition). */
#include "validate/lint/fn.h"

struct worst {
	const struct lint_fn *f;
	uint8_t w;
};

static void read_spread(void *ctx, int reg)
{
	struct worst *w = ctx;

	if (w->f->spread[reg] > w->w)
		w->w = w->f->spread[reg];
}

static uint8_t sreg_spread(int s)
{
	switch (s) {
	case SR_TID_X: case SR_TID_Y: case SR_TID_Z: case SR_LANEID: case SR_CLOCK: case SR_LANEMASK_EQ:
	case SR_LANEMASK_LT: case SR_LANEMASK_LE: case SR_LANEMASK_GT: case SR_LANEMASK_GE:
		return DIVERGENT;
	case SR_WARPID:
		return WARP_UNIFORM;
	default:
		return UNIFORM;
	}
}

/* tid.x >> 5 and tid.x / 32 are the same in a warp when a block has one dimension, which launches nearly always make true of kernels that
 * write so; for what needs more, the witness engine decides. */
static bool drops_lane(const struct lint_fn *f, const struct ir_insn *i)
{
	const struct ir_insn *d;

	if (i->op != OP_SHR || i->src[1].kind != OPND_IMM || i->src[1].imm < 5 || i->src[0].kind != OPND_REG)
		return false;
	d = defs_only(f, i->src[0].reg);
	return d && d->op == OP_MOV && d->src[0].kind == OPND_SREG && d->src[0].reg == SR_TID_X;
}

static uint8_t result_spread(const struct lint_fn *f, const struct ir_insn *i)
{
	struct worst w = {f, UNIFORM};

	if (i->op == OP_ATOM || i->op == OP_CALL || i->op == OP_LATER)
		return DIVERGENT;
	if (i->op == OP_VOTE || i->op == OP_ACTIVEMASK)
		return WARP_UNIFORM;
	if (i->op == OP_BAR || i->op == OP_BARRIER)
		return UNIFORM;
	if (i->op == OP_SHFL && i->sub == MOD_IDX && i->src[1].kind == OPND_IMM)
		return WARP_UNIFORM;
	if (i->op == OP_LD && i->space == MOD_LOCAL)
		return DIVERGENT;
	for (int k = 0; k < i->nsrc; k++)
		if (i->src[k].kind == OPND_SREG && sreg_spread(i->src[k].reg) > w.w)
			w.w = sreg_spread(i->src[k].reg);
	insn_reads(i, read_spread, &w);
	if (w.w == DIVERGENT && drops_lane(f, i))
		return WARP_UNIFORM;
	return w.w;
}

struct raise {
	struct lint_fn *f;
	uint8_t value, control;
	bool changed;
};

static void raise_register(void *ctx, int reg)
{
	struct raise *r = ctx;
	uint8_t v = r->value;

	if (r->f->defs[reg].n > 1 && r->control > v)
		v = r->control;
	if (v > r->f->spread[reg]) {
		r->f->spread[reg] = v;
		r->changed = true;
	}
}

static bool raise_control(struct lint_fn *f, int b)
{
	uint8_t c = f->control[b];

	for (int i = 0; i < f->depends[b].n; i++) {
		int d = f->depends[b].v[i];
		const struct ir_insn *last = &f->f->insn[f->f->block[d].first + f->f->block[d].n - 1];
		uint8_t p = last->guard >= 0 ? f->spread[last->guard] : last->op == OP_BRX ? DIVERGENT : UNIFORM;

		if (f->control[d] > p)
			p = f->control[d];
		if (p > c)
			c = p;
	}
	if (c == f->control[b])
		return false;
	f->control[b] = c;
	return true;
}

void spread_analyse(struct lint_fn *f)
{
	bool changed = true;

	f->spread = arena_alloc(f->a, (size_t)f->f->nreg + 1);
	f->control = arena_alloc(f->a, (size_t)f->f->nblock + 1);
	while (changed) { /* three values a register and block: it ends */
		changed = false;
		for (int k = 0; k < f->f->nrpo; k++) {
			int b = f->f->rpo[k];

			changed |= raise_control(f, b);
			for (int i = 0; i < f->f->block[b].n; i++) {
				const struct ir_insn *in = &f->f->insn[f->f->block[b].first + i];
				struct raise r = {f, result_spread(f, in), f->control[b], false};

				insn_writes(in, raise_register, &r);
				changed |= r.changed;
			}
		}
	}
}

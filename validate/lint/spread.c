/* spread.c - which values are the same in all threads of a block, or of a warp.
 *
 * Seeds are the thread's coordinates, results of atomics and exchanges, and unknown instructions. A load is as spread as its address. A
 * register written under a divergent condition is divergent when it has other definitions as well, or is read behind
 * the condition's end; the first is taken for both (what only one branch writes and only it reads has one definition).
 *
 * Blocks are taken to have a multiple of 32 threads in x, as nearly all have, unless .reqntid says otherwise: then tid.y and tid.z are the same in a
 * warp, and so is what drops the lane from tid.x. Where launches are known the witness engine decides. */
#include "validate/lint/fn.h"

/* Of a register with several definitions it is the one that comes here that counts, where there is one. */
uint8_t spread_read(struct lint_fn *f, const struct ir_insn *at, int reg)
{
	int32_t v = f->spread[reg] == UNIFORM || f->defs[reg].n < 2 ? SSA_UNKNOWN : ssa_value(f, at, reg);

	return v >= 0 && f->f->insn[v].guard < 0 ? f->written[v] : f->spread[reg];
}

struct worst {
	struct lint_fn *f;
	const struct ir_insn *at;
	uint8_t w;
};

static void read_spread(void *ctx, int reg)
{
	struct worst *w = ctx;
	uint8_t s = spread_read(w->f, w->at, reg);

	if (s > w->w)
		w->w = s;
}

static bool warps_in_x(const struct lint_fn *f)
{
	return f->f->reqntid[0] % 32 == 0;
}

static uint8_t sreg_spread(const struct lint_fn *f, int s)
{
	switch (s) {
	case SR_TID_Y: case SR_TID_Z:
		return warps_in_x(f) ? WARP_UNIFORM : DIVERGENT;
	case SR_TID_X: case SR_LANEID: case SR_CLOCK: case SR_LANEMASK_EQ:
	case SR_LANEMASK_LT: case SR_LANEMASK_LE: case SR_LANEMASK_GT: case SR_LANEMASK_GE:
		return DIVERGENT;
	case SR_WARPID:
		return WARP_UNIFORM;
	default:
		return UNIFORM;
	}
}

/* What an operand that instruction `use` reads is made by, NULL: by none or several; copies and conversions of integers that keep the low bits are
 * looked through, and *o becomes what they copy. */
static const struct ir_insn *definition(struct lint_fn *f, const struct ir_insn *use, const struct ir_opnd **o)
{
	while ((*o)->kind == OPND_REG) {
		int32_t v = ssa_value(f, use, (*o)->reg);

		use = v >= 0 ? &f->f->insn[v] : NULL;
		if (!use || use->guard >= 0 || use->d.kind != OPND_REG)
			return NULL;
		if (ir_ty_class(use->ty[0]) == CL_F ||
		    (use->op != OP_MOV && (use->op != OP_CVT || ir_ty_class(use->ty[1]) == CL_F || ir_ty_bits(use->ty[1]) < 32)))
			return use;
		*o = &use->src[0];
	}
	return NULL;
}

#define DEPTH 8

/* The same in a warp, and a multiple of 32. */
static bool multiple_of_32(struct lint_fn *f, const struct ir_insn *use, const struct ir_opnd *o, int depth)
{
	const struct ir_insn *d = definition(f, use, &o);

	if (o->kind == OPND_IMM)
		return o->imm % 32 == 0;
	if (o->kind == OPND_SREG)
		return o->reg == SR_NTID_X && warps_in_x(f);
	if (!d || depth == 0 || f->spread[o->reg] == DIVERGENT)
		return false;
	switch (d->op) {
	case OP_SHL: return d->src[1].kind == OPND_IMM && d->src[1].imm >= 5;
	case OP_MUL: return d->sub != MOD_HI && (multiple_of_32(f, d, &d->src[0], depth - 1) || multiple_of_32(f, d, &d->src[1], depth - 1));
	case OP_ADD: case OP_SUB: return multiple_of_32(f, d, &d->src[0], depth - 1) && multiple_of_32(f, d, &d->src[1], depth - 1);
	default: return false;
	}
}

static bool same_in_warp(const struct lint_fn *f, const struct ir_opnd *o)
{
	return o->kind != OPND_REG || f->spread[o->reg] != DIVERGENT;
}

/* The lane, and beside it what is the same in a warp and a multiple of 32: tid.x, blockIdx.x * blockDim.x + threadIdx.x. */
static bool lane_and_more(struct lint_fn *f, const struct ir_insn *use, const struct ir_opnd *o, int depth)
{
	const struct ir_insn *d = definition(f, use, &o);
	const struct ir_opnd *s;

	if (o->kind == OPND_SREG)
		return o->reg == SR_LANEID || (o->reg == SR_TID_X && warps_in_x(f));
	if (!d || depth == 0)
		return false;
	s = d->src;
	switch (d->op) {
	case OP_ADD: case OP_OR:
		return (lane_and_more(f, d, &s[0], depth - 1) && multiple_of_32(f, d, &s[1], DEPTH)) ||
		       (lane_and_more(f, d, &s[1], depth - 1) && multiple_of_32(f, d, &s[0], DEPTH));
	case OP_MAD:
		return d->sub != MOD_HI && lane_and_more(f, d, &s[2], depth - 1) && same_in_warp(f, &s[0]) && same_in_warp(f, &s[1]) &&
		       (multiple_of_32(f, d, &s[0], DEPTH) || multiple_of_32(f, d, &s[1], DEPTH));
	default: return false;
	}
}

/* i / 32 of a signed i: i + (i >> 31 >>> 27) is shifted, and adds nothing to an index. */
static bool rounds_to_zero(struct lint_fn *f, const struct ir_insn *use, const struct ir_opnd *o)
{
	const struct ir_insn *d = definition(f, use, &o), *u;
	const struct ir_opnd *b = d && d->op == OP_ADD ? &d->src[1] : NULL;

	u = b ? definition(f, d, &b) : NULL;
	return u && u->op == OP_SHR && u->src[1].kind == OPND_IMM && u->src[1].imm >= 27 && lane_and_more(f, d, &d->src[0], DEPTH);
}

/* A result that is the same in a warp though the lane is among what it is made of. */
static bool drops_lane(struct lint_fn *f, const struct ir_insn *i)
{
	const struct ir_opnd *b = &i->src[1];
	uint64_t low;

	if (i->nsrc < 2 || (b->kind != OPND_IMM && i->op != OP_SETP))
		return false;
	if (i->op == OP_SHR)
		return b->imm >= 5 && (lane_and_more(f, i, &i->src[0], DEPTH) || rounds_to_zero(f, i, &i->src[0]));
	if (i->op == OP_AND)
		return b->imm % 32 == 0 && lane_and_more(f, i, &i->src[0], DEPTH);
	if (i->op != OP_SETP || (i->nsrc > 2 && i->src[2].kind != OPND_NONE) || !lane_and_more(f, i, &i->src[0], DEPTH))
		return false;
	low = b->kind == OPND_IMM ? b->imm % 32 : multiple_of_32(f, i, b, DEPTH) ? 0 : 1; /* < 32 k and > 32 k - 1 drop it */
	switch (i->cmp) {
	case MOD_LT: case MOD_LO: case MOD_GE: case MOD_HS: return low == 0;
	case MOD_LE: case MOD_LS: case MOD_GT: case MOD_HI: return low == 31;
	default: return false;
	}
}

/* shfl.idx of the whole warp by a lane that all its threads name: no bits of c divide it into segments. */
static bool one_lane_of_the_warp(struct lint_fn *f, const struct ir_insn *i)
{
	const struct ir_opnd *lane = &i->src[1], *c = &i->src[2];

	if (i->op != OP_SHFL || i->sub != MOD_IDX || (lane->kind != OPND_IMM && (lane->kind != OPND_REG || spread_read(f, i, lane->reg) == DIVERGENT)))
		return false;
	definition(f, i, &c);
	return c->kind == OPND_IMM && (c->imm & 0x1f1f) == 0x1f;
}

static uint8_t result_spread(struct lint_fn *f, const struct ir_insn *i)
{
	struct worst w = {f, i, UNIFORM};

	if (i->op == OP_ATOM || i->op == OP_CALL || i->op == OP_LATER)
		return DIVERGENT;
	if (i->op == OP_VOTE || i->op == OP_ACTIVEMASK)
		return WARP_UNIFORM;
	if (i->op == OP_BAR || i->op == OP_BARRIER)
		return UNIFORM;
	if (one_lane_of_the_warp(f, i) && (i->src[0].kind != OPND_REG || spread_read(f, i, i->src[0].reg) != UNIFORM ||
	                                   (i->src[1].kind == OPND_REG && spread_read(f, i, i->src[1].reg) != UNIFORM)))
		return WARP_UNIFORM;
	if (i->op == OP_LD && i->space == MOD_LOCAL)
		return DIVERGENT;
	for (int k = 0; k < i->nsrc; k++)
		if (i->src[k].kind == OPND_SREG && sreg_spread(f, i->src[k].reg) > w.w)
			w.w = sreg_spread(f, i->src[k].reg);
	insn_reads(i, read_spread, &w);
	if (w.w == DIVERGENT && drops_lane(f, i))
		return WARP_UNIFORM;
	return w.w;
}

struct raise {
	struct lint_fn *f;
	int at;
	uint8_t value, control;
	bool changed;
};

static void raise_register(void *ctx, int reg)
{
	struct raise *r = ctx;
	uint8_t v = r->value;

	if (r->f->defs[reg].n > 1 && r->control > v)
		v = r->control;
	if (v > r->f->written[r->at]) {
		r->f->written[r->at] = v;
		r->changed = true;
	}
	if (v > r->f->spread[reg]) {
		r->f->spread[reg] = v;
		r->changed = true;
	}
}

static bool raise_control(struct lint_fn *f, int b)
{
	uint8_t c = f->control[b];

	*f->fuel -= f->depends[b].n;
	for (int i = 0; i < f->depends[b].n; i++) {
		int d = f->depends[b].v[i];
		const struct ir_insn *last = &f->f->insn[f->f->block[d].first + f->f->block[d].n - 1];
		uint8_t p = last->guard >= 0 ? spread_read(f, last, last->guard) : last->op == OP_BRX ? DIVERGENT : UNIFORM;

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
	f->written = arena_alloc(f->a, (size_t)f->f->ninsn + 1);
	while (changed && (*f->fuel -= f->f->ninsn) > 0) { /* three values a register and block: it ends */
		changed = false;
		for (int k = 0; k < f->f->nrpo; k++) {
			int b = f->f->rpo[k];

			changed |= raise_control(f, b);
			for (int i = 0; i < f->f->block[b].n; i++) {
				int at = f->f->block[b].first + i;
				const struct ir_insn *in = &f->f->insn[at];
				struct raise r = {f, at, result_spread(f, in), f->control[b], false};

				insn_writes(in, raise_register, &r);
				changed |= r.changed;
			}
		}
	}
}

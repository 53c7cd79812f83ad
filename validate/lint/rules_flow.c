/* rules_flow.c - rules about what runs when: barriers, exchanges, asynchronous copies, fences, registers without a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

static bool whole_block(const struct ir_insn *i)
{
	return (i->op == OP_BAR || i->op == OP_BARRIER) && i->sub != MOD_ARRIVE && i->src[0].kind == OPND_IMM &&
	       (i->nsrc < 2 || i->src[1].kind == OPND_NONE);
}

/* The branch that makes block b depend on the thread, or NULL. */
static const struct ir_insn *cause(struct lint_fn *f, int b)
{
	for (int steps = 0; steps < 64; steps++) {
		int up = -1;

		for (int i = 0; i < f->depends[b].n; i++) {
			int d = f->depends[b].v[i];
			const struct ir_insn *last = &f->f->insn[f->f->block[d].first + f->f->block[d].n - 1];

			if (last->guard >= 0 && spread_read(f, last, last->guard) != UNIFORM)
				return last;
			if (f->control[d] != UNIFORM && d != b)
				up = d;
		}
		if (up < 0)
			return NULL;
		b = up;
	}
	return NULL;
}

/* Where launches are known, the witness engine has tried: what it has not shown is worth a note. */
static enum lint_severity unless_tried(const struct lint_fn *f)
{
	return f->report->launches > 0 ? LINT_NOTE : LINT_WARNING;
}

void rule_divergent_barrier(struct lint_fn *f)
{
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k], *why;
		int b = f->block_of[k];
		uint8_t guarded = i->guard >= 0 ? spread_read(f, i, i->guard) : UNIFORM;

		if (!whole_block(i) || f->f->block[b].rpo < 0 || (f->control[b] == UNIFORM && guarded == UNIFORM))
			continue;
		why = cause(f, b);
		lint_add(f, "divergent-barrier", unless_tried(f), LINT_POSSIBLE, i,
		         "not every thread need come to this barrier: the branch at PTX line %d depends on the thread",
		         why ? why->line : i->line);
	}
}

static bool full_mask(const struct lint_fn *f, const struct ir_insn *i)
{
	const struct ir_opnd *m = i->op == OP_SHFL ? &i->src[3] : &i->src[1];
	const struct ir_insn *d;

	if (i->op != OP_SHFL && i->op != OP_VOTE)
		return false;
	if (m->kind == OPND_REG && (d = defs_only(f, m->reg)) != NULL && d->op == OP_MOV)
		m = &d->src[0];
	return m->kind == OPND_IMM && (uint32_t)m->imm == 0xffffffff;
}

void rule_shuffle_mask(struct lint_fn *f)
{
	uint32_t threads = f->f->reqntid[0] * (f->f->reqntid[1] ? f->f->reqntid[1] : 1) * (f->f->reqntid[2] ? f->f->reqntid[2] : 1);

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k], *why;
		int b = f->block_of[k];

		if (!full_mask(f, i) || f->f->block[b].rpo < 0)
			continue;
		if (threads % 32)
			lint_add(f, "shuffle-full-mask", LINT_WARNING, LINT_PROVED, i,
			         "the mask names 32 lanes, but the last warp of a block of %u threads (.reqntid) has %u", threads,
			         threads % 32);
		if (f->control[b] != DIVERGENT)
			continue;
		why = cause(f, b);
		lint_add(f, "shuffle-full-mask", unless_tried(f), LINT_POSSIBLE, i,
		         "the mask names all lanes, but the branch at PTX line %d depends on the thread", why ? why->line : i->line);
	}
}

/* ---- cp.async ---- */

static bool is_copy(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.ca.") || insn_is(f, i, "cp.async.cg.");
}

static bool is_wait_all(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.wait_all");
}

static bool is_wait(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.wait_") || insn_is(f, i, "cp.async.mbarrier");
}

static bool is_commit(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.commit") || is_wait_all(f, i) || insn_is(f, i, "cp.async.mbarrier");
}

static bool reads_shared(const struct lint_fn *f, const struct ir_insn *i)
{
	return (i->op == OP_LD && i->space == MOD_SHARED) || insn_is(f, i, "ldmatrix");
}

/* The first instruction of which from() is true and from which control comes to j without a stop(). One there is. */
static const struct ir_insn *source_of(const struct lint_fn *f, int j, flow_test from, flow_test stop)
{
	int first = -1;

	for (int k = 0; k < f->f->ninsn; k++)
		if (from(f, &f->f->insn[k])) {
			first = first < 0 ? k : first;
			if (flow_reaches(f, k, j, stop))
				return &f->f->insn[k];
		}
	return &f->f->insn[first];
}

static int first_of(const struct lint_fn *f, flow_test is)
{
	for (int k = 0; k < f->f->ninsn; k++)
		if (is(f, &f->f->insn[k]))
			return k;
	return -1;
}

/* Anything but a copy that may write shared memory. */
static bool stores_shared(const struct lint_fn *f, const struct ir_insn *i)
{
	return ((i->op == OP_ST || i->op == OP_ATOM || i->op == OP_RED) && (i->space == MOD_SHARED || i->space == MOD_NONE)) || i->op == OP_CALL ||
	       insn_is(f, i, "stmatrix");
}

/* A read that a copy comes to without a wait. With several stages a read of an earlier one is such, too: its wait stands before the copy; and what was
 * stored is read as well. So it is proved where there is no wait in front of the read and only copies write shared memory; else the addresses decide, which are
 * the witness engine's affair. One finding an entry, of the first that is proved. */
static void copy_before_read(struct lint_fn *f, const char *rule, flow_test copy, flow_test wait, const char *what)
{
	char *copied = flow_reached(f, copy, wait), *waited = flow_reached(f, wait, copy), *earlier = flow_reached(f, wait, NULL);
	bool stores = first_of(f, stores_shared) >= 0, proved;
	int at = -1;

	for (int j = 0; j < f->f->ninsn && (at < 0 || earlier[at]); j++)
		if (copied[j] && !waited[j] && reads_shared(f, &f->f->insn[j]) && (at < 0 || !earlier[j]))
			at = j;
	proved = at >= 0 && !earlier[at] && !stores;
	if (at >= 0)
		lint_add(f, rule, proved ? LINT_ERROR : LINT_NOTE, proved ? LINT_PROVED : LINT_POSSIBLE, &f->f->insn[at],
		         "reads shared memory that %s at PTX line %d may still be filling: %s%s", what, source_of(f, at, copy, wait)->line,
		         copy == is_copy ? "no cp.async.wait between" : "no mbarrier.try_wait or test_wait between",
		         proved ? "" : earlier[at] ? ", unless it is of another stage" : ", unless it was stored");
	free(copied);
	free(waited);
	free(earlier);
}

static bool waits_for_all_groups(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.wait_group") && i->src[0].n > 0 && i->src[0].elem[0].imm == 0;
}

static void wait_before_commit(struct lint_fn *f)
{
	char *open = flow_reached(f, is_copy, is_commit);

	for (int w = 0; w < f->f->ninsn; w++) {
		if (!open[w] || !waits_for_all_groups(f, &f->f->insn[w]))
			continue;
		lint_add(f, "async-no-commit", LINT_ERROR, LINT_PROVED, &f->f->insn[w],
		         "waits for committed groups, but cp.async at PTX line %d is not committed on the way here: it is not waited for",
		         source_of(f, w, is_copy, is_commit)->line);
		break;
	}
	free(open);
}

void rule_async(struct lint_fn *f)
{
	int first = first_of(f, is_copy);

	if (first < 0)
		return;
	if (first_of(f, is_wait) < 0) {
		lint_add(f, "async-no-wait", LINT_ERROR, LINT_PROVED, &f->f->insn[first],
		         "cp.async is started and nowhere waited for: its bytes may come at any time");
		return;
	}
	copy_before_read(f, "async-no-wait", is_copy, is_wait, "cp.async");
	wait_before_commit(f);
}

/* ---- mbarrier, and bulk copies that complete on one ---- */

static bool is_bulk_copy(const struct lint_fn *f, const struct ir_insn *i)
{
	char text[160];

	if (!insn_is(f, i, "cp.async.bulk."))
		return false;
	insn_text(f, i, text, sizeof text);
	return strstr(text, ".shared::c") != NULL && strstr(text, "mbarrier::complete_tx") != NULL;
}

static bool is_mbarrier_wait(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "mbarrier.try_wait") || insn_is(f, i, "mbarrier.test_wait");
}

/* Any barrier: those with a number or a count, and the arrival of those who need not wait, order the threads that use the mbarrier as far as can be told. */
static bool is_block_barrier(const struct lint_fn *f, const struct ir_insn *i)
{
	return i->op == OP_BAR || i->op == OP_BARRIER || insn_is(f, i, "barrier.cluster.wait");
}

static bool is_init(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "mbarrier.init");
}

static bool uses_mbarrier(const struct lint_fn *f, const struct ir_insn *i)
{
	return (insn_is(f, i, "mbarrier.") || is_bulk_copy(f, i)) && !is_init(f, i);
}

/* One thread makes the mbarrier, others use it: they must not before they know. Of the initialisations in a block the last is looked at: control
 * leaves from it. */
static void made_by_one(struct lint_fn *f, int block, int k, const char *reached)
{
	for (int j = 0; j < f->f->ninsn && (*f->fuel)-- > 0; j++) {
		const struct ir_insn *i = &f->f->insn[j];

		if (!reached[j] || !uses_mbarrier(f, i) || flow_dominates(f, block, f->block_of[j]) || !flow_reaches(f, k, j, is_block_barrier))
			continue;
		lint_add(f, "mbarrier-init-unseen", LINT_ERROR, LINT_PROVED, i,
		         "uses an mbarrier that some of the threads initialise at PTX line %d, with no __syncthreads between: others may come here first",
		         f->f->insn[k].line);
		return;
	}
}

void rule_mbarrier(struct lint_fn *f)
{
	char *reached = flow_reached(f, is_init, is_block_barrier);

	for (int b = 0; b < f->f->nblock; b++) {
		int k = f->f->block[b].first + f->f->block[b].n - 1;

		while (k >= f->f->block[b].first && !is_init(f, &f->f->insn[k]))
			k--;
		if (k >= f->f->block[b].first && f->control[b] != UNIFORM)
			made_by_one(f, b, k, reached);
	}
	free(reached);
	if (first_of(f, is_bulk_copy) >= 0)
		copy_before_read(f, "mbarrier-no-wait", is_bulk_copy, is_mbarrier_wait, "the bulk copy");
}

/* ---- a ticket taken, others' data read ---- */

static bool is_fence(const struct lint_fn *f, const struct ir_insn *i)
{
	(void)f;
	return i->op == OP_MEMBAR || i->op == OP_FENCE;
}

static bool is_ticket(const struct ir_insn *i)
{
	return i->op == OP_ATOM && (i->space == MOD_GLOBAL || i->space == MOD_NONE) && (i->sub == MOD_ADD || i->sub == MOD_INC) &&
	       i->sem != MOD_ACQ_REL && i->sem != MOD_RELEASE && ir_ty_class(i->ty[0]) != CL_F;
}

/* Does register r come from register `from` by a few instructions that keep an integer or a condition (through one word
 * of shared memory as well, as a block's thread 0 tells the others)? */
static bool comes_from(const struct lint_fn *f, int r, int from, int depth)
{
	if (r == from)
		return true;
	for (int d = 0; r >= 0 && depth > 0 && d < f->defs[r].n && (*f->fuel)-- > 0; d++) {
		const struct ir_insn *i = &f->f->insn[f->defs[r].v[d]];

		for (int k = 0; k < i->nsrc && i->op != OP_LD && i->op != OP_ATOM; k++)
			if (i->src[k].kind == OPND_REG && comes_from(f, i->src[k].reg, from, depth - 1))
				return true;
		for (int s = 0; i->op == OP_LD && i->space == MOD_SHARED && s < f->f->ninsn && (*f->fuel)-- > 0; s++) {
			const struct ir_insn *st = &f->f->insn[s];

			if (st->op == OP_ST && st->space == MOD_SHARED && st->src[1].kind == OPND_REG && i->src[0].reg < 0 &&
			    st->src[0].reg < 0 && st->src[0].var == i->src[0].var &&
			    comes_from(f, st->src[1].reg, from, depth - 1))
				return true;
		}
	}
	return false;
}

static bool ticket_decides(const struct lint_fn *f, int ticket, int block)
{
	for (int steps = 0, b = block; b >= 0 && steps < 64; steps++) {
		int up = -1;

		for (int i = 0; i < f->depends[b].n; i++) {
			int d = f->depends[b].v[i];
			const struct ir_insn *last = &f->f->insn[f->f->block[d].first + f->f->block[d].n - 1];

			if (last->guard >= 0 && comes_from(f, last->guard, ticket, 8))
				return true;
			up = d != b ? d : up;
		}
		b = up;
	}
	return false;
}

static bool is_store(const struct lint_fn *f, const struct ir_insn *i)
{
	return i->op == OP_ST && i->space == MOD_GLOBAL && origin_of(f, &i->src[0]) >= 0;
}

static void ticket(struct lint_fn *f, int k)
{
	const struct ir_insn *t = &f->f->insn[k];

	for (int s = 0; s < f->f->ninsn && (*f->fuel)-- > 0; s++) {
		const struct ir_insn *st = &f->f->insn[s];
		int from = is_store(f, st) ? origin_of(f, &st->src[0]) : FROM_NOTHING;

		if (from < 0 || !flow_reaches(f, s, k, is_fence))
			continue;
		for (int j = 0; j < f->f->ninsn && (*f->fuel)-- > 0; j++) {
			const struct ir_insn *ld = &f->f->insn[j];

			if (ld->op == OP_LD && ld->space == MOD_GLOBAL && origin_of(f, &ld->src[0]) == from &&
			    ticket_decides(f, t->d.reg, f->block_of[j])) {
				lint_add(f, "ticket-no-fence", LINT_WARNING, LINT_PROVED, t,
				         "the store at PTX line %d is not fenced before this ticket is taken, so the block that "
				         "reads it at PTX line %d may see what was there before", st->line, ld->line);
				return;
			}
		}
	}
}

void rule_ticket_fence(struct lint_fn *f)
{
	char *unfenced = flow_reached(f, is_store, is_fence);

	for (int k = 0; k < f->f->ninsn; k++)
		if (unfenced[k] && is_ticket(&f->f->insn[k]) && f->f->insn[k].d.kind == OPND_REG)
			ticket(f, k);
	free(unfenced);
}

/* ---- registers ---- */

/* A copy to where something else may go as well, or with something else: inline assembly begins by "mov %0, %1; @p ld %0", LLVM packs {low, undefined} to
 * cut it later. Whatever the copy brings need not be used. */
static bool may_be_replaced(const struct lint_fn *f, const struct ir_insn *i)
{
	return i->op == OP_MOV && i->d.kind == OPND_REG && (f->defs[i->d.reg].n > 1 || i->src[0].kind == OPND_VEC);
}

/* No instruction from which control reaches the reading one writes the register. */
static bool never_given(const struct lint_fn *f, int at, int reg)
{
	/* one definition that stands later in the text: it may come round by a loop, or never */
	if (f->defs[reg].n == 1 && f->defs[reg].v[0] >= at)
		return !flow_reaches(f, f->defs[reg].v[0], at, NULL) && *f->fuel > 0;
	return f->defs[reg].n == 0;
}

static void look_at_reads(struct lint_fn *f, struct defs_ways *ways, int reg, bool never)
{
	for (int u = 0; u < f->uses[reg].n; u++) {
		int at = f->uses[reg].v[u];
		const struct ir_insn *i = &f->f->insn[at];

		if (i->op == OP_LATER || f->f->block[f->block_of[at]].rpo < 0 || !defs_missing(ways, at, reg) ||
		    never != (never_given(f, at, reg) && !may_be_replaced(f, i)))
			continue;
		if (never)
			lint_add(f, "uninitialised-register", LINT_ERROR, LINT_PROVED, i, "%s is read, and nothing gave it a value",
			         f->f->reg[reg].name);
		else
			lint_add(f, "uninitialised-register", LINT_NOTE, LINT_POSSIBLE, i, "%s is read, and on some way here nothing gave it a value",
			         f->f->reg[reg].name);
	}
}

void rule_uninitialised(struct lint_fn *f)
{
	struct defs_ways ways = defs_ways_new(f);

	for (int never = 1; never >= 0; never--) /* of two in one line the worse is kept */
		for (int r = 0; r < f->f->nreg; r++)
			look_at_reads(f, &ways, r, never);
	defs_ways_free(&ways);
}

/* ---- conditions that are always the same ---- */

struct span {
	int64_t lo, hi;
};
#define ANY ((struct span){INT64_MIN, INT64_MAX})

static struct span type_span(enum ir_ty t)
{
	int bits = ir_ty_bits(t);

	if (bits >= 64)
		return ANY;
	if (ir_ty_class(t) == CL_S)
		return (struct span){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
	return (struct span){0, (INT64_C(1) << bits) - 1};
}

/* What the program says or the machine fixes. The most threads and blocks that a launch may have decide nothing: a kernel written for any block
 * compares with more of them, and means to. */
static struct span sreg_span(const struct lint_fn *f, int s)
{
	const uint32_t *req = f->f->reqntid;

	if (s >= SR_TID_X && s <= SR_TID_Z && req[s - SR_TID_X])
		return (struct span){0, req[s - SR_TID_X] - 1};
	if (s == SR_LANEID)
		return (struct span){0, 31};
	return ANY;
}

static struct span reg_span(const struct lint_fn *f, int r, int depth);

static struct span opnd_span(const struct lint_fn *f, const struct ir_opnd *o, enum ir_ty t, int depth)
{
	int bits = ir_ty_bits(t);

	if (o->kind == OPND_IMM) {
		int64_t v = bits >= 64                ? (int64_t)o->imm :
		            ir_ty_class(t) == CL_S ? (int64_t)(o->imm << (64 - bits)) >> (64 - bits) :
		                                     (int64_t)o->imm;

		return (struct span){v, v};
	}
	if (o->kind == OPND_SREG)
		return sreg_span(f, o->reg);
	return o->kind == OPND_REG ? reg_span(f, o->reg, depth) : ANY;
}

/* Values of registers that one instruction writes, from a few instructions whose result cannot wrap. */
static struct span reg_span(const struct lint_fn *f, int r, int depth)
{
	const struct ir_insn *i = defs_only(f, r);
	struct span a, b, out = ANY, t;

	if (!i || depth == 0 || ir_ty_class(i->ty[0]) == CL_F || i->d.kind != OPND_REG || i->guard >= 0)
		return ANY;
	a = opnd_span(f, &i->src[0], i->op == OP_CVT ? i->ty[1] : i->ty[0], depth - 1);
	b = i->nsrc > 1 ? opnd_span(f, &i->src[1], i->ty[0], depth - 1) : ANY;
	switch (i->op) {
	case OP_MOV: out = a; break;
	case OP_CVT: out = ir_ty_class(i->ty[1]) == CL_F ? ANY : a; break;
	case OP_AND:
		if (b.lo == b.hi && b.lo >= 0)
			out = (struct span){0, b.hi};
		break;
	case OP_SHR:
		if (a.lo >= 0 && b.lo == b.hi && b.lo >= 0 && b.lo < 63)
			out = (struct span){a.lo >> b.lo, a.hi >> b.lo};
		break;
	case OP_REM:
		if (a.lo >= 0 && b.lo == b.hi && b.lo > 0)
			out = (struct span){0, b.lo - 1};
		break;
	default: break;
	}
	t = type_span(i->ty[0]);
	return out.lo >= t.lo && out.hi <= t.hi ? out : ANY;
}

struct counter {
	const struct lint_fn *f;
	int loop; /* of the comparison */
};

static enum walk_step counts(void *ctx, const struct ir_insn *i, int reg)
{
	const struct counter *c = ctx;
	int loop = c->f->loop[c->f->block_of[i - c->f->f->insn]];

	(void)reg;
	if (i->op == OP_SETP)
		return loop >= 0 && loop != c->loop ? WALK_FOUND : WALK_PAST;
	return i->op == OP_MOV || i->op == OP_ADD || i->op == OP_CVT ? WALK_ON : WALK_PAST;
}

/* The test of a loop before its first turn: what it compares goes, by additions, into a comparison inside of a loop. That no thread
 * skips the loop is no mistake. */
static bool enters_loop(struct walk *w, const struct ir_insn *compare)
{
	struct counter c = {w->f, w->f->loop[w->f->block_of[compare - w->f->f->insn]]};
	const struct ir_insn *d = compare->src[0].kind == OPND_REG ? defs_only(w->f, compare->src[0].reg) : NULL;

	return d && (walk_uses(w, d, counts, &c) || *w->f->fuel <= 0);
}

void rule_dead_guard(struct lint_fn *f)
{
	struct walk w = walk_new(f);

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		struct span a, b;
		int always = -1;

		if (i->op != OP_SETP || ir_ty_class(i->ty[0]) == CL_F || (i->nsrc > 2 && i->src[2].kind != OPND_NONE) ||
		    f->f->block[f->block_of[k]].rpo < 0)
			continue;
		a = opnd_span(f, &i->src[0], i->ty[0], 8);
		b = opnd_span(f, &i->src[1], i->ty[0], 8);
		if (a.lo < 0 || b.lo < 0 || a.lo == INT64_MIN || b.lo == INT64_MIN || a.hi == INT64_MAX || b.hi == INT64_MAX)
			continue;
		if (i->cmp == MOD_LT || i->cmp == MOD_LO)
			always = a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : -1;
		else if (i->cmp == MOD_LE || i->cmp == MOD_LS)
			always = a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : -1;
		else if (i->cmp == MOD_GT || i->cmp == MOD_HI)
			always = a.lo > b.hi ? 1 : a.hi <= b.lo ? 0 : -1;
		else if (i->cmp == MOD_GE || i->cmp == MOD_HS)
			always = a.lo >= b.hi ? 1 : a.hi < b.lo ? 0 : -1;
		if (always >= 0 && !enters_loop(&w, i))
			lint_add(f, "dead-guard", LINT_WARNING, LINT_PROVED, i,
			         "this comparison is always %s: its left side is %lld to %lld, its right side %lld to %lld",
			         always ? "true" : "false", (long long)a.lo, (long long)a.hi, (long long)b.lo, (long long)b.hi);
	}
	walk_free(&w);
}

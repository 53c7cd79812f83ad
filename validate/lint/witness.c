/* witness.c - the integer part of an entry, thread by thread. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/witness.h"

#define THREAD_STEPS 100000
#define LAUNCH_STEPS 300000
#define BRIEF_STEPS 60000
#define MAX_BLOCKS 6
#define MAX_REGION (1 << 26) /* blocks and registers of what is passed over, in sum: beyond them a thread is left at a condition that is not known */

/* ---- what is passed over ---- */

struct gather {
	const struct ir_func *f;
	struct wregion *r;
	char *seen; /* registers */
	int end;    /* block */
};

static void add_written(void *ctx, int reg)
{
	struct gather *g = ctx;

	if (!g->seen[reg]) {
		g->seen[reg] = 1;
		g->r->reg[g->r->nreg++] = reg;
	}
}

static bool is_barrier(const struct ir_insn *i)
{
	return i->op == OP_BAR || i->op == OP_BARRIER;
}

static bool add_block(void *ctx, int block)
{
	struct gather *g = ctx;
	const struct ir_block *b = &g->f->block[block];

	if (block == g->end)
		return false;
	for (int i = b->first; i < b->first + b->n; i++) {
		insn_writes(&g->f->insn[i], add_written, g);
		g->r->barrier |= is_barrier(&g->f->insn[i]);
	}
	return true;
}

/* Between the branch that ends block b and its post-dominator. */
static const struct wregion *region(struct witness *w, int b)
{
	const struct ir_func *f = w->f->f;
	struct wregion *r = &w->region[b];
	struct gather g = {f, r, NULL, f->block[b].ipdom};

	if (r->made)
		return r;
	r->made = true;
	if (w->nregion > MAX_REGION) {
		r->barrier = true;
		return r;
	}
	r->reg = mem_alloc(sizeof *r->reg * ((size_t)f->nreg + 1));
	g.seen = mem_zalloc((size_t)f->nreg + 1, 1);
	flow_visit(f, b, add_block, &g);
	free(g.seen);
	r->reg = mem_realloc(r->reg, sizeof *r->reg * ((size_t)r->nreg + 1));
	w->nregion += f->nblock + r->nreg;
	return r;
}

/* ---- one thread ---- */

static void forget(void *ctx, int reg)
{
	((struct witness *)ctx)->reg[reg].known = false;
}

struct wval witness_address(const struct witness *w, const struct ir_opnd *o)
{
	struct ir_opnd base = *o;
	struct wval v;

	if (o->reg >= 0) {
		v = w->reg[o->reg];
		v.v += (uint64_t)o->off;
		v.ideal += o->off;
		return v;
	}
	base.kind = OPND_VAR;
	return witness_operand(w, &base, 64);
}

static void memory(struct witness *w, const struct ir_insn *i)
{
	bool writes = i->op == OP_ST || i->op == OP_ATOM || i->op == OP_RED;
	int bytes = ir_ty_bytes(i->ty[0]) * (i->vec ? i->vec : 1);
	struct wval a = witness_address(w, &i->src[0]), value = {0};

	if (!a.known || bytes == 0)
		return;
	if (i->op == OP_ST && i->vec <= 1)
		value = witness_operand(w, &i->src[1], ir_ty_bits(i->ty[0]));
	if (i->space == MOD_SHARED || (i->space == MOD_NONE && a.var))
		witness_shared(w, i, a, bytes, i->op == OP_LD ? W_READ : i->op == OP_ST ? W_WRITE : W_ATOMIC, value);
	else if (i->space == MOD_GLOBAL || i->space == MOD_NONE)
		witness_global(w, i, a, bytes, writes);
}

static int shuffle_source(const struct witness *w, const struct ir_insn *i, int lane)
{
	struct wval b = witness_operand(w, &i->src[1], 32), c = witness_operand(w, &i->src[2], 32);
	int seg, clamp, max, min, j;

	if (!b.known || !c.known)
		return -1;
	seg = (int)(c.v >> 8) & 31;
	clamp = (int)c.v & 31;
	max = (lane & seg) | (clamp & ~seg);
	min = lane & seg;
	j = (int)b.v & 31;
	switch (i->sub) { /* PTX ISA, shfl.sync */
	case MOD_UP: j = lane - j; return j >= max ? j : -1;
	case MOD_DOWN: j = lane + j; return j <= max ? j : -1;
	case MOD_BFLY: j = lane ^ j; return j <= max ? j : -1;
	default: j = min | (j & ~seg); return j <= max ? j : -1;
	}
}

static void shuffle(struct witness *w, const struct ir_insn *i)
{
	const struct ir_opnd *mask = i->op == OP_SHFL ? &i->src[3] : &i->src[1];
	int at = (int)(i - w->f->f->insn), lane = w->tid % 32;
	struct wval m = witness_operand(w, mask, 32);

	if (!m.known)
		return;
	if (w->nshuffle == w->cap_shuffle) {
		w->cap_shuffle = w->cap_shuffle ? 2 * w->cap_shuffle : 256;
		w->shuffle = mem_realloc(w->shuffle, sizeof *w->shuffle * (size_t)w->cap_shuffle);
	}
	w->shuffle[w->nshuffle++] = (struct wshuffle){at, w->occurrence[at]++, lane,
	                                              i->op == OP_SHFL ? shuffle_source(w, i, lane) : -1, (uint32_t)m.v};
}

static void step(struct witness *w, const struct ir_insn *i)
{
	struct wval v = {0};

	switch (i->op) {
	case OP_ST: case OP_RED: memory(w, i); return;
	case OP_ATOM: memory(w, i); break;
	case OP_LD: memory(w, i); break;
	case OP_SHFL: case OP_VOTE: shuffle(w, i); break;
	case OP_BAR: case OP_BARRIER:
		w->interval++;
		w->barriers[w->tid]++;
		w->last_barrier[w->tid] = (int)(i - w->f->f->insn);
		break;
	case OP_LATER:
		if (witness_later(w, i))
			return;
		break;
	default: break;
	}
	if (i->d.kind == OPND_REG && i->call == NULL && i->op != OP_LATER && witness_value(w, i, &v)) {
		w->reg[i->d.reg] = v;
		if (i->d2.kind == OPND_REG)
			w->reg[i->d2.reg].known = false;
		return;
	}
	insn_writes(i, forget, w);
}

/* 1: the guard holds, 0: it does not, -1: not known. */
static int guard(const struct witness *w, const struct ir_insn *i)
{
	if (i->guard < 0)
		return 1;
	return w->reg[i->guard].known ? (w->reg[i->guard].v != 0) != i->guard_neg : -1;
}

/* Where a branch of unknown condition is left: its post-dominator, or -1 when what lies between cannot be passed over. */
static int pass_over(struct witness *w, int b)
{
	const struct wregion *r;

	if (w->f->f->block[b].ipdom < 0)
		return -1;
	r = region(w, b);
	if (r->barrier)
		return -1;
	for (int k = 0; k < r->nreg; k++)
		w->reg[r->reg[k]].known = false;
	return w->f->f->block[w->f->f->block[b].ipdom].first;
}

static bool ends(const struct ir_insn *i)
{
	return i->op == OP_RET || i->op == OP_EXIT || i->op == OP_TRAP;
}

/* Returns true when the thread ran to its end. */
static bool run_thread(struct witness *w)
{
	const struct ir_func *f = w->f->f;
	int pc = 0, steps = 0;

	memset(w->reg, 0, sizeof *w->reg * ((size_t)f->nreg + 1));
	w->interval = 0;
	while (pc >= 0 && pc < f->ninsn && steps++ < THREAD_STEPS && w->steps-- > 0) {
		const struct ir_insn *i = &f->insn[pc];
		int g = guard(w, i);

		if (ends(i) && g == 1)
			return i->op != OP_TRAP;
		if (i->op == OP_BRX || (ends(i) && g < 0) || (is_barrier(i) && g < 0) || i->op == OP_CALL)
			return false;
		if (i->op == OP_BRA && g < 0)
			pc = pass_over(w, w->f->block_of[pc]);
		else if (i->op == OP_BRA && g == 1)
			pc = f->label[i->label].insn;
		else {
			if (g == 1)
				step(w, i);
			else if (g < 0)
				insn_writes(i, forget, w);
			pc++;
		}
	}
	if (w->l->cut && steps > THREAD_STEPS)
		*w->l->cut = true;
	return false;
}

static void run_block(struct witness *w)
{
	const struct witness_launch *l = w->l;

	if (w->cap_table)
		memset(w->table, 0, w->cap_table * sizeof *w->table);
	w->ntable = 0;
	for (int t = 0; t < w->nthreads; t++) {
		w->barriers[t] = 0;
		w->complete[t] = false;
		w->last_barrier[t] = -1;
	}
	for (int t = 0; t < w->nthreads && w->steps > 0; t++) {
		w->tid = t;
		w->thread[0] = (uint32_t)t % l->block[0];
		w->thread[1] = (uint32_t)t / l->block[0] % l->block[1];
		w->thread[2] = (uint32_t)t / l->block[0] / l->block[1];
		memset(w->occurrence, 0, sizeof *w->occurrence * (size_t)w->f->f->ninsn);
		w->complete[t] = run_thread(w);
		witness_thread_ends(w);
		if (t % 32 == 31 || t == w->nthreads - 1)
			witness_shuffles(w);
	}
	witness_barriers(w);
}

/* ---- the launch ---- */

static uint64_t align_up(uint64_t at, uint64_t a)
{
	return a ? (at + a - 1) / a * a : at;
}

static bool names(const struct ir_opnd *o, int var)
{
	for (int i = 0; o->kind == OPND_VEC && i < o->n; i++)
		if (names(&o->elem[i], var))
			return true;
	return (o->kind == OPND_VAR || (o->kind == OPND_ADDR && o->reg < 0)) && o->var == var;
}

/* Does the entry use a variable of the module, or call what may? */
static bool uses(const struct ir_func *f, int var)
{
	for (int k = 0; k < f->ninsn; k++) {
		if (f->insn[k].op == OP_CALL)
			return true;
		for (int s = 0; s < f->insn[k].nsrc; s++)
			if (names(&f->insn[k].src[s], var))
				return true;
	}
	return false;
}

/* Shared variables that the entry has a use for one after the other, dynamic ones behind them. */
static void place_shared(struct witness *w)
{
	const struct ir_func *f = w->f->f;
	uint64_t at = 0;
	bool dynamic = false;

	for (int pass = 0; pass < 2; pass++)
		for (int v = 0; v < f->nvar + w->f->m->nvar; v++) {
			const struct ir_var *var = v < f->nvar ? &f->var[v] : &w->f->m->var[v - f->nvar];

			if (var->space != MOD_SHARED || (pass == 1) != (var->bytes == 0) || (v >= f->nvar && !uses(f, v - f->nvar)))
				continue;
			at = align_up(at, var->align);
			w->var_at[v] = at;
			at += var->bytes;
			dynamic |= var->bytes == 0;
		}
	w->shared_bytes = at + (dynamic ? w->l->shared : 0);
}

/* An atomic whose result nothing reads cannot order threads. */
static bool may_order(const struct lint_fn *f, const struct ir_insn *i)
{
	if (i->op == OP_ATOM)
		return i->space != MOD_GLOBAL && (i->d.kind != OPND_REG || f->uses[i->d.reg].n > 0);
	return i->op == OP_CALL || (i->op == OP_LATER && !witness_knows(f, i)) ||
	       ((i->op == OP_LD || i->op == OP_ST) && i->space == MOD_SHARED && i->sem != MOD_NONE && i->sem != MOD_WEAK);
}

/* Barriers of the whole block alone order its threads: anything else that does makes the engine say nothing of races. */
static void look_at_synchronisation(struct witness *w)
{
	const struct ir_func *f = w->f->f;

	w->barriers_known = true;
	w->races = !w->l->brief;
	w->granule = 4;
	for (int k = 0; k < f->ninsn; k++) {
		const struct ir_insn *i = &f->insn[k];

		if (is_barrier(i) && (i->sub == MOD_ARRIVE || i->src[0].kind != OPND_IMM || i->src[0].imm != 0 ||
		                      (i->nsrc > 1 && i->src[1].kind != OPND_NONE && i->sub == MOD_SYNC)))
			w->barriers_known = w->races = false;
		w->races &= !may_order(w->f, i);
		if ((i->op == OP_LD || i->op == OP_ST) && (i->space == MOD_SHARED || i->space == MOD_NONE) && ir_ty_bytes(i->ty[0]) < w->granule)
			w->granule = ir_ty_bytes(i->ty[0]);
	}
}

static void run_blocks(struct witness *w)
{
	uint64_t n = (uint64_t)w->l->grid[0] * w->l->grid[1] * w->l->grid[2];
	uint64_t first = w->l->huge && n > 2 ? n - 2 : 0;

	for (uint64_t k = 0; k < MAX_BLOCKS && first + k < n && w->steps > 0; k++) {
		uint64_t b = k == MAX_BLOCKS - 1 ? n - 1 : first + k;

		w->block[0] = (uint32_t)(b % w->l->grid[0]);
		w->block[1] = (uint32_t)(b / w->l->grid[0] % w->l->grid[1]);
		w->block[2] = (uint32_t)(b / w->l->grid[0] / w->l->grid[1]);
		run_block(w);
	}
}

void witness_run(struct lint_fn *f, const struct witness_launch *l)
{
	struct witness w = {.f = f, .l = l, .steps = l->brief ? BRIEF_STEPS : LAUNCH_STEPS};
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (threads == 0 || threads > 1024)
		return;
	w.nthreads = (int)threads;
	w.reg = mem_zalloc((size_t)f->f->nreg + 1, sizeof *w.reg);
	w.region = mem_zalloc((size_t)f->f->nblock + 1, sizeof *w.region);
	w.occurrence = mem_zalloc((size_t)f->f->ninsn + 1, sizeof *w.occurrence);
	w.var_at = mem_zalloc((size_t)(f->f->nvar + f->m->nvar) + 1, sizeof *w.var_at);
	w.barriers = mem_zalloc(threads, sizeof *w.barriers);
	w.complete = mem_zalloc(threads, sizeof *w.complete);
	w.last_barrier = mem_zalloc(threads, sizeof *w.last_barrier);
	place_shared(&w);
	look_at_synchronisation(&w);
	run_blocks(&w);
	f->report->launches++;
	free(w.reg);
	for (int b = 0; b < f->f->nblock; b++)
		free(w.region[b].reg);
	free(w.region);
	free(w.occurrence);
	free(w.var_at);
	free(w.barriers);
	free(w.complete);
	free(w.last_barrier);
	free(w.shuffle);
	free(w.table);
	free(w.copy);
}

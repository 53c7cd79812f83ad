/* lower_flow.c - lowering of functions: their blocks, branches, calls (the callee is put in place),
 * barriers and warp operations. */
#include "ptx/lower.h"
#include <string.h>

/* ---- functions --------------------------------------------------------------------------------
 */

/* Sources of an instruction through which a value goes into an address computed from its result. */
static bool carries_address(const struct ir_insn *i)
{
	switch (i->op) {
	case OP_MOV:
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_MAD:
	case OP_SHL:
	case OP_CVT:
	case OP_CVTA:
	case OP_SELP:
		return ir_ty_class((enum ir_ty)i->ty[0]) != CL_F;
	default:
		return false;
	}
}
static bool mark(bool *address, const struct ir_opnd *o)
{
	if (o->kind != OPND_REG || address[o->reg])
		return false;
	return address[o->reg] = true;
}
/* Registers whose value may become part of an address of a load or store. */
static bool *address_registers(struct arena *a, const struct ir_func *f)
{
	bool *address = arena_alloc(a, ((size_t)f->nreg + 1) * sizeof *address), again = true;
	for (int i = 0; i < f->ninsn; i++)
		for (int k = 0; k < f->insn[i].nsrc; k++)
			if (f->insn[i].src[k].kind == OPND_ADDR && f->insn[i].src[k].reg >= 0)
				address[f->insn[i].src[k].reg] = true;
	while (again) {
		again = false;
		for (int i = f->ninsn - 1; i >= 0; i--) {
			const struct ir_insn *n = &f->insn[i];
			if (n->d.kind != OPND_REG || !address[n->d.reg] || !carries_address(n))
				continue;
			for (int k = 0; k < n->nsrc; k++)
				again |= mark(address, &n->src[k]);
		}
	}
	return address;
}

struct low_frame *low_enter(struct low *l, const struct ir_func *f)
{
	struct low_frame *n = arena_alloc(l->arena, sizeof *n);
	l->frame_regs += (uint64_t)f->nreg + (uint64_t)f->nblock;
	if (l->frame_regs > MAX_FRAME_REGS) {
		FAIL(l->e, LIMIT,
		     "%s: kernel %s has more than %u registers once its calls are in place",
		     l->m->name, l->p->entry, MAX_FRAME_REGS);
		return NULL;
	}
	if (!l->copy[f->index]) {
		struct ir_func *c = ir_func_copy(l->arena, f);
		ptx_rewrite(l->arena, c, l->options);
		l->copy[f->index] = c;
		l->address[f->index] = address_registers(l->arena, c);
		for (int i = 0; i < c->nvar; i++)
			low_add_shared(l, &c->var[i]);
	}
	n->f = l->copy[f->index];
	n->address = l->address[f->index];
	n->caller = l->frame;
	n->after = -1;
	n->reg = arena_alloc(l->arena, ((size_t)n->f->nreg + 1) * sizeof *n->reg);
	n->block = arena_alloc(l->arena, ((size_t)n->f->nblock + 1) * sizeof *n->block);
	n->local = (l->p->local_bytes + 15) & ~15ull;
	n->call = (n->local + n->f->local_bytes + 15) & ~15ull;
	l->p->local_bytes = (n->call + n->f->call_bytes + 15) & ~15ull;
	n->older = l->frames;
	l->frames = n;
	if (l->p->local_bytes > 512u << 10) { /* what sm_90 gives a thread */
		low_fail(l, "the threads need more than 512 KiB of local memory each");
		return NULL;
	}
	return l->e->code == ST_OK ? n : NULL;
}
bool low_is_entry_param(const struct low *l, const struct ir_var *v)
{
	const struct ir_func *f = l->frame->f;
	return f->entry && v >= f->var && v < f->var + f->nret + f->nparam;
}

static void new_site(struct low *l, const struct ir_insn *i)
{
	struct ptx_program *p = l->p;
	p->site = low_more(l->arena, p->site, p->nsite, &l->site_cap, sizeof *p->site);
	/* what a header's function does, as the conversions of cuda_fp16.h, is told at its call */
	bool call = i->at_file > 0 && i->at_file != i->file;
	int32_t from = call ? i->at_file : i->file;
	const char *file = from > 0 && from < l->m->nfile ? l->m->file[from] : NULL;
	p->site[p->nsite] = (struct emu_site){i->line, call ? i->at_src_line : i->src_line, file, NULL};
	l->site = p->nsite++;
	l->insn = i;
}

/* ---- branches ---------------------------------------------------------------------------------
 */

/* Where a block goes on when it does not branch. */
static int onward(const struct low_frame *f, const struct ir_block *b)
{
	return b->next >= 0 ? f->block[b->next] : -1;
}
/* An instruction under a predicate that cannot be masked: it gets a block of its own. Returns the
 * block that follows. */
static int open_under_guard(struct low *l)
{
	int then = low_new_block(l), after = low_new_block(l);
	low_branch(l, l->guard, l->guard_neg, then, after);
	low_open(l, then);
	l->guard = 0;
	return after;
}
static void leave(struct low *l, const struct ir_insn *i)
{
	int after = l->guard ? open_under_guard(l) : -1;
	if (i->op == OP_RET && l->frame->after >= 0) {
		low_jump(l, l->frame->after);
	} else {
		low_emit(l, i->op == OP_TRAP || i->op == OP_BRKPT ? "trap" : "exit", 0, 0, 0, 0);
		low_jump(l, -1);
	}
	if (after >= 0)
		low_open(l, after);
}
static enum st branch(struct low *l, const struct ir_insn *i, const struct ir_block *b)
{
	struct low_frame *f = l->frame;
	if (i->op == OP_BRX) {
		const struct ir_table *t = &f->f->table[i->label];
		int after = l->guard ? open_under_guard(l) : -1;
		struct low_block *x;
		uint32_t index = low_src(l, &i->src[0], 32);
		x = &l->block[l->at];
		x->index = index;
		x->ntable = t->n;
		x->site = l->site;
		x->table = arena_alloc(l->arena, ((size_t)t->n + 1) * sizeof *x->table);
		for (int k = 0; k < t->n; k++)
			x->table[k] = f->block[f->f->label[t->label[k]].block];
		low_jump(l, -1);
		if (after >= 0)
			low_open(l, after);
		return l->e->code;
	}
	int to = f->block[f->f->label[i->label].block];
	if (l->guard) {
		uint32_t p = l->guard;
		l->guard = 0;
		low_branch(l, p, l->guard_neg, to, onward(f, b));
	} else {
		low_jump(l, to);
	}
	return l->e->code;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

/* A value between an actual and a formal parameter or result. */
static enum st pass(struct low *l, struct low_frame *callee, const struct ir_var *formal,
                    const struct ir_opnd *actual, bool result)
{
	struct low_frame *caller = l->frame;
	if (formal->reg >= 0) { /* .reg: moved */
		int bits = callee->f->reg[formal->reg].bits;
		bool wide = bits > 32;
		if (bits == 1 || actual->kind == OPND_VAR)
			return low_fail(l,
			                "a predicate or variable passed to register parameter %s",
			                formal->name);
		l->frame = callee;
		uint32_t r = low_reg(l, formal->reg);
		l->frame = caller;
		if (!result) {
			low_emit(l, wide ? "mov64" : "mov32", r, low_src(l, actual, wide ? 64 : 32),
			         0, 0);
			return l->e->code;
		}
		struct low_dest d = low_dest(l, actual, wide ? 64 : 32, false);
		low_emit(l, wide ? "mov64" : "mov32", d.reg, r, 0, 0);
		low_done(l, &d);
		return l->e->code;
	}
	uint64_t at = low_param_place(callee, formal);
	if (actual->kind == OPND_SINK)
		return ST_OK;
	if (actual->kind != OPND_VAR)
		return result ? low_load_param(l, at, formal, actual)
		              : low_store_param(l, at, formal, actual);
	const struct ir_var *v = ir_opnd_var(l->m, caller->f, actual);
	if (low_is_entry_param(l, v))
		return low_fail(l, "the kernel's own parameter %s passed as an argument", v->name);
	uint64_t mine = low_param_place(caller, v);
	uint64_t bytes = formal->bytes < v->bytes ? formal->bytes : v->bytes;
	low_copy_param(l, result ? mine : at, result ? at : mine, bytes);
	return l->e->code;
}
static enum st call(struct low *l, const struct ir_insn *i)
{
	const struct ir_call *c = i->call;
	const struct ir_func *f = c->func >= 0 ? &l->m->func[c->func] : NULL;
	uint32_t site = l->site;
	if (!f || !f->defined)
		return low_fail(l, "call of %s, which this module does not define",
		                f ? f->name : "a pointer");
	for (const struct low_frame *k = l->frame; k; k = k->caller)
		if (k->f->index == f->index)
			return low_fail(l, "recursion: %s calls itself", f->name);
	if (c->nret != f->nret || c->narg != f->nparam)
		return low_fail(l, "%s takes %d arguments and returns %d values", f->name,
		                f->nparam, f->nret);
	int after = l->guard ? open_under_guard(l) : low_new_block(l);
	struct low_frame *caller = l->frame, *n = low_enter(l, f);
	if (!n)
		return l->e->code;
	for (int k = 0; k < c->narg; k++)
		TRY(pass(l, n, &n->f->var[f->nret + k], &c->arg[k], false));
	int back = low_new_block(l);
	n->after = back;
	TRY(low_function(l, n));
	l->frame = caller;
	l->insn = i;
	l->site = site;
	low_open(l, back);
	for (int k = 0; k < c->nret; k++)
		TRY(pass(l, n, &n->f->var[k], &c->ret[k], true));
	low_jump(l, after);
	low_open(l, after);
	return l->e->code;
}

/* ---- barriers and warp operations -------------------------------------------------------------
 */

static enum st barrier(struct low *l, const struct ir_insn *i)
{
	int how = i->sub == MOD_ARRIVE ? 1
	          : i->sub != MOD_RED  ? 0
	          : i->bop == MOD_AND  ? 2
	          : i->bop == MOD_OR   ? 3
	                               : 4;
	int after = l->guard ? open_under_guard(l) : -1;
	uint32_t id = low_src(l, &i->src[0], 32);
	bool counted = i->nsrc > 1 && i->src[1].kind != OPND_NONE;
	uint32_t n = counted ? low_src(l, &i->src[1], 32) : 0;
	uint32_t p = how >= 2 ? low_pred(l, &i->src[2]) : 0, d = 0;
	struct low_dest dest = {0};
	if (how == 4) {
		dest = low_dest(l, &i->d, 32, false);
		d = dest.reg;
	} else if (how >= 2) {
		d = i->d.kind == OPND_REG ? low_reg(l, i->d.reg) : low_alloc(l, 1);
	}
	struct emu_op *o = low_emit(l, "bar", d, id, n, p);
	if (o) {
		o->size = (uint8_t)how;
		o->flags = counted ? OPF_COUNT : 0;
	}
	if (how == 4)
		low_done(l, &dest);
	if (after >= 0) {
		low_jump(l, after);
		low_open(l, after);
	}
	return l->e->code;
}
/* Lanes meet before an operation of a whole warp; those that do not execute it, by its guard, too. */
static uint32_t meet(struct low *l, const struct ir_opnd *member)
{
	uint32_t guard = l->guard, m = low_src(l, member, 32);
	l->guard = 0;
	low_emit(l, "meet", 0, m, 0, 0);
	l->guard = guard;
	return m;
}
static enum st shuffle(struct low *l, const struct ir_insn *i)
{
	uint32_t m = meet(l, &i->src[3]);
	uint32_t a = low_src(l, &i->src[0], 32), b = low_src(l, &i->src[1], 32), c = low_src(l, &i->src[2], 32);
	struct low_dest d = low_dest(l, &i->d, 32, false);
	struct emu_op *o = low_emit(l, "shfl", d.reg, a, b, c);
	if (o) {
		o->flow = FLOW_SELF;
		o->size = i->sub;
		o->target = m;
		o->e = i->d2.kind == OPND_REG ? low_reg(l, i->d2.reg) : NO_REG;
	}
	low_done(l, &d);
	return l->e->code;
}
static enum st vote(struct low *l, const struct ir_insn *i)
{
	struct ir_opnd p = i->src[0];
	bool ballot = i->sub == MOD_BALLOT;
	uint32_t m = meet(l, &i->src[1]), a = low_pred(l, &p), d;
	struct low_dest dest = {0};
	if (ballot) {
		dest = low_dest(l, &i->d, 32, false);
		d = dest.reg;
	} else {
		d = i->d.kind == OPND_REG ? low_reg(l, i->d.reg) : low_alloc(l, 1);
	}
	struct emu_op *o = low_emit(l, "vote", d, a, m, 0);
	if (o)
		o->size = i->sub;
	if (ballot)
		low_done(l, &dest);
	return l->e->code;
}

enum st low_flow(struct low *l, const struct ir_insn *i)
{
	struct low_dest d;
	switch (i->op) {
	case OP_CALL:
		return call(l, i);
	case OP_BAR:
	case OP_BARRIER:
		return barrier(l, i);
	case OP_SHFL:
		return shuffle(l, i);
	case OP_VOTE:
		return vote(l, i);
	case OP_ACTIVEMASK:
		d = low_dest(l, &i->d, 32, false);
		low_emit(l, "activemask", d.reg, 0, 0, 0);
		low_done(l, &d);
		return l->e->code;
	case OP_BAR_WARP: /* memory is in order */
		meet(l, &i->src[0]);
		return l->e->code;
	case OP_MEMBAR:
	case OP_FENCE:
	case OP_NANOSLEEP:
	case OP_PREFETCH:
	case OP_PREFETCHU:
		return ST_OK;
	default:
		return low_memory(l, i);
	}
}

static bool is_branch(const struct ir_insn *i)
{
	return i->op == OP_BRA || i->op == OP_BRX;
}
static enum st instruction(struct low *l, const struct ir_insn *i, const struct ir_block *b)
{
	if (i->op == OP_NOP || i->op == OP_NONE)
		return ST_OK;
	new_site(l, i);
	l->guard = 0;
	if (i->guard >= 0) {
		l->guard = low_reg(l, i->guard);
		l->guard_neg = i->guard_neg;
	}
	l->block[l->at].insns++;
	enum st rc = ST_OK;
	if (i->op == OP_RET || i->op == OP_EXIT || i->op == OP_TRAP || i->op == OP_BRKPT)
		leave(l, i);
	else
		rc = is_branch(i) ? branch(l, i, b) : low_flow(l, i);
	l->guard = 0;
	return rc != ST_OK ? rc : l->e->code;
}

enum st low_function(struct low *l, struct low_frame *f)
{
	const struct ir_func *fn = f->f;
	int came_from = l->at;
	l->frame = f;
	if (++l->depth > 64)
		return low_fail(l, "calls nested deeper than 64");
	for (int k = 0; k < fn->nblock; k++)
		f->block[k] = low_new_block(l);
	if (came_from >= 0)
		low_jump(l, f->block[0]);
	for (int k = 0; k < fn->nrpo; k++) {
		const struct ir_block *b = &fn->block[fn->rpo[k]];
		low_open(l, f->block[fn->rpo[k]]);
		for (int j = 0; j < b->n && l->at >= 0; j++)
			TRY(instruction(l, &fn->insn[b->first + j], b));
		if (l->at >= 0)
			low_jump(l, onward(f, b));
	}
	l->depth--;
	l->at = -1;
	return l->e->code;
}

/* rewrite.c - ptxas' numerical rewrites. A compiled kernel is SASS, and ptxas changes numbers on the way
 * there: it fuses mul and add, folds special functions of constants and drops multiplications by 1.
 *
 * Every rule was read off the SASS that ptxas 13.0 -arch=sm_90 makes of small kernels (nvdisasm 13);
 * tests/ptx/test_rewrite.c has each with what was seen.  What is not stated here is not done. */
#include "ptx/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* ---- definitions and uses --------------------------------------------------------------------- */

static void note_def(struct rewriter *w, const struct ir_opnd *o, int insn)
{
	if (o->kind == OPND_REG) {
		w->ndef[o->reg]++;
		w->def[o->reg] = insn;
	} else if (o->kind == OPND_VEC) {
		for (int k = 0; k < o->n; k++)
			note_def(w, &o->elem[k], insn);
	}
}

/* Calls fn for every register that the instruction reads. */
static void each_use(const struct ir_insn *i, void (*fn)(void *, int reg, int operand), void *ctx)
{
	if (i->guard >= 0)
		fn(ctx, i->guard, -1);
	for (int k = 0; k < i->nsrc; k++) {
		const struct ir_opnd *o = &i->src[k];

		if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0)
			fn(ctx, o->reg, o->kind == OPND_REG ? k : -1);
		for (int e = 0; o->kind == OPND_VEC && e < o->n; e++) {
			if (o->elem[e].kind == OPND_REG)
				fn(ctx, o->elem[e].reg, -1);
		}
	}
	for (int k = 0; i->call != NULL && k < i->call->narg; k++) {
		if (i->call->arg[k].kind == OPND_REG)
			fn(ctx, i->call->arg[k].reg, -1);
	}
}

struct counting {
	struct rewriter *w;
	int insn;
	bool store;
};

static void count_use(void *ctx, int reg, int operand)
{
	struct counting *c = ctx;
	struct rewriter *w = c->w;

	if (c->store)
		w->use[w->first[reg] + w->nuse[reg]] = (struct reg_use){ c->insn, operand };
	w->nuse[reg]++;
}

/* The blocks that ptxas sees: a block is one with its only successor when that has no other
 * predecessor (measured: a bra to the next label does not stop contraction). */
static void join_blocks(struct rewriter *w)
{
	const struct ir_func *f = w->f;
	int32_t *pred = mem_zalloc((size_t)f->nblock + 1, sizeof *pred);
	int32_t *chain = mem_zalloc((size_t)f->nblock + 1, sizeof *chain);

	for (int b = 0; b < f->nblock; b++) {
		const struct ir_block *k = &f->block[b];

		chain[b] = -1;
		if (k->next >= 0)
			pred[k->next]++;
		if (k->taken >= 0)
			pred[k->taken]++;
		for (int t = 0; k->brx >= 0 && t < f->table[k->brx].n; t++)
			pred[f->label[f->table[k->brx].label[t]].block] += 2;
	}
	if (f->nblock > 0)
		pred[0]++;
	for (int b = 0; b < f->nblock; b++) {
		int s = b;

		while (s >= 0 && chain[s] < 0) {
			const struct ir_block *k = &f->block[s];
			int only = k->brx >= 0 || (k->next >= 0 && k->taken >= 0) ? -1
			           : k->next >= 0 ? k->next : k->taken;

			chain[s] = b;
			s = only > s && pred[only] == 1 ? only : -1; /* forwards: no loops */
		}
	}
	for (int b = 0; b < f->nblock; b++) {
		for (int k = 0; k < f->block[b].n; k++)
			w->chain[f->block[b].first + k] = chain[b];
	}
	free(pred);
	free(chain);
}

static void analyse(struct rewriter *w)
{
	struct ir_func *f = w->f;
	struct counting c = { .w = w };
	int total = 0;

	memset(w->ndef, 0, (size_t)f->nreg * sizeof *w->ndef);
	memset(w->nuse, 0, (size_t)f->nreg * sizeof *w->nuse);
	for (int r = 0; r < f->nret + f->nparam; r++) { /* a .reg parameter is defined by the call */
		if (f->var[r].reg >= 0)
			w->ndef[f->var[r].reg] += 2;
	}
	for (c.insn = 0; c.insn < f->ninsn; c.insn++) {
		const struct ir_insn *i = &f->insn[c.insn];

		note_def(w, &i->d, c.insn);
		note_def(w, &i->d2, c.insn);
		for (int k = 0; i->call != NULL && k < i->call->nret; k++)
			note_def(w, &i->call->ret[k], c.insn);
		each_use(i, count_use, &c);
	}
	for (int r = 0; r < f->nreg; r++) {
		w->first[r] = total;
		total += w->nuse[r];
	}
	free(w->use);
	w->use = mem_zalloc((size_t)total + 1, sizeof *w->use);
	memset(w->nuse, 0, (size_t)f->nreg * sizeof *w->nuse);
	c.store = true;
	for (c.insn = 0; c.insn < f->ninsn; c.insn++)
		each_use(&f->insn[c.insn], count_use, &c);
	join_blocks(w);
}

/* The instruction that alone defines the register, always; NULL: there is none. */
const struct ir_insn *rw_only_def(const struct rewriter *w, const struct ir_opnd *o)
{
	const struct ir_insn *i;

	if (o->kind != OPND_REG || o->neg || o->absolute || w->ndef[o->reg] != 1)
		return NULL;
	i = &w->f->insn[w->def[o->reg]];
	return i->guard < 0 && i->d.kind == OPND_REG && i->d.reg == o->reg ? i : NULL;
}

/* ---- making instructions ---------------------------------------------------------------------- */

static void grow_registers(struct rewriter *w)
{
	struct ir_func *f = w->f;
	int cap = 2 * w->cap_reg + 16;
	struct ir_reg *r = arena_alloc(w->a, (size_t)cap * sizeof *r);

	memcpy(r, f->reg, (size_t)f->nreg * sizeof *r);
	f->reg = r;
	w->ndef = mem_realloc(w->ndef, (size_t)cap * sizeof *w->ndef);
	w->nuse = mem_realloc(w->nuse, (size_t)cap * sizeof *w->nuse);
	w->def = mem_realloc(w->def, (size_t)cap * sizeof *w->def);
	w->first = mem_realloc(w->first, (size_t)cap * sizeof *w->first);
	w->cap_reg = cap;
}

struct ir_opnd rw_reg(int reg)
{
	return (struct ir_opnd){ .kind = OPND_REG, .reg = reg, .var = -1 };
}

struct ir_opnd rw_imm(uint64_t bits)
{
	return (struct ir_opnd){ .kind = OPND_IMM, .reg = -1, .var = -1, .imm = bits };
}

/* A new register, named after what it holds a part of. */
struct ir_opnd rw_new_reg(struct rewriter *w, enum ir_ty ty, const char *name)
{
	struct ir_func *f = w->f;

	if (f->nreg >= w->cap_reg)
		grow_registers(w);
	f->reg[f->nreg] = (struct ir_reg){ name, ty, (uint8_t)ir_ty_bits(ty), 0 };
	w->ndef[f->nreg] = w->nuse[f->nreg] = w->def[f->nreg] = w->first[f->nreg] = 0;
	return rw_reg(f->nreg++);
}

/* Turns *i into the named form with these operands; place, guard and source line stay. */
void rw_become(struct ir_insn *i, const char *form, struct ir_opnd d, const struct ir_opnd *src,
               int nsrc)
{
	struct ir_opnd none = { .reg = -1, .var = -1 };
	struct ir_insn old = *i;

	memset(i, 0, sizeof *i);
	if (!isa_match_text(form, i))
		abort(); /* a form named in this file is not in isa.def: caught by every test */
	i->guard = old.guard;
	i->guard_neg = old.guard_neg;
	i->label = -1;
	i->line = old.line;
	i->pos = old.pos;
	i->file = old.file;
	i->src_line = old.src_line;
	i->at_file = old.at_file;
	i->at_src_line = old.at_src_line;
	i->d = d;
	i->d2 = none;
	for (int k = 0; k < IR_MAX_SRC; k++)
		i->src[k] = k < nsrc ? src[k] : none;
	i->nsrc = (uint8_t)nsrc;
}

/* A new instruction to stand before instruction `before`, at its place in the text. */
struct ir_insn *rw_insert(struct rewriter *w, int before, const char *form, struct ir_opnd d,
                          struct ir_opnd a, struct ir_opnd b)
{
	struct inserted *n;
	struct ir_opnd src[2] = { a, b };

	if (w->nextra == w->cap_extra) {
		w->cap_extra = 2 * w->cap_extra + 16;
		w->extra = mem_realloc(w->extra, (size_t)w->cap_extra * sizeof *w->extra);
	}
	n = &w->extra[w->nextra];
	n->before = before;
	n->order = w->nextra++;
	n->insn = w->f->insn[before];
	n->insn.guard = -1;
	rw_become(&n->insn, form, d, src, b.kind == OPND_NONE ? 1 : 2);
	return &n->insn;
}

static int by_place(const void *a, const void *b)
{
	const struct inserted *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Merges what was inserted, moves the labels along, and numbers the blocks again. A label stands before
 * what was inserted before its instruction. */
static void settle(struct rewriter *w)
{
	struct ir_func *f = w->f;
	struct ir_insn *all;
	int32_t *moved;
	int n = 0, k = 0;

	if (w->nextra == 0)
		return;
	qsort(w->extra, (size_t)w->nextra, sizeof *w->extra, by_place);
	all = arena_alloc(w->a, (size_t)(f->ninsn + w->nextra) * sizeof *all);
	moved = mem_alloc(((size_t)f->ninsn + 1) * sizeof *moved);
	for (int i = 0; i < f->ninsn; i++) {
		moved[i] = n;
		while (k < w->nextra && w->extra[k].before == i)
			all[n++] = w->extra[k++].insn;
		all[n++] = f->insn[i];
	}
	for (int l = 0; l < f->nlabel; l++)
		f->label[l].insn = moved[f->label[l].insn];
	f->insn = all;
	f->ninsn = n;
	w->nextra = 0;
	w->chain = mem_realloc(w->chain, ((size_t)n + 1) * sizeof *w->chain);
	free(moved);
	ir_build_cfg(w->a, f);
}

/* ---- names within a block --------------------------------------------------------------------- */

/* ptxas works on values, not on registers: in `mul %f6,..; add %f6,%f6,..` the product has a name of
 * its own. Gives every value that is made and replaced within one block its own register. */
struct renaming {
	struct rewriter *w;
	int32_t *now;  /* by register: its present name, -1 itself */
	char *later;   /* by instruction: its destination is defined again in the block, entirely */
};

static void rename_operand(struct renaming *r, struct ir_opnd *o)
{
	if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0 && r->now[o->reg] >= 0)
		o->reg = r->now[o->reg];
	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		rename_operand(r, &o->elem[k]);
}

/* Destinations that keep their register: others than a single unguarded one. */
static void forget_operand(int32_t *now, const struct ir_opnd *o)
{
	if (o->kind == OPND_REG)
		now[o->reg] = -1;
	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		forget_operand(now, &o->elem[k]);
}

/* From the end of the block: whole[r] tells that r is defined again, entirely, before it is changed
 * in part. */
static void mark_replaced(struct renaming *r, const struct ir_block *b, int32_t *whole)
{
	const struct ir_func *f = r->w->f;

	for (int i = b->first + b->n - 1; i >= b->first; i--) {
		const struct ir_insn *n = &f->insn[i];
		bool plain = n->d.kind == OPND_REG && n->guard < 0 && n->call == NULL &&
		             n->d2.kind != OPND_REG;

		r->later[i] = plain && whole[n->d.reg] == 1;
		forget_operand(whole, &n->d);
		forget_operand(whole, &n->d2);
		for (int k = 0; n->call != NULL && k < n->call->nret; k++)
			forget_operand(whole, &n->call->ret[k]);
		if (plain)
			whole[n->d.reg] = 1;
	}
	for (int i = b->first; i < b->first + b->n; i++) {
		forget_operand(whole, &f->insn[i].d);
		forget_operand(whole, &f->insn[i].d2);
	}
}

static void rename_block(struct renaming *r, const struct ir_block *b)
{
	struct ir_func *f = r->w->f;

	for (int i = b->first; i < b->first + b->n; i++) {
		struct ir_insn *n = &f->insn[i];

		if (n->guard >= 0 && r->now[n->guard] >= 0)
			n->guard = r->now[n->guard];
		for (int k = 0; k < n->nsrc; k++)
			rename_operand(r, &n->src[k]);
		for (int k = 0; n->call != NULL && k < n->call->narg; k++)
			rename_operand(r, &n->call->arg[k]);
		if (r->later[i]) {
			const struct ir_reg old = f->reg[n->d.reg];
			int32_t fresh = rw_new_reg(r->w, old.ty, old.name).reg;

			r->now[n->d.reg] = fresh;
			n->d.reg = fresh;
		} else {
			forget_operand(r->now, &n->d);
			forget_operand(r->now, &n->d2);
			for (int k = 0; n->call != NULL && k < n->call->nret; k++)
				forget_operand(r->now, &n->call->ret[k]);
		}
	}
}

static void rename_values(struct rewriter *w)
{
	struct ir_func *f = w->f;
	struct renaming r = { .w = w };
	int nreg = f->nreg;
	int32_t *whole = mem_alloc(((size_t)nreg + 1) * sizeof *whole);

	r.now = mem_alloc(((size_t)nreg + 1) * sizeof *r.now);
	r.later = mem_zalloc((size_t)f->ninsn + 1, 1);
	for (int k = 0; k < nreg; k++)
		r.now[k] = whole[k] = -1;
	for (int b = 0; b < f->nblock; b++)
		mark_replaced(&r, &f->block[b], whole);
	for (int b = 0; b < f->nblock; b++)
		rename_block(&r, &f->block[b]);
	free(r.now);
	free(r.later);
	free(whole);
}

/* ---- all of it -------------------------------------------------------------------------------- */

void ptx_rewrite_with(struct arena *a, struct ir_func *f, unsigned which)
{
	struct rewriter w = { .a = a, .f = f };

	w.chain = mem_zalloc((size_t)f->ninsn + 1, sizeof *w.chain);
	w.cap_reg = f->nreg;
	grow_registers(&w);
	if (which != 0)
		rename_values(&w);
	if (which & RW_FOLD) {
		analyse(&w);
		rw_fold(&w);
		settle(&w);
	}
	if (which & RW_ALGEBRA) {
		analyse(&w);
		rw_algebra(&w);
		settle(&w);
	}
	if (which & RW_CONTRACT) {
		analyse(&w);
		rw_contract(&w);
		settle(&w);
	}
	if (which & RW_ORDER) {
		analyse(&w);
		rw_order(&w);
	}
	free(w.chain);
	free(w.ndef);
	free(w.nuse);
	free(w.def);
	free(w.first);
	free(w.use);
	free(w.extra);
}

void ptx_rewrite(struct arena *a, struct ir_func *f, const struct ptx_options *o)
{
	ptx_rewrite_with(a, f, o != NULL && o->no_contract ? RW_ALL & ~RW_CONTRACT : RW_ALL);
}

/* defs.c - which registers an instruction writes and reads; who writes and reads a register. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

static void each_register(const struct ir_opnd *o, void (*fn)(void *ctx, int reg), void *ctx)
{
	if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0)
		fn(ctx, o->reg);
	for (int i = 0; o->kind == OPND_VEC && i < o->n; i++)
		each_register(&o->elem[i], fn, ctx);
}

void insn_writes(const struct ir_insn *i, void (*fn)(void *ctx, int reg), void *ctx)
{
	each_register(&i->d, fn, ctx);
	each_register(&i->d2, fn, ctx);
	for (int k = 0; i->call && k < i->call->nret; k++)
		each_register(&i->call->ret[k], fn, ctx);
}

void insn_reads(const struct ir_insn *i, void (*fn)(void *ctx, int reg), void *ctx)
{
	if (i->guard >= 0)
		fn(ctx, i->guard);
	for (int k = 0; k < i->nsrc; k++)
		each_register(&i->src[k], fn, ctx);
	for (int k = 0; i->call && k < i->call->narg; k++)
		each_register(&i->call->arg[k], fn, ctx);
	if (i->op == OP_LATER)
		each_register(&i->d, fn, ctx);
}

struct counting {
	struct list *l;
	struct arena *a;
	int insn, pass;
};

static void count(void *ctx, int reg)
{
	struct counting *c = ctx;
	struct list *l = &c->l[reg];

	if (c->pass == 1)
		l->v[l->n] = c->insn;
	l->n++;
}

void defs_analyse(struct lint_fn *f)
{
	size_t n = (size_t)f->f->nreg + 1;

	f->defs = arena_alloc(f->a, sizeof *f->defs * n);
	f->uses = arena_alloc(f->a, sizeof *f->uses * n);
	for (int pass = 0; pass < 2; pass++) {
		for (int r = 0; pass == 1 && r < f->f->nreg; r++) {
			f->defs[r].v = arena_alloc(f->a, sizeof(int32_t) * ((size_t)f->defs[r].n + 1));
			f->uses[r].v = arena_alloc(f->a, sizeof(int32_t) * ((size_t)f->uses[r].n + 1));
			f->defs[r].n = f->uses[r].n = 0;
		}
		for (int i = 0; i < f->f->ninsn; i++) {
			struct counting c = {f->defs, f->a, i, pass};

			insn_writes(&f->f->insn[i], count, &c);
			c.l = f->uses;
			insn_reads(&f->f->insn[i], count, &c);
		}
	}
}

/* ---- definite initialisation ---- */

struct defs_ways defs_ways_new(const struct lint_fn *f)
{
	size_t n = (size_t)f->f->nblock + 1;

	return (struct defs_ways){.f = f, .gives = mem_zalloc(n, sizeof(int32_t)), .comes = mem_zalloc(n, sizeof(int32_t)),
	                          .work = mem_alloc(n * sizeof(int32_t)), .reg = -1};
}

void defs_ways_free(struct defs_ways *w)
{
	free(w->gives);
	free(w->comes);
	free(w->work);
}

/* Marks the blocks to whose begin control comes from the entry's without passing one that gives register r a value. */
static void search(struct defs_ways *w, int r)
{
	const struct lint_fn *f = w->f;
	int n = 0;

	w->reg = r;
	for (int d = 0; d < f->defs[r].n; d++)
		w->gives[f->block_of[f->defs[r].v[d]]] = r + 1;
	w->work[n++] = f->f->rpo[0];
	w->comes[f->f->rpo[0]] = r + 1;
	while (n > 0 && (*f->fuel)-- > 0) {
		int b = w->work[--n];

		for (int s = 0, to; w->gives[b] != r + 1 && (to = flow_successor(f->f, b, s)) >= 0; s++)
			if (w->comes[to] != r + 1) {
				w->comes[to] = r + 1;
				w->work[n++] = to;
			}
	}
}

int defs_before(const struct lint_fn *f, int i, int r)
{
	const struct list *d = &f->defs[r];
	int lo = 0, hi = d->n; /* the first that is not before it */

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (d->v[mid] < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? d->v[lo - 1] : -1;
}

bool defs_missing(struct defs_ways *w, int i, int r)
{
	const struct lint_fn *f = w->f;
	int block = f->block_of[i], k = defs_before(f, i, r);

	if (f->defs[r].n == 0)
		return true;
	if (k >= 0 && (f->block_of[k] == block || flow_dominates(f, f->block_of[k], block)))
		return false;
	if (f->block_of[f->defs[r].v[0]] != block && flow_dominates(f, f->block_of[f->defs[r].v[0]], block))
		return false;
	if (w->reg != r && *f->fuel > 0)
		search(w, r);
	return *f->fuel > 0 && w->comes[block] == r + 1;
}

const struct ir_insn *defs_only(const struct lint_fn *f, int r)
{
	return r >= 0 && f->defs[r].n == 1 ? &f->f->insn[f->defs[r].v[0]] : NULL;
}

const char *insn_text(const struct lint_fn *f, const struct ir_insn *i, char *out, size_t n)
{
	const char *s = f->m->text + i->pos;
	size_t len = strcspn(s, " \t\r\n;");

	len = len < n ? len : n - 1;
	memcpy(out, s, len);
	out[len] = 0;
	return out;
}

bool insn_is(const struct lint_fn *f, const struct ir_insn *i, const char *prefix)
{
	size_t n = strlen(prefix);

	return i->op == OP_LATER && i->pos + n <= f->m->len && memcmp(f->m->text + i->pos, prefix, n) == 0;
}

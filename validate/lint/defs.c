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

size_t defs_words(const struct lint_fn *f)
{
	return (size_t)f->f->nreg / 64 + 1;
}

static void set_bit(void *ctx, int reg)
{
	((uint64_t *)ctx)[reg / 64] |= UINT64_C(1) << (reg % 64);
}

/* What holds behind block b when `in` holds before it. */
static void behind(const struct lint_fn *f, int b, const uint64_t *in, uint64_t *out)
{
	const struct ir_block *k = &f->f->block[b];

	memcpy(out, in, defs_words(f) * sizeof *out);
	for (int i = k->first; i < k->first + k->n; i++)
		insn_writes(&f->f->insn[i], set_bit, out);
}

uint64_t *defs_definite(const struct lint_fn *f)
{
	size_t words = defs_words(f);
	uint64_t *in = mem_alloc(((size_t)f->f->nblock + 1) * words * sizeof *in), *out = mem_alloc(words * sizeof *out);
	bool changed = true;

	memset(in, 0xff, ((size_t)f->f->nblock + 1) * words * sizeof *in);
	if (f->f->nrpo)
		memset(in + (size_t)f->f->rpo[0] * words, 0, words * sizeof *in);
	while (changed) { /* bits only fall */
		changed = false;
		for (int k = 0; k < f->f->nrpo; k++) {
			uint64_t *to = in + (size_t)f->f->rpo[k] * words;

			for (int p = 0; p < f->pred[f->f->rpo[k]].n; p++) {
				int from = f->pred[f->f->rpo[k]].v[p];

				behind(f, from, in + (size_t)from * words, out);
				for (size_t i = 0; i < words; i++) {
					changed |= (to[i] & ~out[i]) != 0;
					to[i] &= out[i];
				}
			}
		}
	}
	free(out);
	return in;
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

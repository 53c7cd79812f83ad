/* walk.c - from a value to those made of it, or to those it is made of. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

struct walk walk_new(const struct lint_fn *f)
{
	size_t n = (size_t)f->f->nreg + 1;

	return (struct walk){f, mem_zalloc(n, 1), mem_alloc(sizeof(int32_t) * n), 0};
}

void walk_free(struct walk *w)
{
	free(w->seen);
	free(w->work);
}

static void push(void *ctx, int reg)
{
	struct walk *w = ctx;

	if (!w->seen[reg]) {
		w->seen[reg] = 1;
		w->work[w->n++] = reg;
	}
}

static void begin(struct walk *w)
{
	memset(w->seen, 0, (size_t)w->f->f->nreg + 1);
	*w->f->fuel -= w->f->f->nreg / 32;
	w->n = 0;
}

/* On: to what `next` names of the instructions in the list of each register taken from the work list. */
static bool go(struct walk *w, const struct list *of, void (*next)(const struct ir_insn *i, void (*fn)(void *ctx, int reg), void *ctx),
               enum walk_step (*visit)(void *ctx, const struct ir_insn *i, int reg), void *ctx)
{
	while (w->n > 0) {
		int r = w->work[--w->n];

		for (int k = 0; k < of[r].n && (*w->f->fuel)-- > 0; k++) {
			const struct ir_insn *i = &w->f->f->insn[of[r].v[k]];
			enum walk_step step = visit(ctx, i, r);

			if (step == WALK_FOUND)
				return true;
			if (step == WALK_ON)
				next(i, push, w);
		}
	}
	return false;
}

bool walk_uses(struct walk *w, const struct ir_insn *from, enum walk_step (*visit)(void *ctx, const struct ir_insn *i, int reg), void *ctx)
{
	begin(w);
	insn_writes(from, push, w);
	return go(w, w->f->uses, insn_writes, visit, ctx);
}

bool walk_defs(struct walk *w, int reg, enum walk_step (*visit)(void *ctx, const struct ir_insn *i, int reg), void *ctx)
{
	begin(w);
	push(w, reg);
	return go(w, w->f->defs, insn_reads, visit, ctx);
}

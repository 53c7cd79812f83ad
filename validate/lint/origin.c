/* origin.c - which parameter an address is made from. */
#include "validate/lint/fn.h"

struct meet {
	const struct lint_fn *f;
	int32_t o;
};

static int32_t meet_origin(int32_t a, int32_t b)
{
	return a == b || b == FROM_NOTHING ? a : a == FROM_NOTHING ? b : FROM_MANY;
}

static void read_origin(void *ctx, int reg)
{
	struct meet *m = ctx;

	m->o = meet_origin(m->o, m->f->origin[reg]);
}

static bool is_pointer_param(const struct lint_fn *f, int var)
{
	const struct ir_func *fn = f->f;
	int p = var - IR_LOCAL_VAR - fn->nret;

	return var >= IR_LOCAL_VAR && p >= 0 && p < fn->nparam && fn->param[p].pointer;
}

static int32_t result_origin(const struct lint_fn *f, const struct ir_insn *i)
{
	struct meet m = {f, FROM_NOTHING};

	switch (i->op) {
	case OP_LD:
		if (i->space == MOD_PARAM && is_pointer_param(f, i->src[0].var))
			return i->src[0].var - IR_LOCAL_VAR - f->f->nret;
		return FROM_NOTHING;
	case OP_MOV: case OP_CVTA: case OP_ADD: case OP_SUB: case OP_MAD: case OP_SELP: case OP_AND: case OP_OR:
		if (i->op == OP_MOV && i->src[0].kind == OPND_VAR)
			return FROM_SHARED;
		insn_reads(i, read_origin, &m);
		return m.o;
	default:
		return FROM_NOTHING;
	}
}

struct put {
	struct lint_fn *f;
	int32_t o;
	bool changed;
};

static void write_origin(void *ctx, int reg)
{
	struct put *p = ctx;
	int32_t o = meet_origin(p->f->origin[reg], p->o);

	p->changed |= o != p->f->origin[reg];
	p->f->origin[reg] = o;
}

void origin_analyse(struct lint_fn *f)
{
	bool changed = true;

	f->origin = arena_alloc(f->a, sizeof *f->origin * ((size_t)f->f->nreg + 1));
	for (int r = 0; r < f->f->nreg; r++)
		f->origin[r] = FROM_NOTHING;
	while (changed && (*f->fuel -= f->f->ninsn) > 0) {
		changed = false;
		for (int i = 0; i < f->f->ninsn; i++) {
			struct put p = {f, result_origin(f, &f->f->insn[i]), false};

			insn_writes(&f->f->insn[i], write_origin, &p);
			changed |= p.changed;
		}
	}
}

int origin_of(const struct lint_fn *f, const struct ir_opnd *address)
{
	if (address->kind != OPND_ADDR)
		return FROM_NOTHING;
	if (address->reg >= 0)
		return f->origin[address->reg];
	return address->var >= 0 ? FROM_SHARED : FROM_NOTHING;
}

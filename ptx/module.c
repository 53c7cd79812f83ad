/* module.c - a parsed module: reading, entries and their parameters, copies of functions. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- which parameters are pointers ------------------------------------------------------------ */

/* For every register the parameter it is known to point from: NONE nothing yet, MIXED several. */
enum { FROM_NONE = -1, FROM_MIXED = -2 };

struct trace {
	struct ir_func *f;
	int32_t *from;
	bool changed;
};

static int32_t origin(const struct trace *t, const struct ir_opnd *o)
{
	return o->kind == OPND_REG ? t->from[o->reg] : FROM_NONE;
}

static void join(struct trace *t, const struct ir_opnd *d, int32_t from)
{
	int32_t *at;

	if (d->kind != OPND_REG || from == FROM_NONE)
		return;
	at = &t->from[d->reg];
	if (*at == from || *at == FROM_MIXED)
		return;
	*at = *at == FROM_NONE ? from : FROM_MIXED;
	t->changed = true;
}

/* A sum points where its one known pointer points; when both summands come from parameters, the one
 * that is declared or already known to be a pointer counts. */
static int32_t sum_origin(const struct trace *t, const struct ir_opnd *a, const struct ir_opnd *b)
{
	int32_t x = origin(t, a), y = origin(t, b);

	if (x == FROM_NONE || x == y)
		return y;
	if (y == FROM_NONE)
		return x;
	if (x >= 0 && t->f->var[x].is_ptr)
		return x;
	return y >= 0 && t->f->var[y].is_ptr ? y : FROM_MIXED;
}

static void mark(struct trace *t, int32_t param)
{
	if (param >= 0 && !t->f->var[param].is_ptr) {
		t->f->var[param].is_ptr = true;
		t->changed = true;
	}
}

/* The parameter that ld.param reads whole, else FROM_NONE. */
static int32_t loaded_param(const struct trace *t, const struct ir_insn *i)
{
	const struct ir_opnd *a = &i->src[0];
	int v = a->var - IR_LOCAL_VAR;

	if (i->space != MOD_PARAM || a->kind != OPND_ADDR || v < 0 || v >= t->f->nparam)
		return FROM_NONE;
	return t->f->var[v].bytes == 8 && a->off == 0 && i->vec == 1 &&
	       ir_ty_bytes((enum ir_ty)i->ty[0]) == 8 ? v : FROM_NONE;
}

static void trace_insn(struct trace *t, const struct ir_insn *i)
{
	switch ((enum ir_op)i->op) {
	case OP_LD:
		join(t, &i->d, loaded_param(t, i));
		break;
	case OP_CVTA:
		if (i->flags & FL_TO)
			mark(t, origin(t, &i->src[0]));
		join(t, &i->d, origin(t, &i->src[0]));
		break;
	case OP_MOV:
		join(t, &i->d, origin(t, &i->src[0]));
		break;
	case OP_ADD: case OP_SUB: case OP_SELP:
		join(t, &i->d, sum_origin(t, &i->src[0], &i->src[1]));
		break;
	case OP_MAD:
		join(t, &i->d, origin(t, &i->src[2]));
		break;
	default: break;
	}
	for (int k = 0; k < i->nsrc; k++) {
		if (i->src[k].kind == OPND_ADDR && i->src[k].reg >= 0)
			mark(t, t->from[i->src[k].reg]);
	}
}

/* Marks the parameters of an entry whose value becomes an address. */
static void find_pointers(struct ir_func *f)
{
	struct trace t = { f, mem_alloc(((size_t)f->nreg + 1) * sizeof *t.from), true };

	for (int r = 0; r < f->nreg; r++)
		t.from[r] = FROM_NONE;
	for (int pass = 0; t.changed && pass < 16; pass++) { /* loops are settled after a few */
		t.changed = false;
		for (int k = 0; k < f->ninsn; k++)
			trace_insn(&t, &f->insn[k]);
	}
	free(t.from);
}

/* ---- modules ---------------------------------------------------------------------------------- */

/* The public view of an entry's parameters, made with the module. */
static void list_params(struct ptx_module *m, struct ir_func *f)
{
	f->param = arena_alloc(m->arena, ((size_t)f->nparam + 1) * sizeof *f->param);
	for (int k = 0; k < f->nparam; k++) {
		const struct ir_var *v = &f->var[f->nret + k];

		f->param[k] = (struct ptx_param){ v->name, (uint32_t)v->offset, (uint32_t)v->bytes,
			                          v->align, v->is_ptr };
	}
}

static enum st parse(const char *text, size_t len, const char *name, bool loose, struct ptx_module **out, struct err *e)
{
	struct arena *a;
	struct ptx_module *m;
	enum st rc;

	*out = NULL;
	if (len > MAX_TEXT)
		return FAIL(e, LIMIT, "%s: %zu bytes of PTX; at most %zu are read", name, len, MAX_TEXT);
	a = arena_new();
	m = arena_alloc(a, sizeof *m);
	m->arena = a;
	m->name = arena_strndup(a, name, strlen(name));
	m->text = arena_alloc(a, len + 1); /* zeroed; zero bytes inside stay, for the lexer to refuse */
	memcpy(m->text, text, len);
	m->len = len;
	rc = parse_text(m, loose, e);
	for (int k = 0; rc == ST_OK && k < m->nfunc; k++) {
		if (!m->func[k].entry)
			continue;
		find_pointers(&m->func[k]);
		list_params(m, &m->func[k]);
	}
	if (rc != ST_OK)
		arena_free(a);
	else
		*out = m;
	return rc;
}

enum st ptx_parse(const char *text, size_t len, const char *name, struct ptx_module **out,
                  struct err *e)
{
	return parse(text, len, name, false, out, e);
}

enum st ptx_parse_loose(const char *text, size_t len, const char *name, struct ptx_module **out, struct err *e)
{
	return parse(text, len, name, true, out, e);
}

void ptx_module_free(struct ptx_module *m)
{
	if (m != NULL)
		arena_free(m->arena);
}

static bool is_defined_entry(const struct ir_func *f)
{
	return f->entry && f->defined;
}

int ptx_entry_count(const struct ptx_module *m)
{
	int n = 0;

	for (int k = 0; k < m->nfunc; k++)
		n += is_defined_entry(&m->func[k]);
	return n;
}

const char *ptx_entry_name(const struct ptx_module *m, int i)
{
	for (int k = 0; k < m->nfunc; k++) {
		if (is_defined_entry(&m->func[k]) && i-- == 0)
			return m->func[k].name;
	}
	return NULL;
}

const struct ir_func *ir_find_func(const struct ptx_module *m, const char *name)
{
	for (int k = 0; k < m->nfunc; k++) {
		if (strcmp(m->func[k].name, name) == 0)
			return &m->func[k];
	}
	return NULL;
}

const struct ptx_param *ptx_entry_params(const struct ptx_module *m, const char *entry, int *n)
{
	const struct ir_func *f = ir_find_func(m, entry);

	*n = 0;
	if (f == NULL || !is_defined_entry(f))
		return NULL;
	*n = f->nparam;
	return f->param;
}

/* ---- copies ----------------------------------------------------------------------------------- */

static void *copy(struct arena *a, const void *p, int n, size_t size)
{
	void *c = arena_alloc(a, ((size_t)n + 1) * size);

	if (n > 0)
		memcpy(c, p, (size_t)n * size);
	return c;
}

static void copy_vector(struct arena *a, struct ir_opnd *o)
{
	if (o->kind == OPND_VEC)
		o->elem = copy(a, o->elem, o->n, sizeof *o->elem);
}

static void copy_call(struct arena *a, struct ir_insn *i)
{
	struct ir_call *c;

	if (i->call == NULL)
		return;
	c = copy(a, i->call, 1, sizeof *c);
	c->ret = copy(a, c->ret, c->nret, sizeof *c->ret);
	c->arg = copy(a, c->arg, c->narg, sizeof *c->arg);
	i->call = c;
}

struct ir_func *ir_func_copy(struct arena *a, const struct ir_func *f)
{
	struct ir_func *c = copy(a, f, 1, sizeof *f);

	c->var = copy(a, f->var, f->nvar, sizeof *f->var);
	c->reg = copy(a, f->reg, f->nreg, sizeof *f->reg);
	c->insn = copy(a, f->insn, f->ninsn, sizeof *f->insn);
	c->label = copy(a, f->label, f->nlabel, sizeof *f->label);
	c->table = copy(a, f->table, f->ntable, sizeof *f->table);
	c->block = copy(a, f->block, f->nblock, sizeof *f->block);
	c->rpo = copy(a, f->rpo, f->nrpo, sizeof *f->rpo);
	for (int k = 0; k < c->ntable; k++)
		c->table[k].label = copy(a, c->table[k].label, c->table[k].n, sizeof(int32_t));
	for (int k = 0; k < c->ninsn; k++) {
		copy_vector(a, &c->insn[k].d);
		for (int s = 0; s < c->insn[k].nsrc; s++)
			copy_vector(a, &c->insn[k].src[s]);
		copy_call(a, &c->insn[k]);
	}
	return c;
}

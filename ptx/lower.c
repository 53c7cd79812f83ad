/* lower.c - from IR to the operations of emu.h: registers, constants, operands, blocks, layout. */
#include "ptx/lower.h"
#include "ptx/order.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *low_more(struct arena *a, void *p, uint32_t n, uint32_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	uint32_t want = *cap ? 2 * *cap : 64;
	void *q = arena_alloc(a, want * size);
	if (n)
		memcpy(q, p, n * size);
	*cap = want;
	return q;
}

enum st low_fail(struct low *l, const char *fmt, ...)
{
	char msg[400];
	va_list ap;
	if (l->e->code != ST_OK)
		return l->e->code;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	if (!l->insn)
		return FAIL(l->e, UNSUP, "%s: kernel %s: %s", l->m->name, l->p->entry, msg);
	return FAIL_INSN(l->e, UNSUP, l->m, l->insn, "%s", msg);
}

/* ---- registers and constants ------------------------------------------------------------------
 */

uint32_t low_alloc(struct low *l, int bits)
{
	uint32_t at = l->p->file_bytes;
	l->p->file_bytes += bits == 1 ? UNIT : bits <= 32 ? 2 * UNIT : 4 * UNIT;
	if (l->p->file_bytes > MAX_FILE) {
		low_fail(l, "the kernel needs more than %u bytes of registers a warp", MAX_FILE);
		l->p->file_bytes = at;
		return 0;
	}
	return at;
}
uint32_t low_const(struct low *l, uint64_t bits, int width)
{
	struct ptx_program *p = l->p;
	uint32_t bytes = width == 1 ? 0 : width <= 32 ? 4 : 8, cap = l->const_cap;
	for (int i = 0; i < p->nkonst; i++)
		if (p->konst[i].bits == bits && p->konst[i].bytes == bytes && !p->konst[i].dynamic)
			return p->konst[i].reg;
	p->konst = low_more(l->arena, p->konst, (uint32_t)p->nkonst, &cap, sizeof *p->konst);
	l->const_cap = cap;
	uint32_t reg = low_alloc(l, width);
	p->konst[p->nkonst++] = (struct emu_const){reg, bytes, bits, false};
	return reg;
}
uint32_t low_dynamic_const(struct low *l, int64_t off, int bits)
{
	struct ptx_program *p = l->p;
	uint32_t cap = l->const_cap, reg = low_alloc(l, bits);
	/* a constant of its own, which finish() moves to where dynamic memory begins */
	p->konst = low_more(l->arena, p->konst, (uint32_t)p->nkonst, &cap, sizeof *p->konst);
	l->const_cap = cap;
	p->konst[p->nkonst] = (struct emu_const){reg, bits == 64 ? 8 : 4, (uint64_t)off, true};
	p->nkonst++;
	return reg;
}
static uint32_t special(struct low *l, enum ir_sreg s)
{
	struct ptx_program *p = l->p;
	for (int i = 0; i < p->nsreg; i++)
		if (p->sreg[i].sr == s)
			return p->sreg[i].reg;
	p->sreg = low_more(l->arena, p->sreg, (uint32_t)p->nsreg, &l->sreg_cap, sizeof *p->sreg);
	uint32_t reg = low_alloc(l, ir_ty_bits(ir_sreg_type(s)));
	p->sreg[p->nsreg++] = (struct emu_sreg){reg, s};
	return reg;
}
/* A clock is read anew each time. */
static uint32_t read_special(struct low *l, enum ir_sreg s)
{
	bool wide = ir_ty_bits(ir_sreg_type(s)) == 64;
	uint32_t t;
	switch (s) {
	case SR_CLOCK:
	case SR_CLOCK_HI:
	case SR_CLOCK64:
	case SR_GLOBALTIMER:
	case SR_GLOBALTIMER_LO:
	case SR_GLOBALTIMER_HI:
		t = low_alloc(l, wide ? 64 : 32);
		struct emu_op *o = low_emit(l, wide ? "clock64" : "clock32", t, 0, 0, 0);
		if (o)
			o->imm = s == SR_CLOCK_HI || s == SR_GLOBALTIMER_HI ? 32 : 0;
		return t;
	default:
		return special(l, s);
	}
}
uint32_t low_reg(struct low *l, int reg)
{
	struct low_frame *f = l->frame;
	if (!f->reg[reg]) {
		int bits = f->f->reg[reg].bits;
		if (bits > 64) {
			low_fail(l, "128-bit register %s", f->f->reg[reg].name);
			return 0;
		}
		f->reg[reg] = low_alloc(l, bits == 1 ? 1 : bits <= 32 ? 32 : 64);
	}
	return f->reg[reg];
}
int low_reg_bits(const struct low *l, const struct ir_opnd *o)
{
	if (o->kind == OPND_REG)
		return l->frame->f->reg[o->reg].bits;
	if (o->kind == OPND_SREG)
		return ir_ty_bits(ir_sreg_type((enum ir_sreg)o->reg));
	return 0;
}

/* ---- operands ---------------------------------------------------------------------------------
 */

uint32_t low_src(struct low *l, const struct ir_opnd *o, int bits)
{
	bool wide = bits == 64;
	uint32_t r, t;
	switch (o->kind) {
	case OPND_REG:
		r = low_reg(l, o->reg);
		break;
	case OPND_SREG:
		r = read_special(l, (enum ir_sreg)o->reg);
		break;
	case OPND_IMM:
		return low_const(l, wide ? o->imm : (uint32_t)o->imm, wide ? 64 : 32);
	case OPND_VAR:
		return low_address_of(l, o, bits);
	case OPND_SINK:
	case OPND_NONE:
		return low_const(l, 0, wide ? 64 : 32);
	default:
		low_fail(l, "this operand is not supported here");
		return 0;
	}
	if ((low_reg_bits(l, o) > 32) == wide)
		return r;
	t = low_alloc(l, wide ? 64 : 32);
	low_emit(l, wide ? "pack32" : "low32", t, r, wide ? l->zero : 0, 0);
	return t;
}
uint32_t low_pred(struct low *l, const struct ir_opnd *o)
{
	if (o->kind == OPND_IMM)
		return low_const(l, (o->imm & 1) ^ o->neg, 1);
	if (o->kind == OPND_NONE)
		return low_const(l, 1, 1);
	uint32_t r = o->kind == OPND_SREG ? special(l, (enum ir_sreg)o->reg) : low_reg(l, o->reg);
	if (!o->neg)
		return r;
	uint32_t t = low_alloc(l, 1);
	low_emit(l, "pnot", t, r, 0, 0);
	return t;
}
struct low_dest low_dest(struct low *l, const struct ir_opnd *o, int bits, bool is_signed)
{
	struct low_dest d = {.bits = bits, .is_signed = is_signed};
	bool wide = bits == 64;
	if (o->kind != OPND_REG) { /* _ */
		d.reg = d.final = low_alloc(l, bits);
		return d;
	}
	d.final = d.reg = low_reg(l, o->reg);
	d.final_bits = l->frame->f->reg[o->reg].bits;
	if (bits != 1 && (d.final_bits > 32) != wide)
		d.reg = low_alloc(l, bits);
	return d;
}
void low_done(struct low *l, const struct low_dest *d)
{
	if (d->reg != d->final) {
		if (d->bits == 64)
			low_emit(l, "low32", d->final, d->reg, 0, 0);
		else
			low_emit(l, d->is_signed ? "cvt_s64_s32" : "pack32", d->final, d->reg,
			         d->is_signed ? 0 : l->zero, 0);
	} else if (d->is_signed && d->final_bits == 16) {
		low_emit(l, "low16", d->final, d->final, 0, 0);
	}
}

/* ---- operations and blocks --------------------------------------------------------------------
 */

static int by_name(const void *a, const void *b)
{
	const struct emu_handler *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}
const struct emu_handler *low_find(const struct low *l, const char *name)
{
	struct emu_handler key = {.name = name};
	const struct emu_handler *k = &key, **h;
	h = bsearch(&k, l->handler, l->nhandler, sizeof *l->handler, by_name);
	return h ? *h : NULL;
}
static void gather_handlers(struct low *l, const struct emu_isa *isa)
{
	struct emu_part part[EMU_MAX_PARTS];
	int n = isa->parts(part);
	size_t total = 0, k = 0;
	for (int i = 0; i < n; i++)
		total += part[i].n;
	l->handler = arena_alloc(l->arena, total * sizeof *l->handler);
	for (int i = 0; i < n; i++)
		for (size_t j = 0; j < part[i].n; j++)
			l->handler[k++] = &part[i].handler[j];
	l->nhandler = total;
	qsort(l->handler, total, sizeof *l->handler, by_name);
}

static struct emu_op *append(struct low *l, const char *name)
{
	const struct emu_handler *h = low_find(l, name);
	if (!h) {
		low_fail(l, "this form has no handler (%s)", name);
		return NULL;
	}
	if (l->nop >= MAX_OPS) {
		if (l->e->code == ST_OK)
			FAIL(l->e, LIMIT,
			     "%s: kernel %s has more than %u operations once its calls are in "
			     "place",
			     l->m->name, l->p->entry, MAX_OPS);
		return NULL;
	}
	l->op = low_more(l->arena, l->op, l->nop, &l->op_cap, sizeof *l->op);
	struct emu_op *o = &l->op[l->nop++];
	memset(o, 0, sizeof *o);
	o->fn[0] = h->plain;
	o->fn[1] = h->sanitized;
	o->dest = h->dest;
	o->flow = FLOW_SELF;
	o->site = l->site;
	l->block[l->at].n++;
	return o;
}
struct emu_op *low_emit(struct low *l, const char *name, uint32_t d, uint32_t a, uint32_t b,
                        uint32_t c)
{
	if (l->e->code != ST_OK || l->at < 0)
		return NULL;
	if (l->guard) {
		struct emu_op *g = append(l, "guard");
		if (!g)
			return NULL;
		g->a = l->guard;
		g->flags = l->guard_neg ? OPF_NEG : 0;
	}
	struct emu_op *o = append(l, name);
	if (!o)
		return NULL;
	const struct emu_handler *h = low_find(l, name);
	o->d = d;
	o->a = a;
	o->b = b;
	o->c = c;
	/* a handler that fills all lanes, or a predicate from lanes, has plain register operands */
	if (h->dest != DEST_SELF || h->abits || !strncmp(name, "cmp_", 4))
		o->flow = FLOW_OR;
	if ((a == d || b == d || c == d) && d)
		o->flags |= OPF_ALIAS;
	return o;
}

int low_new_block(struct low *l)
{
	uint32_t cap = (uint32_t)l->block_cap;
	if (l->nblock >= MAX_BLOCKS && l->e->code == ST_OK)
		FAIL(l->e, LIMIT,
		     "%s: kernel %s has more than %d basic blocks once its calls are in place",
		     l->m->name, l->p->entry, MAX_BLOCKS);
	l->block = low_more(l->arena, l->block, (uint32_t)l->nblock, &cap, sizeof *l->block);
	l->block_cap = (int)cap;
	struct low_block *b = &l->block[l->nblock];
	memset(b, 0, sizeof *b);
	b->next = b->taken = -1;
	return l->nblock++;
}
void low_open(struct low *l, int block)
{
	l->at = block;
	l->block[block].first = l->nop;
	l->block[block].n = 0;
}
void low_jump(struct low *l, int to)
{
	if (l->at >= 0)
		l->block[l->at].next = to;
	l->at = -1;
}
void low_branch(struct low *l, uint32_t pred, bool neg, int to, int other)
{
	if (l->at >= 0) {
		struct low_block *b = &l->block[l->at];
		b->pred = pred;
		b->neg = neg;
		b->taken = to;
		b->next = other;
		b->site = l->site;
	}
	l->at = -1;
}

/* ---- layout -----------------------------------------------------------------------------------
 */

static struct emu_op *place(struct low *l, struct emu_op *out, uint32_t *n, const char *name)
{
	const struct emu_handler *h = low_find(l, name);
	struct emu_op *o = &out[(*n)++];
	memset(o, 0, sizeof *o);
	o->fn[0] = h->plain;
	o->fn[1] = h->sanitized;
	o->dest = DEST_SELF;
	o->flow = FLOW_SELF;
	return o;
}
/* Ends a block: the targets are numbers of blocks until all are placed. follows: the block placed
 * next. */
static void place_end(struct low *l, struct emu_op *out, uint32_t *n, const struct low_block *b,
                      int follows)
{
	struct emu_op *o;
	if (b->pred && b->taken != b->next) {
		o = place(l, out, n, "branch");
		o->a = b->pred;
		o->flags = b->neg ? OPF_NEG : 0;
		o->target = (uint32_t)b->taken;
		o->other = (uint32_t)b->next;
		o->b = l->p->nbranch++;
		o->site = b->site;
	} else if (b->ntable) {
		o = place(l, out, n, "brx");
		o->a = b->index;
		o->target = l->p->ntable;
		o->other = (uint32_t)b->ntable;
		o->site = b->site;
		for (int i = 0; i < b->ntable; i++)
			l->p->table[l->p->ntable++] = (uint32_t)b->table[i];
	} else if (b->next >= 0 && b->next != follows) {
		o = place(l, out, n, "jump");
		o->target = (uint32_t)b->next;
	}
}
static void add_line(struct low *l, const struct emu_site *s, uint32_t block)
{
	struct ptx_program *p = l->p;
	if (p->nline && p->line[p->nline - 1].block == block && p->line[p->nline - 1].ptx_line == s->line)
		return;
	p->line = low_more(l->arena, p->line, p->nline, &l->line_cap, sizeof *p->line);
	p->line[p->nline++] = (struct emu_line){s->src_file, s->src_line, s->line, block};
}
/* Numbers of blocks become places of operations. */
static void resolve(struct low *l, const uint32_t *at)
{
	struct ptx_program *p = l->p;
	emu_fn *branch = low_find(l, "branch")->plain, *jump = low_find(l, "jump")->plain;
	for (uint32_t i = 0; i < p->nop; i++) {
		struct emu_op *o = &p->op[i];
		if (o->fn[0] == branch || o->fn[0] == jump)
			o->target = at[o->target];
		if (o->fn[0] == branch)
			o->other = at[o->other];
	}
	for (uint32_t i = 0; i < p->ntable; i++)
		p->table[i] = at[p->table[i]];
}
static void lay_out(struct low *l)
{
	struct ptx_program *p = l->p;
	size_t nb = (size_t)l->nblock + 1, ntable = 0;
	int *succ = arena_alloc(l->arena, 2 * nb * sizeof *succ);
	const int **tab = arena_alloc(l->arena, nb * sizeof *tab);
	int *ntab = arena_alloc(l->arena, nb * sizeof *ntab),
	    *out = arena_alloc(l->arena, nb * sizeof *out);
	uint32_t *at = arena_alloc(l->arena, nb * sizeof *at);
	for (int i = 0; i < l->nblock; i++) {
		succ[2 * i] = l->block[i].next;
		succ[2 * i + 1] = l->block[i].taken;
		tab[i] = l->block[i].table;
		ntab[i] = l->block[i].ntable;
		ntable += (size_t)ntab[i];
	}
	int n = emu_order(l->nblock, succ, tab, ntab, out);
	p->table = arena_alloc(l->arena, (ntable + 1) * sizeof *p->table);
	p->op = arena_alloc(l->arena, (l->nop + 2 * nb) * sizeof *p->op);
	for (int k = 0; k < n; k++) {
		const struct low_block *b = &l->block[out[k]];
		at[out[k]] = p->nop;
		struct emu_op *o = place(l, p->op, &p->nop, "enter");
		o->a = p->nblock;
		o->imm = b->insns;
		o->site = b->n ? l->op[b->first].site : b->site;
		for (uint32_t i = 0; i < b->n; i++) {
			p->op[p->nop++] = l->op[b->first + i];
			add_line(l, &p->site[l->op[b->first + i].site], p->nblock);
		}
		if (b->site)
			add_line(l, &p->site[b->site], p->nblock);
		place_end(l, p->op, &p->nop, b, k + 1 < n ? out[k + 1] : -1);
		p->nblock++;
	}
	resolve(l, at);
}

/* ---- the program ------------------------------------------------------------------------------
 */

/* Registers with a name are the PTX registers: not initialised when a thread starts. */
static void name_registers(struct low *l)
{
	l->p->regname = arena_alloc(l->arena, l->p->file_bytes / UNIT * sizeof *l->p->regname);
	for (const struct low_frame *f = l->frames; f; f = f->older)
		for (int i = 0; i < f->f->nreg; i++)
			if (f->reg[i])
				l->p->regname[f->reg[i] / UNIT] = f->f->reg[i].name;
}
static void begin(struct low *l, const char *entry, const struct emu_isa *isa)
{
	struct ptx_program *p = l->p;
	p->arena = l->arena;
	p->m = l->m;
	p->entry = entry;
	p->isa = isa;
	gather_handlers(l, isa);
	low_const(l, 0, 32); /* at offset 0: what an operand that is not used refers to */
	low_alloc(l, 32);    /* room for 64 bits of it */
	p->scratch = low_alloc(l, 64);
	low_alloc(l, 64);
	p->site = low_more(l->arena, NULL, 0, &l->site_cap, sizeof *p->site);
	p->nsite = 1; /* 0: nowhere */
}
static void finish(struct low *l, const struct ir_func *f)
{
	struct ptx_program *p = l->p;
	uint32_t align = l->dynamic_align > 16 ? l->dynamic_align : 16;
	p->dynamic_base = (p->static_shared + align - 1) & ~(align - 1);
	for (int i = 0; i < p->nkonst; i++)
		if (p->konst[i].dynamic)
			p->konst[i].bits += p->dynamic_base;
	lay_out(l);
	name_registers(l);
	p->param = ptx_entry_params(l->m, p->entry, &p->nparam);
	p->param_bytes = f->param_bytes;
	memcpy(p->reqntid, f->reqntid, sizeof p->reqntid);
	memcpy(p->maxntid, f->maxntid, sizeof p->maxntid);
	for (int i = 1; i < 3; i++) {
		if (p->reqntid[0] && !p->reqntid[i])
			p->reqntid[i] = 1;
		if (p->maxntid[0] && !p->maxntid[i])
			p->maxntid[i] = 1;
	}
}

enum st emu_lower(const struct ptx_module *m, const char *entry, const struct ptx_options *o,
                  const struct emu_isa *isa, struct ptx_program **out, struct err *e)
{
	static const struct ptx_options none;
	struct arena *a = arena_new();
	struct low l = {.m = m, .arena = a, .e = e, .options = o ? o : &none, .at = -1};
	const struct ir_func *f = ir_find_func(m, entry);
	*out = NULL;
	l.p = arena_alloc(a, sizeof *l.p);
	if (!f || !f->entry || !f->defined) {
		arena_free(a);
		return FAIL(e, INPUT, "%s has no kernel named %s", m->name, entry);
	}
	begin(&l, f->name, isa);
	l.copy = arena_alloc(a, ((size_t)m->nfunc + 1) * sizeof *l.copy);
	l.address = arena_alloc(a, ((size_t)m->nfunc + 1) * sizeof *l.address);
	struct low_frame *top = low_enter(&l, f);
	if (top && low_function(&l, top) == ST_OK)
		finish(&l, top->f);
	if (e->code != ST_OK) {
		arena_free(a);
		return e->code;
	}
	*out = l.p;
	return ST_OK;
}
enum st ptx_lower(const struct ptx_module *m, const char *entry, const struct ptx_options *o,
                  struct ptx_program **out, struct err *e)
{
	return emu_lower(m, entry, o, emu_isa_choose(NULL), out, e);
}
void ptx_program_free(struct ptx_program *p)
{
	if (p)
		arena_free(p->arena);
}
int emu_find_gvar(const struct ptx_program *p, int var)
{
	for (int i = 0; i < p->ngvar; i++)
		if (p->gvar[i].var == &p->m->var[var])
			return i;
	return -1;
}

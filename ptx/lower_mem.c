/* lower_mem.c - lowering of moves, loads, stores, atomics and addresses; where variables lie. */
#include "ptx/lower.h"
#include <stdio.h>
#include <string.h>

/* ---- variables --------------------------------------------------------------------------------
 */

static uint64_t round_up(uint64_t v, uint64_t align)
{
	return align > 1 ? (v + align - 1) & ~(align - 1) : v;
}
static const struct emu_var *shared_var(const struct low *l, const struct ir_var *v)
{
	for (int i = 0; i < l->p->nsvar; i++)
		if (l->p->svar[i].var == v)
			return &l->p->svar[i];
	return NULL;
}
/* Gives shared variable v its place; one without a size begins where the launch's memory begins,
 * after all others. */
void low_add_shared(struct low *l, const struct ir_var *v)
{
	struct ptx_program *p = l->p;
	if (v->space != MOD_SHARED || shared_var(l, v))
		return;
	uint32_t cap = l->svar_cap;
	p->svar = low_more(l->arena, p->svar, (uint32_t)p->nsvar, &cap, sizeof *p->svar);
	l->svar_cap = cap;
	struct emu_var *s = &p->svar[p->nsvar++];
	*s = (struct emu_var){v->name, v, MOD_SHARED, 0, v->bytes, (uint32_t)ir_ty_bytes(v->ty)};
	if (v->bytes == 0) {
		p->has_dynamic = true;
		if (v->align > l->dynamic_align)
			l->dynamic_align = v->align;
		return;
	}
	s->offset = round_up(p->static_shared, v->align);
	if (s->offset + v->bytes > UINT32_MAX / 2)
		low_fail(l, "shared variable %s is too large", v->name);
	else
		p->static_shared = (uint32_t)(s->offset + v->bytes);
}
static int global_var(struct low *l, const struct ir_var *v)
{
	struct ptx_program *p = l->p;
	for (int i = 0; i < p->ngvar; i++)
		if (p->gvar[i].var == v)
			return i;
	l->global_bytes += v->bytes < MAX_GLOBALS ? v->bytes : MAX_GLOBALS;
	if (l->global_bytes >= MAX_GLOBALS || v->is_extern) {
		low_fail(l, "%s variable %s", v->is_extern ? "external" : "very large", v->name);
		return 0;
	}
	uint32_t cap = l->gvar_cap;
	p->gvar = low_more(l->arena, p->gvar, (uint32_t)p->ngvar, &cap, sizeof *p->gvar);
	l->gvar_cap = cap;
	p->gvar[p->ngvar] = (struct emu_var){
	        v->name, v, v->space, (uint64_t)p->ngvar, v->bytes, (uint32_t)ir_ty_bytes(v->ty)};
	int at = p->ngvar++;
	for (int i = 0; i < v->nreloc; i++) /* what its initialiser points to is there too */
		if (l->m->var[v->reloc[i].var].space != MOD_SHARED)
			global_var(l, &l->m->var[v->reloc[i].var]);
	return at;
}
uint64_t low_param_place(const struct low_frame *f, const struct ir_var *v)
{
	return f->call + v->offset;
}

/* Address of variable + off within its space, as a constant; global and const: by region. */
static uint32_t variable_address(struct low *l, const struct ir_var *v, int64_t off, int bits)
{
	struct ptx_program *p = l->p;
	switch (v->space) {
	case MOD_SHARED: {
		low_add_shared(l, v);
		const struct emu_var *s = shared_var(l, v);
		if (v->bytes)
			return low_const(
			        l, (s->offset + (uint64_t)off) & (bits == 64 ? ~0ull : ~0u), bits);
		return low_dynamic_const(l, off, bits);
	}
	case MOD_LOCAL:
		return low_const(l, l->frame->local + v->offset + (uint64_t)off, bits);
	case MOD_PARAM:
		return low_const(l,
		                 (l->frame->after < 0 && v->reg < 0 && low_is_entry_param(l, v)
		                          ? v->offset
		                          : low_param_place(l->frame, v)) +
		                         (uint64_t)off,
		                 bits);
	default: {
		if (bits != 64) {
			low_fail(l, "the address of %s in 32 bits", v->name);
			return 0;
		}
		uint32_t reg = low_alloc(l, 64);
		int region = global_var(l, v);
		p->addr = low_more(l->arena, p->addr, (uint32_t)p->naddr, &l->addr_cap,
		                   sizeof *p->addr);
		p->addr[p->naddr++] = (struct emu_addr){reg, region, off};
		return reg;
	}
	}
}
uint32_t low_address_of(struct low *l, const struct ir_opnd *o, int bits)
{
	return variable_address(l, ir_opnd_var(l->m, l->frame->f, o), o->off, bits);
}

/* ---- accesses ---------------------------------------------------------------------------------
 */

struct place {
	uint32_t reg;
	int64_t imm;
	bool wide;
	int space; /* MOD_; MOD_NONE: generic */
};

/* Where an address operand leads: register and offset, in a space. */
static struct place address(struct low *l, const struct ir_opnd *o, int space)
{
	struct place a = {l->zero, o->off, false, space};
	const struct ir_var *v = o->var >= 0 ? ir_opnd_var(l->m, l->frame->f, o) : NULL;
	bool far = space == MOD_GLOBAL || space == MOD_CONST || space == MOD_NONE;
	if (v) {
		/* ld.param of a call's variable, or of a parameter in a function: the thread's
		 * frame */
		if (v->space == MOD_PARAM && !low_is_entry_param(l, v))
			a.space = MOD_LOCAL;
		else if (space == MOD_NONE)
			a.space = v->space;
		far = a.space == MOD_GLOBAL || a.space == MOD_CONST;
		a.reg = variable_address(l, v, 0, far ? 64 : 32);
		a.wide = far;
		return a;
	}
	if (o->reg >= 0) {
		struct ir_opnd r = {.kind = OPND_REG, .reg = o->reg, .var = -1};
		a.wide = low_reg_bits(l, &r) > 32;
		a.reg = low_reg(l, o->reg);
		if (far && !a.wide) {
			a.reg = low_src(l, &r, 64);
			a.wide = true;
		}
		return a;
	}
	if (far) {
		a.reg = low_const(l, 0, 64);
		a.wide = true;
	}
	return a;
}
static const char *access_name(char out[32], bool load, const struct place *a, int size, int vec)
{
	const char *kind = load ? "ld" : "st", *where;
	switch (a->space) {
	case MOD_GLOBAL:
	case MOD_CONST:
		where = "g";
		break;
	case MOD_SHARED:
		where = a->wide ? "sw" : "s";
		break;
	case MOD_NONE:
		where = "";
		break;
	default:
		snprintf(out, 32, "%s_slow", kind);
		return out;
	}
	snprintf(out, 32, "%s%s_%d_%d", kind, where, size, vec);
	return out;
}
static void describe(struct emu_op *o, const struct place *a, int size, int vec)
{
	if (!o)
		return;
	o->flow = FLOW_SELF;
	o->imm = a->imm;
	o->space = (uint8_t)a->space;
	o->size = (uint8_t)size;
	o->vec = (uint8_t)vec;
	o->flags = (uint8_t)(OPF_MEM | (a->wide ? OPF_WIDE : 0));
}
static const struct ir_opnd *element(const struct ir_opnd *o, int k)
{
	return o->kind == OPND_VEC ? &o->elem[k] : o;
}
static int count_of(const struct ir_opnd *o)
{
	return o->kind == OPND_VEC ? o->n : 1;
}

/* A loaded element in place: sign-extended to its register. */
static void extend_loaded(struct low *l, enum ir_ty t, const struct low_dest *d)
{
	int bits = ir_ty_bits(t);
	char name[32];
	if (ir_ty_class(t) == CL_S && bits < 32) {
		snprintf(name, sizeof name, "cvt_%s_%s", d->final_bits == 16 ? "s16" : "s32",
		         ir_ty_text(t));
		low_emit(l, name, d->reg, d->reg, 0, 0);
	}
	low_done(l, d);
}
static enum st load(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	int size = ir_ty_bytes(t), n = count_of(&i->d);
	struct low_dest d[4] = {{0}};
	struct place a = address(l, &i->src[0], i->space);
	char name[32];
	if (n > 4 || size > 8)
		return low_fail(l, "a load of more than 16 bytes");
	bool is_param = i->space == MOD_PARAM && a.space == MOD_PARAM && i->src[0].var >= 0;
	for (int k = 0; k < n; k++)
		d[k] = low_dest(l, element(&i->d, k), size == 8 ? 64 : 32, ir_ty_class(t) == CL_S);
	if (is_param) {
		const struct ir_var *v = ir_opnd_var(l->m, l->frame->f, &i->src[0]);
		for (int k = 0; k < n; k++) {
			int64_t at = (int64_t)v->offset + i->src[0].off + k * size;
			if (at < 0 || at + size > (int64_t)l->frame->f->param_bytes)
				return low_fail(l, "this reads outside the kernel's parameters");
			struct emu_op *o = low_emit(l, size == 8 ? "ldparam64" : "ldparam32",
			                            d[k].reg, 0, 0, 0);
			if (o) {
				o->imm = at;
				o->size = (uint8_t)size;
			}
		}
	} else {
		struct emu_op *o = low_emit(l, access_name(name, true, &a, size, n), d[0].reg,
		                            a.reg, d[1].reg, d[2].reg);
		if (o)
			o->e = d[3].reg;
		describe(o, &a, size, n);
	}
	for (int k = 0; k < n; k++)
		extend_loaded(l, t, &d[k]);
	return l->e->code;
}
static enum st store(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	int size = ir_ty_bytes(t), n = count_of(&i->src[1]);
	uint32_t v[4] = {0};
	struct place a = address(l, &i->src[0], i->space);
	char name[32];
	if (n > 4 || size > 8)
		return low_fail(l, "a store of more than 16 bytes");
	for (int k = 0; k < n; k++)
		v[k] = low_src(l, element(&i->src[1], k), size == 8 ? 64 : 32);
	struct emu_op *o =
	        low_emit(l, access_name(name, false, &a, size, n), v[0], a.reg, v[1], v[2]);
	if (o)
		o->e = v[3];
	describe(o, &a, size, n);
	return l->e->code;
}

/* Bytes of a thread's frame, from one .param variable to another. */
void low_copy_param(struct low *l, uint64_t to, uint64_t from, uint64_t bytes)
{
	uint32_t t32 = low_alloc(l, 32), t64 = low_alloc(l, 64);
	for (uint64_t at = 0; at < bytes;) {
		int size = bytes - at >= 8 && (to + at) % 8 == 0 && (from + at) % 8 == 0   ? 8
		           : bytes - at >= 4 && (to + at) % 4 == 0 && (from + at) % 4 == 0 ? 4
		                                                                           : 1;
		struct place p = {l->zero, (int64_t)(from + at), false, MOD_LOCAL};
		uint32_t t = size == 8 ? t64 : t32;
		describe(low_emit(l, "ld_slow", t, p.reg, 0, 0), &p, size, 1);
		p.imm = (int64_t)(to + at);
		describe(low_emit(l, "st_slow", t, p.reg, 0, 0), &p, size, 1);
		at += (uint64_t)size;
	}
}
enum st low_store_param(struct low *l, uint64_t to, const struct ir_var *v, const struct ir_opnd *o)
{
	int size = (int)v->bytes;
	struct place p = {l->zero, (int64_t)to, false, MOD_LOCAL};
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return low_fail(l, "a register passed as parameter %s of %d bytes", v->name, size);
	describe(low_emit(l, "st_slow", low_src(l, o, size == 8 ? 64 : 32), p.reg, 0, 0), &p, size,
	         1);
	return l->e->code;
}
enum st low_load_param(struct low *l, uint64_t from, const struct ir_var *v,
                       const struct ir_opnd *o)
{
	int size = (int)v->bytes;
	struct place p = {l->zero, (int64_t)from, false, MOD_LOCAL};
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return low_fail(l, "a register that receives parameter %s of %d bytes", v->name,
		                size);
	struct low_dest d = low_dest(l, o, size == 8 ? 64 : 32, false);
	describe(low_emit(l, "ld_slow", d.reg, p.reg, 0, 0), &p, size, 1);
	low_done(l, &d);
	return l->e->code;
}

/* ---- atomics ----------------------------------------------------------------------------------
 */

static enum st atomic(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	int size = ir_ty_bytes(t), bits = size == 8 ? 64 : 32, n = count_of(&i->src[1]);
	bool red = i->op == OP_RED;
	struct place a = address(l, &i->src[0], i->space);
	for (int k = 0; k < n; k++) {
		uint32_t b = low_src(l, element(&i->src[1], k), bits);
		uint32_t c = i->sub == MOD_CAS ? low_src(l, &i->src[2], bits) : 0;
		struct low_dest d = {.reg = NO_REG};
		/* not "_" for the result alone: the old value may be unused, the address register
		 * must stay */
		if (!red && element(&i->d, k)->kind == OPND_REG)
			d = low_dest(l, element(&i->d, k), bits, false);
		struct place q = a;
		q.imm += k * size;
		struct emu_op *o = low_emit(l, "atom", d.reg, a.reg, b, c);
		describe(o, &q, size, 0);
		if (o) {
			o->vec = i->sub;
			o->other = t;
		}
		if (d.reg != NO_REG)
			low_done(l, &d);
	}
	return l->e->code;
}

/* ---- moves ------------------------------------------------------------------------------------
 */

static void move(struct low *l, const char *how, uint32_t d, uint32_t a)
{
	struct emu_op *o = low_emit(l, how, d, a, 0, 0);
	if (o)
		o->flow = FLOW_MOVE;
}
static uint32_t pack_pair(struct low *l, const char *how, uint32_t a, uint32_t b, int bits)
{
	uint32_t t = low_alloc(l, bits);
	low_emit(l, how, t, a, b, 0);
	return t;
}
/* mov d, {a, b, …}: a is the lowest part. */
static uint32_t packed(struct low *l, const struct ir_opnd *v, int bits)
{
	int each = bits / v->n;
	uint32_t e[8];
	for (int k = 0; k < v->n; k++)
		e[k] = low_src(l, &v->elem[k], each > 32 ? 64 : 32);
	int n = v->n;
	for (; n > 1; n /= 2, each *= 2)
		for (int k = 0; k < n / 2; k++)
			e[k] = pack_pair(l,
			                 each == 8    ? "pack8"
			                 : each == 16 ? "pack16"
			                              : "pack32",
			                 e[2 * k], e[2 * k + 1], each == 32 ? 64 : 32);
	return e[0];
}
static void unpack(struct low *l, const struct ir_opnd *v, uint32_t a, int bits)
{
	int each = bits / v->n;
	for (int k = 0; k < v->n; k++) {
		if (v->elem[k].kind != OPND_REG)
			continue;
		struct low_dest d = low_dest(l, &v->elem[k], 32, false);
		const char *how = each == 32   ? (k ? "high32" : "low32")
		                  : bits == 64 ? "half_of"
		                  : each == 16 ? (k ? "high16" : "low16")
		                               : "byte_of";
		struct emu_op *o = low_emit(l, how, d.reg, a, 0, 0);
		if (o && (each == 8 || (bits == 64 && each == 16)))
			o->imm = k * each;
		low_done(l, &d);
	}
}
static enum st mov(struct low *l, const struct ir_insn *i)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];
	int bits = ir_ty_bits(t), w = bits > 32 ? 64 : 32;
	if (t == TY_PRED) {
		if (i->d.kind == OPND_REG)
			low_emit(l, "pmov", low_reg(l, i->d.reg), low_pred(l, &i->src[0]), 0, 0);
		return l->e->code;
	}
	if (bits > 64 || (i->d.kind == OPND_VEC && (bits == 64 && i->d.n == 8)))
		return low_fail(l, "a move of 128 bits or of eight parts");
	if (i->d.kind == OPND_VEC) {
		unpack(l, &i->d, low_src(l, &i->src[0], w), bits);
		return l->e->code;
	}
	uint32_t a = i->src[0].kind == OPND_VEC ? packed(l, &i->src[0], bits)
	                                        : low_src(l, &i->src[0], w);
	struct low_dest d = low_dest(l, &i->d, w, false);
	move(l, w == 64 ? "mov64" : "mov32", d.reg, a);
	low_done(l, &d);
	return l->e->code;
}

/* Between a space and the generic addresses. */
static enum st cvta(struct low *l, const struct ir_insn *i)
{
	bool to = i->flags & FL_TO;
	uint64_t window = i->space == MOD_SHARED  ? SHARED_WINDOW
	                  : i->space == MOD_LOCAL ? LOCAL_WINDOW
	                  : i->space == MOD_PARAM ? PARAM_WINDOW
	                                          : 0;
	uint32_t a = low_src(l, &i->src[0], 64);
	struct low_dest d = low_dest(l, &i->d, 64, false);
	if (!window) {
		move(l, "mov64", d.reg, a);
	} else {
		struct emu_op *o = low_emit(l, to ? "sub_b64" : "add_b64", d.reg, a,
		                            low_const(l, window, 64), 0);
		if (o)
			o->flow = FLOW_MOVE;
	}
	low_done(l, &d);
	return l->e->code;
}
static enum st isspacep(struct low *l, const struct ir_insn *i)
{
	if (i->d.kind != OPND_REG)
		return ST_OK;
	struct emu_op *o =
	        low_emit(l, "isspacep", low_reg(l, i->d.reg), low_src(l, &i->src[0], 64), 0, 0);
	if (o)
		o->size = i->space;
	return l->e->code;
}

enum st low_memory(struct low *l, const struct ir_insn *i)
{
	switch (i->op) {
	case OP_MOV:
		return mov(l, i);
	case OP_LD:
	case OP_LDU:
		return load(l, i);
	case OP_ST:
		return store(l, i);
	case OP_ATOM:
	case OP_RED:
		return atomic(l, i);
	case OP_CVTA:
		return cvta(l, i);
	case OP_ISSPACEP:
		return isspacep(l, i);
	default:
		return low_alu(l, i);
	}
}

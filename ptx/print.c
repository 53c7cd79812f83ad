/* print.c - the IR as PTX text; parsing that text gives the same IR again.
 *
 * Scoped registers and labels are renamed NAME$sN after their scope, so that one flat body is enough;
 * initialisers and parameters keep their bytes; .loc and debugging sections are not printed. */
#include "ptx/isa.h"

#include <inttypes.h>
#include <string.h>

struct printer {
	struct buf *b;
	const struct ptx_module *m;
	const struct ir_func *f;
	const struct ir_print_hooks *hooks; /* of f; NULL: none */
};

static void print_name(struct buf *b, const char *name, int scope)
{
	if (scope > 0)
		buf_printf(b, "%s$s%d", name, scope);
	else
		buf_puts(b, name);
}

static void print_reg(struct printer *p, int reg)
{
	print_name(p->b, p->f->reg[reg].name, p->f->reg[reg].scope);
}

const struct ir_var *ir_opnd_var(const struct ptx_module *m, const struct ir_func *f,
                                 const struct ir_opnd *o)
{
	if (o->var < 0)
		return NULL;
	return o->var >= IR_LOCAL_VAR ? &f->var[o->var - IR_LOCAL_VAR] : &m->var[o->var];
}

/* A constant in the form its type wants: 0f and 0d patterns, else decimal. */
static void print_imm(struct printer *p, uint64_t v, enum ir_ty t)
{
	if (t == TY_F32)
		buf_printf(p->b, "0f%08" PRIX64, v);
	else if (t == TY_F64)
		buf_printf(p->b, "0d%016" PRIX64, v);
	else
		buf_printf(p->b, "%" PRIu64 "%s", v, v > INT64_MAX ? "U" : "");
}

static void print_operand(struct printer *p, const struct ir_opnd *o, enum ir_ty t)
{
	const struct ir_var *v = ir_opnd_var(p->m, p->f, o);

	switch ((enum ir_opnd_kind)o->kind) {
	case OPND_NONE: break;
	case OPND_SINK: buf_putc(p->b, '_'); break;
	case OPND_IMM: print_imm(p, o->imm, t); break;
	case OPND_SREG: buf_puts(p->b, ir_sreg_text((enum ir_sreg)o->reg)); break;
	case OPND_FUNC: buf_puts(p->b, p->m->func[o->var].name); break;
	case OPND_REG:
		buf_puts(p->b, o->neg ? (p->f->reg[o->reg].ty == TY_PRED ? "!" : "-") : "");
		buf_puts(p->b, o->absolute ? "|" : "");
		print_reg(p, o->reg);
		buf_puts(p->b, o->absolute ? "|" : "");
		break;
	case OPND_VAR:
		print_name(p->b, v->name, v->scope);
		if (o->off != 0)
			buf_printf(p->b, "+%" PRId64, o->off);
		break;
	case OPND_ADDR:
		buf_putc(p->b, '[');
		if (o->reg >= 0)
			print_reg(p, o->reg);
		else if (v != NULL)
			print_name(p->b, v->name, v->scope);
		buf_printf(p->b, o->off != 0 ? "+%" PRId64 "]" : "]", o->off);
		break;
	case OPND_VEC:
		buf_putc(p->b, '{');
		for (int k = 0; k < o->n; k++) {
			buf_puts(p->b, k ? ", " : "");
			print_operand(p, &o->elem[k], t);
		}
		buf_putc(p->b, '}');
		break;
	}
}

/* The type that decides how a constant source is written. */
static enum ir_ty source_type(const struct ir_insn *i, int k)
{
	switch ((enum ir_op)i->op) {
	case OP_CVT: case OP_SET: return (enum ir_ty)i->ty[1];
	case OP_SLCT: return (enum ir_ty)i->ty[k == 2];
	default: return (enum ir_ty)i->ty[0];
	}
}

static void print_list(struct printer *p, const struct ir_opnd *o, int n, const struct ir_var *v)
{
	buf_putc(p->b, '(');
	for (int k = 0; k < n; k++) {
		buf_puts(p->b, k ? ", " : "");
		print_operand(p, &o[k], v[k].ty);
	}
	buf_putc(p->b, ')');
}

static void print_call(struct printer *p, const struct ir_call *c)
{
	const struct ir_func *f = &p->m->func[c->func];

	buf_putc(p->b, ' ');
	if (c->nret > 0) {
		print_list(p, c->ret, c->nret, f->var);
		buf_puts(p->b, ", ");
	}
	buf_puts(p->b, f->name);
	if (c->narg > 0) {
		buf_puts(p->b, ", ");
		print_list(p, c->arg, c->narg, f->var + f->nret);
	}
}

static void print_jump(struct printer *p, const struct ir_insn *i)
{
	if (i->op == OP_BRA) {
		buf_putc(p->b, ' ');
		print_name(p->b, p->f->label[i->label].name, p->f->label[i->label].scope);
	} else {
		buf_puts(p->b, ", ");
		print_name(p->b, p->f->table[i->label].name, p->f->table[i->label].scope);
	}
}

void ir_print_insn(struct buf *b, const struct ptx_module *m, const struct ir_func *f,
                   const struct ir_insn *i)
{
	struct printer p = { b, m, f, NULL };
	bool first = true;

	if (i->guard >= 0) {
		buf_puts(b, i->guard_neg ? "@!" : "@");
		print_reg(&p, i->guard);
		buf_putc(b, ' ');
	}
	if (i->op == OP_NOP)
		buf_puts(b, "nop");
	else
		isa_form_text(i->form, i->choice, b);
	if (i->call != NULL)
		print_call(&p, i->call);
	if (i->d.kind != OPND_NONE) {
		buf_putc(b, ' ');
		print_operand(&p, &i->d, (enum ir_ty)i->ty[0]);
		first = false;
	}
	if (i->d2.kind != OPND_NONE) {
		buf_putc(b, '|');
		print_operand(&p, &i->d2, TY_PRED);
	}
	for (int k = 0; k < i->nsrc; k++) {
		if (i->src[k].kind == OPND_NONE)
			continue;
		buf_puts(b, first ? " " : ", ");
		print_operand(&p, &i->src[k], source_type(i, k));
		first = false;
	}
	if (i->hint)
		buf_puts(b, ", 0");
	if (i->op == OP_BRA || i->op == OP_BRX)
		print_jump(&p, i);
	buf_puts(b, ";");
}

/* ---- declarations ----------------------------------------------------------------------------- */

static const struct ir_reloc *reloc_at(const struct ir_var *v, uint64_t at)
{
	for (int k = 0; k < v->nreloc; k++) {
		if (v->reloc[k].at == at)
			return &v->reloc[k];
	}
	return NULL;
}

static void print_init(struct printer *p, const struct ir_var *v)
{
	uint64_t width = (uint64_t)ir_ty_bytes(v->ty);

	buf_puts(p->b, v->bytes > width ? " = {" : " = ");
	for (uint64_t at = 0; at < v->ninit; at += width) {
		const struct ir_reloc *r = reloc_at(v, at);
		uint64_t bits = 0;

		buf_puts(p->b, at ? ", " : "");
		memcpy(&bits, v->init + at, width);
		if (r == NULL) {
			print_imm(p, bits, v->ty);
			continue;
		}
		buf_printf(p->b, r->generic ? "generic(%s)" : "%s", p->m->var[r->var].name);
		if (r->add != 0)
			buf_printf(p->b, "+%" PRId64, r->add);
	}
	buf_puts(p->b, v->bytes > width ? "}" : "");
}

/* type name[n], without .space and without a semicolon. */
static void print_var(struct printer *p, const struct ir_var *v)
{
	uint64_t width = (uint64_t)ir_ty_bytes(v->ty);

	buf_printf(p->b, " .align %u .%s", v->align, ir_ty_text(v->ty));
	if (v->is_ptr && v->ptr_space != MOD_NONE)
		buf_printf(p->b, " .ptr .%s", ir_mod_text(v->ptr_space));
	buf_putc(p->b, ' ');
	print_name(p->b, v->name, v->scope);
	if (v->bytes == 0)
		buf_puts(p->b, "[]");
	else if (v->bytes > width)
		buf_printf(p->b, "[%" PRIu64 "]", v->bytes / width);
}

static void print_params(struct printer *p, int first, int n)
{
	buf_putc(p->b, '(');
	for (int k = first; k < first + n; k++) {
		const struct ir_var *v = &p->f->var[k];

		buf_puts(p->b, k > first ? ",\n\t" : "\n\t");
		if (v->reg >= 0) {
			buf_printf(p->b, ".reg .%s %s", ir_ty_text(v->ty), v->name);
		} else {
			buf_puts(p->b, ".param");
			print_var(p, v);
		}
	}
	if (p->hooks && first == p->f->nret)
		buf_printf(p->b, "%s%s", n ? ",\n\t" : "\n\t", p->hooks->param);
	buf_puts(p->b, ")");
}

static void print_dim3(struct printer *p, const char *name, const uint32_t d[3])
{
	if (d[0] != 0)
		buf_printf(p->b, "\n.%s %u, %u, %u", name, d[0], d[1], d[2]);
}

static void print_header(struct printer *p)
{
	const struct ir_func *f = p->f;

	buf_puts(p->b, f->entry ? ".visible .entry " : ".visible .func ");
	if (f->nret > 0)
		print_params(p, 0, f->nret);
	buf_printf(p->b, "%s%s", f->nret ? " " : "", f->name);
	print_params(p, f->nret, f->nparam);
	print_dim3(p, "maxntid", f->maxntid);
	print_dim3(p, "reqntid", f->reqntid);
	print_dim3(p, "reqnctapercluster", f->cluster);
	if (f->minnctapersm)
		buf_printf(p->b, "\n.minnctapersm %u", f->minnctapersm);
	if (f->maxnreg)
		buf_printf(p->b, "\n.maxnreg %u", f->maxnreg);
}

static bool is_reg_param(const struct ir_func *f, int reg)
{
	for (int k = 0; k < f->nret + f->nparam; k++) {
		if (f->var[k].reg == reg)
			return true;
	}
	return false;
}

static void print_locals(struct printer *p)
{
	const struct ir_func *f = p->f;

	for (int k = 0; k < f->nreg; k++) {
		if (is_reg_param(f, k))
			continue;
		buf_printf(p->b, "\t.reg .%s ", ir_ty_text(f->reg[k].ty));
		print_reg(p, k);
		buf_puts(p->b, ";\n");
	}
	for (int k = f->nret + f->nparam; k < f->nvar; k++) {
		buf_printf(p->b, "\t.%s", ir_mod_text(f->var[k].space));
		print_var(p, &f->var[k]);
		buf_puts(p->b, ";\n");
	}
	for (int k = 0; k < f->ntable; k++) {
		buf_putc(p->b, '\t');
		print_name(p->b, f->table[k].name, f->table[k].scope);
		buf_puts(p->b, ": .branchtargets");
		for (int j = 0; j < f->table[k].n; j++) {
			const struct ir_label *l = &f->label[f->table[k].label[j]];

			buf_puts(p->b, j ? ", " : " ");
			print_name(p->b, l->name, l->scope);
		}
		buf_puts(p->b, ";\n");
	}
}

static void print_func(struct printer *p)
{
	const struct ir_func *f = p->f;
	const struct ir_print_hooks *h = p->hooks;
	struct buf *b = p->b;
	int l = 0; /* labels are in the order of their instructions */

	print_header(p);
	buf_puts(b, "\n{\n");
	print_locals(p);
	if (h)
		h->begin(h->ctx, b);
	for (int k = 0; k < f->ninsn; k++) {
		for (; l < f->nlabel && f->label[l].insn == k; l++) {
			print_name(b, f->label[l].name, f->label[l].scope);
			buf_puts(b, ":\n");
		}
		buf_putc(b, '\t');
		ir_print_insn(b, p->m, f, &f->insn[k]);
		buf_putc(b, '\n');
		if (h)
			h->after(h->ctx, b, k);
	}
	buf_puts(b, "}\n");
}

void ir_print_func(struct buf *b, const struct ptx_module *m, const struct ir_func *f)
{
	struct printer p = { b, m, f, NULL };

	print_func(&p);
}

void ir_print(struct buf *b, const struct ptx_module *m)
{
	ir_print_with(b, m, NULL);
}

void ir_print_with(struct buf *b, const struct ptx_module *m, const struct ir_print_hooks *h)
{
	struct printer p = { b, m, NULL, NULL };

	buf_printf(b, ".version %d.%d\n.target sm_%d\n.address_size 64\n", m->version_major,
	           m->version_minor, m->target);
	for (int k = 0; k < m->nvar; k++) {
		const struct ir_var *v = &m->var[k];

		buf_printf(b, "%s.%s", v->is_extern ? ".extern " : "", ir_mod_text(v->space));
		print_var(&p, v);
		if (v->init != NULL)
			print_init(&p, v);
		buf_puts(b, ";\n");
	}
	for (int k = 0; k < m->nfunc; k++) { /* all are declared before anything is called */
		p.f = &m->func[k];
		if (!p.f->entry || !p.f->defined) {
			print_header(&p);
			buf_puts(b, ";\n");
		}
	}
	for (int entries = 0; entries < 2; entries++) {
		for (int k = 0; k < m->nfunc; k++) {
			p.f = &m->func[k];
			p.hooks = h && h->f == p.f ? h : NULL;
			if (p.f->entry == (bool)entries && p.f->defined)
				print_func(&p);
		}
	}
}

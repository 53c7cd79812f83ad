/* parse_func.c - bodies of functions: registers, blocks, labels, instructions as written. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- registers -------------------------------------------------------------------------------- */

static enum st one_register(struct parser *p, enum ir_ty ty)
{
	struct token name = p->tok;
	struct reg_range *g;
	uint64_t n = 1;
	int reg;

	if (name.kind != T_ID)
		return fail_expected(p, "a register's name");
	TRY(next(p));
	if (at(p, "<")) {
		TRY(next(p));
		if (p->tok.kind != T_INT)
			return fail_expected(p, "the number of registers");
		n = p->tok.val;
		TRY(next(p));
		TRY(expect(p, ">", "the number of registers"));
		if (n > MAX_REGS || p->nreg_declared + n > MAX_REGS)
			return FAIL_POS(p, LIMIT, name.pos, "more than %d registers", MAX_REGS);
		p->nreg_declared += (uint32_t)n;
		TRY(sym_add(p, &name, SYM_RANGE, p->range.n));
		g = VEC_ADD(p->range);
		g->ty = ty;
		g->n = (uint32_t)n;
		g->reg = arena_alloc(p->a, n ? n * sizeof *g->reg : 1);
		memset(g->reg, 0xff, n * sizeof *g->reg);
		return ST_OK;
	}
	if (++p->nreg_declared > MAX_REGS)
		return FAIL_POS(p, LIMIT, name.pos, "more than %d registers", MAX_REGS);
	reg = p->reg.n;
	*VEC_ADD(p->reg) = (struct ir_reg){ tok_text(p, &name), ty, (uint8_t)ir_ty_bits(ty),
		                            p->scope };
	return sym_add(p, &name, SYM_REG, reg);
}

/* .reg .type name, %r<n>, …; */
enum st parse_registers(struct parser *p)
{
	enum ir_ty ty;
	bool more = true;

	TRY(next(p));
	if (at(p, ".v2") || at(p, ".v4"))
		return FAIL_POS(p, UNSUP, p->tok.pos, "vector registers are not supported");
	if (p->tok.kind != T_DOT)
		return fail_expected(p, "a type");
	ty = isa_find_type(p->lx.text + p->tok.pos + 1, p->tok.len - 1);
	if (ty == TY_NONE)
		return fail_expected(p, "a register type");
	TRY(next(p));
	while (more) {
		TRY(one_register(p, ty));
		TRY(accept(p, ",", &more));
	}
	return expect(p, ";", "the registers");
}

/* ---- labels ----------------------------------------------------------------------------------- */

static enum st want_label(struct parser *p, const struct token *t, int32_t *to, int insn)
{
	struct label_ref *r;

	if (p->ref.n >= MAX_INSNS)
		return FAIL_POS(p, LIMIT, t->pos, "more than %d uses of labels", MAX_INSNS);
	r = VEC_ADD(p->ref);
	*r = (struct label_ref){ p->lx.text + t->pos, t->len, t->pos, to, insn };
	return ST_OK;
}

static enum st set_label(struct parser *p, const struct label_ref *r, const struct symbol *y)
{
	bool table = r->to == NULL && p->insn.v[r->insn].op == OP_BRX;

	if (y->kind != (table ? SYM_TABLE : SYM_LABEL))
		return FAIL_POS(p, INPUT, r->pos, "'%.*s' is not a %s", (int)r->len, r->name,
		                table ? "list of .branchtargets" : "label");
	if (r->to != NULL)
		*r->to = y->index;
	else
		p->insn.v[r->insn].label = y->index;
	return ST_OK;
}

/* At the end of a { }: references from within to its labels; the rest is left to the outer one. */
static enum st resolve_labels(struct parser *p, int first)
{
	int kept = first;

	for (int i = first; i < p->ref.n; i++) {
		struct label_ref *r = &p->ref.v[i];
		struct symbol *y = sym_find(p, r->name, r->len, true);

		if (y != NULL && y->scope == p->scope)
			TRY(set_label(p, r, y));
		else
			p->ref.v[kept++] = *r;
	}
	p->ref.n = kept;
	return ST_OK;
}

static enum st fail_label(struct parser *p, const struct label_ref *r)
{
	struct nearest near;

	nearest_init(&near, r->name, r->len);
	for (int i = 0; i < p->label.n; i++)
		nearest_add(&near, p->label.v[i].name);
	if (near.best != NULL)
		return FAIL_POS(p, INPUT, r->pos, "there is no label '%.*s' here; did you mean '%s'?",
		                (int)r->len, r->name, near.best);
	return FAIL_POS(p, INPUT, r->pos, "there is no label '%.*s' here", (int)r->len, r->name);
}

static enum st parse_targets(struct parser *p, const struct token *name)
{
	VEC(struct token) t = { 0 };
	struct ir_table *table;
	bool more = true;
	enum st rc = ST_OK;

	while (more && rc == ST_OK) {
		rc = next(p);
		if (rc == ST_OK && p->tok.kind != T_ID)
			rc = fail_expected(p, "a label");
		if (rc == ST_OK) {
			*VEC_ADD(t) = p->tok;
			rc = next(p);
			more = at(p, ",");
		}
	}
	if (rc == ST_OK)
		rc = sym_add(p, name, SYM_TABLE, p->table.n);
	if (rc == ST_OK) {
		table = VEC_ADD(p->table);
		table->name = tok_text(p, name);
		table->scope = p->scope;
		table->n = t.n;
		table->label = arena_alloc(p->a, (size_t)t.n * sizeof *table->label);
		for (int i = 0; i < t.n && rc == ST_OK; i++)
			rc = want_label(p, &t.v[i], &table->label[i], -1);
	}
	free(t.v);
	TRY(rc);
	return expect(p, ";", "the labels");
}

/* name: already read. A label, or a labelled directive. */
static enum st parse_label(struct parser *p, const struct token *name)
{
	struct ir_label *l;

	if (at(p, ".branchtargets"))
		return parse_targets(p, name);
	if (at(p, ".callprototype") || at(p, ".calltargets")) {
		TRY(sym_add(p, name, SYM_PROTO, 0));
		while (!at(p, ";")) {
			if (p->tok.kind == T_EOF)
				return fail_expected(p, "';'");
			TRY(next(p));
		}
		return next(p);
	}
	if (p->label.n >= MAX_DECLS)
		return FAIL_POS(p, LIMIT, name->pos, "more than %d labels", MAX_DECLS);
	TRY(sym_add(p, name, SYM_LABEL, p->label.n));
	l = VEC_ADD(p->label);
	*l = (struct ir_label){ tok_text(p, name), p->insn.n, -1, name->line, p->scope };
	return ST_OK;
}

/* ---- operands --------------------------------------------------------------------------------- */

static enum st parse_number(struct parser *p, struct operand *o)
{
	struct lexer back = p->lx;
	struct token t = p->tok;
	bool neg = at(p, "-");

	o->o.kind = OPND_IMM;
	o->lit = T_INT;
	if (neg || at(p, "+"))
		TRY(next(p));
	if (p->tok.kind == T_F32 || p->tok.kind == T_F64) {
		o->lit = p->tok.kind;
		o->o.imm = p->tok.val ^ ((uint64_t)neg << (o->lit == T_F32 ? 31 : 63));
		return next(p);
	}
	p->lx = back;
	p->tok = t;
	return parse_int_expr(p, &o->o.imm, &o->uns);
}

/* + n or - n behind a name. */
static enum st parse_offset(struct parser *p, int64_t *off)
{
	uint64_t v = 0;
	bool uns;

	if (at(p, "+") || at(p, "-"))
		TRY(parse_int_expr(p, &v, &uns)); /* with its sign */
	*off = (int64_t)v;
	return ST_OK;
}

static enum st name_operand(struct parser *p, struct operand *o)
{
	struct token t = p->tok;
	const char *s = p->lx.text + t.pos;
	struct symbol *y = sym_find(p, s, t.len, false);
	int sreg;

	TRY(next(p));
	if (y == NULL && p->tok.kind == T_DOT && p->tok.pos == t.pos + t.len) { /* %tid.x */
		t.len += p->tok.len;
		TRY(next(p));
	}
	if (y == NULL) {
		sreg = t.len > 7 && memcmp(s, "%envreg", 7) == 0 ? SR_ENVREG : isa_find_sreg(s, t.len);
		if (sreg < 0)
			return fail_undeclared(p, &t);
		if (sreg == SR_ENVREG && !p->loose)
			return FAIL_POS(p, UNSUP, t.pos, "%.*s is not supported yet: the driver gives it to launches "
			                "of whole grids (cooperative groups)", (int)t.len, s);
		o->o.kind = OPND_SREG;
		o->o.reg = sreg;
		return ST_OK;
	}
	if (y->kind == SYM_REG) {
		o->o.kind = OPND_REG;
		o->o.reg = y->index;
		return ST_OK;
	}
	o->o.kind = y->kind == SYM_FUNC ? OPND_FUNC : OPND_VAR;
	o->o.var = y->index;
	return parse_offset(p, &o->o.off);
}

static enum st parse_address(struct parser *p, struct operand *o)
{
	struct operand base = { .o = { .reg = -1, .var = -1 } };
	uint64_t v;
	bool uns;

	TRY(next(p)); /* [ */
	o->o.kind = OPND_ADDR;
	if (p->tok.kind != T_ID || at(p, "WARP_SZ")) {
		TRY(parse_int_expr(p, &v, &uns));
		o->o.off = (int64_t)v;
		return expect(p, "]", "the address");
	}
	base.pos = p->tok.pos;
	TRY(name_operand(p, &base));
	if (base.o.kind == OPND_REG) {
		o->o.reg = base.o.reg;
		TRY(parse_offset(p, &o->o.off));
	} else if (base.o.kind == OPND_VAR) {
		o->o.var = base.o.var;
		o->o.off = base.o.off;
	} else {
		return FAIL_POS(p, INPUT, base.pos, "an address is a register or a variable");
	}
	return expect(p, "]", "the address");
}

/* One operand that is no brace and no bracket. */
static enum st parse_simple(struct parser *p, struct operand *o)
{
	*o = (struct operand){ .o = { .reg = -1, .var = -1 }, .pos = p->tok.pos };
	if (at(p, "_")) {
		o->o.kind = OPND_SINK;
		return next(p);
	}
	if (at(p, "!")) {
		TRY(next(p));
		if (p->tok.kind != T_ID)
			return fail_expected(p, "a predicate after '!'");
		TRY(name_operand(p, o));
		o->o.neg = true;
		return ST_OK;
	}
	if (p->tok.kind == T_ID && !at(p, "WARP_SZ"))
		return name_operand(p, o);
	if (p->tok.kind == T_INT || p->tok.kind == T_F32 || p->tok.kind == T_F64 ||
	    at(p, "WARP_SZ") || at(p, "-") || at(p, "+") || at(p, "(") || at(p, "~"))
		return parse_number(p, o);
	return fail_expected(p, "an operand");
}

static enum st parse_vector(struct parser *p, struct operand *o)
{
	struct ir_opnd elem[MAX_OPERANDS];
	struct operand e;
	int n = 0;
	bool more = true;

	*o = (struct operand){ .o = { .kind = OPND_VEC, .reg = -1, .var = -1 }, .pos = p->tok.pos };
	TRY(next(p)); /* { */
	while (more) {
		if (n == MAX_OPERANDS)
			return FAIL_TOK(p, &p->tok, "a vector has at most %d elements", MAX_OPERANDS);
		TRY(parse_simple(p, &e));
		if (e.o.kind == OPND_IMM)
			e.o.n = (uint8_t)e.lit; /* for check.c */
		elem[n++] = e.o;
		TRY(accept(p, ",", &more));
	}
	o->o.n = (uint8_t)n;
	o->o.elem = vec_keep(p, elem, n, sizeof elem[0]);
	return expect(p, "}", "the vector");
}

static enum st parse_operand(struct parser *p, struct operand *o)
{
	struct operand second;

	if (at(p, "{"))
		return parse_vector(p, o);
	if (at(p, "[")) {
		*o = (struct operand){ .o = { .reg = -1, .var = -1 }, .pos = p->tok.pos };
		return parse_address(p, o);
	}
	TRY(parse_simple(p, o));
	if (at(p, "|")) {
		TRY(next(p));
		TRY(parse_simple(p, &second));
		o->second = second.o;
	}
	return ST_OK;
}

static enum st parse_operands(struct parser *p, struct operand *o, int *n)
{
	bool more = !at(p, ";");

	for (*n = 0; more; (*n)++) {
		if (*n == MAX_OPERANDS)
			return FAIL_TOK(p, &p->tok, "no instruction has more than %d operands",
			                MAX_OPERANDS);
		TRY(parse_operand(p, &o[*n]));
		TRY(accept(p, ",", &more));
	}
	if (!at(p, ";"))
		return fail_expected(p, "',' or ';'");
	return ST_OK;
}

/* ---- calls and branches ----------------------------------------------------------------------- */

/* ( a, b, … ) of a call. */
static enum st parse_call_list(struct parser *p, struct ir_opnd **list, int *n)
{
	VEC(struct ir_opnd) v = { 0 };
	struct operand o;
	bool more;
	enum st rc = next(p); /* ( */

	more = rc == ST_OK && !at(p, ")");
	while (more && rc == ST_OK) {
		rc = parse_simple(p, &o);
		if (rc == ST_OK) {
			if (o.o.kind == OPND_IMM)
				o.o.n = (uint8_t)o.lit;
			*VEC_ADD(v) = o.o;
			rc = accept(p, ",", &more);
		}
	}
	if (rc == ST_OK) {
		*list = vec_keep(p, v.v, v.n, sizeof *v.v);
		*n = v.n;
		rc = expect(p, ")", "the list");
	}
	free(v.v);
	return rc;
}

/* call (ret), f, (args); the return list and the arguments may be missing. call (ret), %r, (args), prototype; is kept, where that is asked for, with
 * function -1 and the register as its source. */
static enum st parse_call(struct parser *p, struct ir_insn *i)
{
	struct ir_call *c = arena_alloc(p->a, sizeof *c);
	struct ir_opnd through = { 0 };
	struct token name;
	struct symbol *y;
	bool args;

	if (at(p, "(")) {
		TRY(parse_call_list(p, &c->ret, &c->nret));
		TRY(expect(p, ",", "the return values"));
	}
	name = p->tok;
	if (name.kind != T_ID)
		return fail_expected(p, "the name of a function");
	y = sym_find(p, p->lx.text + name.pos, name.len, false);
	if (y == NULL)
		return fail_undeclared(p, &name);
	if (y->kind != SYM_FUNC && !(p->loose && y->kind == SYM_REG))
		return FAIL_POS(p, UNSUP, name.pos, "calls through a register are not supported yet");
	c->func = y->kind == SYM_FUNC ? y->index : -1;
	if (c->func < 0)
		through = (struct ir_opnd){ .kind = OPND_REG, .reg = y->index, .var = -1 };
	TRY(next(p));
	TRY(accept(p, ",", &args));
	if (args) {
		if (!at(p, "("))
			return fail_expected(p, "'(' before the arguments");
		TRY(parse_call_list(p, &c->arg, &c->narg));
	}
	i->call = c;
	if (c->func >= 0)
		return check_call(p, i, name.pos);
	i->src[0] = through;
	i->nsrc = 1;
	TRY(accept(p, ",", &args)); /* a prototype, or a list of callees */
	return args ? next(p) : ST_OK;
}

/* bra label, or brx.idx index, table. */
static enum st parse_branch(struct parser *p, struct ir_insn *i)
{
	struct operand o;

	if (i->op == OP_BRX) {
		TRY(parse_operand(p, &o));
		TRY(check_operands(p, i, &o, 1, p->tok.pos));
		TRY(expect(p, ",", "the index"));
	}
	if (p->tok.kind != T_ID)
		return fail_expected(p, "a label");
	TRY(want_label(p, &p->tok, NULL, p->insn.n));
	return next(p);
}

/* ---- instructions ----------------------------------------------------------------------------- */

static enum st fail_name(struct parser *p, const struct token *t, enum ir_op op,
                         const struct isa_mod *mods, int n, int bad, size_t end)
{
	const char *near, *s = p->lx.text + t->pos;
	int len = (int)(end - t->pos < 80 ? end - t->pos : 80);

	if (op == OP_NONE) {
		near = isa_nearest_op(s, t->len);
		if (near != NULL)
			return FAIL_TOK(p, t, "'%.*s' is no instruction; did you mean '%s'?",
			                (int)t->len, s, near);
		return FAIL_TOK(p, t, "'%.*s' is no instruction", (int)t->len, s);
	}
	if (bad >= 0)
		return FAIL_POS(p, UNSUP, (size_t)(mods[bad].s - p->lx.text) - 1,
		                "'.%.*s' is not known for '%s' (in '%.*s')", (int)mods[bad].len,
		                mods[bad].s, ir_op_text(op), len, s);
	return FAIL_POS(p, UNSUP, t->pos,
	                n == 0 ? "'%.*s' needs a type" :
	                         "the combination '%.*s' is not known for sm_90", len, s);
}

static enum st fail_later(struct parser *p, const struct token *t, size_t end)
{
	size_t len = end - t->pos;

	while (!at(p, ";")) {
		if (p->tok.kind == T_EOF)
			return fail_expected(p, "';'");
		TRY(next(p));
	}
	return FAIL_POS(p, UNSUP, t->pos, "%.*s%s is not supported yet by the emulator; a GPU "
	                "that has it runs it: --device cuda:0",
	                (int)(len < 80 ? len : 80), p->lx.text + t->pos, len < 80 ? "" : "…");
}

#define MAX_LATER 255 /* names in an instruction kept unread; wgmma has 128 accumulators */

static struct ir_opnd vec_operand(struct parser *p, const struct ir_opnd *v, int n)
{
	return (struct ir_opnd){ .kind = OPND_VEC, .n = (uint8_t)n, .reg = -1, .var = -1,
		                 .elem = vec_keep(p, v, n, sizeof *v) };
}

/* What an instruction that is kept unread names: see ptx_parse_loose. */
static enum st parse_later(struct parser *p, struct ir_insn *i)
{
	struct ir_opnd first[MAX_LATER], rest[MAX_LATER];
	int nfirst = 0, nrest = 0, brackets = 0, braces = 0, operand = 0;

	for (; !at(p, ";"); ) {
		struct ir_opnd o = { .kind = OPND_IMM, .reg = -1, .var = -1, .imm = p->tok.val };
		struct symbol *y = NULL;

		if (p->tok.kind == T_EOF)
			return fail_expected(p, "';'");
		if (nfirst == MAX_LATER || nrest == MAX_LATER)
			return FAIL_TOK(p, &p->tok, "more than %d operands", MAX_LATER);
		brackets += at(p, "[") - at(p, "]");
		braces += at(p, "{") - at(p, "}");
		operand += at(p, ",") && brackets == 0 && braces == 0;
		if (p->tok.kind == T_ID)
			y = sym_find(p, p->lx.text + p->tok.pos, p->tok.len, false);
		if (y != NULL && y->kind == SYM_REG) {
			o.kind = brackets > 0 ? OPND_ADDR : OPND_REG;
			o.reg = y->index;
			o.off = 0;
		} else if (y != NULL && y->kind == SYM_VAR) {
			o.kind = brackets > 0 ? OPND_ADDR : OPND_VAR;
			o.var = y->index;
			o.off = 0;
		}
		if (y != NULL && o.kind != OPND_IMM && operand == 0 && brackets == 0)
			first[nfirst++] = o;
		else if (y != NULL && o.kind != OPND_IMM)
			rest[nrest++] = o;
		else if (p->tok.kind == T_INT && brackets > 0 && nrest > 0)
			rest[nrest - 1].off += (int64_t)p->tok.val;
		else if (p->tok.kind == T_INT)
			rest[nrest++] = o;
		TRY(next(p));
	}
	i->d = vec_operand(p, first, nfirst);
	i->src[0] = vec_operand(p, rest, nrest);
	i->nsrc = 1;
	return ST_OK;
}

static uint32_t hash_name(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

/* The instruction's name, its first token read already: opcode, types and modifiers of *i. */
static enum st parse_name(struct parser *p, const struct token *t, struct ir_insn *i)
{
	struct isa_mod mods[ISA_MAX_MODS];
	int n = 0, parts, bad;
	size_t end = t->pos + t->len;
	const char *later, *s = p->lx.text + t->pos;
	struct memo *m;
	uint32_t h;
	enum ir_op op;

	while (p->tok.kind == T_DOT) {
		if (n == ISA_MAX_MODS)
			return FAIL_TOK(p, &p->tok, "more than %d modifiers", ISA_MAX_MODS);
		mods[n].s = p->lx.text + p->tok.pos + 1;
		mods[n++].len = p->tok.len - 1;
		end = p->tok.pos + p->tok.len;
		TRY(next(p));
	}
	h = hash_name(s, end - t->pos);
	m = &p->memo[h % MEMO_SIZE];
	if (m->s != NULL && m->hash == h && m->len == end - t->pos &&
	    memcmp(m->s, s, m->len) == 0) {
		*i = m->insn;
		return ST_OK;
	}
	op = isa_find_op(s, t->len, mods, n, &parts, &later);
	if (later != NULL && !p->loose)
		return fail_later(p, t, end);
	if (later != NULL) {
		i->op = OP_LATER;
		return ST_OK;
	}
	if (op != OP_NONE && p->loose && !isa_match(op, mods + parts, n - parts, i, &bad)) {
		*i = (struct ir_insn){ .op = OP_LATER };
		return ST_OK;
	}
	if (op == OP_NONE || !isa_match(op, mods + parts, n - parts, i, &bad))
		return fail_name(p, t, op, mods + (op ? parts : 0), n - (op ? parts : 0),
		                 op ? bad : -1, end);
	*m = (struct memo){ h, s, end - t->pos, *i };
	return ST_OK;
}

static void place(struct parser *p, struct ir_insn *i, const struct token *t)
{
	i->line = t->line;
	i->pos = (uint32_t)t->pos;
	i->file = p->loc_file;
	i->src_line = p->loc_line;
	i->at_file = p->at_file;
	i->at_src_line = p->at_line;
}

/* @p or @!p */
static enum st parse_guard(struct parser *p, int32_t *reg, bool *neg)
{
	struct token t;
	struct operand o = { .o = { .reg = -1, .var = -1 } };

	TRY(next(p));
	TRY(accept(p, "!", neg));
	t = p->tok;
	if (t.kind != T_ID)
		return fail_expected(p, "a predicate");
	TRY(name_operand(p, &o));
	if (o.o.kind != OPND_REG || p->reg.v[o.o.reg].ty != TY_PRED)
		return FAIL_TOK(p, &t, "'%.*s' is not a predicate", (int)t.len,
		                p->lx.text + t.pos);
	*reg = o.o.reg;
	return ST_OK;
}

/* Operands of an instruction for a later architecture than the table is of: in a form that the table does not know (max.f32 of three, from sm_100 on)
 * it is kept unread. */
static enum st parse_newer(struct parser *p, struct ir_insn *i)
{
	struct ir_insn known = *i;
	struct lexer back = p->lx;
	struct token t = p->tok;
	struct err *e = p->e, unknown = { 0 };
	struct operand o[MAX_OPERANDS];
	int n;
	enum st rc;

	p->e = &unknown;
	rc = parse_operands(p, o, &n);
	if (rc == ST_OK)
		rc = check_operands(p, i, o, n, p->tok.pos);
	p->e = e;
	if (rc == ST_OK)
		return ST_OK;
	p->lx = back;
	p->tok = t;
	*i = known;
	i->op = OP_LATER;
	return parse_later(p, i);
}

/* The rest of an instruction whose first token t is read. */
static enum st parse_insn(struct parser *p, const struct token *t, int32_t guard, bool neg)
{
	struct ir_insn i = { 0 };
	struct operand o[MAX_OPERANDS];
	int n;

	if (++p->ninsn_total > MAX_INSNS)
		return FAIL_POS(p, LIMIT, t->pos, "more than %d instructions", MAX_INSNS);
	TRY(parse_name(p, t, &i));
	i.guard = guard;
	i.guard_neg = neg;
	i.label = -1;
	place(p, &i, t);
	if (i.op == OP_CALL) {
		TRY(parse_call(p, &i));
	} else if (i.op == OP_BRA || i.op == OP_BRX) {
		TRY(parse_branch(p, &i));
	} else if (i.op == OP_LATER) {
		TRY(parse_later(p, &i));
	} else if (p->loose && p->m->target > 99) {
		TRY(parse_newer(p, &i));
	} else {
		TRY(parse_operands(p, o, &n));
		TRY(check_operands(p, &i, o, n, p->tok.pos));
	}
	*VEC_ADD(p->insn) = i;
	return expect(p, ";", "the instruction");
}

static enum st parse_statement(struct parser *p)
{
	struct token t = p->tok;
	int32_t guard = -1;
	bool neg = false, label;

	if (at(p, "@")) {
		TRY(parse_guard(p, &guard, &neg));
		t = p->tok;
	}
	if (t.kind != T_ID)
		return fail_expected(p, "an instruction");
	TRY(next(p));
	TRY(accept(p, ":", &label));
	if (label && guard >= 0)
		return FAIL_TOK(p, &t, "a label cannot be guarded by a predicate");
	return label ? parse_label(p, &t) : parse_insn(p, &t, guard, neg);
}

static enum st parse_body_directive(struct parser *p)
{
	static const enum ir_mod spaces[] = { MOD_LOCAL, MOD_SHARED, MOD_PARAM, MOD_GLOBAL,
		                              MOD_CONST };
	bool debug;

	if (at(p, ".reg"))
		return parse_registers(p);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
		if (p->tok.len > 1 &&
		    strlen(ir_mod_text(spaces[i])) == p->tok.len - 1 &&
		    memcmp(p->lx.text + p->tok.pos + 1, ir_mod_text(spaces[i]), p->tok.len - 1) == 0) {
			if (spaces[i] == MOD_GLOBAL || spaces[i] == MOD_CONST)
				return FAIL_POS(p, UNSUP, p->tok.pos, "a .%s variable inside a function",
				                ir_mod_text(spaces[i]));
			TRY(next(p));
			return parse_variables(p, spaces[i], false);
		}
	}
	TRY(parse_debug_directive(p, &debug));
	return debug ? ST_OK : fail_expected(p, "an instruction or a declaration");
}

/* ---- the body --------------------------------------------------------------------------------- */

struct open_scope {
	int sym, ref, scope;
};

/* Appends ret where control would run off the end. */
static enum st close_body(struct parser *p)
{
	struct ir_insn *last = p->insn.n > 0 ? &p->insn.v[p->insn.n - 1] : NULL;
	bool open = last == NULL || last->guard >= 0 ||
	            (last->op != OP_RET && last->op != OP_EXIT && last->op != OP_BRA &&
	             last->op != OP_BRX && last->op != OP_TRAP);
	struct ir_insn ret = { .guard = -1, .label = -1 };

	for (int i = 0; i < p->label.n; i++)
		open |= p->label.v[i].insn == p->insn.n;
	if (!open)
		return ST_OK;
	isa_match_text("ret", &ret);
	place(p, &ret, &p->tok);
	*VEC_ADD(p->insn) = ret;
	return ST_OK;
}

static enum st open_brace(struct parser *p, struct open_scope *stack, int *depth)
{
	if (*depth == MAX_DEPTH)
		return FAIL_POS(p, LIMIT, p->tok.pos, "blocks nested more than %d deep", MAX_DEPTH);
	stack[(*depth)++] = (struct open_scope){ p->sym.n, p->ref.n, p->scope };
	p->scope = *depth == 1 ? 0 : ++p->nscope;
	return next(p);
}

static enum st close_brace(struct parser *p, const struct open_scope *stack, int *depth)
{
	const struct open_scope *s = &stack[--*depth];

	TRY(resolve_labels(p, s->ref));
	sym_leave(p, s->sym);
	p->scope = s->scope;
	return *depth > 0 ? next(p) : ST_OK;
}

/* { … }; the closing brace is left for the caller. */
enum st parse_body(struct parser *p)
{
	struct open_scope stack[MAX_DEPTH];
	int depth = 0;

	if (!at(p, "{"))
		return fail_expected(p, "'{' or ';' after the function's header");
	do {
		if (at(p, "{"))
			TRY(open_brace(p, stack, &depth));
		else if (at(p, "}"))
			TRY(close_brace(p, stack, &depth));
		else if (p->tok.kind == T_EOF)
			return fail_expected(p, "'}'");
		else if (p->tok.kind == T_DOT)
			TRY(parse_body_directive(p));
		else
			TRY(parse_statement(p));
	} while (depth > 0);
	if (p->ref.n > 0)
		return fail_label(p, &p->ref.v[0]);
	return close_body(p);
}

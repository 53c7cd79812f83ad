/* parse.c - modules and declarations: tokens, symbols, directives, variables, function headers. */
#include "ptx/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ------------------------------------------------------------------------------------ */

void *vec_grow(void *v, int *cap, size_t size)
{
	*cap = *cap ? 2 * *cap : 16;
	return mem_realloc(v, (size_t)*cap * size);
}

void *vec_keep(struct parser *p, const void *v, int n, size_t size)
{
	void *kept;

	if (n == 0)
		return NULL;
	kept = arena_alloc(p->a, (size_t)n * size);
	memcpy(kept, v, (size_t)n * size);
	return kept;
}

/* ---- tokens ----------------------------------------------------------------------------------- */

enum st next(struct parser *p)
{
	return lex_next(&p->lx, &p->tok, p->e);
}

bool at(const struct parser *p, const char *s)
{
	return tok_is(&p->lx, &p->tok, s);
}

enum st accept(struct parser *p, const char *s, bool *yes)
{
	*yes = at(p, s);
	return *yes ? next(p) : ST_OK;
}

enum st fail_expected(struct parser *p, const char *what)
{
	char found[48];

	tok_kind_text(&p->lx, &p->tok, found);
	if (p->tok.kind == T_EOF && p->f != NULL)
		return FAIL_TOK(p, &p->tok,
		                "the text ends inside '%s' (line %d), where %s was expected", p->f->name,
		                p->f->line, what);
	return FAIL_TOK(p, &p->tok, "expected %s, found %s", what, found);
}

enum st expect(struct parser *p, const char *s, const char *after)
{
	char what[96];

	if (at(p, s))
		return next(p);
	snprintf(what, sizeof what, "'%s' after %s", s, after);
	return fail_expected(p, what);
}

char *tok_text(struct parser *p, const struct token *t)
{
	return arena_strndup(p->a, p->lx.text + t->pos, t->len);
}

static enum st expect_id(struct parser *p, const char *what, struct token *t)
{
	if (p->tok.kind != T_ID)
		return fail_expected(p, what);
	*t = p->tok;
	return next(p);
}

/* ---- symbols ---------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *s, size_t len)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

/* Labels have names of their own, and so have the stems of register ranges. */
static int name_space(enum sym_kind k)
{
	return k == SYM_RANGE ? 2 : k == SYM_LABEL || k == SYM_TABLE || k == SYM_PROTO;
}

static struct symbol *find_in(struct parser *p, const char *s, size_t len, int space)
{
	uint32_t h = hash_text(s, len);

	for (int i = p->bucket[h % SYM_BUCKETS]; i >= 0; i = p->sym.v[i].shadowed) {
		struct symbol *y = &p->sym.v[i];

		if (y->hash == h && y->len == len && name_space(y->kind) == space &&
		    memcmp(y->name, s, len) == 0)
			return y;
	}
	return NULL;
}

/* The register %r12 of a range %r<n>: the symbol of the range, its number in *n. */
static struct symbol *find_range(struct parser *p, const char *s, size_t len, uint32_t *n)
{
	size_t stem = len;
	uint64_t v = 0;
	struct symbol *y;

	while (stem > 0 && s[stem - 1] >= '0' && s[stem - 1] <= '9')
		stem--;
	if (stem == len || len - stem > 9 || (s[stem] == '0' && len - stem > 1))
		return NULL;
	for (size_t i = stem; i < len; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	y = find_in(p, s, stem, 2);
	if (y == NULL || v >= p->range.v[y->index].n)
		return NULL;
	*n = (uint32_t)v;
	return y;
}

static int new_register(struct parser *p, const char *s, size_t len, enum ir_ty ty, int scope)
{
	struct ir_reg *r = VEC_ADD(p->reg);

	r->name = arena_strndup(p->a, s, len);
	r->ty = ty;
	r->bits = (uint8_t)ir_ty_bits(ty);
	r->scope = scope;
	return p->reg.n - 1;
}

/* The symbol a name stands for; the registers of a range come into being here. */
struct symbol *sym_find(struct parser *p, const char *s, size_t len, bool labels)
{
	struct symbol *y = find_in(p, s, len, labels), *r;
	struct reg_range *g;
	uint32_t n = 0;

	if (labels)
		return y;
	r = find_range(p, s, len, &n);
	if (r == NULL || (y != NULL && y > r)) /* the later declaration hides the earlier */
		return y;
	g = &p->range.v[r->index];
	if (g->reg[n] < 0)
		g->reg[n] = new_register(p, s, len, g->ty, r->scope);
	p->found = *r;
	p->found.kind = SYM_REG;
	p->found.index = g->reg[n];
	return &p->found;
}

enum st sym_add(struct parser *p, const struct token *t, enum sym_kind kind, int index)
{
	const char *s = p->lx.text + t->pos;
	struct symbol *y = find_in(p, s, t->len, name_space(kind));
	uint32_t h = hash_text(s, t->len);

	if (y != NULL && y->scope == p->scope)
		return FAIL_TOK(p, t, "'%.*s' is declared already", (int)t->len, s);
	if (p->sym.n >= 4 * MAX_DECLS)
		return FAIL_POS(p, LIMIT, t->pos, "more than %d names", 4 * MAX_DECLS);
	y = VEC_ADD(p->sym);
	*y = (struct symbol){ s, t->len, h, kind, index, p->bucket[h % SYM_BUCKETS], p->scope };
	p->bucket[h % SYM_BUCKETS] = p->sym.n - 1;
	return ST_OK;
}

void sym_leave(struct parser *p, int keep)
{
	while (p->sym.n > keep) {
		struct symbol *y = &p->sym.v[--p->sym.n];

		p->bucket[y->hash % SYM_BUCKETS] = y->shadowed;
	}
}

enum st fail_undeclared(struct parser *p, const struct token *t)
{
	const char *s = p->lx.text + t->pos;
	size_t stem = t->len;
	struct symbol *g;
	struct nearest near;

	while (stem > 0 && s[stem - 1] >= '0' && s[stem - 1] <= '9')
		stem--;
	g = stem < t->len ? find_in(p, s, stem, 2) : NULL;
	if (g != NULL)
		return FAIL_TOK(p, t, "'%.*s' is not declared: '%.*s<%u>' ends at '%.*s%u'",
		                (int)t->len, s, (int)stem, s, p->range.v[g->index].n, (int)stem, s,
		                p->range.v[g->index].n - 1);
	nearest_init(&near, s, t->len);
	for (int i = p->sym.n - 1; i >= 0 && near.budget > 0; i--) {
		if (name_space(p->sym.v[i].kind) == 0)
			nearest_add(&near, arena_strndup(p->a, p->sym.v[i].name, p->sym.v[i].len));
		else if (p->sym.v[i].kind == SYM_RANGE && stem < t->len) /* %r<9> for %q3: %r3 */
			nearest_add(&near, arena_printf(p->a, "%.*s%.*s", (int)p->sym.v[i].len,
			                                p->sym.v[i].name, (int)(t->len - stem),
			                                s + stem));
	}
	for (int i = 0; s[0] == '%' && i < SR_COUNT; i++)
		nearest_add(&near, ir_sreg_text((enum ir_sreg)i));
	if (near.best != NULL)
		return FAIL_TOK(p, t, "'%.*s' is not declared; did you mean '%s'?", (int)t->len, s,
		                near.best);
	return FAIL_TOK(p, t, "'%.*s' is not declared", (int)t->len, s);
}

/* ---- debugging directives --------------------------------------------------------------------- */

static enum st read_int(struct parser *p, const char *what, int32_t *v)
{
	if (p->tok.kind != T_INT || p->tok.val > INT32_MAX)
		return fail_expected(p, what);
	*v = (int32_t)p->tok.val;
	return next(p);
}

/* .loc file line column [, function_name label [+ n], inlined_at file line column] */
static enum st parse_loc(struct parser *p)
{
	int32_t column;
	bool more;

	p->at_file = p->at_line = 0;
	TRY(read_int(p, "the number of a .file", &p->loc_file));
	TRY(read_int(p, "a line", &p->loc_line));
	TRY(read_int(p, "a column", &column));
	while (at(p, ",")) {
		TRY(next(p));
		if (at(p, "function_name")) {
			TRY(next(p));
			TRY(next(p));
			TRY(accept(p, "+", &more));
			if (more)
				TRY(read_int(p, "an offset", &column));
		} else if (at(p, "inlined_at")) {
			TRY(next(p));
			TRY(read_int(p, "the number of a .file", &p->at_file));
			TRY(read_int(p, "a line", &p->at_line));
			TRY(read_int(p, "a column", &column));
		} else {
			return fail_expected(p, "function_name or inlined_at");
		}
	}
	return ST_OK;
}

/* .file n "name" [, time, size] */
static enum st parse_file(struct parser *p)
{
	int32_t n = 0;

	TRY(read_int(p, "the number of the file", &n));
	if (p->tok.kind != T_STR)
		return fail_expected(p, "the name of the file");
	if (n >= MAX_DECLS)
		return FAIL_POS(p, LIMIT, p->tok.pos, "file number beyond %d", MAX_DECLS - 1);
	while (p->file.n <= n)
		*VEC_ADD(p->file) = NULL;
	p->file.v[n] = arena_strndup(p->a, p->lx.text + p->tok.pos + 1, p->tok.len - 2);
	TRY(next(p));
	while (at(p, ",")) {
		TRY(next(p));
		TRY(next(p));
	}
	return ST_OK;
}

/* .section name { … }: DWARF, of no interest here. */
static enum st skip_section(struct parser *p)
{
	struct token start = p->tok;
	int depth = 0;

	TRY(next(p)); /* the name */
	if (!at(p, "{"))
		return fail_expected(p, "'{' after the section's name");
	do {
		depth += at(p, "{") - at(p, "}");
		if (p->tok.kind == T_EOF)
			return FAIL_TOK(p, &start, "this section is never closed");
		TRY(next(p));
	} while (depth > 0);
	return ST_OK;
}

static enum st parse_pragma(struct parser *p)
{
	do {
		TRY(next(p));
		if (p->tok.kind != T_STR)
			return fail_expected(p, "a string");
		TRY(next(p));
	} while (at(p, ","));
	return expect(p, ";", "the .pragma");
}

enum st parse_debug_directive(struct parser *p, bool *was)
{
	*was = true;
	if (at(p, ".pragma"))
		return parse_pragma(p);
	if (at(p, ".loc")) {
		TRY(next(p));
		return parse_loc(p);
	}
	if (at(p, ".file")) {
		TRY(next(p));
		return parse_file(p);
	}
	if (at(p, ".section")) {
		TRY(next(p));
		return skip_section(p);
	}
	*was = false;
	return ST_OK;
}

/* ---- variables -------------------------------------------------------------------------------- */

static enum st parse_align(struct parser *p, uint32_t *align)
{
	struct token t;
	uint64_t v;

	TRY(next(p));
	t = p->tok;
	TRY(parse_count(p, "an alignment", 1 << 16, &v));
	if ((v & (v - 1)) != 0)
		return FAIL_TOK(p, &t, "an alignment must be a power of two");
	*align = (uint32_t)v;
	return ST_OK;
}

static enum st skip_attribute(struct parser *p)
{
	TRY(next(p));
	TRY(expect(p, "(", ".attribute"));
	while (!at(p, ")")) {
		if (p->tok.kind == T_EOF)
			return fail_expected(p, "')'");
		TRY(next(p));
	}
	return next(p);
}

/* .align n, .v2, .attribute(…) and the type, in the order they come. */
static enum st parse_type(struct parser *p, struct ir_var *v, int *lanes)
{
	*lanes = 1;
	while (p->tok.kind == T_DOT && v->ty == TY_NONE) {
		if (at(p, ".align")) {
			TRY(parse_align(p, &v->align));
			continue;
		}
		if (at(p, ".attribute")) {
			TRY(skip_attribute(p));
			continue;
		}
		if (at(p, ".texref") || at(p, ".samplerref") || at(p, ".surfref"))
			return FAIL_POS(p, UNSUP, p->tok.pos, "textures and surfaces are not supported");
		if (at(p, ".v2") || at(p, ".v4"))
			*lanes = at(p, ".v2") ? 2 : 4;
		else
			v->ty = isa_find_type(p->lx.text + p->tok.pos + 1, p->tok.len - 1);
		if (v->ty == TY_NONE && *lanes == 1)
			return fail_expected(p, "a type");
		TRY(next(p));
	}
	if (v->ty == TY_NONE || v->ty == TY_PRED)
		return fail_expected(p, "a type");
	return ST_OK;
}

static uint64_t space_limit(enum ir_mod space)
{
	switch (space) {
	case MOD_CONST: return MAX_CONST_BYTES;
	case MOD_SHARED: return MAX_SHARED_BYTES;
	case MOD_LOCAL: return MAX_LOCAL_BYTES;
	case MOD_PARAM: return MAX_PARAM_BYTES;
	default: return MAX_GLOBAL_BYTES;
	}
}

/* [n][m]…, and the size of it all. An empty first [] counts 0. */
static enum st parse_dims(struct parser *p, struct ir_var *v, const struct token *name, int lanes)
{
	uint64_t limit = space_limit(v->space), n, unit = (uint64_t)(ir_ty_bytes(v->ty) * lanes);
	bool first = true;

	v->bytes = unit;
	if (v->align == 0)
		v->align = (uint32_t)unit;
	for (; at(p, "["); first = false) {
		TRY(next(p));
		if (at(p, "]") && first) {
			v->bytes = 0;
		} else {
			TRY(parse_count(p, "an array's size", limit, &n));
			v->bytes *= n; /* both at most 2^30 */
		}
		if (v->bytes > limit)
			return FAIL_POS(p, LIMIT, name->pos, "'%s' is larger than %llu bytes", v->name,
			                (unsigned long long)limit);
		TRY(expect(p, "]", "the size"));
	}
	return ST_OK;
}

static uint64_t align_up(uint64_t x, uint64_t a)
{
	return (x + a - 1) & ~(a - 1);
}

/* Adds a variable to the function or the module, with its place in the frame. */
static enum st add_variable(struct parser *p, const struct token *name, struct ir_var *v)
{
	uint64_t *frame = v->space == MOD_LOCAL   ? &p->f->local_bytes
	                  : v->space == MOD_PARAM ? &p->f->call_bytes
	                                          : NULL;

	if ((p->f ? p->var.n : p->gvar.n) >= MAX_DECLS)
		return FAIL_POS(p, LIMIT, name->pos, "more than %d variables", MAX_DECLS);
	if (frame != NULL) {
		v->offset = align_up(*frame, v->align);
		*frame = v->offset + v->bytes;
		if (*frame > MAX_LOCAL_BYTES)
			return FAIL_POS(p, LIMIT, name->pos, "more than %llu bytes of .%s memory",
			                (unsigned long long)MAX_LOCAL_BYTES, ir_mod_text(v->space));
	}
	if (p->f != NULL) {
		*VEC_ADD(p->var) = *v;
		return sym_add(p, name, SYM_VAR, IR_LOCAL_VAR + p->var.n - 1);
	}
	*VEC_ADD(p->gvar) = *v;
	return sym_add(p, name, SYM_VAR, p->gvar.n - 1);
}

static enum st one_variable(struct parser *p, struct ir_var v, int lanes)
{
	struct token name;
	bool init;

	TRY(expect_id(p, "the variable's name", &name));
	v.name = tok_text(p, &name);
	v.line = name.line;
	v.reg = -1;
	v.scope = p->scope > 0 ? p->scope : 0;
	TRY(parse_dims(p, &v, &name, lanes));
	if (v.bytes == 0 && !(v.is_extern && v.space == MOD_SHARED))
		return FAIL_TOK(p, &name, "'%s' has no size; only .extern .shared arrays may", v.name);
	TRY(accept(p, "=", &init));
	if (init)
		TRY(parse_initialiser(p, &v));
	return add_variable(p, &name, &v);
}

/* .space [attributes] type name[…] [= …], name …; the space is read already. */
enum st parse_variables(struct parser *p, enum ir_mod space, bool is_extern)
{
	struct ir_var v = { .space = space, .is_extern = is_extern };
	int lanes;
	bool more = true;

	if (p->f == NULL && (space == MOD_LOCAL || space == MOD_PARAM))
		return FAIL_TOK(p, &p->tok, ".%s variables belong into a function", ir_mod_text(space));
	if (is_extern && space != MOD_SHARED)
		return FAIL_POS(p, UNSUP, p->tok.pos,
		                ".extern .%s: the definition is in another module", ir_mod_text(space));
	TRY(parse_type(p, &v, &lanes));
	while (more) {
		TRY(one_variable(p, v, lanes));
		TRY(accept(p, ",", &more));
	}
	return expect(p, ";", "the variable");
}

/* ---- parameters ------------------------------------------------------------------------------- */

/* .ptr [.space] [.align n] */
static enum st parse_ptr(struct parser *p, struct ir_var *v)
{
	uint32_t ignored;

	v->is_ptr = true;
	TRY(next(p));
	if (at(p, ".global") || at(p, ".const") || at(p, ".local") || at(p, ".shared")) {
		v->ptr_space = at(p, ".global")  ? MOD_GLOBAL
		               : at(p, ".const") ? MOD_CONST
		               : at(p, ".local") ? MOD_LOCAL
		                                 : MOD_SHARED;
		TRY(next(p));
	}
	return at(p, ".align") ? parse_align(p, &ignored) : ST_OK;
}

/* .param .type [.ptr …] name[n], or .reg .type name. */
enum st parse_param(struct parser *p, struct ir_var *v, struct token *name)
{
	bool reg = at(p, ".reg");
	int lanes;

	*v = (struct ir_var){ .space = MOD_PARAM, .reg = -1 };
	if (!reg && !at(p, ".param"))
		return fail_expected(p, "'.param'");
	if (reg && p->f->entry)
		return FAIL_TOK(p, &p->tok, "an entry's parameters are .param variables");
	TRY(next(p));
	if (reg && at(p, ".pred"))
		return FAIL_POS(p, UNSUP, p->tok.pos, "predicate parameters are not supported yet");
	TRY(parse_type(p, v, &lanes));
	if (at(p, ".ptr"))
		TRY(parse_ptr(p, v));
	TRY(expect_id(p, "the parameter's name", name));
	v->name = tok_text(p, name);
	v->line = name->line;
	TRY(parse_dims(p, v, name, lanes));
	if (v->bytes == 0)
		return FAIL_POS(p, UNSUP, name->pos, "parameters without a size are not supported yet");
	if (reg && v->bytes != (uint64_t)ir_ty_bytes(v->ty))
		return FAIL_TOK(p, name, "a .reg parameter is a single value");
	if (reg) {
		v->reg = new_register(p, v->name, strlen(v->name), v->ty, 0);
		*VEC_ADD(p->var) = *v;
		return sym_add(p, name, SYM_REG, v->reg);
	}
	return add_variable(p, name, v);
}

/* ( .param …, … ) */
static enum st parse_params(struct parser *p, int *n)
{
	struct ir_var v;
	struct token name;
	bool more;

	*n = 0;
	TRY(next(p)); /* ( */
	if (at(p, ")"))
		return next(p);
	do {
		TRY(parse_param(p, &v, &name));
		(*n)++;
		TRY(accept(p, ",", &more));
	} while (more);
	return expect(p, ")", "the parameters");
}

/* ---- functions -------------------------------------------------------------------------------- */

static enum st parse_dim3(struct parser *p, uint32_t d[3])
{
	uint64_t v;
	bool more = true;

	d[0] = d[1] = d[2] = 1;
	TRY(next(p));
	for (int i = 0; i < 3 && more; i++) {
		TRY(parse_count(p, "a block size", 1024, &v));
		d[i] = (uint32_t)v;
		more = false;
		if (i < 2)
			TRY(accept(p, ",", &more));
	}
	return ST_OK;
}

static enum st parse_small(struct parser *p, uint32_t *d)
{
	uint64_t v;

	TRY(next(p));
	TRY(parse_count(p, "this number", 1 << 16, &v));
	*d = (uint32_t)v;
	return ST_OK;
}

/* Directives between a function's header and its body. */
static enum st parse_performance(struct parser *p)
{
	struct ir_func *f = p->f;
	uint32_t ignored;
	bool debug;

	while (p->tok.kind == T_DOT) {
		if (at(p, ".maxntid"))
			TRY(parse_dim3(p, f->maxntid));
		else if (at(p, ".reqntid"))
			TRY(parse_dim3(p, f->reqntid));
		else if (at(p, ".reqnctapercluster"))
			TRY(parse_dim3(p, f->cluster));
		else if (at(p, ".minnctapersm"))
			TRY(parse_small(p, &f->minnctapersm));
		else if (at(p, ".maxnreg"))
			TRY(parse_small(p, &f->maxnreg));
		else if (at(p, ".maxclusterrank") || at(p, ".maxnctapersm") ||
		         at(p, ".abi_preserve") || at(p, ".abi_preserve_control"))
			TRY(parse_small(p, &ignored));
		else if (at(p, ".noreturn") || at(p, ".explicitcluster") ||
		         at(p, ".blocksareclusters"))
			TRY(next(p));
		else {
			TRY(parse_debug_directive(p, &debug));
			if (!debug)
				return fail_expected(p, "a directive or the body");
		}
	}
	return ST_OK;
}

static void begin_function(struct parser *p)
{
	p->var.n = p->reg.n = p->range.n = p->insn.n = p->label.n = p->table.n = p->ref.n = 0;
	p->nreg_declared = 0;
	p->scope = p->nscope = 0;
	p->loc_file = p->loc_line = p->at_file = p->at_line = 0;
}

/* The earlier declaration that a header repeats, or a new function. f points at its record, on the
 * caller's stack until the header is known. */
static enum st enter_function(struct parser *p, struct ir_func *f, const struct token *name)
{
	struct symbol *y = find_in(p, p->lx.text + name->pos, name->len, 0);
	struct ir_func *old;

	if (y == NULL || y->scope >= 0) {
		if (p->func.n >= MAX_DECLS)
			return FAIL_POS(p, LIMIT, name->pos, "more than %d functions", MAX_DECLS);
		p->scope = -1;
		TRY(sym_add(p, name, SYM_FUNC, p->func.n));
		p->scope = 0;
		f->index = p->func.n;
		*VEC_ADD(p->func) = *f;
		return ST_OK;
	}
	if (y->kind != SYM_FUNC)
		return FAIL_TOK(p, name, "'%s' is declared already", f->name);
	old = &p->func.v[y->index];
	if (old->defined)
		return FAIL_TOK(p, name, "'%s' is defined already (line %d)", f->name, old->line);
	if (old->entry != f->entry || old->nret != f->nret || old->nparam != f->nparam)
		return FAIL_TOK(p, name, "'%s' differs from its declaration in line %d", f->name,
		                old->line);
	f->index = y->index;
	*old = *f;
	return ST_OK;
}

/* The parameter block of an entry, the frame of .param variables of the rest. */
static void finish_params(struct parser *p, struct ir_func *f)
{
	f->var = vec_keep(p, p->var.v, p->var.n, sizeof *p->var.v);
	f->nvar = p->var.n;
	if (f->entry) {
		f->param_bytes = (uint32_t)f->call_bytes;
		f->call_bytes = 0;
	}
}

/* Keeps the lists of the function just read; instructions and labels have been completed. */
static void finish_function(struct parser *p)
{
	struct ir_func *f = p->f;

	f->var = vec_keep(p, p->var.v, p->var.n, sizeof *p->var.v);
	f->nvar = p->var.n;
	f->reg = vec_keep(p, p->reg.v, p->reg.n, sizeof *p->reg.v);
	f->nreg = p->reg.n;
	f->insn = vec_keep(p, p->insn.v, p->insn.n, sizeof *p->insn.v);
	f->ninsn = p->insn.n;
	f->label = vec_keep(p, p->label.v, p->label.n, sizeof *p->label.v);
	f->nlabel = p->label.n;
	f->table = vec_keep(p, p->table.v, p->table.n, sizeof *p->table.v);
	f->ntable = p->table.n;
	f->defined = true;
	ir_build_cfg(p->a, f);
}

/* The symbols of parameters come before that of a new function's own name: the name is entered in
 * the module's scope first, so that the body's names can be forgotten as one piece. */
static enum st parse_header(struct parser *p, struct ir_func *f, struct token *name)
{
	if (!f->entry && at(p, "("))
		TRY(parse_params(p, &f->nret));
	TRY(expect_id(p, "the function's name", name));
	f->name = tok_text(p, name);
	f->line = name->line;
	if (at(p, "("))
		TRY(parse_params(p, &f->nparam));
	return parse_performance(p);
}

static enum st parse_function(struct parser *p, bool entry)
{
	struct ir_func f = { .name = "?", .entry = entry, .line = p->tok.line };
	struct token name;
	int keep = p->sym.n;
	enum st rc;
	bool declared;

	TRY(next(p));
	begin_function(p);
	p->f = &f;
	rc = parse_header(p, &f, &name);
	if (rc == ST_OK) {
		finish_params(p, &f);
		rc = enter_function(p, &f, &name);
	}
	p->f = NULL;
	TRY(rc);
	TRY(accept(p, ";", &declared));
	if (!declared) {
		p->f = &p->func.v[f.index];
		TRY(parse_body(p));
		p->f->end_line = p->tok.line;
		finish_function(p);
		p->f = NULL;
		TRY(next(p)); /* } */
	}
	p->scope = -1;
	sym_leave(p, keep);
	if (find_in(p, p->lx.text + name.pos, name.len, 0) == NULL)
		return sym_add(p, &name, SYM_FUNC, f.index);
	return ST_OK;
}

/* ---- modules ---------------------------------------------------------------------------------- */

/* .version 9.0 */
static enum st parse_version(struct parser *p)
{
	TRY(next(p));
	if (p->tok.kind != T_F64 ||
	    sscanf(p->lx.text + p->tok.pos, "%3d.%3d", &p->m->version_major, &p->m->version_minor) != 2)
		return fail_expected(p, "a version such as 9.0");
	if (p->m->version_major < 1 || p->m->version_major > 9)
		return FAIL_POS(p, UNSUP, p->tok.pos, "PTX version %d.%d is not known (1.0 to 9.x are)",
		                p->m->version_major, p->m->version_minor);
	return next(p);
}

/* .target sm_90a, debug */
static enum st parse_target(struct parser *p)
{
	struct token t;
	bool more = true;

	TRY(next(p));
	t = p->tok;
	while (more) {
		if (p->tok.kind != T_ID)
			return fail_expected(p, "a target such as sm_90");
		if (strncmp(p->lx.text + p->tok.pos, "sm_", 3) == 0)
			p->m->target = (int)strtol(p->lx.text + p->tok.pos + 3, NULL, 10);
		else if (!at(p, "debug") && !at(p, "texmode_unified") &&
		         !at(p, "texmode_independent"))
			return FAIL_POS(p, UNSUP, p->tok.pos, "target '%.*s' is not supported",
			                (int)p->tok.len, p->lx.text + p->tok.pos);
		TRY(next(p));
		TRY(accept(p, ",", &more));
	}
	if (p->m->target == 0)
		return FAIL_TOK(p, &t, "no architecture (sm_NN) is given");
	if (p->m->target > 99 && !p->loose)
		return FAIL_POS(p, UNSUP, t.pos,
		                "sm_%d: the emulated device is sm_90; compile for that", p->m->target);
	return ST_OK;
}

static enum st parse_address_size(struct parser *p)
{
	TRY(next(p));
	if (p->tok.kind != T_INT || (p->tok.val != 64 && p->tok.val != 32))
		return fail_expected(p, "64");
	if (p->tok.val == 32)
		return FAIL_POS(p, UNSUP, p->tok.pos, "32-bit addresses are not supported");
	return next(p);
}

static enum ir_mod space_directive(const struct parser *p)
{
	static const enum ir_mod spaces[] = { MOD_GLOBAL, MOD_CONST, MOD_SHARED, MOD_LOCAL,
		                              MOD_PARAM };

	for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
		if (p->tok.kind == T_DOT && p->tok.len == strlen(ir_mod_text(spaces[i])) + 1 &&
		    strncmp(p->lx.text + p->tok.pos + 1, ir_mod_text(spaces[i]), p->tok.len - 1) == 0)
			return spaces[i];
	}
	return MOD_NONE;
}

/* .alias a, b; both are declared before: a call of a names a function that only b defines, which no analysis looks into. */
static enum st parse_alias(struct parser *p)
{
	if (!p->loose)
		return FAIL_POS(p, UNSUP, p->tok.pos, ".alias is not supported yet");
	while (!at(p, ";")) {
		if (p->tok.kind == T_EOF)
			return fail_expected(p, "';'");
		TRY(next(p));
	}
	return next(p);
}

static enum st parse_declaration(struct parser *p)
{
	enum ir_mod space;
	bool is_extern = false;

	while (at(p, ".visible") || at(p, ".weak") || at(p, ".extern") || at(p, ".common")) {
		is_extern |= at(p, ".extern");
		TRY(next(p));
	}
	space = space_directive(p);
	if (space != MOD_NONE) {
		TRY(next(p));
		return parse_variables(p, space, is_extern);
	}
	if (at(p, ".entry"))
		return parse_function(p, true);
	if (at(p, ".func"))
		return parse_function(p, false);
	if (at(p, ".alias"))
		return parse_alias(p);
	return fail_expected(p, "a declaration (.entry, .func, .global, …)");
}

static enum st parse_module(struct parser *p)
{
	bool debug;

	TRY(next(p));
	if (!at(p, ".version"))
		return fail_expected(p, ".version, with which every PTX text begins");
	TRY(parse_version(p));
	if (!at(p, ".target"))
		return fail_expected(p, ".target after .version");
	TRY(parse_target(p));
	while (p->tok.kind != T_EOF) {
		TRY(parse_debug_directive(p, &debug));
		if (debug)
			continue;
		if (at(p, ".address_size"))
			TRY(parse_address_size(p));
		else
			TRY(parse_declaration(p));
	}
	return ST_OK;
}

static void free_lists(struct parser *p)
{
	free(p->sym.v);
	free(p->func.v);
	free(p->gvar.v);
	free(p->file.v);
	free(p->var.v);
	free(p->reg.v);
	free(p->range.v);
	free(p->insn.v);
	free(p->label.v);
	free(p->table.v);
	free(p->ref.v);
	free(p->memo);
	free(p);
}

/* Fills m, whose text, name and arena are set. */
enum st parse_text(struct ptx_module *m, bool loose, struct err *e)
{
	struct parser *p = mem_zalloc(1, sizeof *p);
	enum st rc;

	p->m = m;
	p->a = m->arena;
	p->e = e;
	p->lx = (struct lexer){ m->name, m->text, m->len, 0, 1 };
	p->scope = -1;
	p->loose = loose;
	p->memo = mem_zalloc(MEMO_SIZE, sizeof *p->memo);
	for (int i = 0; i < SYM_BUCKETS; i++)
		p->bucket[i] = -1;
	rc = parse_module(p);
	if (rc == ST_OK) {
		m->var = vec_keep(p, p->gvar.v, p->gvar.n, sizeof *p->gvar.v);
		m->nvar = p->gvar.n;
		m->func = vec_keep(p, p->func.v, p->func.n, sizeof *p->func.v);
		m->nfunc = p->func.n;
		m->file = (const char **)vec_keep(p, p->file.v, p->file.n, sizeof *p->file.v);
		m->nfile = p->file.n;
	}
	free_lists(p);
	return rc;
}

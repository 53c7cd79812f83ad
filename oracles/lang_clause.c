/* lang_clause.c - the clauses of an operator's text: declarations and definitions.
 *
 *   text     = clause { (";" | line end) clause }
 *   clause   = "op" NAME [ "doc" STRING … ] | "doc" STRING …
 *            | "type" NAME "in" DTYPE { "," DTYPE }
 *            | "dim" NAME ( "in" INT ".." [INT] | "in" "{" INT, … "}" | "=" sum ) { "," … }
 *            | "need" expr { "," expr }
 *            | "param" NAME ":" ("f32" | "i64" | "bool") [ "=" expr ] [ "in" sum ".." sum ] { "," … }
 *            | "option" NAME "=" NAME { "|" NAME }
 *            | "in" ["?"] NAME ":" TYPE "[" sum, … "]" [ "=" expr ]
 *              [ "in" sum ".." sum [ "|" "{" sum, … "}" ] ] { "," … }
 *            | "out" NAME ":" TYPE "[" sum, … "]" { "," … }
 *            | ("let" | "shift") NAME [ "[" index, … "]" ] [ "low" ] "=" expr
 *            | OUTPUT [ "[" index, … "]" ] "=" expr
 *            | "accept" OUTPUT "[" index, … "]" "when" expr
 *            | "relation" NAME ":" part { "," part } "=>" claim { "," claim }
 *            | "contract" …                                              (lang_contract.c)
 *   part     = INPUT "[" index, … "]" "->" expr      claim = OUTPUT "[" index, … "]" "==" expr */
#include "oracles/lang_parse.h"

#include <string.h>

/* The name at the cursor, which nothing may have yet; NULL after an error. */
static const char *new_name(struct lang_parser *p, const char *what)
{
	const struct tok *t = tok_cur(p);
	const char *s = tok_text(p, t);
	struct sym old;

	if (t->kind != T_NAME) {
		tok_unexpected(p, what);
		return NULL;
	}
	if (lang_reserved(s, t->len))
		return LANG_NULL(p, t->pos, "expected %s, but '%.*s' is a word of the language", what,
		                 (int)t->len, s);
	old = lang_lookup(p, s, t->len);
	if (old.kind != SYM_NONE)
		return LANG_NULL(p, t->pos, "'%.*s' is %s already", (int)t->len, s,
		                 lang_sym_text(old.kind));
	p->at++;
	return arena_strndup(p->op->arena, s, t->len);
}

static bool upper(const char *s)
{
	return s[0] >= 'A' && s[0] <= 'Z';
}

static enum st full(struct lang_parser *p, int n, int max, const char *what)
{
	return n < max ? ST_OK : LANG_FAIL(p, tok_cur(p)->pos, "more than %d %s", max, what);
}

/* An expression of sizes and params (where = IN_SIZE) or a constant (IN_LITERAL). */
static struct lang_node *sized(struct lang_parser *p, enum where where,
                               struct lang_node *(*parse)(struct lang_parser *))
{
	struct lang_node *n;

	p->where = where;
	n = parse(p);
	p->where = IN_BODY;
	return n;
}

static struct lang_node *sized_int(struct lang_parser *p, const char *what)
{
	struct lang_node *n = sized(p, IN_SIZE, parse_sum);

	if (n && n->type != LT_INT)
		return LANG_NULL(p, n->pos, "%s must be an integer", what);
	return n;
}

/* ---- op, doc, type ---- */

static enum st clause_doc(struct lang_parser *p)
{
	struct buf b = {0};

	if (tok_cur(p)->kind != T_STR)
		return tok_unexpected(p, "a string");
	if (p->op->schema.doc)
		buf_printf(&b, "%s ", p->op->schema.doc);
	for (const char *gap = ""; tok_cur(p)->kind == T_STR; p->at++, gap = " ") {
		buf_puts(&b, gap);
		buf_add(&b, tok_text(p, tok_cur(p)), tok_cur(p)->len);
	}
	p->op->schema.doc = arena_strndup(p->op->arena, b.s, b.len);
	buf_free(&b);
	return ST_OK;
}

static enum st clause_op(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);

	if (p->op->schema.name)
		return LANG_FAIL(p, t->pos, "a second 'op': one text holds one operator");
	if (t->kind != T_NAME)
		return tok_unexpected(p, "the operator's name");
	/* An operator may be called as a function is: exp, max, sum, tanh. */
	p->op->schema.name = arena_strndup(p->op->arena, tok_text(p, t), t->len);
	p->at++;
	return tok_accept_word(p, "doc") ? clause_doc(p) : ST_OK;
}

static const char *dtype_words(struct lang_parser *p, const struct tok *t)
{
	const char *words[DT_COUNT + 1];

	for (int i = 0; i < DT_COUNT; i++)
		words[i] = dtype_name((enum dtype)i);
	words[DT_COUNT] = NULL;
	return lang_nearest_word(p, tok_text(p, t), t->len, words);
}

static bool dtype_at(const struct lang_parser *p, enum dtype *dt)
{
	for (int i = 0; i < DT_COUNT; i++)
		if (tok_is(p, tok_cur(p), dtype_name((enum dtype)i))) {
			*dt = (enum dtype)i;
			return true;
		}
	return false;
}

/* 0 float, 1 integer, 2 bool */
static int dtype_class(enum dtype t)
{
	return dtype_is_float(t) ? 0 : t == DT_BOOL ? 2 : 1;
}

static enum st clause_type(struct lang_parser *p)
{
	struct op_schema *s = &p->op->schema;
	struct op_type *type = &s->types[s->ntypes];
	uint32_t pos = tok_cur(p)->pos;

	TRY(full(p, s->ntypes, OP_MAX_TYPES, "type variables"));
	if (!(type->name = new_name(p, "the name of a type variable")))
		return ST_INPUT;
	if (!upper(type->name))
		return LANG_FAIL(p, pos, "a type variable begins with an upper-case letter");
	if (!tok_accept_word(p, "in"))
		return tok_unexpected(p, "'in' and the element types");
	do {
		const struct tok *t = tok_cur(p);
		enum dtype dt;

		if (!dtype_at(p, &dt))
			return LANG_FAIL(p, t->pos, "expected an element type, found '%.*s'%s", (int)t->len,
			                 tok_text(p, t), dtype_words(p, t));
		if (type->n && dtype_class(dt) != dtype_class(type->allowed[0]))
			return LANG_FAIL(p, t->pos, "a type variable is floats only or integers only");
		for (int i = 0; i < type->n; i++)
			if (type->allowed[i] == dt)
				return LANG_FAIL(p, t->pos, "%s stands twice", dtype_name(dt));
		type->allowed[type->n++] = dt;
		p->at++;
	} while (tok_accept(p, ','));
	s->ntypes++;
	return ST_OK;
}

enum st parse_etype(struct lang_parser *p, struct lang_etype *type, const char *what)
{
	const struct op_schema *s = &p->op->schema;
	const struct tok *t = tok_cur(p);

	*type = (struct lang_etype){-1, DT_F32};
	if (t->kind != T_NAME)
		return tok_unexpected(p, "an element type");
	if (dtype_at(p, &type->dt)) {
		p->at++;
		return ST_OK;
	}
	for (int i = 0; i < s->ntypes; i++)
		if (tok_is(p, t, s->types[i].name)) {
			type->var = i;
			p->at++;
			return ST_OK;
		}
	return LANG_FAIL(p, t->pos, "%s: unknown element type '%.*s'%s", what, (int)t->len,
	                 tok_text(p, t), dtype_words(p, t));
}

/* ---- dim, need, param, option ---- */

static enum st int_at(struct lang_parser *p, int64_t *v)
{
	const struct tok *t = tok_cur(p);

	if (t->kind != T_INT)
		return tok_unexpected(p, "an integer");
	*v = 0;
	for (uint32_t i = 0; i < t->len; i++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, tok_text(p, t)[i] - '0', v))
			return LANG_FAIL(p, t->pos, "an integer beyond 2^63 - 1");
	p->at++;
	return ST_OK;
}

static enum st dim_values(struct lang_parser *p, struct op_dim *d)
{
	d->lo = INT64_MAX;
	d->hi = 0;
	do {
		int64_t v;

		TRY(full(p, d->nvalues, ARRAY_LEN(d->values), "values of a size"));
		TRY(int_at(p, &v));
		d->values[d->nvalues++] = v;
		d->lo = v < d->lo ? v : d->lo;
		d->hi = v > d->hi ? v : d->hi;
	} while (tok_accept(p, ','));
	return tok_expect(p, '}', "',' or '}'");
}

static enum st dim_range(struct lang_parser *p, struct op_dim *d)
{
	uint32_t pos = tok_cur(p)->pos;

	if (tok_accept(p, '{'))
		return dim_values(p, d);
	TRY(int_at(p, &d->lo));
	TRY(tok_expect(p, T_DOTS, "'..'"));
	d->hi = INT64_MAX;
	if (tok_cur(p)->kind == T_INT)
		TRY(int_at(p, &d->hi));
	if (d->hi < d->lo)
		return LANG_FAIL(p, pos, "an empty range");
	return ST_OK;
}

static void declared(struct op *op, bool param, int k)
{
	op->order[op->norder].param = param;
	op->order[op->norder++].k = k;
}

static enum st one_dim(struct lang_parser *p)
{
	struct op *op = p->op;
	struct op_schema *s = &op->schema;
	struct op_dim *d = &s->dims[s->ndims];
	uint32_t pos = tok_cur(p)->pos;

	TRY(full(p, s->ndims, OP_MAX_DIMS, "sizes"));
	if (!(d->name = new_name(p, "the name of a size")))
		return ST_INPUT;
	if (!upper(d->name))
		return LANG_FAIL(p, pos, "a size begins with an upper-case letter");
	if (tok_accept(p, '=')) {
		d->derived = true;
		d->hi = INT64_MAX;
		if (!(op->dim_def[s->ndims] = sized_int(p, "a size")))
			return ST_INPUT;
	} else if (tok_accept_word(p, "in")) {
		TRY(dim_range(p, d));
	} else {
		return tok_unexpected(p, "'in' and a range, or '=' and a size");
	}
	declared(op, false, s->ndims++);
	return ST_OK;
}

static enum st one_need(struct lang_parser *p)
{
	struct op *op = p->op;
	struct lang_node *n;

	TRY(full(p, op->nneeds, LANG_MAX_NEEDS, "needs"));
	n = sized(p, IN_SIZE, parse_expr);
	if (!n || !node_is_condition(p, n, "a need"))
		return ST_INPUT;
	op->need[op->nneeds++] = n;
	return ST_OK;
}

static enum st param_bound(struct lang_parser *p, double *v)
{
	struct lang_node *n = sized(p, IN_LITERAL, parse_sum);

	if (!n || !(n = node_to_real(p, n)))
		return ST_INPUT;
	return lang_real(p->op, NULL, n, DT_F64, v, p->e);
}

static enum st param_default(struct lang_parser *p, const struct op_param *q,
                             struct lang_node **out)
{
	static const enum lang_type type[] = {[PARAM_F32] = LT_REAL, [PARAM_I64] = LT_INT,
	                                      [PARAM_BOOL] = LT_BOOL};
	struct lang_node *n = sized(p, IN_SIZE, parse_expr);

	if (n && q->kind == PARAM_F32)
		n = node_to_real(p, n);
	if (!n)
		return ST_INPUT;
	if (n->type != type[q->kind])
		return LANG_FAIL(p, n->pos, "the default of %s must be %s", q->name,
		                 q->kind == PARAM_I64 ? "an integer" : "true or false");
	*out = n;
	return ST_OK;
}

static enum st one_param(struct lang_parser *p)
{
	struct op *op = p->op;
	struct op_schema *s = &op->schema;
	struct op_param *q = &s->params[s->nparams];

	TRY(full(p, s->nparams, OP_MAX_PARAMS, "parameters"));
	if (!(q->name = new_name(p, "the name of a parameter")))
		return ST_INPUT;
	TRY(tok_expect(p, ':', "':' and f32, i64 or bool"));
	if (tok_accept_word(p, "f32"))
		q->kind = PARAM_F32;
	else if (tok_accept_word(p, "i64"))
		q->kind = PARAM_I64;
	else if (tok_accept_word(p, "bool"))
		q->kind = PARAM_BOOL;
	else
		return tok_unexpected(p, "f32, i64 or bool");
	if (tok_accept(p, '=')) {
		TRY(param_default(p, q, &op->param_default[s->nparams]));
		q->has_default = true;
	}
	if (tok_accept_word(p, "in")) {
		uint32_t pos = tok_cur(p)->pos;

		TRY(param_bound(p, &q->lo));
		TRY(tok_expect(p, T_DOTS, "'..'"));
		TRY(param_bound(p, &q->hi));
		if (!(q->lo <= q->hi))
			return LANG_FAIL(p, pos, "an empty range");
		q->has_range = true;
	}
	declared(op, true, s->nparams++);
	return ST_OK;
}

static enum st clause_option(struct lang_parser *p)
{
	struct op_schema *s = &p->op->schema;
	struct op_option *o = &s->options[s->noptions];

	TRY(full(p, s->noptions, OP_MAX_OPTIONS, "options"));
	if (!(o->name = new_name(p, "the name of an option")))
		return ST_INPUT;
	TRY(tok_expect(p, '=', "'=' and the values"));
	do {
		const struct tok *t = tok_cur(p);

		TRY(full(p, o->n, ARRAY_LEN(o->values), "values of an option"));
		if (t->kind != T_NAME)
			return tok_unexpected(p, "a value of the option");
		for (int i = 0; i < o->n; i++)
			if (tok_is(p, t, o->values[i]))
				return LANG_FAIL(p, t->pos, "%s stands twice", o->values[i]);
		o->values[o->n++] = arena_strndup(p->op->arena, tok_text(p, t), t->len);
		p->at++;
	} while (tok_accept(p, '|'));
	s->noptions++;
	return ST_OK;
}

/* ---- in, out ---- */

static enum st tensor_axes(struct lang_parser *p, struct lang_tensor *t)
{
	TRY(tok_expect(p, '[', "'[' and the sizes of the axes"));
	if (tok_accept(p, ']'))
		return ST_OK;
	do {
		if (t->rank == LANG_MAX_RANK)
			return LANG_FAIL(p, tok_cur(p)->pos, "more than %d axes", LANG_MAX_RANK);
		if (!(t->axis[t->rank++] = sized_int(p, "an axis")))
			return ST_INPUT;
	} while (tok_accept(p, ','));
	return tok_expect(p, ']', "',' or ']'");
}

static enum st tensor_domain(struct lang_parser *p, struct lang_tensor *t)
{
	t->has_domain = true;
	if (!(t->lo = sized_int(p, "a bound")))
		return ST_INPUT;
	TRY(tok_expect(p, T_DOTS, "'..'"));
	if (!(t->hi = sized_int(p, "a bound")))
		return ST_INPUT;
	if (!tok_accept(p, '|'))
		return ST_OK;
	TRY(tok_expect(p, '{', "'{'"));
	do {
		TRY(full(p, t->nextra, ARRAY_LEN(t->extra), "extra values"));
		if (!(t->extra[t->nextra++] = sized_int(p, "a value")))
			return ST_INPUT;
	} while (tok_accept(p, ','));
	return tok_expect(p, '}', "',' or '}'");
}

static int etype_class(const struct lang_parser *p, const struct lang_etype *t)
{
	return dtype_class(t->var >= 0 ? p->op->schema.types[t->var].allowed[0] : t->dt);
}

/* "= CONSTANT" of an optional input. */
static enum st tensor_default(struct lang_parser *p, struct lang_tensor *t, const char *name)
{
	static const enum lang_type type[] = {LT_REAL, LT_INT, LT_BOOL};
	int class = etype_class(p, &t->type);
	uint32_t pos = tok_cur(p)->pos;

	if (!tok_accept(p, '='))
		return LANG_FAIL(p, pos, "the optional input '%s' needs '= VALUE', its value when absent",
		                 name);
	t->deflt = sized(p, IN_LITERAL, parse_expr);
	if (t->deflt && class == 0)
		t->deflt = node_to_real(p, t->deflt);
	if (!t->deflt)
		return ST_INPUT;
	if (t->deflt->type != type[class])
		return LANG_FAIL(p, t->deflt->pos, "the default of '%s' is not of its type", name);
	return ST_OK;
}

static enum st one_tensor(struct lang_parser *p, bool out, bool optional)
{
	struct op_schema *s = &p->op->schema;
	int k = s->ntensors;
	struct op_tensor *t = &s->tensors[k];
	struct lang_tensor *l = &p->op->tensor[k];

	TRY(full(p, k, OP_MAX_TENSORS, "inputs and outputs"));
	l->pos = tok_cur(p)->pos;
	if (!out && s->nin < s->ntensors)
		return LANG_FAIL(p, l->pos, "inputs are declared before outputs");
	if (!(t->name = new_name(p, out ? "the name of an output" : "the name of an input")))
		return ST_INPUT;
	t->out = out;
	t->optional = optional;
	TRY(tok_expect(p, ':', "':' and an element type"));
	TRY(parse_etype(p, &l->type, t->name));
	TRY(tensor_axes(p, l));
	t->type = l->type.var;
	t->fixed = l->type.dt;
	t->rank = l->rank;
	if (optional)
		TRY(tensor_default(p, l, t->name));
	if (!out && tok_is(p, tok_cur(p), "in")) {
		if (etype_class(p, &l->type) != 1)
			return LANG_FAIL(p, tok_cur(p)->pos, "a domain is for integer inputs");
		p->at++;
		TRY(tensor_domain(p, l));
	}
	s->ntensors++;
	s->nin += !out;
	return ST_OK;
}

/* ---- let, outputs ---- */

static struct lang_def *new_def(struct lang_parser *p, enum def_kind kind, const char *name,
                                uint32_t pos)
{
	struct lang_def *d = arena_alloc(p->op->arena, sizeof *d);

	d->kind = kind;
	d->name = name;
	d->pos = pos;
	return d;
}

/* "[i, j<E]" or nothing. */
static enum st def_indices(struct lang_parser *p, int *rank, struct lang_index **idx)
{
	*rank = tok_accept(p, '[') ? parse_indices(p, ']', idx) : 0;
	return *rank < 0 ? ST_INPUT : ST_OK;
}

static enum st clause_let(struct lang_parser *p, enum def_kind kind)
{
	struct op *op = p->op;
	uint32_t pos = tok_cur(p)->pos;
	const char *name;
	struct lang_def *d;

	TRY(full(p, op->nlets, LANG_MAX_LETS, "lets"));
	if (!(name = new_name(p, "the name of a let")))
		return ST_INPUT;
	d = new_def(p, kind, name, pos);
	TRY(def_indices(p, &d->rank, d->idx));
	d->low = tok_accept_word(p, "low");
	TRY(tok_expect(p, '=', d->low ? "'='" : "'=' or 'low'"));
	if (!(d->body = parse_expr(p)))
		return ST_INPUT;
	for (int i = 0; i < d->rank; i++)
		if (!index_known(p, d->idx[i]))
			return ST_INPUT;
	if (d->low && d->body->type != LT_REAL)
		return LANG_FAIL(p, pos, "only a real let can be 'low'");
	if (kind == DEF_SHIFT && d->body->type != LT_REAL)
		return LANG_FAIL(p, pos, "a shift is a real number");
	scope_pop(p, d->rank);
	d->number = op->nlets;
	op->lets[op->nlets++] = d;
	return ST_OK;
}

/* The indices of an output or input named at the left of a definition take its axes' extents. */
static enum st match_axes(struct lang_parser *p, int tensor, int rank, struct lang_index *const *idx,
                          uint32_t pos)
{
	const struct lang_tensor *t = &p->op->tensor[tensor];
	const char *name = p->op->schema.tensors[tensor].name;

	if (rank != t->rank)
		return LANG_FAIL(p, pos, "'%s' has %d %s, but %d %s given", name, t->rank,
		                 t->rank == 1 ? "axis" : "axes", rank,
		                 rank == 1 ? "index is" : "indices are");
	for (int a = 0; a < rank; a++) {
		if (idx[a]->given && !lang_equal(idx[a]->extent, t->axis[a], NULL, 0))
			return LANG_FAIL(p, idx[a]->pos, "the extent of '%s' is not that of the axis of '%s'",
			                 idx[a]->name, name);
		idx[a]->extent = t->axis[a];
	}
	return ST_OK;
}

/* The expression of an output (or of what replaces an input), brought to its type. */
static enum st body_of(struct lang_parser *p, int tensor, struct lang_node **body)
{
	const char *name = p->op->schema.tensors[tensor].name;
	int class = etype_class(p, &p->op->tensor[tensor].type);

	if (*body && class == 0)
		*body = node_to_real(p, *body);
	if (!*body)
		return ST_INPUT;
	if (class == 2)
		return node_is_condition(p, *body, name) ? ST_OK : ST_INPUT;
	if (class == 1 && (*body)->type != LT_INT)
		return LANG_FAIL(p, (*body)->pos,
		                 "'%s' holds integers: say how to round, cast(TYPE, rne, sat, e)", name);
	return ST_OK;
}

/* Output and indices at the cursor. */
static enum st output_at(struct lang_parser *p, bool want_out, int *tensor, int *rank,
                         struct lang_index **idx)
{
	const struct tok *t = tok_cur(p);
	struct sym s;

	if (t->kind != T_NAME)
		return tok_unexpected(p, want_out ? "an output" : "an input");
	s = lang_lookup(p, tok_text(p, t), t->len);
	if (s.kind != SYM_TENSOR || p->op->schema.tensors[s.k].out != want_out)
		return LANG_FAIL(p, t->pos, "expected an %s, but '%.*s' is %s%s",
		                 want_out ? "output" : "input", (int)t->len, tok_text(p, t),
		                 s.kind == SYM_TENSOR ? (want_out ? "an input" : "an output")
		                                      : lang_sym_text(s.kind),
		                 s.kind == SYM_NONE
		                         ? lang_nearest(p, tok_text(p, t), t->len, 1u << SYM_TENSOR)
		                         : "");
	p->at++;
	*tensor = s.k;
	TRY(def_indices(p, rank, idx));
	return match_axes(p, s.k, *rank, idx, t->pos);
}

static enum st clause_output(struct lang_parser *p, int tensor)
{
	struct op *op = p->op;
	uint32_t pos = tok_cur(p)->pos;
	int k = tensor - op->schema.nin;
	struct lang_def *d = new_def(p, DEF_OUT, op->schema.tensors[tensor].name, pos);

	if (op->outs[k])
		return LANG_FAIL(p, pos, "'%s' is defined twice", d->name);
	TRY(output_at(p, true, &d->tensor, &d->rank, d->idx));
	TRY(tok_expect(p, '=', "'='"));
	d->body = parse_expr(p);
	TRY(body_of(p, tensor, &d->body));
	scope_pop(p, d->rank);
	d->number = k;
	op->outs[k] = d;
	return ST_OK;
}

/* ---- accept, relation ---- */

static enum st clause_accept(struct lang_parser *p)
{
	struct op *op = p->op;
	struct lang_accept *a = &op->accepts[op->naccepts];

	TRY(full(p, op->naccepts, LANG_MAX_ACCEPTS, "accepts"));
	TRY(output_at(p, true, &a->tensor, &a->rank, a->idx));
	if (!tok_accept_word(p, "when"))
		return tok_unexpected(p, "'when'");
	a->when = parse_expr(p);
	if (!node_is_condition(p, a->when, "accept"))
		return ST_INPUT;
	scope_pop(p, a->rank);
	op->naccepts++;
	return ST_OK;
}

static enum st relation_part(struct lang_parser *p, bool claim, struct lang_rel_part *r)
{
	r->pos = tok_cur(p)->pos;
	TRY(output_at(p, claim, &r->tensor, &r->rank, r->idx));
	TRY(claim ? tok_expect(p, T_EQ, "'=='") : tok_expect(p, T_ARROW, "'->'"));
	r->expr = parse_expr(p);
	TRY(body_of(p, r->tensor, &r->expr));
	scope_pop(p, r->rank);
	return ST_OK;
}

static enum st clause_relation(struct lang_parser *p)
{
	struct op *op = p->op;
	struct lang_relation *r = &op->relations[op->nrelations];
	const struct tok *t = tok_cur(p);

	TRY(full(p, op->nrelations, LANG_MAX_RELATIONS, "relations"));
	if (t->kind != T_NAME)
		return tok_unexpected(p, "the name of the relation");
	r->name = arena_strndup(op->arena, tok_text(p, t), t->len);
	p->at++;
	TRY(tok_expect(p, ':', "':'"));
	do {
		TRY(full(p, r->nsubst, ARRAY_LEN(r->subst), "replaced inputs"));
		TRY(relation_part(p, false, &r->subst[r->nsubst++]));
	} while (tok_accept(p, ','));
	TRY(tok_expect(p, T_IMPLIES, "'=>'"));
	do {
		TRY(full(p, r->nclaims, ARRAY_LEN(r->claim), "claims"));
		TRY(relation_part(p, true, &r->claim[r->nclaims++]));
	} while (tok_accept(p, ','));
	op->nrelations++;
	return ST_OK;
}

/* ---- the text ---- */

static enum st list_of(struct lang_parser *p, enum st (*one)(struct lang_parser *))
{
	do
		TRY(one(p));
	while (tok_accept(p, ','));
	return ST_OK;
}

static enum st one_in(struct lang_parser *p)
{
	return one_tensor(p, false, false);
}

static enum st one_in_optional(struct lang_parser *p)
{
	return one_tensor(p, false, true);
}

static enum st one_out(struct lang_parser *p)
{
	return one_tensor(p, true, false);
}

static enum st unknown_clause(struct lang_parser *p)
{
	static const char *const words[] = {"doc", "type", "dim", "need", "param", "option", "in", "out",
	                                    "let", "shift", "accept", "relation", "contract", NULL};
	const struct tok *t = tok_cur(p);
	const char *near;

	if (t->kind != T_NAME)
		return tok_unexpected(p, "a clause");
	near = lang_nearest_word(p, tok_text(p, t), t->len, words);
	if (!*near)
		near = lang_nearest(p, tok_text(p, t), t->len, 1u << SYM_TENSOR);
	return LANG_FAIL(p, t->pos,
	                 "expected a clause (type, dim, need, param, option, in, out, let, shift, "
	                 "accept, relation, contract) or an output, found '%.*s'%s",
	                 (int)t->len, tok_text(p, t), near);
}

static enum st parse_clause(struct lang_parser *p)
{
	struct sym s;

	if (tok_accept_word(p, "op"))
		return clause_op(p);
	if (!p->op->schema.name)
		return tok_unexpected(p, "'op' and a name, the first clause of an operator");
	if (tok_accept_word(p, "doc"))
		return clause_doc(p);
	if (tok_accept_word(p, "type"))
		return clause_type(p);
	if (tok_accept_word(p, "dim"))
		return list_of(p, one_dim);
	if (tok_accept_word(p, "need"))
		return list_of(p, one_need);
	if (tok_accept_word(p, "param"))
		return list_of(p, one_param);
	if (tok_accept_word(p, "option"))
		return clause_option(p);
	if (tok_accept_word(p, "in"))
		return list_of(p, tok_accept(p, '?') ? one_in_optional : one_in);
	if (tok_accept_word(p, "out"))
		return list_of(p, one_out);
	if (tok_accept_word(p, "let"))
		return clause_let(p, DEF_LET);
	if (tok_accept_word(p, "shift"))
		return clause_let(p, DEF_SHIFT);
	if (tok_accept_word(p, "accept"))
		return clause_accept(p);
	if (tok_accept_word(p, "relation"))
		return clause_relation(p);
	if (tok_accept_word(p, "contract"))
		return parse_contract(p);
	s = lang_lookup(p, tok_text(p, tok_cur(p)), tok_cur(p)->len);
	if (s.kind == SYM_TENSOR && p->op->schema.tensors[s.k].out)
		return clause_output(p, s.k);
	return unknown_clause(p);
}

/* What only the whole text can show. */
static enum st check_whole(struct lang_parser *p)
{
	const struct op *op = p->op;
	const struct op_schema *s = &op->schema;

	if (!s->name)
		return LANG_FAIL(p, op->len, "expected 'op' and a name, found an empty text");
	if (s->ntensors == s->nin)
		return LANG_FAIL(p, op->len, "the operator has no output");
	for (int k = 0; k < op->nouts; k++) {
		const struct lang_def *d = op->outs[k];

		if (!d)
			return LANG_FAIL(p, op->tensor[s->nin + k].pos,
			                 "the output '%s' is not defined: write %s[…] = …",
			                 s->tensors[s->nin + k].name, s->tensors[s->nin + k].name);
		if (op->contract.exact && !d->body->exact)
			return LANG_FAIL(p, d->body->pos,
			                 "contract exact, but the value of '%s' is rounded", d->name);
	}
	return ST_OK;
}

enum st parse_clauses(struct lang_parser *p)
{
	while (tok_cur(p)->kind != T_END) {
		if (tok_accept(p, T_SEP))
			continue;
		TRY(parse_clause(p));
		if (tok_cur(p)->kind != T_SEP && tok_cur(p)->kind != T_END)
			return tok_unexpected(p, "the end of the clause");
	}
	p->op->nouts = p->op->schema.ntensors - p->op->schema.nin;
	return check_whole(p);
}

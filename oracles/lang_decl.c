/* lang_decl.c - the declarations of an operator: types, sizes, parameters, options, inputs,
 * outputs. The grammar stands in lang_clause.c. */
#include "oracles/lang_parse.h"

#include <string.h>

static bool upper(const char *s)
{
	return s[0] >= 'A' && s[0] <= 'Z';
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
	struct lang_node *n = sized(p, IN_SIZE, parse_expr);

	if (n && n->type != LT_INT)
		return LANG_NULL(p, n->pos, "%s must be an integer", what);
	return n;
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
		if (lang_tok_is(p, tok_cur(p), dtype_name((enum dtype)i))) {
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

	TRY(parse_full(p, s->ntypes, OP_MAX_TYPES, "type variables"));
	if (!(type->name = parse_new_name(p, "the name of a type variable")))
		return ST_INPUT;
	if (!upper(type->name))
		return LANG_FAIL(p, pos, "a type variable begins with an upper-case letter");
	if (!tok_accept_word(p, "in"))
		return tok_unexpected(p, "'in' and the element types");
	do {
		const struct tok *t = tok_cur(p);
		enum dtype dt;

		if (!dtype_at(p, &dt))
			return LANG_FAIL(p, t->pos, "expected an element type, found '%.*s'%s",
			                 (int)t->len, tok_text(p, t), dtype_words(p, t));
		if (type->n && dtype_class(dt) != dtype_class(type->allowed[0]))
			return LANG_FAIL(p, t->pos,
			                 "a type variable is floats only or integers only");
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
		if (lang_tok_is(p, t, s->types[i].name)) {
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

		TRY(parse_full(p, d->nvalues, ARRAY_LEN(d->values), "values of a size"));
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

	TRY(parse_full(p, s->ndims, OP_MAX_DIMS, "sizes"));
	if (!(d->name = parse_new_name(p, "the name of a size")))
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
	struct buf text = {0};
	struct lang_node *n;

	TRY(parse_full(p, op->schema.nneeds, LANG_MAX_NEEDS, "needs"));
	n = sized(p, IN_SIZE, parse_expr);
	if (!n || !node_is_condition(p, n, "a need"))
		return ST_INPUT;
	lang_print(&text, op, n);
	op->schema.needs[op->schema.nneeds] = arena_printf(op->arena, "%s", text.s);
	op->need[op->schema.nneeds++] = n;
	buf_free(&text);
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
	static const enum lang_type type[] = {
	        [PARAM_F32] = LT_REAL, [PARAM_I64] = LT_INT, [PARAM_BOOL] = LT_BOOL};
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

	TRY(parse_full(p, s->nparams, OP_MAX_PARAMS, "parameters"));
	if (!(q->name = parse_new_name(p, "the name of a parameter")))
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

	TRY(parse_full(p, s->noptions, OP_MAX_OPTIONS, "options"));
	if (!(o->name = parse_new_name(p, "the name of an option")))
		return ST_INPUT;
	TRY(tok_expect(p, '=', "'=' and the values"));
	do {
		const struct tok *t = tok_cur(p);

		TRY(parse_full(p, o->n, ARRAY_LEN(o->values), "values of an option"));
		if (t->kind != T_NAME)
			return tok_unexpected(p, "a value of the option");
		for (int i = 0; i < o->n; i++)
			if (lang_tok_is(p, t, o->values[i]))
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
		TRY(parse_full(p, t->nextra, ARRAY_LEN(t->extra), "extra values"));
		if (!(t->extra[t->nextra++] = sized_int(p, "a value")))
			return ST_INPUT;
	} while (tok_accept(p, ','));
	return tok_expect(p, '}', "',' or '}'");
}

int lang_etype_class(const struct lang_parser *p, const struct lang_etype *t)
{
	return dtype_class(t->var >= 0 ? p->op->schema.types[t->var].allowed[0] : t->dt);
}

/* "= CONSTANT" of an optional input. */
static enum st tensor_default(struct lang_parser *p, struct lang_tensor *t, const char *name)
{
	static const enum lang_type type[] = {LT_REAL, LT_INT, LT_BOOL};
	int class = lang_etype_class(p, &t->type);
	uint32_t pos = tok_cur(p)->pos;

	if (!tok_accept(p, '='))
		return LANG_FAIL(p, pos,
		                 "the optional input '%s' needs '= VALUE', its value when absent",
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

	TRY(parse_full(p, k, OP_MAX_TENSORS, "inputs and outputs"));
	l->pos = tok_cur(p)->pos;
	if (!out && s->nin < s->ntensors)
		return LANG_FAIL(p, l->pos, "inputs are declared before outputs");
	if (!(t->name = parse_new_name(p, out ? "the name of an output" : "the name of an input")))
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
	if (!out && lang_tok_is(p, tok_cur(p), "in")) {
		if (lang_etype_class(p, &l->type) != 1)
			return LANG_FAIL(p, tok_cur(p)->pos, "a domain is for integer inputs");
		p->at++;
		TRY(tensor_domain(p, l));
	}
	s->ntensors++;
	s->nin += !out;
	return ST_OK;
}

/* ---- clauses ---- */

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

enum st parse_declaration(struct lang_parser *p, bool *found)
{
	*found = true;
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
	*found = false;
	return ST_OK;
}

/* lang_bind.c - parsing an operator, and binding it to concrete types, sizes and parameters. */
#include "oracles/lang_parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tensors beyond this many elements have no use and their byte counts could overflow. */
#define MAX_ELEMENTS (INT64_C(1) << 56)

/* ---- parsing ---- */

enum st op_parse(const char *text, size_t len, const char *file, struct op **out, struct err *e)
{
	struct err first = {0};
	struct lang_parser p = {.where = IN_BODY, .e = &first};
	struct arena *a;
	char *copy;
	enum st rc;

	if (len > LANG_MAX_TEXT)
		return FAIL(e, INPUT, "%s: the text has more than %d bytes", file, LANG_MAX_TEXT);
	a = arena_new();
	p.op = arena_alloc(a, sizeof *p.op);
	p.op->arena = a;
	p.op->file = arena_strndup(a, file, strlen(file));
	/* Not a string: a hostile text may hold zero bytes. */
	copy = arena_alloc(a, len + 1);
	memcpy(copy, text, len);
	p.op->text = copy;
	p.op->len = len;
	p.op->contract.acc = DT_F32;
	p.op->contract.alias = -1;
	rc = lang_lex(p.op->file, p.op->text, len, &p.tok, &p.ntok, &first);
	if (rc == ST_OK)
		rc = parse_clauses(&p);
	free(p.tok);
	if (rc != ST_OK) {
		arena_free(a);
		return err_set(e, first.code, first.file, first.line, "%s", first.msg);
	}
	p.op->schema.exact = p.op->contract.exact;
	p.op->schema.acc = p.op->contract.acc;
	if (!p.op->schema.doc)
		p.op->schema.doc = "";
	*out = p.op;
	return ST_OK;
}

enum st op_read(const char *path, struct op **out, struct err *e)
{
	char *text;
	size_t len;
	enum st rc;

	TRY(file_read(path, LANG_MAX_TEXT, &text, &len, e));
	rc = op_parse(text, len, path, out, e);
	free(text);
	return rc;
}

void op_free(struct op *op)
{
	if (op)
		arena_free(op->arena);
}

const struct op_schema *op_schema(const struct op *op)
{
	return &op->schema;
}

enum dtype lang_dtype(const struct lang_etype *t, const struct op_binding *b)
{
	return t->var >= 0 ? b->types[t->var] : t->dt;
}

/* ---- binding ---- */

static enum st bind_types(const struct op_schema *s, const struct op_binding *b, struct err *e)
{
	for (int i = 0; i < s->ntypes; i++) {
		const struct op_type *t = &s->types[i];
		bool ok = false;

		for (int j = 0; j < t->n; j++)
			ok |= t->allowed[j] == b->types[i];
		if (!ok)
			return FAIL(
			        e, INPUT, "%s: the element type %s cannot be %s", s->name, t->name,
			        (unsigned)b->types[i] < DT_COUNT ? dtype_name(b->types[i]) : "?");
	}
	for (int i = 0; i < s->noptions; i++)
		if (b->options[i] < 0 || b->options[i] >= s->options[i].n)
			return FAIL(e, INPUT, "%s: option %s has no value number %d", s->name,
			            s->options[i].name, b->options[i]);
	return ST_OK;
}

static bool dim_allows(const struct op_dim *d, int64_t v)
{
	for (int i = 0; i < d->nvalues; i++)
		if (d->values[i] == v)
			return true;
	return d->nvalues == 0 && v >= d->lo && v <= d->hi;
}

static enum st dim_outside(const struct op_schema *s, const struct op_dim *d, int64_t v,
                           struct err *e)
{
	struct buf b = {0};
	enum st rc;

	for (int i = 0; i < d->nvalues; i++)
		buf_printf(&b, "%s%" PRId64, i ? ", " : "one of ", d->values[i]);
	if (d->nvalues == 0 && d->hi == INT64_MAX)
		buf_printf(&b, "at least %" PRId64, d->lo);
	else if (d->nvalues == 0)
		buf_printf(&b, "%" PRId64 " to %" PRId64, d->lo, d->hi);
	rc = FAIL(e, INPUT, "%s: the size %s = %" PRId64 " must be %s", s->name, d->name, v, b.s);
	buf_free(&b);
	return rc;
}

static enum st bind_dim(struct op_inst *in, const struct lang_env *env, int k, struct err *e)
{
	const struct op_schema *s = &in->op->schema;
	const struct op_dim *d = &s->dims[k];

	if (!d->derived)
		return dim_allows(d, in->b.dims[k]) ? ST_OK : dim_outside(s, d, in->b.dims[k], e);
	if (lang_int(env, in->op->dim_def[k], &in->b.dims[k], e) != ST_OK)
		return err_prefix(e, "%s: the size %s", s->name, d->name);
	if (in->b.dims[k] < 0)
		return FAIL(e, INPUT, "%s: the derived size %s = %" PRId64 " is negative", s->name,
		            d->name, in->b.dims[k]);
	return ST_OK;
}

static enum st default_param(struct op_inst *in, const struct lang_env *env, int k, struct err *e)
{
	const struct lang_node *n = in->op->param_default[k];
	double *v = &in->b.params[k];
	int64_t i = 0;
	bool b = false;

	switch (in->op->schema.params[k].kind) {
	case PARAM_F32:
		return lang_real(in->op, &in->b, n, DT_F32, v, e);
	case PARAM_I64:
		TRY(lang_int(env, n, &i, e));
		*v = (double)i;
		return ST_OK;
	default:
		TRY(lang_bool(env, n, &b, e));
		*v = b;
		return ST_OK;
	}
}

static enum st round_param(const struct op_schema *s, const struct op_param *q, double *v,
                           struct err *e)
{
	if (isnan(*v))
		return FAIL(e, INPUT, "%s: the parameter %s is NaN", s->name, q->name);
	if (q->kind == PARAM_F32)
		*v = dtype_decode(DT_F32, dtype_encode(DT_F32, *v, RND_NE, false));
	/* Beyond 2^53 a double no longer tells integers apart. */
	if (q->kind == PARAM_I64 && !(*v == floor(*v) && fabs(*v) <= 0x1p53))
		return FAIL(e, INPUT, "%s: the parameter %s = %.17g must be an integer below 2^53",
		            s->name, q->name, *v);
	if (q->kind == PARAM_BOOL && *v != 0 && *v != 1)
		return FAIL(e, INPUT, "%s: the parameter %s = %.17g must be 0 or 1", s->name,
		            q->name, *v);
	return ST_OK;
}

static enum st bind_param(struct op_inst *in, const struct lang_env *env, int k, struct err *e)
{
	const struct op_schema *s = &in->op->schema;
	const struct op_param *q = &s->params[k];
	double *v = &in->b.params[k];

	if (!in->b.param_set[k] && !q->has_default)
		return FAIL(e, INPUT, "%s: the parameter %s has no default: give it a value",
		            s->name, q->name);
	if (!in->b.param_set[k] && default_param(in, env, k, e) != ST_OK)
		return err_prefix(e, "%s: the default of %s", s->name, q->name);
	TRY(round_param(s, q, v, e));
	if (q->has_range && !(*v >= q->lo && *v <= q->hi))
		return FAIL(e, INPUT, "%s: the parameter %s = %.9g must be in %.9g..%.9g", s->name,
		            q->name, *v, q->lo, q->hi);
	return ST_OK;
}

static enum st bind_needs(const struct op_inst *in, const struct lang_env *env, struct err *e)
{
	for (int i = 0; i < in->op->schema.nneeds; i++) {
		struct buf b = {0};
		bool ok;

		if (lang_bool(env, in->op->need[i], &ok, e) != ST_OK)
			return err_prefix(e, "%s: need", in->op->schema.name);
		if (ok)
			continue;
		lang_print(&b, in->op, in->op->need[i]);
		FAIL(e, INPUT, "%s: the operator needs %s", in->op->schema.name, b.s);
		buf_free(&b);
		return e->code;
	}
	return ST_OK;
}

static enum st bind_shape(struct op_inst *in, const struct lang_env *env, int k, struct err *e)
{
	const struct lang_tensor *t = &in->op->tensor[k];
	const char *name = in->op->schema.tensors[k].name;
	int64_t count = 1;
	bool empty = false, over = false;

	for (int a = 0; a < t->rank; a++) {
		int64_t *n = &in->shape[k][a];

		if (lang_int(env, t->axis[a], n, e) != ST_OK)
			return err_prefix(e, "%s: axis %d of %s", in->op->schema.name, a, name);
		if (*n < 0)
			return FAIL(e, INPUT, "%s: axis %d of %s has the negative size %" PRId64,
			            in->op->schema.name, a, name, *n);
		empty |= *n == 0;
		over |= __builtin_mul_overflow(count, *n, &count) || count > MAX_ELEMENTS;
	}
	if (over && !empty)
		return FAIL(e, INPUT, "%s: %s has more than 2^56 elements", in->op->schema.name,
		            name);
	return ST_OK;
}

static enum st bind_domain(struct op_inst *in, const struct lang_env *env, int k, struct err *e)
{
	const struct lang_tensor *t = &in->op->tensor[k];
	struct op_int_domain *d = &in->domain[k];

	if (!t->has_domain)
		return ST_OK;
	TRY(lang_int(env, t->lo, &d->lo, e));
	TRY(lang_int(env, t->hi, &d->hi, e));
	d->nextra = t->nextra;
	for (int i = 0; i < t->nextra; i++)
		TRY(lang_int(env, t->extra[i], &d->extra[i], e));
	return ST_OK;
}

static enum st bind_extents(struct op_inst *in, const struct lang_env *env, struct err *e)
{
	for (int i = 0; i < in->op->nindices; i++) {
		const struct lang_index *x = in->op->index[i];
		int64_t *n = &in->extent[x->number];

		if (lang_int(env, x->extent, n, e) != ST_OK)
			return err_prefix(e, "%s: the extent of %s", in->op->schema.name, x->name);
		if (*n < 0)
			return FAIL_AT(e, INPUT, in->op->file, in->op->text, in->op->len, x->pos,
			               "the extent of %s is negative: %" PRId64, x->name, *n);
	}
	return ST_OK;
}

static enum st bind(struct op_inst *in, struct err *e)
{
	const struct op *op = in->op;
	const struct op_schema *s = &op->schema;
	struct lang_env env = {.op = op, .b = &in->b};

	TRY(bind_types(s, &in->b, e));
	for (int i = 0; i < op->norder; i++)
		TRY(op->order[i].param ? bind_param(in, &env, op->order[i].k, e)
		                       : bind_dim(in, &env, op->order[i].k, e));
	TRY(bind_needs(in, &env, e));
	for (int k = 0; k < s->ntensors; k++) {
		if (!s->tensors[k].optional)
			in->b.present[k] = true;
		TRY(bind_shape(in, &env, k, e));
		TRY(bind_domain(in, &env, k, e));
	}
	return bind_extents(in, &env, e);
}

enum st op_bind(const struct op *op, const struct op_binding *b, struct op_inst **out,
                struct err *e)
{
	struct op_inst *in = mem_zalloc(1, sizeof *in);
	enum st rc;

	in->op = op;
	in->b = *b;
	rc = bind(in, e);
	if (rc != ST_OK) {
		free(in);
		return rc;
	}
	*out = in;
	return ST_OK;
}

void op_inst_free(struct op_inst *in)
{
	free(in);
}

const struct op *op_inst_op(const struct op_inst *in)
{
	return in->op;
}

const struct op_binding *op_inst_binding(const struct op_inst *in)
{
	return &in->b;
}

struct tensor op_inst_tensor(const struct op_inst *in, int k)
{
	const struct lang_tensor *l = &in->op->tensor[k];
	struct tensor t = {.dt = lang_dtype(&l->type, &in->b), .rank = l->rank};

	for (int a = 0; a < l->rank; a++)
		t.dim[a] = in->shape[k][a];
	tensor_set_contiguous(&t);
	return t;
}

bool op_inst_int_domain(const struct op_inst *in, int k, struct op_int_domain *d)
{
	const struct lang_tensor *t = &in->op->tensor[k];
	enum dtype dt = lang_dtype(&t->type, &in->b);
	int bits = 8 * dtype_bytes(dt);
	bool is_signed = dt == DT_I8 || dt == DT_I16 || dt == DT_I32 || dt == DT_I64;

	if (in->op->schema.tensors[k].out || dtype_is_float(dt))
		return false;
	*d = in->domain[k];
	if (t->has_domain)
		return true;
	/* Without a domain: every value of the type that an int64_t holds. */
	d->hi = dt == DT_BOOL ? 1 : bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - is_signed)) - 1;
	d->lo = is_signed ? -d->hi - 1 : 0;
	return true;
}

/* describe.c - an operator in words: schema, mathematics, contract, and how each step of the
 * mathematics contributes to the error scale S (the rules of scale.c, told for this operator's own
 * expressions). */
#include "oracles/lang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOLD 400 /* steps of S that are told */

struct teller {
	struct buf out;
	const struct op *op;
	const struct lang_node *told[MAX_TOLD];
	int ntold;
	bool ratio; /* a ratio was told */
	char name[16];
};

static void expr(struct teller *t, const struct lang_node *n)
{
	lang_print(&t->out, t->op, n);
}

/* "one, two or three" */
static void list_item(struct buf *b, int i, int n, const char *s)
{
	buf_printf(b, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", s);
}

static void heading(struct teller *t, const char *s)
{
	buf_printf(&t->out, "\n%s\n", s);
}

static void indices(struct teller *t, int rank, struct lang_index *const *idx)
{
	buf_puts(&t->out, rank ? "[" : "");
	for (int i = 0; i < rank; i++)
		buf_printf(&t->out, "%s%s", i ? "," : "", idx[i]->name);
	buf_puts(&t->out, rank ? "]" : "");
}

/* ---- schema ---- */

static void tell_dim(struct teller *t, int k)
{
	const struct op_dim *d = &t->op->schema.dims[k];

	buf_printf(&t->out, "  %-12s ", d->name);
	if (d->derived) {
		buf_puts(&t->out, "= ");
		expr(t, t->op->dim_def[k]);
		buf_puts(&t->out, "   (follows from the others)");
	} else if (d->nvalues) {
		for (int i = 0; i < d->nvalues; i++)
			buf_printf(&t->out, "%s%" PRId64, i ? ", " : "one of ", d->values[i]);
	} else if (d->hi == INT64_MAX) {
		buf_printf(&t->out, "%" PRId64 " or more", d->lo);
	} else {
		buf_printf(&t->out, "%" PRId64 " to %" PRId64, d->lo, d->hi);
	}
	buf_putc(&t->out, '\n');
}

static void tell_sizes(struct teller *t)
{
	const struct op_schema *s = &t->op->schema;

	if (s->ntypes + s->ndims == 0)
		return;
	heading(t, "Types and sizes");
	for (int i = 0; i < s->ntypes; i++) {
		buf_printf(&t->out, "  %-12s ", s->types[i].name);
		for (int j = 0; j < s->types[i].n; j++)
			list_item(&t->out, j, s->types[i].n, dtype_name(s->types[i].allowed[j]));
		buf_putc(&t->out, '\n');
	}
	for (int i = 0; i < s->ndims; i++)
		tell_dim(t, i);
	for (int i = 0; i < t->op->schema.nneeds; i++) {
		buf_printf(&t->out, "  %-12s ", "needs");
		expr(t, t->op->need[i]);
		buf_putc(&t->out, '\n');
	}
}

static void tell_params(struct teller *t)
{
	static const char *const kinds[] = {"f32", "i64", "bool"};
	const struct op_schema *s = &t->op->schema;

	if (s->nparams + s->noptions == 0)
		return;
	heading(t, "Parameters and options");
	for (int i = 0; i < s->nparams; i++) {
		const struct op_param *q = &s->params[i];

		buf_printf(&t->out, "  %-12s %s, ", q->name, kinds[q->kind]);
		if (q->has_default) {
			expr(t, t->op->param_default[i]);
			buf_puts(&t->out, " unless given");
		} else {
			buf_puts(&t->out, "always given");
		}
		if (q->has_range)
			buf_printf(&t->out, ", %.9g to %.9g", q->lo, q->hi);
		buf_putc(&t->out, '\n');
	}
	for (int i = 0; i < s->noptions; i++) {
		const struct op_option *o = &s->options[i];

		buf_printf(&t->out, "  %-12s the kernel's choice: ", o->name);
		for (int j = 0; j < o->n; j++)
			list_item(&t->out, j, o->n, o->values[j]);
		buf_printf(&t->out, "; %s unless said\n", o->values[0]);
	}
}

static void tell_tensor(struct teller *t, int k)
{
	const struct op_tensor *s = &t->op->schema.tensors[k];
	const struct lang_tensor *l = &t->op->tensor[k];

	buf_printf(&t->out, "  %-12s %s[", s->name,
	           s->type >= 0 ? t->op->schema.types[s->type].name : dtype_name(s->fixed));
	for (int a = 0; a < l->rank; a++) {
		buf_puts(&t->out, a ? "," : "");
		expr(t, l->axis[a]);
	}
	buf_puts(&t->out, s->out ? "]  output" : "]  input");
	if (l->has_domain) {
		buf_puts(&t->out, ", values ");
		expr(t, l->lo);
		buf_puts(&t->out, " to ");
		expr(t, l->hi);
		for (int i = 0; i < l->nextra; i++) {
			buf_puts(&t->out, " or ");
			expr(t, l->extra[i]);
		}
	}
	if (s->optional) {
		buf_puts(&t->out, ", may be absent: then ");
		expr(t, l->deflt);
	}
	buf_putc(&t->out, '\n');
}

/* ---- mathematics ---- */

static void tell_def(struct teller *t, const struct lang_def *d)
{
	buf_printf(&t->out, "  %s", d->name);
	indices(t, d->rank, d->idx);
	buf_puts(&t->out, " = ");
	expr(t, d->body);
	if (d->kind == DEF_SHIFT)
		buf_puts(&t->out, "\n      (a shift: the result does not depend on it)");
	if (d->low)
		buf_puts(&t->out, "\n      (kernels may hold this in a narrower type)");
	buf_putc(&t->out, '\n');
}

/* Is index number i given as one before it is, by name and extent (in another definition)? */
static bool told_before(const struct op *op, int i)
{
	const struct lang_index *x = op->index[i];

	for (int k = 0; k < i; k++)
		if (op->index[k]->given && strcmp(op->index[k]->name, x->name) == 0 &&
		    lang_equal(op->index[k]->extent, x->extent, NULL, 0))
			return true;
	return false;
}

static void tell_extents(struct teller *t)
{
	heading(t, "Indices start at 0; each runs over the axis it stands in, or");
	for (int i = 0; i < t->op->nindices; i++) {
		const struct lang_index *x = t->op->index[i];

		if (!x->given || told_before(t->op, i))
			continue;
		buf_printf(&t->out, "  %s < ", x->name);
		expr(t, x->extent);
		buf_putc(&t->out, '\n');
	}
}

static bool any_given(const struct op *op)
{
	for (int i = 0; i < op->nindices; i++)
		if (op->index[i]->given)
			return true;
	return false;
}

static void tell_relation(struct teller *t, const struct lang_relation *r)
{
	buf_printf(&t->out, "  %s: with ", r->name);
	for (int i = 0; i < r->nsubst; i++) {
		buf_printf(&t->out, "%s%s", i ? ", " : "",
		           t->op->schema.tensors[r->subst[i].tensor].name);
		indices(t, r->subst[i].rank, r->subst[i].idx);
		buf_puts(&t->out, " replaced by ");
		expr(t, r->subst[i].expr);
	}
	for (int i = 0; i < r->nclaims; i++) {
		buf_printf(&t->out, "%s%s", i ? ", " : ", ",
		           t->op->schema.tensors[r->claim[i].tensor].name);
		indices(t, r->claim[i].rank, r->claim[i].idx);
		buf_puts(&t->out, " becomes ");
		expr(t, r->claim[i].expr);
	}
	buf_putc(&t->out, '\n');
}

static void tell_mathematics(struct teller *t)
{
	const struct op *op = t->op;

	heading(t, "Mathematics");
	for (int i = 0; i < op->nlets; i++)
		tell_def(t, op->lets[i]);
	for (int i = 0; i < op->nouts; i++)
		tell_def(t, op->outs[i]);
	for (int i = 0; i < op->naccepts; i++) {
		const struct lang_accept *a = &op->accepts[i];

		buf_printf(&t->out, "  any %s", op->schema.tensors[a->tensor].name);
		indices(t, a->rank, a->idx);
		buf_puts(&t->out, " is right when ");
		expr(t, a->when);
		buf_putc(&t->out, '\n');
	}
	if (any_given(op))
		tell_extents(t);
	if (op->nrelations)
		heading(t, "Relations");
	for (int i = 0; i < op->nrelations; i++)
		tell_relation(t, &op->relations[i]);
}

/* ---- contract ---- */

static void tell_contract(struct teller *t)
{
	static const char *const nan[] = {
	        "a NaN goes where the formula takes it; max and min pass it on",
	        "max and min ignore a NaN beside a number", "the first NaN is the largest element"};
	static const char *const reach[] = {"its own element", "its row", "every output"};
	const struct lang_contract *c = &t->op->contract;
	struct buf *b = &t->out;

	heading(t, "Contract");
	if (c->exact)
		buf_puts(b, "  outputs are compared bit by bit\n");
	else
		buf_printf(b, "  accumulation in %s, nothing narrower\n", dtype_name(c->acc));
	buf_printf(b, "  %s\n", nan[c->nan]);
	if (c->nan_given)
		buf_printf(b, "  a NaN or infinity of an input reaches at most %s\n",
		           reach[c->reach]);
	if (c->empty) {
		buf_puts(b, "  the result of nothing is ");
		expr(t, c->empty);
		buf_putc(b, '\n');
	}
	if (c->ties_any)
		buf_puts(b, "  of equal elements any may be named\n");
	if (c->alias >= 0)
		buf_printf(b, "  the output may lie where %s lies\n",
		           t->op->schema.tensors[c->alias].name);
	if (c->ftz)
		buf_puts(b, "  subnormal numbers may be flushed to zero\n");
	if (c->fma)
		buf_puts(b, "  products are added with one rounding (fma)\n");
	if (c->exp_accurate)
		buf_puts(b, "  exp is accurate for arguments of any size\n");
	if (c->logits > 0)
		buf_printf(b, "  arguments of exp below %.9g in size, before the shift\n",
		           c->logits);
	if (c->note)
		buf_printf(b, "  %s\n", c->note);
}

/* ---- S ---- */

static bool is_leaf(const struct lang_node *n)
{
	return n->nargs == 0 || n->kind == N_READ || n->kind == N_ACTUAL || n->kind == N_LET ||
	       n->kind == N_TO_REAL;
}

static const char *fn_rule(enum lang_fn fn)
{
	switch (fn) {
	case FN_EXP:
	case FN_EXP2:
		return "z*S(a) + z*(5 + |a|) + 5 eta; exp(-inf) is exact";
	case FN_LOG:
	case FN_LOG2:
		return "S(a)/a + 3|z|";
	case FN_SQRT:
		return "change of the root when a moves by S(a), finite at 0, + |z|";
	case FN_RSQRT:
		return "change of the root when a moves by S(a), + 5|z|";
	case FN_TANH:
	case FN_ERF:
		return "slope*S(a) + 5|z| + 5 eta; nothing of its own where saturated";
	case FN_ERFP1:
	case FN_TANHP1:
		return "S of the function + |z|, without cancellation";
	case FN_FLOOR:
	case FN_ROUND:
		return "S(a), and 1/u where a is within its error of a jump";
	default:
		return lang_fn_in_table(fn) ? "change of the function when a moves by S(a), + (2n + 1)|z|, n the ulps of "
		                              "CUDA's function"
		                            : "slope*S(a) + 5|z| + 5 eta";
	}
}

static const char *reduce_rule(const struct op *op, const struct lang_node *n)
{
	switch (n->red) {
	case RED_SUM:
		if (n->contraction && op->contract.fma)
			return "sum of S of the products + sum|t|";
		return n->contraction ? "sum of S of the products + 2 sum|t|"
		                      : "sum S(t) + sum|t| over the terms t";
	case RED_MEAN:
		return "(sum S(t) + sum|t|)/count + |z| over the terms t";
	case RED_PROD:
		return "each S(t) times the other terms, + |z| a term";
	default:
		return "largest S among terms that can be the result";
	}
}

static const char *rule(const struct op *op, const struct lang_node *n)
{
	switch (n->kind) {
	case N_ADD:
	case N_SUB:
		return "S(a) + S(b) + |z|";
	case N_MUL:
		return "|a|*S(b) + |b|*S(a) + kappa*u*S(a)*S(b) + |z| + eta";
	case N_SQR:
		return "2|a|*S(a) + kappa*u*S(a)^2 + |z| + eta";
	case N_DIV:
		return n->ratio ? "mean with common weights, see below"
		                : "(S(a) + |z|*S(b))/(|b| - kappa*u*S(b)) + |z| + eta";
	case N_MIN:
	case N_MAX:
		return "largest S among operands that can be the result";
	case N_FN:
		return fn_rule(n->fn);
	case N_REDUCE:
		return reduce_rule(op, n);
	case N_CAST:
		return "S(a) + half an ulp of the type: the contract rounds here";
	case N_IF:
		return "S of the branch taken";
	default:
		return NULL; /* neg, abs: S(a) */
	}
}

/* The number of the step that n is, counted from 1; 0: not told yet. */
static int step_number(const struct teller *t, const struct lang_node *n)
{
	for (int i = 0; i < t->ntold; i++)
		if (t->told[i] == n || lang_equal(t->told[i], n, NULL, 0))
			return i + 1;
	return 0;
}

static const char *step_name(void *ctx, const struct lang_node *n)
{
	struct teller *t = ctx;
	int k = is_leaf(n) && n->kind != N_REAL ? 0 : step_number(t, n);

	snprintf(t->name, sizeof t->name, "#%d", k);
	return k ? t->name : NULL;
}

#define RULE_COLUMN 46

static void step(struct teller *t, const struct lang_node *n, const char *what)
{
	size_t from = t->out.len;

	if (t->ntold == MAX_TOLD || step_number(t, n))
		return;
	buf_printf(&t->out, "    #%-2d  ", t->ntold + 1);
	lang_print_named(&t->out, t->op, n, step_name, t);
	if (t->out.len - from > RULE_COLUMN - 2) {
		buf_putc(&t->out, '\n');
		from = t->out.len;
	}
	buf_printf(&t->out, "%*s%s\n", (int)(RULE_COLUMN - (t->out.len - from)), "", what);
	t->told[t->ntold++] = n;
}

static void tell_steps(struct teller *t, const struct lang_node *n);

/* A ratio's sums do not count by themselves, only its weights and values. */
static void tell_parts(struct teller *t, const struct lang_node *n)
{
	if (n->ratio) {
		tell_steps(t, n->ratio_w);
		if (n->ratio_v)
			tell_steps(t, n->ratio_v);
		t->ratio = true;
		return;
	}
	for (int i = 0; i < n->nargs; i++)
		if (n->arg[i]->type == LT_REAL)
			tell_steps(t, n->arg[i]);
}

/* Tells the steps of a real expression, innermost first. */
static void tell_steps(struct teller *t, const struct lang_node *n)
{
	const char *what = rule(t->op, n);

	if (n->type != LT_REAL || n->kind == N_TO_REAL)
		return;
	if (n->literal) {
		if (!n->exact)
			step(t, n, "one constant: |z| unless the accumulation type holds it");
		return;
	}
	if (is_leaf(n))
		return;
	if (n->exact) {
		if (!n->invariant)
			step(t, n, "exact: 0");
		return;
	}
	tell_parts(t, n);
	if (what)
		step(t, n, what);
}

/* Of a definition, body being what is evaluated for it. */
static void tell_scale_of(struct teller *t, const struct lang_def *d, const struct lang_node *body)
{
	if (body->type != LT_REAL)
		return;
	buf_printf(&t->out, "  %s", d->name);
	indices(t, d->rank, d->idx);
	if (d->kind == DEF_SHIFT) {
		buf_puts(&t->out, ": S = 0, as the result does not depend on it\n");
		return;
	}
	if (body->exact) {
		buf_puts(&t->out, ": exact, S = 0\n");
		return;
	}
	buf_putc(&t->out, '\n');
	tell_steps(t, body);
	if (d->low)
		buf_puts(&t->out,
		         "    and |z| times the roundoff of the narrower type over u, where the "
		         "kernel declares one\n");
}

static void tell_inputs_scale(struct teller *t)
{
	const struct op_schema *s = &t->op->schema;

	buf_puts(&t->out, "  ");
	for (int k = 0; k < s->nin; k++)
		buf_printf(&t->out, "%s, ", s->tensors[k].name);
	buf_puts(&t->out, s->nparams ? "parameters, integers: S = 0" : "integers: S = 0");
	buf_puts(&t->out, " (|x|/u below 2^-126 where flushed)\n");
	for (int k = 0; k < s->nin; k++)
		if (s->tensors[k].optional)
			buf_printf(&t->out, "  %s when absent: its operation adds nothing\n",
			           s->tensors[k].name);
}

static void tell_scale(struct teller *t)
{
	const struct op *op = t->op;

	if (op->contract.exact)
		return;
	heading(t, "Error scale S");
	buf_printf(&t->out,
	           "  |error| <= T*u*S is allowed, u = %.9g (%s). In each step z is the value, a "
	           "and b\n"
	           "  are the operands, S(a) their scale, |z| one rounding, kappa the expected T, "
	           "eta the\n"
	           "  underflow floor: 2^-149/u, or 2^-126/u for kernels that flush to zero.\n",
	           dtype_u(op->contract.acc), dtype_name(op->contract.acc));
	tell_inputs_scale(t);
	for (int i = 0; i < op->nlets; i++)
		tell_scale_of(t, op->lets[i], op->lets[i]->body);
	for (int i = 0; i < op->nouts; i++)
		tell_scale_of(t, op->outs[i], lang_before_cast(op, op->outs[i]));
	if (t->ratio)
		buf_puts(&t->out,
		         "  mean with common weights: sum(w*v)/sum(w), p = w/sum(w). What "
		         "the errors of w do to\n"
		         "    the mean, a common error cancelling, + 2 sum(p|v|) + 2|z| + "
		         "sum(p*S(v)) + eta;\n"
		         "    where w is of a low type T, + u_T/u*sum(p|v|): it may be rounded "
		         "for the products alone.\n");
	buf_puts(&t->out, "  at the end + K*eta, K terms being reduced. Rounding to the output "
	                  "type is not counted.\n"
	                  "  No verdict where kappa*u*S of a divisor reaches it; out of contract "
	                  "where a step leaves a\n"
	                  "  quarter of the range of the accumulation type and comes back.\n");
}

char *op_describe(const struct op *op)
{
	struct teller *t = mem_zalloc(1, sizeof *t);
	const struct op_schema *s = &op->schema;
	char *text;

	t->op = op;
	buf_printf(&t->out, "%s%s%s\n", s->name, *s->doc ? ": " : "", s->doc);
	tell_sizes(t);
	tell_params(t);
	heading(t, "Inputs and outputs");
	for (int k = 0; k < s->ntensors; k++)
		tell_tensor(t, k);
	tell_mathematics(t);
	tell_contract(t);
	tell_scale(t);
	text = t->out.s;
	free(t);
	return text;
}

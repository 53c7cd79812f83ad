/* bend.c - bends drawn sizes and parameters to the conditions of "requires".
 *
 * Sizes are drawn one by one, so that `N == 1` or `D == E` would hold in one draw of hundreds, and those few are not
 * the ones to try. Terms joined by `and` in which one side is a name that can be set are met by setting it:
 *
 *   NAME == E, NAME <= E and its like, NAME % E == 0, E == NAME, NAME, not NAME, present(T), not present(T)
 *
 * Anything else is left to chance. A case that meets its conditions stays as it is. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cases/kernel.h"

/* A condition may speak of a size that a later one sets. */
#define ROUNDS 3
#define TERM_MAX 200

struct bender {
	const struct kernel *k;
	struct kase *c;
	bool smaller; /* of two sizes that are to be equal, of two multiples: the smaller one */
};

/* The value of a text on the case as it is; derived sizes count as they are bound, or not at all. */
static bool value_of(const struct bender *b, const char *text, struct value *v)
{
	struct err e = {0};
	struct op_inst *inst = NULL;
	struct kernel_scope s = {.k = b->k, .b = &b->c->b};
	struct expr_env env = kernel_env(&s);
	bool ok;

	if (op_bind(b->k->op, &b->c->b, &inst, &e) == ST_OK)
		s.b = op_inst_binding(inst);
	e = (struct err){0};
	ok = expr_eval(text, "requires", &env, false, v, &e) == ST_OK;
	op_inst_free(inst);
	return ok;
}

static bool holds(const struct bender *b, const char *text)
{
	struct value v;

	return value_of(b, text, &v) && (v.real ? v.d != 0 : v.i != 0);
}

static char *trim(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	for (n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]);)
		s[--n] = 0;
	return s;
}

static int free_dim(const struct bender *b, const char *name)
{
	const struct op_schema *o = b->k->schema;

	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived && strcmp(o->dims[i].name, name) == 0)
			return i;
	return -1;
}

static int param(const struct bender *b, const char *name)
{
	const struct op_schema *o = b->k->schema;

	for (int i = 0; i < o->nparams; i++)
		if (strcmp(o->params[i].name, name) == 0)
			return i;
	return -1;
}

/* A value near v for which `value OP bound`; values beyond an upper bound are folded into the range below it, so that
 * not all of them lie at its end. */
static int64_t nearest(int64_t v, int64_t least, const char *op, int64_t bound)
{
	bool upper = op[0] == '<', strict = op[1] == 0 && op[0] != '=';

	if (strcmp(op, "==") == 0)
		return bound;
	if (strcmp(op, "!=") == 0)
		return bound + 1;
	if (strict)
		bound += upper ? -1 : 1;
	if (!upper)
		return v - least < INT64_MAX - bound ? bound + (v - least) : bound;
	return bound > least ? bound - (v - bound) % (bound - least + 1) : bound;
}

/* Sets a size or an integer parameter so that `name OP bound` holds, where its range has such a value. */
static bool set(struct bender *b, const char *name, const char *op, const char *bound)
{
	const struct op_schema *o = b->k->schema;
	int d = free_dim(b, name), p = param(b, name);
	struct value v;

	if ((d < 0 && p < 0) || !value_of(b, bound, &v))
		return false;
	if (d >= 0) {
		const struct op_dim *dim = &o->dims[d];
		int64_t want = v.real ? 0 : nearest(b->c->b.dims[d], dim->lo, op, v.i);

		if (v.real || want < dim->lo || want > dim->hi)
			return false;
		b->c->b.dims[d] = want;
		return true;
	}
	if (o->params[p].kind == PARAM_F32 || v.real) {
		if (strcmp(op, "==") != 0)
			return false;
		b->c->b.params[p] = v.real ? v.d : (double)v.i;
	} else {
		double least = o->params[p].has_range ? o->params[p].lo : 0;

		b->c->b.params[p] = (double)nearest((int64_t)b->c->b.params[p], (int64_t)least, op, v.i);
	}
	b->c->b.param_set[p] = true;
	return true;
}

/* NAME == NAME of sizes. */
static bool set_equal(struct bender *b, const char *left, const char *right)
{
	const struct op_dim *dims = b->k->schema->dims;
	int l = free_dim(b, left), r = free_dim(b, right);
	int64_t x, y, want;

	if (l < 0 || r < 0)
		return false;
	x = b->c->b.dims[l];
	y = b->c->b.dims[r];
	want = (x < y) == b->smaller ? x : y;
	if (want < dims[l].lo || want > dims[l].hi || want < dims[r].lo || want > dims[r].hi)
		return false;
	b->c->b.dims[l] = b->c->b.dims[r] = want;
	return true;
}

/* NAME % E == 0: the next multiple; of a size below a small E, that many: 3 channels of 4 groups are 12, not 4. */
#define SMALL_FACTOR 16

static void set_multiple(struct bender *b, char *left)
{
	char *percent = strchr(left, '%');
	struct value v;
	int64_t down;
	int d;

	if (!percent)
		return;
	*percent = 0;
	d = free_dim(b, trim(left));
	if (d < 0 || !value_of(b, trim(percent + 1), &v) || v.real || v.i <= 0 || v.i > 1 << 20)
		return;
	down = b->c->b.dims[d] / v.i * v.i;
	if (down == 0 && !b->smaller && v.i <= SMALL_FACTOR && b->c->b.dims[d] * v.i <= b->k->schema->dims[d].hi)
		b->c->b.dims[d] *= v.i;
	else if ((b->smaller && down >= v.i) || down + v.i > b->k->schema->dims[d].hi)
		b->c->b.dims[d] = down;
	else
		b->c->b.dims[d] = down + v.i;
}

/* A term without a comparison: a parameter that is true or not, an optional input. */
static void set_truth(struct bender *b, char *term, bool truth)
{
	const struct op_schema *o = b->k->schema;
	size_t n = strlen(term);

	if (strncmp(term, "present(", 8) == 0 && term[n - 1] == ')') {
		term[n - 1] = 0;
		for (int t = 0; t < o->nin; t++)
			if (o->tensors[t].optional && b->k->takes[t] && strcmp(o->tensors[t].name, trim(term + 8)) == 0)
				b->c->b.present[t] = truth;
		return;
	}
	set(b, term, "==", truth ? "1" : "0");
}

static void meet(struct bender *b, char *term)
{
	static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
	static const char *const turned[] = {"==", "!=", ">=", "<=", ">", "<"};
	bool no = strncmp(term, "not ", 4) == 0;

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		char *at = strstr(term, ops[i]), *left = term, *right;

		if (!at || no)
			continue;
		*at = 0;
		left = trim(left);
		right = trim(at + strlen(ops[i]));
		if (i == 0 && set_equal(b, left, right))
			return;
		if (set(b, left, ops[i], right) || set(b, right, turned[i], left))
			return;
		if (i == 0 && strcmp(right, "0") == 0)
			set_multiple(b, left);
		return;
	}
	set_truth(b, no ? trim(term + 4) : term, !no);
}

/* The terms of a condition, unless it has an `or` or an `and` in brackets: then it is left alone. */
static void bend_to(struct bender *b, const char *condition)
{
	char text[TERM_MAX], *term = text, *next;

	if (strlen(condition) >= sizeof text || strstr(condition, " or "))
		return;
	memcpy(text, condition, strlen(condition) + 1);
	for (; term; term = next) {
		next = strstr(term, " and ");
		if (next) {
			*next = 0;
			next += 5;
		}
		term = trim(term);
		if (!holds(b, term))
			meet(b, term);
	}
}

/* Is an integer parameter of the text one that the case sets? */
static bool of_set_params(const struct bender *b, const char *text)
{
	const struct op_schema *o = b->k->schema;

	for (int i = 0; i < o->nparams; i++) {
		const char *at = b->c->b.param_set[i] ? strstr(text, o->params[i].name) : NULL;
		size_t n = strlen(o->params[i].name);

		if (at && (at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]) && at[n] != '_')
			return true;
	}
	return false;
}

void case_bend_needs(const struct kernel *k, struct kase *c)
{
	struct bender b = {.k = k, .c = c};

	for (int i = 0; i < k->schema->nneeds; i++)
		if (of_set_params(&b, k->schema->needs[i]))
			bend_to(&b, k->schema->needs[i]);
}

void case_bend(const struct kernel *k, struct kase *c, bool smaller)
{
	struct bender b = {k, c, smaller};

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < k->nrequires; i++)
			bend_to(&b, k->requires[i]);
}

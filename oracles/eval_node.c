/* eval_node.c - evaluation of one node for the current values of the indices. */
#include "oracles/eval.h"

#include <string.h>

static bool fresh(const struct eval *x, const struct enode *e)
{
	if (e->stamp == 0 || (e->mask_id != 0 && e->mask_id != x->mask_id))
		return false;
	return !eval_moved(x, e->free, e->stamp);
}

/* The node's own storage, made when first needed: three chunks, 64-byte aligned. */
static double *own(struct eval *x, struct enode *e)
{
	if (!e->own) {
		char *p = arena_alloc(x->arena, (3 * EVAL_CHUNK + 8) * sizeof(double));
		p += (64 - (uintptr_t)p % 64) % 64;
		e->own = (double *)(void *)p;
	}
	return e->own;
}

static void result_chunk(struct eval *x, struct enode *e)
{
	double *p = own(x, e);

	e->c = (struct chunk){p, p + EVAL_CHUNK, p + 2 * EVAL_CHUNK};
	if (e->dst.v && e->lanes > 1) {
		e->c.v = e->dst.v;
		e->c.r = e->dst.r ? e->dst.r : e->c.r;
		e->c.s = e->dst.s ? e->dst.s : e->c.s;
	}
	if (!x->scaling)
		e->c.s = x->zeros;
}

static void fill(double *p, int from, int to)
{
	double v = p[0];

	for (int i = from; i < to; i++)
		p[i] = v;
}

/* One of the three arrays of e, its first value repeated up to lane `to`. */
static void widen(const struct eval *x, double **p, double *room, int from, int to)
{
	if (*p == x->zeros)
		return;
	if (*p != room) {
		room[0] = **p;
		*p = room;
		from = 1;
	}
	fill(*p, from, to);
}

struct chunk eval_chunk(struct eval *x, struct enode *e, int lanes)
{
	if (e->filled < lanes) {
		double *p = own(x, e);
		widen(x, &e->c.v, p, e->filled, lanes);
		widen(x, &e->c.r, p + EVAL_CHUNK, e->filled, lanes);
		widen(x, &e->c.s, p + 2 * EVAL_CHUNK, e->filled, lanes);
		e->filled = lanes;
	}
	return e->c;
}

const int64_t *eval_ints(struct enode *e, int lanes)
{
	for (; e->filled < lanes; e->filled++)
		e->i[e->filled] = e->i[0];
	return e->i;
}

/* Evaluates two operands. A reduction below b made by rows moves the vector index, so that a node
 * that both share may have been evaluated again for one value: then a is done once more. */
static enum st eval_both(struct eval *x, struct enode *a, struct enode *b)
{
	TRY(eval_node(x, a));
	TRY(eval_node(x, b));
	return eval_node(x, a);
}

/* ---- reals ------------------------------------------------------------------------------------
 */

static bool plain(const struct eval *x, struct elem a)
{
	return fabs(a.v) <= x->lim && a.r <= 0x1.fffffffffffffp+1023 && isfinite(a.s);
}

/* Computes the elements that are not ordinary again, by the careful rules. */
static void fix_binary(struct eval *x, struct enode *e, struct chunk a, struct chunk b, bool drop)
{
	for (int i = 0; i < e->lanes; i++) {
		struct elem p = eval_elem(&a, i), q = eval_elem(&b, i), z = eval_elem(&e->c, i);
		double s = 0;
		if (plain(x, p) && plain(x, q) && plain(x, z))
			continue;
		if (e->kind == N_SUB)
			q.v = -q.v;
		switch (e->kind) {
		case N_ADD:
		case N_SUB:
			z = elem_finite(z) ? z : fix_add(p, q);
			s = scale_fix_add(&x->k, p, q, z);
			break;
		case N_MUL:
		case N_SQR:
			z = elem_finite(z) ? z : fix_mul(p, q);
			s = scale_fix_mul(&x->k, p, q, z);
			break;
		case N_DIV:
			z = elem_finite(z) ? z : fix_div(p, q);
			s = scale_fix_div(&x->k, p, q, z);
			break;
		case N_MAX:
			z = fix_max(p, q, drop);
			s = scale_fix_max(&x->k, p, q, z);
			break;
		default: /* min(a, b) = -max(-a, -b) */
			p.v = -p.v;
			q.v = -q.v;
			z = fix_max(p, q, drop);
			z.v = -z.v;
			s = scale_fix_max(&x->k, p, q, z);
		}
		e->c.v[i] = z.v;
		e->c.r[i] = z.r;
		if (x->scaling)
			e->c.s[i] = s;
	}
}

static void scale_binary(const struct eval *x, struct enode *e, struct chunk a, struct chunk b)
{
	size_t n = (size_t)e->lanes;

	switch (e->kind) {
	case N_ADD:
	case N_SUB:
		x->loops->s_add(n, &x->k, e->c, a, b);
		break;
	case N_MUL:
	case N_SQR:
		x->loops->s_mul(n, &x->k, e->c, a, b);
		break;
	case N_DIV:
		x->loops->s_div(n, &x->k, e->c, a, b);
		break;
	case N_MAX:
		x->loops->s_max(n, &x->k, e->c, a, b);
		break;
	default:
		x->loops->s_min(n, &x->k, e->c, a, b);
	}
}

static enum st real_binary(struct eval *x, struct enode *e)
{
	struct enode *ea = e->arg[0], *eb = e->arg[e->kind == N_SQR ? 0 : 1];
	const struct eval_loops *l = x->loops;
	size_t n = (size_t)e->lanes;
	struct chunk a, b;
	bool bad;

	TRY(eval_both(x, ea, eb));
	a = eval_chunk(x, ea, e->lanes);
	b = eval_chunk(x, eb, e->lanes);
	result_chunk(x, e);
	switch (e->kind) {
	case N_ADD:
		bad = l->add(n, e->c, a, b, x->lim);
		break;
	case N_SUB:
		bad = l->sub(n, e->c, a, b, x->lim);
		break;
	case N_MUL:
		bad = l->mul(n, e->c, a, b, x->lim);
		break;
	case N_SQR:
		bad = l->sqr(n, e->c, a, x->lim);
		break;
	case N_DIV:
		bad = l->div(n, e->c, a, b, x->lim);
		break;
	case N_MAX:
		bad = l->max(n, e->c, a, b, x->lim);
		break;
	default:
		bad = l->min(n, e->c, a, b, x->lim);
	}
	if (x->scaling)
		scale_binary(x, e, a, b);
	/* An infinite scale (ill-conditioned) needs care from here on: infinity times 0. */
	if (x->scaling && e->kind == N_DIV)
		bad |= l->check(n, e->c.s, 0x1.fffffffffffffp+1023);
	e->odd = bad || ea->odd || eb->odd;
	if (e->odd)
		fix_binary(x, e, a, b, x->op->contract.nan == NAN_DROP);
	if (e->ratio && x->scaling)
		return eval_ratio(x, e);
	return ST_OK;
}

/* -a and |a|: radius and scale are the operand's own arrays. */
static enum st real_sign(struct eval *x, struct enode *e)
{
	struct enode *ea = e->arg[0];
	struct chunk a;

	TRY(eval_node(x, ea));
	a = eval_chunk(x, ea, e->lanes);
	result_chunk(x, e);
	e->c.r = a.r;
	e->c.s = a.s;
	(e->kind == N_NEG ? x->loops->neg : x->loops->abs)((size_t)e->lanes, e->c.v, a.v);
	e->odd = ea->odd;
	return ST_OK;
}

static void constant_chunk(struct eval *x, struct enode *e)
{
	result_chunk(x, e);
	e->c.v[0] = e->value;
	e->c.r[0] = e->rad;
	if (x->scaling)
		e->c.s[0] = scale_constant(&x->k, x->num->acc, e->value, e->rad);
	e->odd = !(fabs(e->value) <= x->lim);
}

static enum st int_to_real(struct eval *x, struct enode *e)
{
	const int64_t *i;

	TRY(eval_node(x, e->arg[0]));
	i = eval_ints(e->arg[0], e->lanes);
	result_chunk(x, e);
	e->c.r = e->c.s = x->zeros;
	for (int k = 0; k < e->lanes; k++)
		e->c.v[k] = (double)i[k];
	return ST_OK;
}

/* ---- if ---------------------------------------------------------------------------------------
 */

/* How many lanes that count are true, false and unknown. */
static void tally(const struct eval *x, const int64_t *c, int lanes, int count[3])
{
	count[0] = count[1] = count[2] = 0;
	for (int i = 0; i < lanes; i++)
		if (!x->mask || lanes == 1 || x->mask[i])
			count[c[i]]++;
}

/* The value of e is that of one of its branches. */
static enum st take(struct eval *x, struct enode *e, struct enode *branch, bool unknown)
{
	TRY(eval_node(x, branch));
	if (e->type != LT_REAL) {
		const int64_t *i = eval_ints(branch, e->lanes);
		memcpy(own(x, e), i, (size_t)e->lanes * sizeof *i);
		e->i = (int64_t *)(void *)e->own;
		return ST_OK;
	}
	struct chunk c = eval_chunk(x, branch, e->lanes);
	e->c = c;
	e->odd = branch->odd;
	if (unknown) {
		result_chunk(x, e);
		for (int i = 0; i < e->lanes; i++) {
			e->c.v[i] = c.v[i];
			e->c.r[i] = INFINITY;
			if (x->scaling)
				e->c.s[i] = c.s[i];
		}
		e->odd = true;
	}
	return ST_OK;
}

enum st eval_masked(struct eval *x, struct enode *e, const int64_t *mask)
{
	const int64_t *old = x->mask;
	uint64_t old_id = x->mask_id;
	enum st rc;

	x->mask = mask;
	x->mask_id = ++x->masks;
	rc = eval_node(x, e);
	x->mask = old;
	x->mask_id = old_id;
	return rc;
}

/* Lanes where the condition is `want` and that count. */
static int64_t *branch_mask(struct eval *x, struct enode *e, const int64_t *c, bool want)
{
	int64_t *m;

	if (!e->select)
		e->select = arena_alloc(x->arena, 2 * EVAL_CHUNK * sizeof *e->select);
	m = e->select + (want ? 0 : EVAL_CHUNK);
	for (int i = 0; i < e->lanes; i++)
		m[i] = (c[i] == TRI_UNKNOWN || (c[i] == TRI_TRUE) == want) &&
		       (!x->mask || x->mask[i]);
	return m;
}

static enum st mix(struct eval *x, struct enode *e)
{
	struct enode *yes = e->arg[1], *no = e->arg[2];
	int64_t c[EVAL_CHUNK];
	struct chunk a, b;

	memcpy(c, e->arg[0]->i, (size_t)e->lanes * sizeof *c);
	TRY(eval_masked(x, yes, branch_mask(x, e, c, true)));
	TRY(eval_masked(x, no, branch_mask(x, e, c, false)));
	if (e->type != LT_REAL) {
		const int64_t *i = eval_ints(yes, e->lanes), *j = eval_ints(no, e->lanes);
		e->i = (int64_t *)(void *)own(x, e);
		for (int k = 0; k < e->lanes; k++)
			e->i[k] = c[k] ? i[k] : j[k];
		return ST_OK;
	}
	a = eval_chunk(x, yes, e->lanes);
	b = eval_chunk(x, no, e->lanes);
	result_chunk(x, e);
	for (int k = 0; k < e->lanes; k++) {
		e->c.v[k] = c[k] ? a.v[k] : b.v[k];
		e->c.r[k] = c[k] == TRI_UNKNOWN ? INFINITY : c[k] ? a.r[k] : b.r[k];
	}
	if (x->scaling)
		for (int k = 0; k < e->lanes; k++)
			e->c.s[k] = c[k] ? a.s[k] : b.s[k];
	e->odd = yes->odd || no->odd;
	return ST_OK;
}

static enum st conditional(struct eval *x, struct enode *e)
{
	int count[3], cond_lanes = eval_lanes(x, e->arg[0]);

	TRY(eval_node(x, e->arg[0]));
	tally(x, e->arg[0]->i, cond_lanes, count);
	if (count[TRI_TRUE] && !count[TRI_FALSE] && !count[TRI_UNKNOWN])
		return take(x, e, e->arg[1], false);
	if (!count[TRI_TRUE] && !count[TRI_UNKNOWN])
		return take(x, e, e->arg[2], false);
	if (cond_lanes == 1)
		return take(x, e, e->arg[1], true);
	TRY(mix(x, e));
	e->odd |= count[TRI_UNKNOWN] > 0;
	return ST_OK;
}

/* ---- integers and booleans --------------------------------------------------------------------
 */

static enum st overflow(struct eval *x, const struct enode *e)
{
	return FAIL_AT(x->e, INPUT, x->op->file, x->op->text, x->op->len, e->n->pos,
	               "integer arithmetic leaves 64 bits or divides by zero");
}

static bool int_op(enum node_kind kind, int64_t a, int64_t b, int64_t *z)
{
	switch (kind) {
	case N_ADD:
		return !__builtin_add_overflow(a, b, z);
	case N_SUB:
		return !__builtin_sub_overflow(a, b, z);
	case N_MUL:
		return !__builtin_mul_overflow(a, b, z);
	case N_SQR:
		return !__builtin_mul_overflow(a, a, z);
	case N_NEG:
		return !__builtin_sub_overflow((int64_t)0, a, z);
	case N_ABS:
		*z = a;
		return a >= 0 || !__builtin_sub_overflow((int64_t)0, a, z);
	case N_IDIV:
	case N_MOD:
		if (b == 0 || (a == INT64_MIN && b == -1))
			return false;
		*z = a / b - (a % b != 0 && (a < 0) != (b < 0));
		if (kind == N_MOD)
			*z = a - *z * b;
		return true;
	default:
		*z = (kind == N_MIN) == (a < b) ? a : b;
		return true;
	}
}

static int64_t bool_op(enum node_kind kind, int64_t a, int64_t b)
{
	if (kind == N_NOT)
		return a == TRI_UNKNOWN ? a : !a;
	if (kind == N_AND)
		return a == TRI_FALSE || b == TRI_FALSE       ? TRI_FALSE
		       : a == TRI_UNKNOWN || b == TRI_UNKNOWN ? TRI_UNKNOWN
		                                              : TRI_TRUE;
	return a == TRI_TRUE || b == TRI_TRUE         ? TRI_TRUE
	       : a == TRI_UNKNOWN || b == TRI_UNKNOWN ? TRI_UNKNOWN
	                                              : TRI_FALSE;
}

static enum st int_nary(struct eval *x, struct enode *e)
{
	const int64_t *a, *b;
	int64_t *z;

	TRY(eval_both(x, e->arg[0], e->arg[e->nargs - 1]));
	a = eval_ints(e->arg[0], e->lanes);
	b = eval_ints(e->arg[e->nargs - 1], e->lanes);
	z = e->i = (int64_t *)(void *)own(x, e);
	for (int k = 0; k < e->lanes; k++) {
		bool counts = !x->mask || e->lanes == 1 || x->mask[k];
		z[k] = 0;
		if (e->kind == N_AND || e->kind == N_OR || e->kind == N_NOT)
			z[k] = bool_op(e->kind, a[k], b[k]);
		else if (!int_op(e->kind, a[k], b[k], &z[k]) && counts)
			return overflow(x, e);
	}
	return ST_OK;
}

static bool compare(enum lang_cmp c, bool lt, bool eq, bool ordered)
{
	switch (c) {
	case CMP_LT:
		return lt;
	case CMP_LE:
		return lt || eq;
	case CMP_GT:
		return ordered && !lt && !eq;
	case CMP_GE:
		return ordered && !lt;
	case CMP_EQ:
		return eq;
	default:
		return !eq;
	}
}

/* Exact values compare as doubles. With an infinity (class_only) a finite enclosure and a big value
 * are both finite; a value that is not known leaves the answer open. */
static int64_t compare_reals(const struct enode *e, struct elem a, struct elem b)
{
	double v = a.v;

	if (e->n->class_only) {
		if (!elem_finite(a) && !elem_big(a) && !elem_nan(a) && !elem_inf(a))
			return TRI_UNKNOWN;
		v = elem_inf(a) || elem_nan(a) ? v : 0;
	} else if (a.r != 0 || b.r != 0) {
		if (!elem_finite(a) || !elem_finite(b) || fabs(a.v - b.v) <= 2 * (a.r + b.r))
			return TRI_UNKNOWN;
	}
	return compare(e->n->cmp, v < b.v, v == b.v, !isnan(v) && !isnan(b.v)) ? TRI_TRUE
	                                                                       : TRI_FALSE;
}

static enum st comparison(struct eval *x, struct enode *e)
{
	TRY(eval_both(x, e->arg[0], e->arg[1]));
	e->i = (int64_t *)(void *)own(x, e);
	if (e->arg[0]->type == LT_REAL) {
		struct chunk a = eval_chunk(x, e->arg[0], e->lanes);
		struct chunk b = eval_chunk(x, e->arg[1], e->lanes);
		for (int k = 0; k < e->lanes; k++)
			e->i[k] = compare_reals(e, eval_elem(&a, k), eval_elem(&b, k));
		return ST_OK;
	}
	const int64_t *a = eval_ints(e->arg[0], e->lanes), *b = eval_ints(e->arg[1], e->lanes);
	for (int k = 0; k < e->lanes; k++)
		e->i[k] = compare(e->n->cmp, a[k] < b[k], a[k] == b[k], true);
	return ST_OK;
}

static enum st index_value(struct eval *x, struct enode *e)
{
	int64_t at = x->var[e->n->index->number].at;

	e->i = (int64_t *)(void *)own(x, e);
	for (int k = 0; k < e->lanes; k++)
		e->i[k] = at + k;
	return ST_OK;
}

/* ---- dispatch ---------------------------------------------------------------------------------
 */

static enum st dispatch(struct eval *x, struct enode *e)
{
	switch (e->kind) {
	case N_READ:
	case N_ACTUAL:
		result_chunk(x, e);
		return eval_read(x, e);
	case N_LET:
		result_chunk(x, e);
		return eval_let(x, e);
	case N_REDUCE:
		result_chunk(x, e);
		return eval_reduce(x, e);
	case N_FN:
		TRY(eval_node(x, e->arg[0]));
		result_chunk(x, e);
		return eval_fn(x, e);
	case N_REAL:
		constant_chunk(x, e);
		return ST_OK;
	case N_TO_REAL:
		return int_to_real(x, e);
	case N_INDEX:
		return index_value(x, e);
	case N_IF:
		return conditional(x, e);
	case N_CMP:
		return comparison(x, e);
	case N_NEG:
	case N_ABS:
		return e->type == LT_REAL ? real_sign(x, e) : int_nary(x, e);
	default:
		return e->type == LT_REAL ? real_binary(x, e) : int_nary(x, e);
	}
}

enum st eval_node(struct eval *x, struct enode *e)
{
	if (fresh(x, e))
		return ST_OK;
	e->lanes = e->filled = eval_lanes(x, e);
	e->odd = false;
	e->stamp = 0;
	TRY(dispatch(x, e));
	e->stamp = x->clock;
	e->mask_id = x->mask_id;
	return ST_OK;
}

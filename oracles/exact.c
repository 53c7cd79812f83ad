/* exact.c - oracle_exact: one element of an output in interval arithmetic at a given precision.
 * Lets and reductions are remembered by the values of their indices, so that an element costs what
 * its reductions cost once. */
#include "oracles/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX_MEMO 1000000 /* values remembered at most */
#define EXACT_KEPT     100000  /* beyond so many the next element begins afresh */

/* A value that was computed: of a let or a reduction, at these index values. */
struct memo {
	const void *of;
	int n;
	int64_t at[LANG_MAX_RANK];
	struct ival v;
	struct memo *next;
};

struct exact {
	const struct op_inst *inst;
	const struct op *op;
	const struct tensor *const *in;
	mpfr_prec_t prec;
	int64_t index[LANG_MAX_INDICES];
	struct lang_env env;
	struct memo **table;
	size_t size, used;
	struct err *e;
};

static enum st real(struct exact *x, const struct lang_node *n, struct ival *z);
static enum st truth(struct exact *x, const struct lang_node *n, int *v);

static enum st fail_at(struct exact *x, enum st code, const struct lang_node *n, const char *what)
{
	return err_set_at(x->e, code, __FILE__, __LINE__, x->op->file, x->op->text, x->op->len,
	                  n->pos, "%s", what);
}

/* ---- memo -------------------------------------------------------------------------------------
 */

static size_t memo_hash(const void *of, int n, const int64_t *at)
{
	uint64_t h = (uintptr_t)of;

	for (int i = 0; i < n; i++)
		h = (h ^ (uint64_t)at[i]) * 0x9e3779b97f4a7c15u + (h >> 29);
	return h ^ h >> 31;
}

static struct memo *memo_find(struct exact *x, const void *of, int n, const int64_t *at)
{
	struct memo *m = x->size ? x->table[memo_hash(of, n, at) & (x->size - 1)] : NULL;

	while (m && (m->of != of || memcmp(m->at, at, (size_t)n * sizeof *at) != 0))
		m = m->next;
	return m;
}

static void memo_grow(struct exact *x)
{
	size_t size = x->size ? 2 * x->size : 64;
	struct memo **t = mem_zalloc(size, sizeof(struct memo *));

	for (size_t i = 0; i < x->size; i++)
		for (struct memo *m = x->table[i], *next; m; m = next) {
			size_t to = memo_hash(m->of, m->n, m->at) & (size - 1);
			next = m->next;
			m->next = t[to];
			t[to] = m;
		}
	free(x->table);
	x->table = t;
	x->size = size;
}

static void memo_add(struct exact *x, const void *of, int n, const int64_t *at,
                     const struct ival *v)
{
	struct memo *m;
	size_t to;

	if (x->used >= EXACT_MAX_MEMO)
		return;
	if (x->used >= x->size)
		memo_grow(x);
	m = mem_zalloc(1, sizeof *m);
	m->of = of;
	m->n = n;
	memcpy(m->at, at, (size_t)n * sizeof *at);
	ival_init(&m->v, x->prec);
	ival_set(&m->v, v);
	to = memo_hash(of, n, at) & (x->size - 1);
	m->next = x->table[to];
	x->table[to] = m;
	x->used++;
}

static void memo_free(struct exact *x)
{
	for (size_t i = 0; i < x->size; i++)
		for (struct memo *m = x->table[i], *next; m; m = next) {
			next = m->next;
			ival_clear(&m->v);
			free(m);
		}
	free(x->table);
	x->table = NULL;
	x->size = x->used = 0;
}

/* ---- integers, conditions ---------------------------------------------------------------------
 */

static enum st read_int(void *ctx, const struct lang_node *n, const int64_t *at, int64_t *v,
                        struct err *e)
{
	struct exact *x = ctx;
	const struct tensor *t = x->in[n->k];
	int64_t off = t->offset;
	uint64_t u;
	int bits;

	(void)e;
	if (n->kind != N_READ)
		return fail_at(x, ST_UNSUP, n, "actual() is not evaluated yet");
	for (int a = 0; a < t->rank; a++)
		off += at[a] * t->stride[a];
	u = dtype_load(t->dt, t->data + off * dtype_bytes(t->dt));
	bits = 8 * dtype_bytes(t->dt);
	if ((t->dt == DT_I8 || t->dt == DT_I16 || t->dt == DT_I32) && u >> (bits - 1) & 1)
		u |= ~(uint64_t)0 << bits;
	*v = t->dt == DT_BOOL ? u != 0 : (int64_t)u;
	return ST_OK;
}

/* -1, 0, 1; 2 unordered (a NaN), 3 not known. */
static int order_of(const struct ival *a, const struct ival *b)
{
	if (a->cls == IVAL_NAN || b->cls == IVAL_NAN)
		return 2;
	if (a->cls == IVAL_UNKNOWN || b->cls == IVAL_UNKNOWN)
		return 3;
	if (a->cls != IVAL_FINITE || b->cls != IVAL_FINITE) {
		int s = a->cls == IVAL_PLUS ? 1 : a->cls == IVAL_MINUS ? -1 : 0;
		int t = b->cls == IVAL_PLUS ? 1 : b->cls == IVAL_MINUS ? -1 : 0;
		return (s > t) - (s < t);
	}
	if (mpfr_cmp(a->hi, b->lo) < 0)
		return -1;
	if (mpfr_cmp(a->lo, b->hi) > 0)
		return 1;
	return mpfr_equal_p(a->lo, a->hi) && mpfr_equal_p(b->lo, b->hi) ? 0 : 3;
}

static enum st compare_reals(struct exact *x, const struct lang_node *n, int *v)
{
	struct ival a, b;
	enum st rc;
	int order;

	ival_init(&a, x->prec);
	ival_init(&b, x->prec);
	TRY_OR(end, rc, real(x, n->arg[0], &a));
	TRY_OR(end, rc, real(x, n->arg[1], &b));
	order = order_of(&a, &b);
	*v = order == 3 ? -1 : order == 2 ? n->cmp == CMP_NE : lang_cmp_holds(n->cmp, order);
end:
	ival_clear(&a);
	ival_clear(&b);
	return rc;
}

static bool step(struct exact *x, const struct lang_node *n);
static bool begin(struct exact *x, const struct lang_node *n);

/* any, all. */
static enum st quantified(struct exact *x, const struct lang_node *n, int *v)
{
	int decides = n->red == RED_ANY, t, g = 1;
	bool open = false;

	for (bool more = begin(x, n); more; more = step(x, n)) {
		if (n->nargs == 2)
			TRY(truth(x, n->arg[1], &g));
		if (g == 0)
			continue;
		TRY(truth(x, n->arg[0], &t));
		if (g == 1 && t == decides) {
			*v = decides;
			return ST_OK;
		}
		open |= t < 0 || (g < 0 && t == decides);
	}
	*v = open ? -1 : !decides;
	return ST_OK;
}

static enum st enter_let(struct exact *x, const struct lang_node *n, int64_t *at, int64_t *old);
static void leave_let(struct exact *x, const struct lang_def *def, const int64_t *old);

static enum st let_truth(struct exact *x, const struct lang_node *n, int *v)
{
	int64_t at[LANG_MAX_RANK], old[LANG_MAX_RANK];
	enum st rc;

	TRY(enter_let(x, n, at, old));
	rc = truth(x, n->let->body, v);
	leave_let(x, n->let, old);
	return rc;
}

/* *v: 0, 1, or -1 when the precision does not tell. */
static enum st truth(struct exact *x, const struct lang_node *n, int *v)
{
	bool b = false;
	int t;

	switch (n->kind) {
	case N_NOT:
		TRY(truth(x, n->arg[0], v));
		*v = *v < 0 ? *v : !*v;
		return ST_OK;
	case N_AND:
	case N_OR:
		TRY(truth(x, n->arg[0], v));
		if (*v == (n->kind == N_OR))
			return ST_OK;
		t = *v;
		TRY(truth(x, n->arg[1], v));
		if (*v != (n->kind == N_OR) && t < 0)
			*v = -1;
		return ST_OK;
	case N_CMP:
		if (n->arg[0]->type == LT_REAL)
			return compare_reals(x, n, v);
		break;
	case N_IF:
		TRY(truth(x, n->arg[0], &t));
		if (t >= 0)
			return truth(x, n->arg[t ? 1 : 2], v);
		*v = -1;
		return ST_OK;
	case N_REDUCE:
		return quantified(x, n, v);
	case N_LET:
		return let_truth(x, n, v);
	default:
		break;
	}
	TRY(lang_bool(&x->env, n, &b, x->e));
	*v = b;
	return ST_OK;
}

/* ---- reals ------------------------------------------------------------------------------------
 */

static enum st read_real(struct exact *x, const struct lang_node *n, struct ival *z)
{
	const struct op_schema *s = &x->op->schema;
	const struct tensor *t;
	int64_t off, i;

	if (n->kind == N_ACTUAL)
		return fail_at(x, ST_UNSUP, n, "actual() is not evaluated yet");
	if (s->tensors[n->k].optional && !x->inst->b.present[n->k])
		return real(x, x->op->tensor[n->k].deflt, z);
	t = x->in[n->k];
	off = t->offset;
	for (int a = 0; a < t->rank; a++) {
		TRY(lang_int(&x->env, n->arg[a], &i, x->e));
		if (i < 0 || i >= t->dim[a]) {
			if (n->has_else)
				return real(x, n->arg[t->rank], z);
			return fail_at(x, ST_INPUT, n, "read out of range");
		}
		off += i * t->stride[a];
	}
	ival_set_d(z, dtype_decode(t->dt, dtype_load(t->dt, t->data + off * dtype_bytes(t->dt))));
	return ST_OK;
}

/* Sets the let's indices to the arguments' values at[], which are in range; old[]: what they were.
 */
static enum st enter_let(struct exact *x, const struct lang_node *n, int64_t *at, int64_t *old)
{
	const struct lang_def *def = n->let;

	for (int a = 0; a < def->rank; a++) {
		TRY(lang_int(&x->env, n->arg[a], &at[a], x->e));
		if (at[a] < 0 || at[a] >= x->inst->extent[def->idx[a]->number])
			return fail_at(x, ST_INPUT, n, "let read out of range");
	}
	for (int a = 0; a < def->rank; a++) {
		old[a] = x->index[def->idx[a]->number];
		x->index[def->idx[a]->number] = at[a];
	}
	return ST_OK;
}

static void leave_let(struct exact *x, const struct lang_def *def, const int64_t *old)
{
	for (int a = 0; a < def->rank; a++)
		x->index[def->idx[a]->number] = old[a];
}

static enum st let_value(struct exact *x, const struct lang_node *n, struct ival *z)
{
	int64_t at[LANG_MAX_RANK], old[LANG_MAX_RANK];
	struct memo *m;
	enum st rc = ST_OK;

	TRY(enter_let(x, n, at, old));
	m = memo_find(x, n->let, n->let->rank, at);
	if (m)
		ival_set(z, &m->v);
	else
		rc = real(x, n->let->body, z);
	leave_let(x, n->let, old);
	if (rc == ST_OK && !m)
		memo_add(x, n->let, n->let->rank, at, z);
	return rc;
}

static enum st constant(struct exact *x, const struct lang_node *n, struct ival *z)
{
	z->cls = IVAL_FINITE;
	switch (n->kind) {
	case N_INF:
	case N_NAN:
		ival_set_d(z, n->kind == N_INF ? HUGE_VAL : nan(""));
		break;
	case N_PI:
		mpfr_const_pi(z->lo, MPFR_RNDD);
		mpfr_const_pi(z->hi, MPFR_RNDU);
		break;
	case N_PARAM:
		ival_set_d(z, x->inst->b.params[n->k]);
		break;
	default:
		mpfr_set_str(z->lo, n->text, 10, MPFR_RNDD);
		mpfr_set_str(z->hi, n->text, 10, MPFR_RNDU);
	}
	return ST_OK;
}

static enum st from_int(struct exact *x, const struct lang_node *n, struct ival *z)
{
	int64_t v;

	TRY(lang_int(&x->env, n->arg[0], &v, x->e));
	z->cls = IVAL_FINITE;
	mpfr_set_si(z->lo, v, MPFR_RNDD);
	mpfr_set_si(z->hi, v, MPFR_RNDU);
	return ST_OK;
}

static enum st branch(struct exact *x, const struct lang_node *n, struct ival *z)
{
	int v;

	TRY(truth(x, n->arg[0], &v));
	if (v >= 0)
		return real(x, n->arg[v ? 1 : 2], z);
	z->cls = IVAL_UNKNOWN;
	return ST_OK;
}

static void binary(struct exact *x, const struct lang_node *n, struct ival *z, const struct ival *b)
{
	bool drop = x->op->contract.nan == NAN_DROP;

	switch (n->kind) {
	case N_ADD:
		ival_add(z, z, b);
		break;
	case N_SUB:
		ival_sub(z, z, b);
		break;
	case N_MUL:
		ival_mul(z, z, b);
		break;
	case N_DIV:
		ival_div(z, z, b);
		break;
	case N_MAX:
		ival_max(z, z, b, drop);
		break;
	default: { /* min(a, b) = -max(-a, -b) */
		struct ival t;
		ival_init(&t, x->prec);
		ival_neg(&t, b);
		ival_neg(z, z);
		ival_max(z, z, &t, drop);
		ival_neg(z, z);
		ival_clear(&t);
	}
	}
}

static enum st arithmetic(struct exact *x, const struct lang_node *n, struct ival *z)
{
	struct ival b;
	enum st rc;

	TRY(real(x, n->arg[0], z));
	switch (n->kind) {
	case N_NEG:
		ival_neg(z, z);
		return ST_OK;
	case N_ABS:
		ival_abs(z, z);
		return ST_OK;
	case N_SQR:
		ival_sqr(z, z);
		return ST_OK;
	case N_FN:
		if (n->fn != FN_POW) {
			ival_fn(z, n->fn, z);
			return ST_OK;
		}
		break;
	default:
		if (n->nargs == 2 && n->arg[0] == n->arg[1] && n->kind == N_MUL) {
			ival_sqr(z, z);
			return ST_OK;
		}
	}
	ival_init(&b, x->prec);
	rc = real(x, n->arg[1], &b);
	if (rc == ST_OK && n->kind == N_FN)
		ival_pow(z, z, &b);
	else if (rc == ST_OK)
		binary(x, n, z, &b);
	ival_clear(&b);
	return rc;
}

/* ---- reductions -------------------------------------------------------------------------------
 */

static bool step(struct exact *x, const struct lang_node *n)
{
	for (int i = n->nidx - 1; i >= 0; i--) {
		int j = n->idx[i]->number;
		if (++x->index[j] < x->inst->extent[j])
			return true;
		x->index[j] = 0;
	}
	return false;
}

/* False: there is no term. */
static bool begin(struct exact *x, const struct lang_node *n)
{
	bool some = true;

	for (int i = 0; i < n->nidx; i++) {
		x->index[n->idx[i]->number] = 0;
		some &= x->inst->extent[n->idx[i]->number] > 0;
	}
	return some;
}

static void one_term(struct exact *x, const struct lang_node *n, struct ival *z, struct ival *t)
{
	bool drop = x->op->contract.nan == NAN_DROP;

	if (n->red == RED_PROD) {
		ival_mul(z, z, t);
	} else if (n->red == RED_MAX) {
		ival_max(z, z, t, drop);
	} else if (n->red == RED_MIN) {
		ival_neg(z, z);
		ival_neg(t, t);
		ival_max(z, z, t, drop);
		ival_neg(z, z);
	} else {
		ival_add(z, z, t);
	}
}

static enum st terms(struct exact *x, const struct lang_node *n, struct ival *z)
{
	struct ival t;
	enum st rc = ST_OK;
	int64_t count = 0;
	int g = 1;

	ival_init(&t, x->prec);
	ival_set_d(z, n->red == RED_PROD  ? 1
	              : n->red == RED_MAX ? -HUGE_VAL
	              : n->red == RED_MIN ? HUGE_VAL
	                                  : 0);
	for (bool more = begin(x, n); more; more = step(x, n)) {
		if (n->nargs == 2)
			TRY_OR(end, rc, truth(x, n->arg[1], &g));
		if (g == 0)
			continue;
		TRY_OR(end, rc, real(x, n->arg[0], &t));
		if (g < 0)
			t.cls = IVAL_UNKNOWN;
		count++;
		one_term(x, n, z, &t);
	}
	if (n->red == RED_MEAN) {
		ival_set_d(&t, (double)count);
		ival_div(z, z, &t);
	}
end:
	ival_clear(&t);
	return rc;
}

static enum st reduction(struct exact *x, const struct lang_node *n, struct ival *z)
{
	int64_t at[LANG_MAX_RANK];
	struct memo *m;
	int free = 0;

	if (n->red == RED_ARGMAX || n->red == RED_ARGMIN)
		return fail_at(x, ST_UNSUP, n, "argmax is not evaluated yet");
	for (uint64_t f = n->free; f && free <= LANG_MAX_RANK; f &= f - 1, free++)
		if (free < LANG_MAX_RANK)
			at[free] = x->index[__builtin_ctzll(f)];
	if (free > LANG_MAX_RANK)
		return terms(x, n, z);
	m = memo_find(x, n, free, at);
	if (m) {
		ival_set(z, &m->v);
		return ST_OK;
	}
	TRY(terms(x, n, z));
	memo_add(x, n, free, at, z);
	return ST_OK;
}

static enum st real(struct exact *x, const struct lang_node *n0, struct ival *z)
{
	const struct lang_node *n = lang_skip_absent(x->op, &x->inst->b, n0);

	switch (n->kind) {
	case N_INF:
	case N_NAN:
	case N_PI:
	case N_PARAM:
	case N_REAL:
		return constant(x, n, z);
	case N_TO_REAL:
		return from_int(x, n, z);
	case N_READ:
	case N_ACTUAL:
		return read_real(x, n, z);
	case N_LET:
		return let_value(x, n, z);
	case N_IF:
		return branch(x, n, z);
	case N_REDUCE:
		return reduction(x, n, z);
	case N_CAST:
		return fail_at(x, ST_UNSUP, n, "cast is not evaluated yet");
	default:
		return arithmetic(x, n, z);
	}
}

static void deliver(const struct ival *z, mpfr_t lo, mpfr_t hi, enum el_status *status)
{
	static const enum el_status of[] = {
	        [IVAL_FINITE] = EL_FINITE, [IVAL_NAN] = EL_NAN,         [IVAL_PLUS] = EL_POS_INF,
	        [IVAL_MINUS] = EL_NEG_INF, [IVAL_UNKNOWN] = EL_UNKNOWN,
	};

	*status = of[z->cls];
	if (z->cls == IVAL_FINITE) {
		mpfr_set(lo, z->lo, MPFR_RNDD);
		mpfr_set(hi, z->hi, MPFR_RNDU);
	} else {
		mpfr_set_inf(lo, z->cls == IVAL_PLUS ? 1 : -1);
		mpfr_set_inf(hi, z->cls == IVAL_MINUS ? -1 : 1);
	}
}

static void exact_init(struct exact *x, const struct op_inst *inst, const struct tensor *const in[])
{
	thread_at_exit(mpfr_free_cache);
	*x = (struct exact){.inst = inst, .op = inst->op, .in = in};
	x->env = (struct lang_env){.op = x->op,
	                           .b = &inst->b,
	                           .extent = inst->extent,
	                           .index = x->index,
	                           .read = read_int,
	                           .ctx = x};
}

struct exact *oracle_exact_open(const struct op_inst *inst, const struct tensor *const in[])
{
	struct exact *x = mem_alloc(sizeof *x);

	exact_init(x, inst, in);
	return x;
}

void oracle_exact_close(struct exact *x)
{
	if (x)
		memo_free(x);
	free(x);
}

enum st oracle_exact_next(struct exact *x, int k, int64_t element, mpfr_prec_t prec, mpfr_t lo, mpfr_t hi,
                          enum el_status *status, struct err *e)
{
	const struct lang_def *def = x->op->outs[k];
	struct ival z;
	enum st rc;

	if (prec != x->prec || x->used >= EXACT_KEPT)
		memo_free(x);
	x->prec = prec;
	x->e = e;
	for (int a = def->rank - 1; a >= 0; a--) {
		int64_t n = x->inst->extent[def->idx[a]->number];
		x->index[def->idx[a]->number] = element % n;
		element /= n;
	}
	ival_init(&z, prec);
	rc = real(x, lang_before_cast(x->op, def), &z);
	if (rc == ST_OK)
		deliver(&z, lo, hi, status);
	ival_clear(&z);
	return rc;
}

enum st oracle_exact(const struct op_inst *inst, const struct tensor *const in[], int k,
                     int64_t element, mpfr_prec_t prec, mpfr_t lo, mpfr_t hi,
                     enum el_status *status, struct err *e)
{
	struct exact x;
	enum st rc;

	exact_init(&x, inst, in);
	rc = oracle_exact_next(&x, k, element, prec, lo, hi, status, e);
	memo_free(&x);
	return rc;
}

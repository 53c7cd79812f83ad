/* eval_read.c - reads of tensors: a run of elements where the innermost index moves by a constant
 * step, a gather otherwise. */
#include "oracles/eval.h"

#include <string.h>

/* Where the lanes lie: at off + i·step, or, when gather, at at[i]; outside[i]: out of range. */
struct place {
	int64_t off, step;
	bool gather, all_outside;
	int64_t at[EVAL_CHUNK];
	bool outside[EVAL_CHUNK];
};

static enum st place_of(struct eval *x, struct enode *e, const struct tensor *t, struct place *p)
{
	p->off = t->offset;
	p->step = 0;
	p->gather = p->all_outside = false;
	for (int a = 0; a < t->rank; a++) {
		struct enode *arg = e->arg[a];
		bool moves = e->lanes > 1 && x->vec >= 0 && arg->free >> x->vec & 1;
		if (moves && arg->kind == N_INDEX && x->var[x->vec].at + e->lanes <= t->dim[a]) {
			p->off += x->var[x->vec].at * t->stride[a];
			p->step += t->stride[a];
			continue;
		}
		TRY(eval_node(x, arg));
		if (moves) {
			p->gather = true;
			continue;
		}
		p->all_outside |= arg->i[0] < 0 || arg->i[0] >= t->dim[a];
		p->off += p->all_outside ? 0 : arg->i[0] * t->stride[a];
	}
	return ST_OK;
}

static void gather(struct eval *x, struct enode *e, const struct tensor *t, struct place *p)
{
	for (int i = 0; i < e->lanes; i++) {
		p->at[i] = p->off + i * p->step;
		p->outside[i] = p->all_outside;
	}
	for (int a = 0; a < t->rank && p->gather; a++) {
		struct enode *arg = e->arg[a];
		bool moves = e->lanes > 1 && x->vec >= 0 && arg->free >> x->vec & 1;
		if (!moves || (arg->kind == N_INDEX && x->var[x->vec].at + e->lanes <= t->dim[a]))
			continue;
		const int64_t *v = eval_ints(arg, e->lanes);
		for (int i = 0; i < e->lanes; i++) {
			bool in = v[i] >= 0 && v[i] < t->dim[a];
			p->outside[i] |= !in;
			p->at[i] += in ? v[i] * t->stride[a] : 0;
		}
	}
}

/* Some lane that counts is out of range and there is no else value. */
static enum st check_range(struct eval *x, struct enode *e, const struct place *p)
{
	for (int i = 0; i < e->lanes; i++) {
		if (!p->outside[i] || (x->mask && e->lanes > 1 && !x->mask[i]) || e->n->has_else)
			continue;
		return FAIL_AT(x->e, INPUT, x->op->file, x->op->text, x->op->len, e->n->pos,
		               "read of '%s' out of range", x->op->schema.tensors[e->n->k].name);
	}
	return ST_OK;
}

static double load(const struct tensor *t, int64_t at)
{
	const uint8_t *p = t->data + at * dtype_bytes(t->dt);
	float f;

	if (t->dt == DT_F32) {
		memcpy(&f, p, sizeof f);
		return f;
	}
	return dtype_decode(t->dt, dtype_load(t->dt, p));
}

static int64_t load_int(const struct tensor *t, int64_t at)
{
	uint64_t u = dtype_load(t->dt, t->data + at * dtype_bytes(t->dt));
	int bits = 8 * dtype_bytes(t->dt);
	bool is_signed = t->dt == DT_I8 || t->dt == DT_I16 || t->dt == DT_I32 || t->dt == DT_I64;

	if (t->dt == DT_BOOL)
		return u != 0;
	if (is_signed && bits < 64 && u >> (bits - 1) & 1)
		u |= ~(uint64_t)0 << bits;
	return (int64_t)u;
}

static void load_run(const struct tensor *t, const struct place *p, int lanes, double *v)
{
	if (p->step == 1 || lanes == 1) {
		dtype_decode_n(t->dt, t->data + p->off * dtype_bytes(t->dt), v, (size_t)lanes);
		return;
	}
	for (int i = 0; i < lanes; i++)
		v[i] = load(t, p->off + i * p->step);
}

/* Radius 0; the scale of what was read, and of what an else value brings. */
static void dress(struct eval *x, struct enode *e)
{
	int k = e->n->k;
	size_t n = (size_t)e->lanes;
	double *s = e->c.s;

	e->odd = x->loops->check(n, e->c.v, x->lim);
	e->c.r = e->c.s = x->zeros;
	if (!x->scaling || (!e->odd && x->k.flush == 0 && x->narrow[k] == 0))
		return;
	e->c.s = s;
	x->loops->s_input(n, &x->k, s, e->c.v);
	if (x->narrow[k] != 0)
		x->loops->s_narrow(n, s, e->c.v, x->narrow[k], x->narrow_floor[k]);
	for (int i = 0; i < e->lanes; i++)
		if (!isfinite(e->c.v[i]))
			s[i] = 0;
}

static enum st with_else(struct eval *x, struct enode *e, const struct tensor *t, struct place *p)
{
	struct enode *other = e->arg[t->rank];
	struct chunk c;

	for (int i = 0; i < e->lanes; i++)
		e->c.v[i] = p->outside[i] ? 0 : load(t, p->at[i]);
	dress(x, e);
	TRY(eval_node(x, other));
	c = eval_chunk(x, other, e->lanes);
	if (e->c.r == x->zeros && c.r == x->zeros && e->c.s == x->zeros && c.s == x->zeros) {
		for (int i = 0; i < e->lanes; i++)
			e->c.v[i] = p->outside[i] ? c.v[i] : e->c.v[i];
	} else {
		for (int i = 0; i < e->lanes; i++) {
			struct elem q = eval_elem(p->outside[i] ? &c : &e->c, i);
			e->own[i] = q.v;
			e->own[EVAL_CHUNK + i] = q.r;
			e->own[2 * EVAL_CHUNK + i] = q.s;
		}
		e->c.v = e->own;
		e->c.r = e->own + EVAL_CHUNK;
		e->c.s = x->scaling ? e->own + 2 * EVAL_CHUNK : x->zeros;
	}
	e->odd |= other->odd;
	return ST_OK;
}

static enum st read_ints(struct eval *x, struct enode *e, const struct tensor *t, struct place *p)
{
	struct enode *other = e->n->has_else ? e->arg[t->rank] : NULL;
	const int64_t *o = NULL;

	if (other) {
		TRY(eval_node(x, other));
		o = eval_ints(other, e->lanes);
	}
	e->i = (int64_t *)(void *)e->own;
	for (int i = 0; i < e->lanes; i++)
		e->i[i] = !p->outside[i] ? load_int(t, p->at[i]) : o ? o[i] : 0;
	return ST_OK;
}

enum st eval_read(struct eval *x, struct enode *e)
{
	const struct tensor *t = x->in[e->n->k];
	struct place p;

	TRY(place_of(x, e, t, &p));
	if (p.gather || p.all_outside || e->type != LT_REAL) {
		gather(x, e, t, &p);
		TRY(check_range(x, e, &p));
		if (e->type != LT_REAL)
			return read_ints(x, e, t, &p);
		if (e->n->has_else)
			return with_else(x, e, t, &p);
		for (int i = 0; i < e->lanes; i++)
			e->c.v[i] = p.outside[i] ? 0 : load(t, p.at[i]);
	} else {
		load_run(t, &p, e->lanes, e->c.v);
	}
	dress(x, e);
	return ST_OK;
}

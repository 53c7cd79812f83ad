/* eval_let.c - definitions evaluated over their indices: the slabs of lets, and the loops that fill
 * them. */
#include "oracles/eval.h"

#include <stdlib.h>
#include <string.h>

bool eval_start(struct eval *x, const int *idx, int nidx)
{
	bool some = true;

	for (int i = 0; i < nidx; i++) {
		some &= x->inst->extent[idx[i]] > 0;
		eval_set(x, idx[i], 0);
	}
	return some;
}

bool eval_step(struct eval *x, const int *idx, int nidx)
{
	for (int i = nidx - 1; i >= 0; i--) {
		int64_t at = x->var[idx[i]].at + 1;
		if (at < x->inst->extent[idx[i]]) {
			eval_set(x, idx[i], at);
			return true;
		}
		if (i > 0)
			eval_set(x, idx[i], 0);
	}
	return false;
}

/* The vector index and the mask of whoever asked, put back afterwards. */
struct context {
	int vec, n;
	const int64_t *mask;
	uint64_t mask_id;
};

static struct context enter(struct eval *x, int vec)
{
	struct context c = {x->vec, x->n, x->mask, x->mask_id};

	x->vec = vec;
	x->n = 1;
	x->mask = NULL;
	x->mask_id = 0;
	return c;
}

static void leave(struct eval *x, struct context c)
{
	x->vec = c.vec;
	x->n = c.n;
	x->mask = c.mask;
	x->mask_id = c.mask_id;
}

static void put(double *to, const double *from, const double *zeros, int n)
{
	if (to == from)
		return;
	if (from == zeros)
		memset(to, 0, (size_t)n * sizeof *to);
	else
		memcpy(to, from, (size_t)n * sizeof *to);
}

/* Evaluates one chunk of the body and puts it at `at` of the box. */
static enum st fill_chunk(struct eval *x, struct enode *body, int64_t at, int n,
                          struct eval_box *box)
{
	struct chunk c;

	if (body->type != LT_REAL) {
		TRY(eval_node(x, body));
		memcpy(box->i + at, eval_ints(body, n), (size_t)n * sizeof *box->i);
		return ST_OK;
	}
	body->dst = (struct chunk){box->v + at, box->r + at, x->scaling ? box->s + at : x->zeros};
	TRY(eval_node(x, body));
	c = eval_chunk(x, body, n);
	put(body->dst.v, c.v, x->zeros, n);
	put(body->dst.r, c.r, x->zeros, n);
	if (x->scaling)
		put(body->dst.s, c.s, x->zeros, n);
	if (box->rho)
		eval_relative(x, body, n, box->rho + at);
	box->odd |= body->odd;
	return ST_OK;
}

static enum st fill_box(struct eval *x, const struct lang_def *def, struct enode *body, int from,
                        int vec, struct eval_box *box, eval_done *done, void *ctx)
{
	int loops[LANG_MAX_RANK], nloops = 0;
	int64_t at = 0, extent = vec >= 0 ? x->inst->extent[vec] : 1;

	for (int a = from; a < def->rank; a++)
		if (def->idx[a]->number != vec)
			loops[nloops++] = def->idx[a]->number;
	if (!eval_start(x, loops, nloops))
		return ST_OK;
	do {
		for (int64_t base = 0; base < extent; base += x->n) {
			x->n = extent - base < EVAL_CHUNK ? (int)(extent - base) : EVAL_CHUNK;
			if (vec >= 0)
				eval_set(x, vec, base);
			TRY(fill_chunk(x, body, at, x->n, box));
			if (done)
				done(ctx, at, x->n, body->odd);
			at += x->n;
		}
	} while (eval_step(x, loops, nloops));
	return ST_OK;
}

enum st eval_fill(struct eval *x, const struct lang_def *def, struct enode *body, int from, int vec,
                  struct eval_box *box, eval_done *done, void *ctx)
{
	struct context c = enter(x, vec);
	enum st rc = fill_box(x, def, body, from, vec, box, done, ctx);

	body->dst.v = NULL;
	leave(x, c);
	return rc;
}

/* ---- lets -------------------------------------------------------------------------------------
 */

void eval_let_free(struct elet *let)
{
	free(let->v);
	free(let->r);
	free(let->s);
	free(let->rho);
	free(let->i);
	let->v = let->r = let->s = let->rho = NULL;
	let->i = NULL;
	let->valid = false;
}

static enum st make_room(struct eval *x, struct elet *let)
{
	int64_t size = 1, per;

	for (int a = let->prefix; a < let->def->rank; a++)
		if (__builtin_mul_overflow(size, x->inst->extent[let->def->idx[a]->number], &size))
			size = INT64_MAX;
	per = let->body->type == LT_REAL ? 3 + let->want_rho : 1;
	if (size > EVAL_MAX_SLABS || x->slab_doubles + per * size > EVAL_MAX_SLABS)
		return FAIL(
		        x->e, LIMIT,
		        "let '%s' of operator '%s' would take %lld elements at once; make the case "
		        "smaller",
		        let->def->name, x->op->schema.name, (long long)size);
	x->slab_doubles += per * size;
	let->size = size;
	if (let->body->type != LT_REAL) {
		let->i = mem_alloc((size_t)size * sizeof *let->i);
		return ST_OK;
	}
	let->v = mem_alloc((size_t)size * sizeof *let->v);
	let->r = mem_alloc((size_t)size * sizeof *let->r);
	let->s = mem_alloc((size_t)size * sizeof *let->s);
	if (let->want_rho)
		let->rho = mem_alloc((size_t)size * sizeof *let->rho);
	return ST_OK;
}

/* A shift has S = 0 (what is out of contract stays so, and a shift beyond the contract's logits is:
 * kernels that scale by log2(e) first leave u·|m| in the exponent); a low let in a narrower type
 * has one rounding more. */
static void adjust_scale(struct eval *x, struct elet *let)
{
	bool overflow = x->k.rules & SCALE_OVERFLOW && x->op->contract.logits > 0;
	double logits = overflow ? x->op->contract.logits : INFINITY;

	for (int64_t i = 0; let->def->kind == DEF_SHIFT && i < let->size; i++) {
		if (isfinite(let->v[i]) && fabs(let->v[i]) > logits)
			let->s[i] = NAN;
		else if (!isnan(let->s[i]) && x->k.rules & SCALE_SHIFT)
			let->s[i] = 0;
	}
	if (let->narrow == 0)
		return;
	x->loops->s_narrow((size_t)let->size, let->s, let->v, let->narrow, let->narrow_floor);
	if (let->rho)
		for (int64_t i = 0; i < let->size; i++)
			let->rho[i] += let->narrow;
}

static enum st fill_let(struct eval *x, struct elet *let)
{
	struct eval_box box;

	if (!let->v && !let->i)
		TRY(make_room(x, let));
	for (int a = 0; a < let->prefix; a++)
		eval_set(x, let->def->idx[a]->number, let->key[a]);
	box = (struct eval_box){let->v, let->r, let->s, let->rho, let->i, false};
	let->valid = false;
	TRY(eval_fill(x, let->def, let->body, let->prefix, let->vec, &box, NULL, NULL));
	let->odd = box.odd;
	if (x->scaling && let->body->type == LT_REAL)
		adjust_scale(x, let);
	let->valid = true;
	return ST_OK;
}

static enum st outside(struct eval *x, const struct enode *e)
{
	return FAIL_AT(x->e, INPUT, x->op->file, x->op->text, x->op->len, e->n->pos,
	               "let '%s' is read out of range", e->let->def->name);
}

/* Makes the slab that the leading arguments ask for the current one. */
static enum st right_slab(struct eval *x, struct enode *e)
{
	struct elet *let = e->let;
	bool same = let->valid;
	int64_t key[LANG_MAX_RANK];

	for (int a = 0; a < let->prefix; a++) {
		TRY(eval_node(x, e->arg[a]));
		key[a] = e->arg[a]->i[0];
		if (key[a] < 0 || key[a] >= x->inst->extent[let->def->idx[a]->number])
			return outside(x, e);
		same &= key[a] == let->key[a];
	}
	if (same)
		return ST_OK;
	memcpy(let->key, key, sizeof key);
	return fill_let(x, let);
}

/* Elements at[i] of the slab. */
static void pick(struct eval *x, struct enode *e, const int64_t *at)
{
	const struct elet *let = e->let;

	if (e->type != LT_REAL) {
		e->i = (int64_t *)(void *)e->own;
		for (int i = 0; i < e->lanes; i++)
			e->i[i] = let->i[at[i]];
		return;
	}
	for (int i = 0; i < e->lanes; i++) {
		e->c.v[i] = let->v[at[i]];
		e->c.r[i] = let->r[at[i]];
	}
	if (x->scaling)
		for (int i = 0; i < e->lanes; i++)
			e->c.s[i] = let->s[at[i]];
	if (let->rho) {
		if (!e->rho_own)
			e->rho_own = arena_alloc(x->arena, EVAL_CHUNK * sizeof *e->rho_own);
		e->rho = e->rho_own;
		for (int i = 0; i < e->lanes; i++)
			e->rho_own[i] = let->rho[at[i]];
	}
}

enum st eval_let(struct eval *x, struct enode *e)
{
	struct elet *let = e->let;
	int64_t at[EVAL_CHUNK], off = 0, stride = 1, step = 0;
	bool run = true;

	TRY(right_slab(x, e));
	memset(at, 0, (size_t)e->lanes * sizeof *at);
	for (int a = let->def->rank - 1; a >= let->prefix; a--) {
		struct enode *arg = e->arg[a];
		int64_t extent = x->inst->extent[let->def->idx[a]->number];
		bool moves = e->lanes > 1 && x->vec >= 0 && arg->free >> x->vec & 1;
		if (moves && arg->kind == N_INDEX && x->var[x->vec].at + e->lanes <= extent) {
			off += x->var[x->vec].at * stride;
			step += stride;
		} else {
			TRY(eval_node(x, arg));
			const int64_t *i = eval_ints(arg, e->lanes);
			run &= !moves;
			for (int k = 0; k < e->lanes; k++) {
				bool in = i[k] >= 0 && i[k] < extent;
				if (!in && !(x->mask && e->lanes > 1 && !x->mask[k]))
					return outside(x, e);
				at[k] += in ? i[k] * stride : 0;
			}
		}
		stride *= extent;
	}
	e->odd = let->odd;
	if (run && step == 1 && e->type == LT_REAL) {
		off += at[0];
		e->c = (struct chunk){let->v + off, let->r + off, let->s + off};
		if (!x->scaling)
			e->c.s = x->zeros;
		e->rho = let->rho ? let->rho + off : NULL;
		return ST_OK;
	}
	for (int k = 0; k < e->lanes; k++)
		at[k] += off + k * step;
	pick(x, e, at);
	return ST_OK;
}

/* eval.c - oracle_eval: the enclosure and the error scale of all outputs. */
#include "oracles/eval.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RULE_NEAR_MAX                                                                              \
	0x1p-12 /* outputs this near to the largest finite value are out of contract */

const struct eval_loops *eval_loops_best(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return &eval_loops_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &eval_loops_avx2;
	return &eval_loops_sse2;
}

/* Large arrays are written once from end to end: huge pages save most of the page faults. */
static void *big_array(int64_t n, size_t size)
{
	size_t bytes = (size_t)n * size;
	char *p = mem_alloc(bytes);
	uintptr_t from = ((uintptr_t)p + 4095) & ~(uintptr_t)4095;

	if (bytes >= 4u << 20)
		(void)madvise((void *)from, ((uintptr_t)p + bytes - from) & ~(uintptr_t)4095,
		              MADV_HUGEPAGE);
	return p;
}

/* ---- setting up -------------------------------------------------------------------------------
 */

/* The roundoff of a narrower type in units of u, and half its least ulp over u. */
static void narrowing(const struct scale *k, enum dtype t, double *factor, double *floor)
{
	*factor = dtype_u(t) / k->u;
	*floor = k->rules & SCALE_FLOORS ? ldexp(1, dtype_emin(t) - dtype_precision(t)) / k->u : 0;
}

static enum st set_narrow(struct eval *x)
{
	const struct op_schema *s = &x->op->schema;

	for (int i = 0; i < x->num->nlow; i++) {
		enum dtype t = x->num->low[i].dt;
		const char *name = x->num->low[i].name;
		bool found = false;
		if (!dtype_is_float(t))
			return FAIL(
			        x->e, INPUT,
			        "numerics: '%s' is given type %s, which is no floating-point type",
			        name, dtype_name(t));
		for (int k = 0; k < s->nin; k++)
			if (strcmp(s->tensors[k].name, name) == 0) {
				narrowing(&x->k, t, &x->narrow[k], &x->narrow_floor[k]);
				found = true;
			}
		for (int k = 0; k < x->op->nlets; k++)
			if (strcmp(x->op->lets[k]->name, name) == 0) {
				narrowing(&x->k, t, &x->lets[k].narrow, &x->lets[k].narrow_floor);
				found = true;
			}
		if (!found && strcmp(name, "acc") != 0)
			return FAIL(x->e, INPUT,
			            "numerics: operator '%s' has no input and no intermediate '%s'",
			            s->name, name);
	}
	return ST_OK;
}

static size_t power_above(size_t n)
{
	size_t p = 64;

	while (p < n)
		p *= 2;
	return p;
}

static bool rounds_nothing(const struct op *op)
{
	bool exact = true;

	for (int k = 0; k < op->nouts; k++)
		exact &= op->outs[k]->body->exact;
	return exact;
}

static enum st start(struct eval *x, double kappa, unsigned flags, unsigned rules)
{
	x->scaling = flags & ORACLE_SCALE;
	/* Operators that round nothing compute nothing that could overflow. */
	if (rounds_nothing(x->op))
		rules &= ~(unsigned)SCALE_OVERFLOW;
	x->k = scale_make(x->num, kappa, rules);
	if (x->op->contract.exp_accurate)
		x->k.exp_abs = 0;
	x->lim = x->scaling && x->k.head < 0x1p1000 ? x->k.head : 0x1p1000;
	x->arena = arena_new();
	x->loops = eval_loops_best();
	x->zeros = arena_alloc(x->arena, EVAL_CHUNK * sizeof *x->zeros);
	x->nmemo = power_above(4 * (size_t)x->op->nnodes);
	x->memo = mem_zalloc(x->nmemo, sizeof(struct enode *));
	x->vec = -1;
	x->n = 1;
	x->clock = 1;
	if (x->op->naccepts)
		return FAIL(x->e, UNSUP, "operator '%s': accept is not evaluated yet",
		            x->op->schema.name);
	return set_narrow(x);
}

static void finish(struct eval *x)
{
	for (int i = 0; i < LANG_MAX_LETS; i++)
		eval_let_free(&x->lets[i]);
	eval_dots_free(x);
	eval_axpys_free(x);
	eval_tables_free(x);
	free(x->memo);
	arena_free(x->arena);
}

/* ---- one output -------------------------------------------------------------------------------
 */

/* The longest reduction below e: K of the output floor. */
static double longest(const struct eval *x, const struct enode *e)
{
	double k = 1;

	if (e->kind == N_REDUCE)
		for (int i = 0; i < e->n->nidx; i++)
			k *= (double)x->inst->extent[e->n->idx[i]->number];
	for (int i = 0; i < e->nargs; i++) {
		double t = longest(x, e->arg[i]);
		k = t > k ? t : k;
	}
	if (e->kind == N_LET) {
		double t = longest(x, e->let->body);
		k = t > k ? t : k;
	}
	return k;
}

struct finishing {
	const struct eval *x;
	struct oracle_out *o;
	double floor; /* K·eta */
	double max;   /* largest finite value of the output's type, INFINITY of integers */
};

static enum el_status status_of(const struct finishing *f, struct elem a)
{
	if (elem_nan(a))
		return EL_NAN;
	if (elem_inf(a))
		return a.v > 0 ? EL_POS_INF : EL_NEG_INF;
	if (f->x->scaling && isnan(a.s))
		return EL_OUT;
	if (f->x->scaling && isinf(a.s))
		return EL_ILL;
	if (f->x->scaling && f->x->k.rules & SCALE_OVERFLOW &&
	    fabs(fabs(a.v) / f->max - 1) < RULE_NEAR_MAX)
		return EL_OUT;
	return EL_FINITE;
}

/* Statuses and the output floor of a chunk that has just been computed. */
static void done(void *ctx, int64_t first, int n, bool odd)
{
	struct finishing *f = ctx;
	struct oracle_out *o = f->o;
	const struct eval *x = f->x;
	bool plain = !odd && !x->loops->check((size_t)n, o->z + first,
	                                      f->max / 2 < x->lim ? f->max / 2 : x->lim);

	if (x->scaling)
		plain &= !x->loops->finish((size_t)n, o->S + first, f->floor);
	if (plain) {
		memset(o->status + first, EL_FINITE, (size_t)n);
		return;
	}
	for (int64_t i = first; i < first + n; i++) {
		struct elem a = {o->z[i], o->rad[i], x->scaling ? o->S[i] : 0};
		o->status[i] = (uint8_t)status_of(f, a);
		if (!isfinite(a.v)) {
			o->z[i] = elem_nan(a) || elem_inf(a) ? a.v : 0;
			o->rad[i] = elem_nan(a) || elem_inf(a) ? 0 : INFINITY;
		}
	}
}

static enum st output(struct eval *x, int k, struct oracle_out *o)
{
	const struct lang_def *def = x->op->outs[k];
	struct finishing f = {x, o, 0, 0};
	struct eval_box box = {0};
	struct enode *body;
	enum dtype type;
	int vec;

	o->n = 1;
	for (int a = 0; a < def->rank; a++)
		if (__builtin_mul_overflow(o->n, x->inst->extent[def->idx[a]->number], &o->n))
			o->n = INT64_MAX;
	if (o->n > EVAL_MAX_SLABS)
		return FAIL(x->e, LIMIT, "output '%s' has more than %lld elements", def->name,
		            (long long)EVAL_MAX_SLABS);
	TRY(eval_build(x, lang_before_cast(x->op, def), &body));
	if (body->type != LT_REAL)
		return FAIL(x->e, UNSUP,
		            "operator '%s': output '%s' is an integer and not cast(TYPE, rne, sat, "
		            "...) to its own type: not evaluated yet",
		            x->op->schema.name, def->name);
	TRY(eval_plan(x, def, body, &vec));
	eval_dots(x, def, body);
	eval_tables(x, def, body, 0, vec);
	for (int i = 0; i < x->op->nlets; i++)
		if (x->lets[i].body)
			eval_tables(x, x->lets[i].def, x->lets[i].body, x->lets[i].prefix,
			            x->lets[i].vec);
	o->z = big_array(o->n, sizeof *o->z);
	o->rad = big_array(o->n, sizeof *o->rad);
	o->S = x->scaling ? big_array(o->n, sizeof *o->S) : NULL;
	o->status = big_array(o->n, 1);
	f.floor = x->k.rules & SCALE_OUT_FLOOR ? longest(x, body) * x->k.eta : 0;
	type = op_inst_tensor(x->inst, def->tensor).dt;
	f.max = dtype_is_float(type) ? dtype_max(type) : INFINITY; /* integers saturate */
	box = (struct eval_box){.v = o->z, .r = o->rad, .s = o->S};
	return eval_fill(x, def, body, 0, vec, &box, done, &f);
}

static enum st check_inputs(struct eval *x)
{
	const struct op_schema *s = &x->op->schema;

	for (int k = 0; k < s->nin; k++) {
		struct tensor want = op_inst_tensor(x->inst, k);
		const struct tensor *t = x->in[k];
		bool need = !s->tensors[k].optional || x->inst->b.present[k];
		if (need && !t)
			return FAIL(x->e, INPUT, "operator '%s': input '%s' is missing", s->name,
			            s->tensors[k].name);
		if (!need)
			continue;
		bool same = t->dt == want.dt && t->rank == want.rank;
		for (int a = 0; same && a < t->rank; a++)
			same = t->dim[a] == want.dim[a];
		if (!same)
			return FAIL(x->e, INPUT,
			            "operator '%s': input '%s' does not have the type and shape of "
			            "the case",
			            s->name, s->tensors[k].name);
	}
	return ST_OK;
}

enum st eval_with_rules(const struct op_inst *inst, const struct tensor *const in[],
                        const struct tensor *const actual[], const struct numerics *num,
                        double kappa, unsigned flags, unsigned rules, struct oracle **out,
                        struct err *e)
{
	struct eval *x = mem_zalloc(1, sizeof *x);
	struct oracle *o = mem_zalloc(1, sizeof *o);
	enum st rc;

	*x = (struct eval){
	        .inst = inst, .op = inst->op, .in = in, .actual = actual, .num = num, .e = e};
	o->inst = inst;
	o->num = *num;
	o->kappa = kappa;
	o->nout = inst->op->nouts;
	TRY_OR(end, rc, start(x, kappa, flags, rules));
	TRY_OR(end, rc, check_inputs(x));
	for (int k = 0; k < o->nout; k++)
		TRY_OR(end, rc, output(x, k, &o->out[k]));
	o->blas_fallbacks = x->blas_fallbacks;
end:
	finish(x);
	free(x);
	if (rc == ST_OK)
		*out = o;
	else
		oracle_free(o);
	return rc;
}

enum st oracle_eval(const struct op_inst *inst, const struct tensor *const in[],
                    const struct tensor *const actual[], const struct numerics *num, double kappa,
                    unsigned flags, struct oracle **out, struct err *e)
{
	return eval_with_rules(inst, in, actual, num, kappa, flags, SCALE_ALL, out, e);
}

void oracle_free(struct oracle *o)
{
	if (!o)
		return;
	for (int k = 0; k < o->nout; k++) {
		free(o->out[k].z);
		free(o->out[k].rad);
		free(o->out[k].S);
		free(o->out[k].status);
	}
	free(o);
}

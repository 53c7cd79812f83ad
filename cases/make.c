/* make.c - a case made concrete for a kernel: instance, storage with guards, values, launch arguments. */
#include <stdlib.h>
#include <string.h>

#include "cases/kernel.h"
#include "cases/layout.h"
#include "cases/values.h"

/* Bytes of poison on each side of a buffer: more than a warp's widest vector access, a multiple of the
 * alignment of an allocation. */
#define GUARD_BYTES 4096
#define BUFFER_ALIGN 256

/* Of one tensor written to a file. */
#define MAX_INPUT_BYTES ((size_t)8 << 30)

struct made {
	struct case_run run; /* first: freed through it */
	const struct kase *c;
	const struct kernel *k;
	struct tensor views[OP_MAX_TENSORS];
	int buffer_of[OP_MAX_TENSORS + KERNEL_MAX_WORKSPACES]; /* -1: absent */
	uint8_t *storage[OP_MAX_TENSORS + KERNEL_MAX_WORKSPACES];
	struct run_buffer buffers[OP_MAX_TENSORS + KERNEL_MAX_WORKSPACES];
	struct run_launch launches[KERNEL_MAX_LAUNCHES];
	struct run_arg args[KERNEL_MAX_LAUNCHES][KERNEL_MAX_PARAMS];
	size_t bytes, max_bytes;
	bool plan; /* no storage: sizes and launches alone */
};

int case_dtype_index(const struct kase *c, const struct kernel *k)
{
	for (int d = 0; d < k->ndtypes; d++)
		if (memcmp(k->dtypes[d], c->b.types, sizeof c->b.types[0] * (size_t)k->schema->ntypes) == 0)
			return d;
	return -1;
}

static bool layout_taken(const struct kernel *k, int t, const char *name)
{
	if (strcmp(name, "contiguous") == 0)
		return true;
	for (int i = 0; i < k->nlayouts[t]; i++)
		if (strcmp(k->layouts[t][i], name) == 0)
			return true;
	return false;
}

/* Is the case inside what the kernel's manifest says it takes? */
static enum st check_domain(const struct made *m, struct err *e)
{
	const struct kernel *k = m->k;
	const struct op_schema *o = k->schema;
	struct kernel_scope s = {.k = k, .b = op_inst_binding(m->run.inst)};
	struct expr_env env = kernel_env(&s);

	int d = case_dtype_index(m->c, k);

	if (d < 0)
		return FAIL(e, INPUT, "kernel %s is not built for dtype %s (see \"dtypes\" in %s/kernel.json)",
		            k->name, dtype_name(m->c->b.types[0]), k->folder);
	if (m->c->f32_outputs && !kernel_has_f32_outputs(k, d))
		return FAIL(e, INPUT, "kernel %s is not built with f32 outputs (see \"f32_outputs\" in "
		            "%s/kernel.json)", k->name, k->folder);
	for (int i = 0; i < o->noptions; i++)
		if (!(k->option_mask[i] >> m->c->b.options[i] & 1))
			return FAIL(e, INPUT, "kernel %s does not take %s=%s", k->name, o->options[i].name,
			            o->options[i].values[m->c->b.options[i]]);
	for (int t = 0; t < o->ntensors; t++) {
		if (o->tensors[t].optional && m->c->b.present[t] && !k->takes[t])
			return FAIL(e, INPUT, "kernel %s does not take the optional input %s", k->name,
			            o->tensors[t].name);
		if (!layout_taken(k, t, m->c->layout[t].name))
			return FAIL(e, INPUT, "kernel %s does not take layout %s for %s (see \"layouts\" in its kernel.json)", k->name,
			            m->c->layout[t].name, o->tensors[t].name);
	}
	for (int i = 0; i < k->nrequires; i++) {
		struct value v;

		TRY(expr_eval(k->requires[i], "requires", &env, false, &v, e));
		if (v.real ? v.d == 0 : v.i == 0)
			return FAIL(e, INPUT, "kernel %s requires %s", k->name, k->requires[i]);
	}
	return ST_OK;
}

/* Storage of `bytes` between two guards, everything poisoned; counts against the case's limit. */
static enum st new_buffer(struct made *m, const char *name, enum run_role role, enum dtype dt,
                          size_t bytes, struct err *e)
{
	int n = m->run.plan.nbuffers;
	struct run_buffer *b = &m->buffers[n];
	size_t total = bytes + 2 * GUARD_BYTES + BUFFER_ALIGN;
	uintptr_t at;

	if (m->plan) {
		*b = (struct run_buffer){.name = name, .role = role, .dt = dt, .bytes = bytes, .guard = GUARD_BYTES};
		m->run.plan.nbuffers++;
		return ST_OK;
	}
	m->bytes += total + bytes / 8;
	if (bytes > m->max_bytes || m->bytes > m->max_bytes)
		return FAIL(e, LIMIT, "the case needs more than %zu MB of memory", m->max_bytes >> 20);
	m->storage[n] = mem_alloc(total);
	memset(m->storage[n], m->c->fill, total);
	at = ((uintptr_t)m->storage[n] + GUARD_BYTES + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
	*b = (struct run_buffer){.name = name, .role = role, .dt = dt, .data = (uint8_t *)at,
	                         .bytes = bytes, .guard = GUARD_BYTES,
	                         .valid = mem_zalloc(bytes / 8 + 1, 1)};
	m->run.plan.nbuffers++;
	return ST_OK;
}

static void set_bits(uint8_t *bits, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++)
		bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

/* Marks the bytes of the elements that the view reaches, run by run of the innermost axis. */
static void mark_valid(const struct tensor *t, uint8_t *valid)
{
	size_t es = (size_t)dtype_bytes(t->dt);
	int64_t n = tensor_count(t), row = t->rank > 0 ? t->dim[t->rank - 1] : 1;

	if (n == 0)
		return;
	if ((size_t)n * es == t->bytes) {
		memset(valid, 0xff, t->bytes / 8);
		set_bits(valid, t->bytes / 8 * 8, t->bytes % 8);
		return;
	}
	for (int64_t i = 0; i < n; i += row) {
		int64_t at = tensor_index(t, i), step = t->rank > 0 ? t->stride[t->rank - 1] : 1;

		if (step == 1)
			set_bits(valid, (size_t)at * es, (size_t)row * es);
		else
			for (int64_t c = 0; c < row; c++)
				set_bits(valid, (size_t)(at + c * step) * es, es);
	}
}

static enum st make_tensor(struct made *m, int t, struct err *e)
{
	const struct op_tensor *ot = &m->k->schema->tensors[t];
	struct tensor *v = &m->views[t];
	struct op_int_domain dom;
	bool has_dom;

	*v = op_inst_tensor(m->run.inst, t);
	if (ot->out)
		v->dt = case_output_dtype(m->c, t - m->k->schema->nin);
	m->buffer_of[t] = -1;
	if (!ot->out && ot->optional && !m->c->b.present[t])
		return ST_OK;
	TRY(layout_apply(v, &m->c->layout[t], !ot->out, ot->name, e));
	m->buffer_of[t] = m->run.plan.nbuffers;
	TRY(new_buffer(m, ot->name, ot->out ? RUN_OUT : RUN_IN, v->dt, v->bytes, e));
	v->data = m->buffers[m->buffer_of[t]].data;
	if (!m->plan)
		mark_valid(v, m->buffers[m->buffer_of[t]].valid);
	if (ot->out) {
		m->run.out[m->run.nout++] = v;
		return ST_OK;
	}
	m->run.in[t] = v;
	if (m->plan)
		return ST_OK;
	has_dom = op_inst_int_domain(m->run.inst, t, &dom);
	return values_fill(v, &m->c->values[t], m->c->seed, (uint64_t)t, has_dom ? &dom : NULL,
	                   ot->name, e);
}

static enum st make_workspace(struct made *m, int w, const struct expr_env *env, struct err *e)
{
	const struct kernel_workspace *ws = &m->k->workspaces[w];
	struct value v;
	size_t bytes;

	TRY(expr_eval(ws->count, ws->name, env, false, &v, e));
	if (v.real || v.i < 0 ||
	    __builtin_mul_overflow((size_t)v.i, (size_t)dtype_bytes(ws->dt), &bytes))
		return FAIL(e, INPUT, "workspaces.%s.count: not a size", ws->name);
	m->buffer_of[m->k->schema->ntensors + w] = m->run.plan.nbuffers;
	TRY(new_buffer(m, ws->name, RUN_WORKSPACE, ws->dt, bytes, e));
	if (!m->plan)
		memset(m->buffers[m->run.plan.nbuffers - 1].valid, 0xff, bytes / 8 + 1);
	return ST_OK;
}

static void put_bytes(struct run_arg *a, uint64_t bits, uint32_t bytes)
{
	a->buffer = -1;
	a->bytes = bytes;
	memcpy(a->value, &bits, bytes); /* little endian, as the hosts we run on */
}

static enum st scalar_arg(const struct kernel_param *p, const struct expr_env *env,
                          struct run_arg *a, struct err *e)
{
	struct value v;
	int64_t lo = 0, hi = 1;

	TRY(expr_eval(p->expr, p->where, env, false, &v, e));
	if (p->kind == ARG_F32 || p->kind == ARG_F64) {
		enum dtype t = p->kind == ARG_F32 ? DT_F32 : DT_F64;

		put_bytes(a, dtype_encode(t, v.real ? v.d : (double)v.i, RND_NE, false),
		          p->kind == ARG_F32 ? 4 : 8);
		return ST_OK;
	}
	if (v.real)
		return FAIL(e, INPUT, "%s: '%s' is not an integer", p->where, p->expr);
	if (p->kind == ARG_I32)
		lo = INT32_MIN, hi = INT32_MAX;
	else if (p->kind == ARG_U32)
		hi = UINT32_MAX;
	else if (p->kind != ARG_BOOL)
		lo = p->kind == ARG_I64 ? INT64_MIN : 0, hi = INT64_MAX;
	if (v.i < lo || v.i > hi)
		return FAIL(e, INPUT, "%s: '%s' is %lld, which does not fit the parameter's type", p->where,
		            p->expr, (long long)v.i);
	put_bytes(a, (uint64_t)v.i,
	          p->kind == ARG_BOOL                          ? 1 :
	          p->kind == ARG_I32 || p->kind == ARG_U32     ? 4 :
	                                                         8);
	return ST_OK;
}

static enum st make_args(struct made *m, int l, const struct expr_env *env, struct err *e)
{
	const struct kernel_launch *kl = &m->k->launches[l];

	for (int i = 0; i < kl->nparams; i++) {
		const struct kernel_param *p = &kl->params[i];
		struct run_arg *a = &m->args[l][i];

		if (p->kind != ARG_TENSOR) {
			TRY(scalar_arg(p, env, a, e));
			continue;
		}
		a->buffer = m->buffer_of[p->tensor];
		a->bytes = 8;
		if (p->tensor < m->k->schema->ntensors)
			a->byte_offset = (uint64_t)m->views[p->tensor].offset *
			                 (uint64_t)dtype_bytes(m->views[p->tensor].dt);
	}
	return ST_OK;
}

static enum st extent(const char *text, const char *what, const struct expr_env *env, uint32_t *out,
                      struct err *e)
{
	struct value v;

	TRY(expr_eval(text, what, env, false, &v, e));
	if (v.real || v.i < 0 || v.i > UINT32_MAX)
		return FAIL(e, INPUT, "%s: '%s' is not a size", what, text);
	*out = (uint32_t)v.i;
	return ST_OK;
}

static enum st make_launches(struct made *m, const struct expr_env *env, struct err *e)
{
	int d = case_dtype_index(m->c, m->k);

	for (int l = 0; l < m->k->nlaunches; l++) {
		const struct kernel_launch *kl = &m->k->launches[l];
		struct run_launch *r = &m->launches[m->run.plan.nlaunches];

		for (int i = 0; i < 3; i++) {
			TRY(extent(kl->grid[i], "grid", env, &r->grid[i], e));
			TRY(extent(kl->block[i], "block", env, &r->block[i], e));
		}
		TRY(extent(kl->shared, "shared", env, &r->shared, e));
		if (r->grid[0] == 0 || r->grid[1] == 0 || r->grid[2] == 0)
			continue; /* a grid of 0 is no launch */
		r->entry = m->c->f32_outputs ? kernel_f32_entry(m->k, d, l) : kernel_entry(m->k, d, l);
		TRY(make_args(m, l, env, e));
		r->args = m->args[l];
		r->nargs = kl->nparams;
		m->run.plan.nlaunches++;
	}
	return ST_OK;
}

static enum st make(struct made *m, struct err *e)
{
	const struct kernel *k = m->k;
	struct kernel_scope s = {.k = k};
	struct expr_env env;

	TRY(op_bind(k->op, &m->c->b, &m->run.inst, e));
	TRY(check_domain(m, e));
	TRY(kernel_numerics(k, m->run.inst, &m->run.num, e));
	for (int t = 0; t < k->schema->ntensors; t++)
		TRY(make_tensor(m, t, e));
	s.b = op_inst_binding(m->run.inst);
	s.views = m->views;
	env = kernel_env(&s);
	for (int w = 0; w < k->nworkspaces; w++)
		TRY(make_workspace(m, w, &env, e));
	return make_launches(m, &env, e);
}

static enum st make_run(const struct kase *c, const struct kernel *k, size_t max_bytes, bool plan,
                        struct case_run **out, struct err *e)
{
	struct made *m;
	enum st rc;

	if (c->op != k->op)
		return FAIL(e, INPUT, "the case is of operator %s, the kernel %s computes %s",
		            op_schema(c->op)->name, k->name, k->schema->name);
	m = mem_zalloc(1, sizeof *m);
	m->c = c;
	m->k = k;
	m->max_bytes = max_bytes;
	m->plan = plan;
	m->run.impl = m;
	m->run.plan.buffers = m->buffers;
	m->run.plan.launches = m->launches;
	m->run.plan.fill = c->fill;
	rc = make(m, e);
	m->c = NULL; /* the case need not outlive this call */
	if (rc != ST_OK) {
		case_run_free(&m->run);
		return rc;
	}
	*out = &m->run;
	return ST_OK;
}

enum st case_make(const struct kase *c, const struct kernel *k, size_t max_bytes,
                  struct case_run **out, struct err *e)
{
	return make_run(c, k, max_bytes, false, out, e);
}

enum st case_plan(const struct kase *c, const struct kernel *k, struct case_run **out, struct err *e)
{
	return make_run(c, k, 0, true, out, e);
}

void case_run_free(struct case_run *r)
{
	struct made *m;

	if (!r)
		return;
	m = r->impl;
	for (int i = 0; i < r->plan.nbuffers; i++) {
		free(m->storage[i]);
		free(m->buffers[i].valid);
	}
	op_inst_free(r->inst);
	free(m);
}

/* Values go through the case's layout, because an overlapping one (broadcast) changes them. */
static enum st input_copy(struct tensor t, const struct kase *c, int k, const struct op_int_domain *dom,
                          struct tensor *out, struct err *e)
{
	const char *name = op_schema(c->op)->tensors[k].name;
	size_t es = (size_t)dtype_bytes(t.dt);
	int64_t n;
	enum st rc;

	*out = t;
	tensor_set_contiguous(out);
	TRY(layout_apply(&t, &c->layout[k], true, name, e));
	n = tensor_count(&t);
	if (t.bytes > MAX_INPUT_BYTES || (size_t)n > MAX_INPUT_BYTES / es)
		return FAIL(e, LIMIT, "input %s is larger than %zu GB", name, MAX_INPUT_BYTES >> 30);
	t.data = mem_zalloc(t.bytes + 1, 1);
	rc = values_fill(&t, &c->values[k], c->seed, (uint64_t)k, dom, name, e);
	out->bytes = (size_t)n * es;
	out->data = mem_alloc(out->bytes + 1);
	for (int64_t i = 0; i < n; i++)
		memcpy(out->data + (size_t)i * es, t.data + (size_t)tensor_index(&t, i) * es, es);
	free(t.data);
	return rc;
}

enum st case_inputs(const struct kase *c, struct named_tensor **out, size_t *n, struct err *e)
{
	const struct op_schema *o = op_schema(c->op);
	struct op_inst *inst = NULL;
	enum st rc;

	*out = mem_zalloc((size_t)o->nin + 1, sizeof **out);
	*n = 0;
	TRY_OR(done, rc, op_bind(c->op, &c->b, &inst, e));
	for (int t = 0; t < o->nin; t++) {
		struct op_int_domain dom;
		bool has_dom = op_inst_int_domain(inst, t, &dom);

		if (o->tensors[t].optional && !c->b.present[t])
			continue;
		(*out)[*n].name = mem_strdup(o->tensors[t].name);
		TRY_OR(done, rc, input_copy(op_inst_tensor(inst, t), c, t, has_dom ? &dom : NULL,
		                            &(*out)[(*n)++].t, e));
	}
done:
	op_inst_free(inst);
	return rc;
}

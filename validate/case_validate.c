/* case_validate.c - runs one case and judges it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/internal.h"
#include "validate/policies.h"

#define DEFAULT_MAX_BYTES ((size_t)4 << 30)

const char *null_name(enum null_kind k)
{
	static const char *const names[] = {
#define X(name, text) text,
		NULL_LIST(X)
#undef X
	};

	return names[k];
}

double chain_length(const struct numerics *n, const struct op_inst *inst)
{
	return n->chain > 0 ? n->chain : op_inst_chain(inst);
}

/* ---- power ---- */

/* Fills y (n elements) with what null kernel k gives for output o; false when it has no such form. */
bool null_output(enum null_kind k, const struct case_run *run, const struct oracle_out *o,
                 enum dtype dt, double *y)
{
	double v = 0;
	int64_t count = 0;

	switch (k) {
	case NULL_ZEROS: break;
	case NULL_ONE: v = 1; break;
	case NULL_UNTOUCHED: {
		uint8_t bytes[8];

		memset(bytes, 0xa5, sizeof bytes); /* what a poisoned allocator leaves */
		v = dtype_decode(dt, dtype_load(dt, bytes));
		break;
	}
	case NULL_MEAN:
		for (int64_t i = 0; i < o->n; i++)
			if (o->status[i] == EL_FINITE) {
				v += o->z[i];
				count++;
			}
		v = count ? v / (double)count : 0;
		break;
	default:
		for (int t = 0; t < OP_MAX_TENSORS; t++)
			if (run->in[t] && tensor_count(run->in[t]) == o->n &&
			    dtype_is_float(run->in[t]->dt)) {
				tensor_gather(run->in[t], y);
				return true;
			}
		return false;
	}
	v = dtype_decode(dt, dtype_encode(dt, v, RND_NE, false));
	for (int64_t i = 0; i < o->n; i++)
		y[i] = v;
	return true;
}

/* 1: some element is surely outside the tolerance; 0: all equal the rounded exact value; -1: neither. */
static int null_rejected(const struct oracle_out *o, const double *y, enum dtype dt, double Tu)
{
	bool equal = true;

	for (int64_t i = 0; i < o->n; i++) {
		double d, half;

		if (o->status[i] != EL_FINITE) {
			equal &= o->status[i] != EL_NAN && o->status[i] != EL_POS_INF &&
			         o->status[i] != EL_NEG_INF;
			continue;
		}
		d = fabs(y[i] - o->z[i]);
		half = dtype_is_float(dt) ? dtype_ulp(dt, o->z[i]) : 1;
		if (d - o->rad[i] > Tu * o->S[i] + half)
			return 1;
		equal &= d <= half;
	}
	return equal ? 0 : -1;
}

/* design.md §6 and facts/error-scale.md §5: each null kernel is rejected or right, one is rejected. */
static bool has_power(const struct case_run *run, const struct oracle *o, const struct envelope *env)
{
	double Tu = env->T * dtype_u(o->num.acc);
	bool any = false, all = true;

	for (int k = 0; k < NULL_COUNT && all; k++)
		for (int out = 0; out < o->nout && all; out++) {
			const struct oracle_out *oo = &o->out[out];
			double *y = mem_alloc(sizeof *y * (size_t)(oo->n + 1));

			if (null_output((enum null_kind)k, run, oo, run->out[out]->dt, y)) {
				int r = null_rejected(oo, y, run->out[out]->dt, Tu);

				any |= r > 0;
				all &= r >= 0;
			}
			free(y);
		}
	return any && all;
}

/* ---- the case ---- */

void case_outputs_sha256(const struct case_run *run, char out[65])
{
	struct buf b = {0};

	for (int k = 0; k < run->nout; k++) {
		const struct tensor *t = run->out[k];
		int64_t n = tensor_count(t);
		uint64_t *bits = mem_alloc(sizeof *bits * (size_t)(n + 1));

		tensor_gather_bits(t, bits);
		for (int64_t i = 0; i < n; i++)
			buf_add(&b, &bits[i], (size_t)dtype_bytes(t->dt));
		free(bits);
	}
	sha256_hex(b.s ? b.s : "", b.len, out);
	buf_free(&b);
}

static const struct finding *first_error(const struct run_report *r)
{
	for (int i = 0; i < r->nfindings; i++)
		if (finding_is_error(r->findings[i].kind))
			return &r->findings[i];
	return NULL;
}

/* The verdict from outputs and findings. The outputs of a run that did not end say nothing; one that spent
 * its budget is undecided, for it may be slow or endless. */
static void conclude(struct case_result *r)
{
	const struct finding *f = first_error(&r->report);

	if (!r->report.complete)
		r->value = V_UNKNOWN;
	r->verdict = r->value;
	if (r->value != V_PASS)
		snprintf(r->reason, sizeof r->reason, "%s", r->judgement.reason);
	if (!f)
		return;
	if (f->kind != FIND_BUDGET || r->report.complete)
		r->verdict = V_FAIL;
	if (r->value != V_FAIL)
		snprintf(r->reason, sizeof r->reason, "%s: %.150s", finding_name(f->kind), f->text);
}

/* The envelope of a case: what the target's table says of its operator, types, family and coherence. */
static struct envelope envelope_of(const struct target *t, const struct kase *c, const struct case_run *run,
                                   double chain)
{
	const struct op_schema *o = op_schema(c->op);
	double elements = 0;
	char types[64];

	case_types(c, types);
	for (int k = 0; k < run->nout; k++)
		elements += (double)tensor_count(run->out[k]);
	return tolerance_envelope(t->table, o->name, types, &run->num, coherence_name(case_coherence(c)), chain,
	                          elements);
}

/* What a comparison with a tolerance of absolute size would see. */
static void compare_plainly(const struct case_run *run, const struct oracle *or, struct case_result *r)
{
	const char *op = op_schema(op_inst_op(run->inst))->name;

	r->abs_error = 0;
	r->allclose = r->published = true;
	for (int k = 0; k < or->nout; k++) {
		const struct oracle_out *o = &or->out[k];
		const struct published p = published_tolerance(op, run->out[k]->dt);
		double *y = mem_alloc(sizeof *y * (size_t)(o->n + 1));

		tensor_gather(run->out[k], y);
		for (int64_t i = 0; i < o->n; i++) {
			double d = fabs(y[i] - o->z[i]);
			bool same = o->status[i] == EL_NAN ? isnan(y[i]) :
			            o->status[i] == EL_POS_INF || o->status[i] == EL_NEG_INF ?
			                                 isinf(y[i]) && signbit(y[i]) == (o->status[i] == EL_NEG_INF) :
			                                 o->status[i] != EL_FINITE;

			if (same)
				continue;
			if (o->status[i] != EL_FINITE || !isfinite(y[i]))
				d = INFINITY;
			r->abs_error = fmax(r->abs_error, d);
			r->allclose &= d <= 1e-5 + 1e-2 * fabs(o->z[i]);
			r->published &= d <= p.atol + p.rtol * fabs(o->z[i]);
		}
		free(y);
	}
}

/* Is a wrong case wrong beyond what any order of roundings could give? */
static enum st ask_wrong(const struct case_run *run, struct oracle *or, struct case_result *r, struct err *e)
{
	struct envelope bound = tolerance_envelope(tolerance_builtin("bound"), "", "", &run->num, NULL, r->chain, 1);
	struct judgement j;

	if (r->value != V_FAIL)
		return ST_OK;
	bound.hasty = true;
	TRY(oracle_judge(or, run->in, run->out, &bound, &j, e));
	r->wrong = j.failed > 0;
	return ST_OK;
}

/* Zeros in the place of values this small are often subnormal ones flushed, which PTX does in places that no source shows
 * (an atomicAdd to global memory). Says so when the manifest's numerics do not, and would be enough. */
#define FLUSHED_BELOW 0x1p-110

static bool zeros_alone(const struct case_run *run, const struct judgement *j)
{
	for (int i = 0; i < j->nshown; i++)
		if (dtype_decode(run->out[j->shown[i].output]->dt, j->shown[i].got) != 0 ||
		    !(fabs(j->shown[i].exact) < FLUSHED_BELOW))
			return false;
	return j->nshown > 0;
}

static enum st ask_flushed(const struct target *t, const struct kase *c, const struct case_run *run,
                           struct case_result *r, struct err *e)
{
	struct judgement *j = &r->judgement, flushed;
	struct case_run may = *run;
	struct oracle *or = NULL;
	struct envelope env;
	size_t n = strlen(j->reason);
	enum st rc;

	if (j->verdict != V_FAIL || run->num.ftz || !zeros_alone(run, j))
		return ST_OK;
	may.num.ftz = true;
	env = envelope_of(t, c, &may, r->chain);
	env.hasty = true;
	TRY_OR(done, rc, oracle_eval(may.inst, may.in, may.out, &may.num, env.T, ORACLE_SCALE, &or, e));
	TRY_OR(done, rc, oracle_judge(or, may.in, may.out, &env, &flushed, e));
	if (flushed.verdict == V_PASS)
		snprintf(j->reason + n, sizeof j->reason - n, "; right if subnormals may be flushed, as a global atomicAdd "
		                                              "does: \"numerics\": {\"ftz\": true}");
done:
	oracle_free(or);
	return rc;
}

enum st judge_run(const struct target *t, const struct kase *c, const struct case_run *run,
                  const struct case_options *o, struct case_result *r, struct oracle **keep, struct err *e)
{
	struct oracle *or = NULL;
	enum st rc;

	if (r->report.complete)
		case_outputs_sha256(run, r->outputs_sha256);
	r->chain = chain_length(&run->num, run->inst);
	r->envelope = envelope_of(t, c, run, r->chain);
	tolerance_family(&run->num, r->family);
	if (o->use_T)
		r->envelope = (struct envelope){.T = o->T, .name = "given"};
	TRY_OR(done, rc, oracle_eval(run->inst, run->in, run->out, &run->num, r->envelope.T, ORACLE_SCALE,
	                             &or, e));
	TRY_OR(done, rc, oracle_judge(or, run->in, run->out, &r->envelope, &r->judgement, e));
	r->value = r->judgement.verdict;
	TRY_OR(done, rc, ask_flushed(t, c, run, r, e));
	if (o->power) {
		r->power = has_power(run, or, &r->envelope);
		compare_plainly(run, or, r);
		rc = ask_wrong(run, or, r, e);
	}
done:
	if (rc == ST_OK && keep)
		*keep = or;
	else
		oracle_free(or);
	return rc;
}

uint64_t case_budget(const struct op_inst *inst)
{
	double budget = 100 * op_inst_work(inst);

	return budget < 0x1p28 ? (uint64_t)1 << 28 : budget > 0x1p40 ? (uint64_t)1 << 40 : (uint64_t)budget;
}

/* The end of a case that was judged with status rc: what cannot be judged is a verdict, no error. */
enum st settle(struct case_result *r, enum st rc, struct err *e)
{
	if (rc == ST_UNSUP || rc == ST_LIMIT) {
		r->value = rc == ST_UNSUP ? V_UNSUPPORTED : V_UNKNOWN;
		snprintf(r->judgement.reason, sizeof r->judgement.reason, "%.150s", e->msg);
		*e = (struct err){0};
		rc = ST_OK;
	}
	if (rc == ST_OK)
		conclude(r);
	return rc;
}

enum st run_and_judge(const struct target *t, const struct kase *c, const struct case_options *o,
                      struct dev_coverage *coverage, struct case_run **run, struct oracle **oracle,
                      struct case_result *r, struct err *e)
{
	struct dev_run_options dro = {.sanitize = o->sanitize, .coverage = coverage};
	enum st rc;

	memset(r, 0, sizeof *r);
	r->abs_error = NAN;
	rc = case_make(c, t->kernel, o->max_bytes ? o->max_bytes : DEFAULT_MAX_BYTES, run, e);
	if (rc != ST_OK)
		return rc;
	dro.budget = case_budget((*run)->inst);
	rc = device_run(t->module, &(*run)->plan, &dro, &r->report, e);
	if (rc == ST_UNSUP) /* an entry that cannot be lowered is known when it first runs */
		r->report = (struct run_report){.complete = true};
	if (rc == ST_OK)
		rc = judge_run(t, c, *run, o, r, oracle, e);
	return settle(r, rc, e);
}

enum st case_validate(const struct target *t, const struct kase *c, const struct case_options *o,
                      struct dev_coverage *coverage, struct case_result *r, struct err *e)
{
	struct case_run *run = NULL;
	enum st rc = run_and_judge(t, c, o, coverage, &run, NULL, r, e);

	case_run_free(run);
	if (rc == ST_LIMIT) {
		r->verdict = r->value = V_UNKNOWN;
		snprintf(r->reason, sizeof r->reason, "%.190s", e->msg);
		*e = (struct err){0};
		return ST_OK;
	}
	return rc;
}

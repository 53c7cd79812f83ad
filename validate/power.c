/* power.c - what a case can tell apart: errors of known size, and the classical tolerance that an envelope is worth. */
#include <math.h>
#include <stdlib.h>

#include "validate/internal.h"

const double power_steps[POWER_STEPS] = {0.5, 1.01, 2, 4, 10}; /* at 1 itself MPFR would decide every element */

static double last_rounding(enum dtype dt, double v)
{
	return dtype_is_float(dt) ? dtype_ulp(dt, v) / 2 : 0.5;
}

/* y = exact ± step·(T·u·S + half an ulp of the output), signs in turn, rounded to the output's type: step times what
 * the envelope and the last rounding allow, or 16-bit outputs would swallow it. */
static void displace(const struct oracle_out *o, double step, double Tu, const struct tensor *y)
{
	for (int64_t i = 0; i < o->n; i++) {
		double v = o->z[i];

		if (o->status[i] == EL_FINITE && isfinite(o->S[i]))
			v += (i & 1 ? -step : step) * (Tu * o->S[i] + last_rounding(y->dt, v));
		else if (o->status[i] == EL_NAN)
			v = NAN;
		else if (o->status[i] == EL_POS_INF || o->status[i] == EL_NEG_INF)
			v = o->status[i] == EL_POS_INF ? INFINITY : -INFINITY;
		dtype_store(y->dt, y->data + (size_t)i * (size_t)dtype_bytes(y->dt),
		            dtype_encode(y->dt, v, RND_NE, false));
	}
}

static struct tensor own_tensor(const struct op_inst *inst, int t, enum dtype dt)
{
	struct tensor y = op_inst_tensor(inst, t);

	y.dt = dt;
	y.data = mem_zalloc((size_t)tensor_count(&y) + 1, (size_t)dtype_bytes(dt));
	return y;
}

static enum st probe_step(const struct case_run *run, struct oracle *or, double T, double step, bool *seen,
                          struct err *e)
{
	const struct op_schema *o = op_schema(op_inst_op(run->inst));
	struct envelope env = {.T = T, .name = "given", .hasty = true};
	struct tensor y[OP_MAX_TENSORS];
	const struct tensor *views[OP_MAX_TENSORS];
	struct judgement j;
	enum st rc;

	for (int k = 0; k < run->nout; k++) {
		y[k] = own_tensor(run->inst, o->nin + k, run->out[k]->dt);
		displace(&or->out[k], step, T * dtype_u(or->num.acc), &y[k]);
		views[k] = &y[k];
	}
	rc = oracle_judge(or, run->in, views, &env, &j, e);
	*seen = rc == ST_OK && j.failed > 0;
	for (int k = 0; k < run->nout; k++)
		free(y[k].data);
	return rc;
}

static void classical(const struct oracle *or, const struct case_run *run, double T, struct power_probe *p)
{
	for (int k = 0; k < or->nout; k++) {
		const struct oracle_out *o = &or->out[k];
		enum dtype dt = run->out[k]->dt;
		double Tu = T * dtype_u(or->num.acc), rtol;

		if (!dtype_is_float(dt))
			continue;
		rtol = dtype_u(dt) + Tu;
		p->rtol = fmax(p->rtol, rtol);
		for (int64_t i = 0; i < o->n; i++)
			if (o->status[i] == EL_FINITE && isfinite(o->S[i]))
				p->atol = fmax(p->atol, Tu * o->S[i] + dtype_ulp(dt, o->z[i]) / 2 -
				                                rtol * fabs(o->z[i]));
	}
}

/* Has it an element with a verdict whose rounded value is finite? One beyond the output's range shows no error. */
static bool any_finite(const struct oracle *or, const struct case_run *run)
{
	for (int k = 0; k < or->nout; k++) {
		const struct oracle_out *o = &or->out[k];
		enum dtype dt = run->out[k]->dt;

		for (int64_t i = 0; i < o->n; i++)
			if (o->status[i] == EL_FINITE && isfinite(o->S[i]) &&
			    (!dtype_is_float(dt) || isfinite(dtype_decode(dt, dtype_encode(dt, o->z[i], RND_NE, false)))))
				return true;
	}
	return false;
}

enum st case_power(const struct target *t, const struct kase *c, double T, struct power_probe *p, struct err *e)
{
	struct case_options co = {.power = true, .use_T = true, .T = T};
	struct case_run *run = NULL;
	struct oracle *or = NULL;
	struct case_result r;
	enum st rc;

	*p = (struct power_probe){0};
	TRY_OR(done, rc, run_and_judge(t, c, &co, NULL, &run, &or, &r, e));
	if (!or)
		goto done;
	p->judged = r.judgement.n > r.judgement.out_of_contract + r.judgement.ill + r.judgement.unknown &&
	            any_finite(or, run);
	p->nulls = r.power;
	for (int s = 0; s < POWER_STEPS; s++)
		TRY_OR(done, rc, probe_step(run, or, T, power_steps[s], &p->seen[s], e));
	classical(or, run, T, p);
done:
	oracle_free(or);
	case_run_free(run);
	return rc;
}

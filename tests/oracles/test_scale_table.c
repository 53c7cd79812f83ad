/* test_scale_table.c - the table of the error scale's study, repeated: good kernels stay below T(L)
 * = t + L/4 (t = 4, gelu 6) in every class of values, and each wrong kernel is rejected in some
 * class. */
#include "tests/oracles/sim_run.h"

static const int sizes[] = {1, 2, 3, 7, 32, 33, 100, 257, 1024};

/* All good variants of all compilers on one case; returns the largest r/T. */
static double good_case(struct sim_case *c, double *short_r)
{
	static float y[SIM_ROOM];
	double worst = 0;

	for (size_t i = 0; i < ARRAY_LEN(sim_libs); i++) {
		struct lib l = sim_libs[i];
		double L = sim_chain_of(c, &l), T = c->o->t + L / 4;
		for (int v = 0; c->o->good(&l, v, &c->d, y); v++) {
			struct oracle *o = sim_oracle(c, l.ftz, T < 8 ? 8 : T, SCALE_ALL);
			int64_t at = 0;
			double r = sim_score(o, y, &at);
			check_true(r <= T,
			           "%s class %s K=%d, %s variant %d: r = %g > T = %g at %" PRId64
			           ": y = %a, z = %a, S = %g",
			           c->o->name, sim_class_name[c->cls], c->K, l.name, v, r, T, at,
			           (double)y[at], o->out[0].z[at], o->out[0].S[at]);
			worst = r / T > worst ? r / T : worst;
			if (L <= 8 && r > *short_r)
				*short_r = r;
		}
	}
	return worst;
}

static bool takes(const struct sim_op *o, int cls)
{
	return o->masks || (cls != CL_MASKED && cls != CL_NEG5E4);
}

static void good_kernels_never_alarm(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sim_ops); i++) {
		const struct sim_op *o = &sim_ops[i];
		double worst = 0, short_r = 0;
		for (int cls = 0; cls < CL_COUNT; cls++)
			for (size_t k = 0; k < ARRAY_LEN(sizes) && takes(o, cls); k++) {
				struct sim_case c;
				if (o->kind == SIM_POINT && sizes[k] != 1024)
					continue;
				sim_open(&c, o, cls, sizes[k], 1);
				double r = good_case(&c, &short_r);
				worst = r > worst ? r : worst;
				sim_close(&c);
			}
		print_message("%-12s largest r/T %.2f, largest r of short chains %.2f\n", o->name,
		              worst, short_r);
		check_true(short_r > 0.1 || o->kind == SIM_POINT, "%s: S is padded: r = %g",
		           o->name, short_r);
	}
}

/* The same kernels loading and storing 16-bit types, judged as kernels are: classes and signs of
 * NaN and infinities, out of contract and ill-conditioned elements included. */
static void judge_good(struct sim_case *c)
{
	static float y[SIM_ROOM];
	static uint8_t stored[4 * SIM_ROOM];
	struct tensor t = op_inst_tensor(c->inst, op_schema(c->op)->nin);
	const struct tensor *outs[] = {&t};

	tensor_set_contiguous(&t);
	t.data = stored;
	t.bytes = (size_t)c->n * (size_t)dtype_bytes(c->dt);
	for (size_t i = 0; i < ARRAY_LEN(sim_libs); i++) {
		struct lib l = sim_libs[i];
		struct envelope env = envelope_provisional(sim_chain_of(c, &l));
		for (int v = 0; c->o->good(&l, v, &c->d, y); v++) {
			struct oracle *o = sim_oracle(c, l.ftz, env.T < 8 ? 8 : env.T, SCALE_ALL);
			struct judgement j;
			struct err e = {0};
			for (int64_t k = 0; k < c->n; k++)
				dtype_store(c->dt, stored + k * dtype_bytes(c->dt),
				            dtype_encode(c->dt, (double)y[k], RND_NE, false));
			check_ok(oracle_judge(o, c->views, outs, &env, &j, &e), &e);
			check_true(j.verdict != V_FAIL,
			           "%s/%s class %s K=%d, %s variant %d: %s (element %" PRId64
			           ", got %g, exact %g, S %g)",
			           c->o->name, dtype_name(c->dt), sim_class_name[c->cls], c->K,
			           l.name, v, j.reason, j.shown[0].element,
			           (double)y[j.shown[0].element], j.shown[0].exact,
			           o->out[0].S[j.shown[0].element]);
		}
	}
}

static void good_kernels_pass_judgement_in_every_type(void **state)
{
	(void)state;
	static const enum dtype types[] = {DT_F32, DT_F16, DT_BF16};
	for (size_t i = 0; i < ARRAY_LEN(sim_ops); i++)
		for (size_t t = 0; t < ARRAY_LEN(types); t++)
			for (int cls = 0; cls < CL_COUNT; cls++)
				for (int k = 0; k < 3; k++) {
					struct sim_case c;
					bool point = sim_ops[i].kind == SIM_POINT;
					if (!takes(&sim_ops[i], cls) || (point && k > 0))
						continue;
					sim_open_as(&c, &sim_ops[i], cls,
					            point    ? 512
					            : k == 0 ? 1
					            : k == 1 ? 33
					                     : 257,
					            3, types[t]);
					judge_good(&c);
					sim_close(&c);
				}
}

enum { MAX_BUGS = 12 };

/* r of every bug on one case, the largest so far kept. */
static void bugs_case(struct sim_case *c, double r[MAX_BUGS])
{
	static float y[SIM_ROOM];
	const struct sim_op *o = c->o;

	for (int bug = 0; bug < o->nbugs; bug++) {
		struct lib l = sim_libs[0];
		int64_t at = 0;
		double t;
		if (!o->bug(&l, bug, &c->d, y))
			continue;
		t = sim_score(sim_oracle(c, false, 8, SCALE_ALL), y, &at);
		r[bug] = t > r[bug] ? t : r[bug];
	}
}

static void every_bug_is_rejected_somewhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sim_ops); i++) {
		const struct sim_op *o = &sim_ops[i];
		int rejects[MAX_BUGS] = {0}, classes = 0;
		for (int cls = 0; cls < CL_COUNT; cls++) {
			double r[MAX_BUGS] = {0};
			classes += takes(o, cls);
			for (size_t k = 0; k < ARRAY_LEN(sizes) && takes(o, cls); k++) {
				struct sim_case c;
				if (o->kind == SIM_POINT ? sizes[k] != 1024 : sizes[k] == 1)
					continue;
				sim_open(&c, o, cls, sizes[k], 2);
				bugs_case(&c, r);
				sim_close(&c);
			}
			for (int bug = 0; bug < o->nbugs; bug++)
				rejects[bug] += r[bug] > o->t;
		}
		for (int bug = 0; bug < o->nbugs; bug++) {
			print_message("%-12s %-14s rejected in %d of %d classes\n", o->name,
			              o->bugs[bug], rejects[bug], classes);
			check_true(rejects[bug] >= 1, "%s: %s is accepted everywhere", o->name,
			           o->bugs[bug]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(good_kernels_never_alarm),
	        cmocka_unit_test(good_kernels_pass_judgement_in_every_type),
	        cmocka_unit_test(every_bug_is_rejected_somewhere),
	};
	return check_main(tests);
}

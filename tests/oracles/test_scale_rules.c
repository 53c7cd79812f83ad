/* test_scale_rules.c - what each rule of the error scale is worth: with the rule, good kernels do
 * not alarm; switched off, the case that the study names alarms or loses its power. */
#include "tests/oracles/sim_run.h"

static const int sizes[] = {1, 2, 3, 7, 32, 33};

static const struct sim_op *op_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(sim_ops); i++)
		if (strcmp(sim_ops[i].name, name) == 0)
			return &sim_ops[i];
	check_true(false, "no operator %s", name);
	return NULL;
}

enum family { IEEE, FTZ, FTZ_JUDGED_AS_IEEE };

/* Largest r/T of the good kernels of a family, L <= 33. */
static double worst_good(const struct sim_op *o, enum sim_class cls, unsigned rules, enum family f)
{
	static float y[SIM_ROOM];
	double worst = 0;

	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		struct sim_case c;
		if (o->kind == SIM_POINT && k > 0)
			continue;
		sim_open(&c, o, cls, o->kind == SIM_POINT ? 1024 : sizes[k], 1);
		for (size_t i = 0; i < ARRAY_LEN(sim_libs); i++) {
			struct lib l = sim_libs[i];
			double T = o->t + sim_chain_of(&c, &l) / 4;
			if (l.ftz != (f != IEEE))
				continue;
			for (int v = 0; o->good(&l, v, &c.d, y); v++) {
				int64_t at = 0;
				double r = sim_score(sim_oracle(&c, f == FTZ, T < 8 ? 8 : T, rules),
				                     y, &at);
				worst = r / T > worst ? r / T : worst;
			}
		}
		sim_close(&c);
	}
	return worst;
}

/* With all rules good kernels pass; without these some good kernel alarms, by `least` or more. */
static void alarms_without(const struct sim_op *o, enum sim_class cls, unsigned rules,
                           enum family f, double least)
{
	double with = worst_good(o, cls, SCALE_ALL, f == IEEE ? IEEE : FTZ);
	double without = worst_good(o, cls, SCALE_ALL & ~rules, f);

	check_true(with <= 1, "%s, %s: r/T = %g with all rules", o->name, sim_class_name[cls],
	           with);
	check_true(without >= least, "%s, %s: r/T = %g without the rule, expected %g at least",
	           o->name, sim_class_name[cls], without, least);
}

#define FLOORS (SCALE_FLOORS | SCALE_OUT_FLOOR)

static void without_floors_underflow_alarms(void **state)
{
	(void)state;
	static const enum sim_class soft[] = {CL_WIDE, CL_CANCEL, CL_ONEHOT, CL_HUGE_, CL_NEG5E4};
	static const char *const sub[] = {"silu", "gelu", "elu", "rmsnorm", "l2norm", "attention"};

	for (size_t i = 0; i < ARRAY_LEN(soft); i++)
		alarms_without(op_of("softmax"), soft[i], FLOORS, IEEE, 100);
	for (size_t i = 0; i < ARRAY_LEN(sub); i++)
		alarms_without(op_of(sub[i]), CL_SUBNORMAL, FLOORS, FTZ, 1000);
}

/* Products of subnormal numbers underflow each by itself: K floors, not one. */
static void without_the_output_floor_long_sums_alarm(void **state)
{
	(void)state;
	const struct sim_op *o = op_of("attention");
	static float y[SIM_ROOM];
	struct sim_case c;
	struct lib l = sim_libs[2];
	int64_t at = 0;
	double S[2];

	sim_open(&c, o, CL_SUBNORMAL, 1024, 1);
	check_true(o->good(&l, 1, &c.d, y), "no P·V");
	for (int off = 0; off < 2; off++) {
		unsigned rules = off ? SCALE_ALL & ~SCALE_OUT_FLOOR : SCALE_ALL;
		struct oracle *q = sim_oracle(&c, false, 36, rules);
		check_true(off || sim_score(q, y, &at) <= 36, "alarm");
		S[off] = q->out[0].S[0];
	}
	check_true(S[0] - S[1] > 0.99 * 1024 * 0x1p-125 && S[0] - S[1] < 1.01 * 1024 * 0x1p-125,
	           "the floor is %a", S[0] - S[1]);
	sim_close(&c);
}

static void flushing_kernels_need_the_flushing_floor(void **state)
{
	(void)state;
	alarms_without(op_of("softmax"), CL_HUGE_, 0, FTZ_JUDGED_AS_IEEE, 100);
	alarms_without(op_of("attention"), CL_SUBNORMAL, 0, FTZ_JUDGED_AS_IEEE, 100);
	alarms_without(op_of("l2norm"), CL_SUBNORMAL, 0, FTZ_JUDGED_AS_IEEE, 1e4);
	alarms_without(op_of("silu"), CL_SUBNORMAL, 0, FTZ_JUDGED_AS_IEEE, 100);
}

/* ---- variance: not embedded, so written here ---- */

static const char variance_text[] = "op variance doc \"Unbiased variance of each row.\"\n"
                                    "type T in f32\n"
                                    "dim R in 0.., C in 1..\n"
                                    "in x: T[R,C]\n"
                                    "out y: T[R]\n"
                                    "let mu[r] = mean(c: x[r,c])\n"
                                    "y[r] = sum(c: (x[r,c] - mu[r])^2)/max(C - 1, 1)\n"
                                    "contract acc f32, nan propagate\n";

static bool variance_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 0)
		return false;
	for (int i = 0; i < d->R; i++) {
		const float *x = d->x + i * d->K;
		float c[SIM_MAX_K], mu = l_sum(l, x, d->K) / (float)d->K;
		for (int j = 0; j < d->K; j++)
			c[j] = fl(l, x[j] - mu);
		y[i] = fl(l, l_sumsq(l, c, d->K) / (float)(d->K > 1 ? d->K - 1 : 1));
	}
	return true;
}

static const struct sim_op variance = {"variance",    variance_text, SIM_ROW, false, 4,
                                       variance_good, variance_good, NULL,    0};

static void without_second_order_constant_rows_alarm(void **state)
{
	(void)state;
	alarms_without(&variance, CL_CONST, SCALE_SECOND | FLOORS, IEEE, 1e3);
	alarms_without(&variance, CL_CONSTBIG, SCALE_SECOND, IEEE, 1e3);
	/* Layernorm of rows at 1e4: without the rule a verdict is given on an S that means nothing.
	 */
	struct sim_case c;
	sim_open(&c, op_of("layernorm"), CL_CONSTBIG, 33, 1);
	struct oracle *with = sim_oracle(&c, false, 8, SCALE_ALL);
	struct oracle *without = sim_oracle(&c, false, 8, SCALE_ALL & ~SCALE_SECOND);
	for (int64_t i = 0; i < c.n; i++) {
		assert_int_equal(with->out[0].status[i], EL_ILL);
		assert_int_equal(without->out[0].status[i], EL_FINITE);
	}
	sim_close(&c);
}

static void without_overflow_rules_large_values_alarm(void **state)
{
	(void)state;
	alarms_without(op_of("layernorm"), CL_NEAROVF, SCALE_OVERFLOW, IEEE, 1e4);
	alarms_without(op_of("rmsnorm"), CL_NEAROVF, SCALE_OVERFLOW, IEEE, 1e4);
	alarms_without(op_of("l2norm"), CL_NEAROVF, SCALE_OVERFLOW, IEEE, 1e4);
	alarms_without(op_of("matmul"), CL_NEAROVF, SCALE_OVERFLOW, IEEE, 1e4);
	alarms_without(op_of("silu"), CL_HUGE_, SCALE_OVERFLOW, IEEE, 1e3);
	alarms_without(op_of("sigmoid"), CL_HUGE_, SCALE_OVERFLOW, IEEE, 1e3);
}

/* ex2.approx(x·log2(e)) errs by more the larger x is: r rises beyond 4 at x near -45. */
static void without_abs_in_exp_sigmoid_alarms(void **state)
{
	(void)state;
	const struct op *op = op_builtin("sigmoid");
	enum { N = 4096 };
	static float x[N], y[N];
	struct op_binding b = {.types = {DT_F32}, .dims = {N}, .present = {true}};
	struct numerics num = numerics_default();
	struct lib l = sim_libs[3];
	struct op_inst *inst;
	struct err e = {0};
	int64_t at = 0;
	double r[2];

	check_ok(op_bind(op, &b, &inst, &e), &e);
	struct tensor t = op_inst_tensor(inst, 0);
	tensor_set_contiguous(&t);
	t.data = (uint8_t *)x;
	t.bytes = sizeof x;
	const struct tensor *views[] = {&t};
	for (int i = 0; i < N; i++) {
		x[i] = -80 + 60 * (float)i / N;
		y[i] = l_div(&l, 1, 1 + l_exp(&l, -x[i]));
	}
	num.ftz = true;
	for (int off = 0; off < 2; off++) {
		struct oracle *o;
		check_ok(eval_with_rules(inst, views, NULL, &num, 8, ORACLE_SCALE,
		                         off ? SCALE_ALL & ~SCALE_EXP_ABS : SCALE_ALL, &o, &e),
		         &e);
		r[off] = sim_score(o, y, &at);
		oracle_free(o);
	}
	op_inst_free(inst);
	check_true(r[0] <= 4 && r[1] > 4, "r = %g with the term, %g without", r[0], r[1]);
}

/* Without the ratio rule attention leaves more elements without a verdict, and S is larger; a
 * dropped last key among huge logits is seen only with it. */
static void the_ratio_rule_sharpens_attention(void **state)
{
	(void)state;
	const struct sim_op *o = op_of("attention");
	static float y[SIM_ROOM];
	double open[2] = {0}, n = 0, caught[2] = {0};
	double ratio = 0, counted = 0;

	for (int cls = 0; cls < CL_COUNT; cls++) {
		struct sim_case c;
		struct lib l = sim_libs[0];
		if (cls == CL_MASKED || cls == CL_NEG5E4)
			continue;
		sim_open(&c, o, cls, 33, 3);
		struct oracle *q[2] = {sim_oracle(&c, false, 12, SCALE_ALL),
		                       sim_oracle(&c, false, 12, SCALE_ALL & ~SCALE_RATIO)};
		for (int64_t i = 0; i < c.n; i++) {
			bool both = true;
			for (int k = 0; k < 2; k++) {
				open[k] += q[k]->out[0].status[i] != EL_FINITE;
				both &= q[k]->out[0].status[i] == EL_FINITE;
			}
			if (both && q[1]->out[0].S[i] > 0 && fabs(q[0]->out[0].z[i]) > 1e-30) {
				ratio += log(q[1]->out[0].S[i] / q[0]->out[0].S[i]);
				counted++;
			}
			n++;
		}
		if (cls == CL_HUGE_ && o->bug(&l, 2, &c.d, y))
			for (int k = 0; k < 2; k++) {
				int64_t at = 0;
				caught[k] = sim_score(q[k], y, &at);
			}
		sim_close(&c);
	}
	print_message(
	        "no verdict: %.1f%% with, %.1f%% without; S %.2f times larger without; dropped "
	        "key among huge logits: r = %g with, %g without\n",
	        100 * open[0] / n, 100 * open[1] / n, exp(ratio / counted), caught[0], caught[1]);
	check_true(open[0] < open[1], "no more verdicts");
	check_true(exp(ratio / counted) > 1.5, "no sharper");
	check_true(caught[0] > 12 && caught[1] < 12, "the dropped key: r = %g, %g", caught[0],
	           caught[1]);
}

/* A kernel that rounds where its manifest says so is judged by that rounding: r of bug number `bug`
 * with and without the declaration. */
static void declared(const char *name, int bug, const char *const names[], int n, enum dtype t)
{
	const struct sim_op *o = op_of(name);
	static float y[SIM_ROOM];
	struct lib l = sim_libs[0];
	struct sim_case c;
	double r[2];

	sim_open(&c, o, CL_NORMAL, 100, 7);
	check_true(o->bug(&l, bug, &c.d, y), "no such kernel");
	for (int k = 0; k < 2; k++) {
		struct numerics num = numerics_default();
		struct oracle *q;
		struct err e = {0};
		int64_t at = 0;
		num.nlow = k ? n : 0;
		for (int i = 0; i < n; i++) {
			snprintf(num.low[i].name, sizeof num.low[i].name, "%s", names[i]);
			num.low[i].dt = t;
		}
		check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, ORACLE_SCALE, &q, &e), &e);
		r[k] = sim_score(q, y, &at);
		oracle_free(q);
	}
	sim_close(&c);
	check_true(r[0] > 100 && r[1] < 4, "%s: r = %g undeclared, %g declared", name, r[0], r[1]);
}

static void declared_narrow_types_are_allowed_for(void **state)
{
	(void)state;
	static const char *const inputs[] = {"a", "b"}, *const p[] = {"p"};
	declared("matmul", 1, inputs, 2, DT_TF32);
	declared("attention", 3, p, 1, DT_BF16);
}

/* A difference of f32 may be in range where its terms are not: out of contract, though it is beyond the
 * headroom itself; a sum of equal signs is as large as its terms and stays in. */
static void terms_that_overflow_before_they_cancel_are_out_of_contract(void **state)
{
	static const char text[] = "op near doc \"t\"\ntype T in f32\ndim N in 0..\nin x: T[N], z: T[N]\nout y: T[N]\n"
	                           "y[i] = 4*x[i] - 4*z[i]\ncontract acc f32, nan propagate\n";
	float x[3] = {0x1.8p125F, 0x1.8p124F, 0x1p20F}, z[3] = {0x1p123F, -0x1p123F, 0x1p19F};
	struct op_binding b = {.types = {DT_F32}, .dims = {3}, .present = {true, true}};
	struct numerics num = numerics_default();
	const struct tensor *views[2];
	struct tensor t[2];
	struct op *op = NULL;
	struct op_inst *inst;
	struct oracle *o;
	struct err e = {0};

	(void)state;
	check_ok(op_parse(text, strlen(text), "near", &op, &e), &e);
	check_ok(op_bind(op, &b, &inst, &e), &e);
	for (int i = 0; i < 2; i++) {
		t[i] = op_inst_tensor(inst, i);
		tensor_set_contiguous(&t[i]);
		t[i].data = i ? (void *)z : (void *)x;
		t[i].bytes = sizeof x;
		views[i] = &t[i];
	}
	check_ok(oracle_eval(inst, views, NULL, &num, 8, ORACLE_SCALE, &o, &e), &e);
	assert_int_equal(o->out[0].status[0], EL_OUT);
	assert_int_equal(o->out[0].status[1], EL_FINITE);
	assert_int_equal(o->out[0].status[2], EL_FINITE);
	oracle_free(o);
	op_inst_free(inst);
	op_free(op);
}

/* The same of a sum: six terms of 1.5·2^125 overflow, less two they are in range again, though beyond the headroom. Terms
 * of one sign are not beyond the whole. By the careful loop of sum, and by the dot of matmul. */
static void parts_of_a_sum_that_overflow_are_out_of_contract(void **state)
{
	float x[16] = {0}, one[8];
	struct numerics num = numerics_default();

	(void)state;
	for (int i = 0; i < 8; i++) {
		x[i] = i < 6 ? 0x1.8p125F : -0x1.8p125F;
		x[8 + i] = i < 4 ? 0x1.8p125F : 0;
		one[i] = 1;
	}
	for (int dot = 0; dot < 2; dot++) {
		struct op_binding b = {.types = {DT_F32}, .present = {true, true}};
		const struct op *op = op_builtin(dot ? "matmul" : "sum");
		const struct tensor *views[2];
		struct tensor t[2];
		struct op_inst *inst;
		struct oracle *o;
		struct err e = {0};

		b.dims[0] = 2;
		b.dims[1] = dot ? 1 : 8;
		b.dims[2] = 8;
		check_ok(op_bind(op, &b, &inst, &e), &e);
		for (int i = 0; i <= dot; i++) {
			t[i] = op_inst_tensor(inst, i);
			tensor_set_contiguous(&t[i]);
			t[i].data = i ? (void *)one : (void *)x;
			t[i].bytes = i ? sizeof one : sizeof x;
			views[i] = &t[i];
		}
		check_ok(oracle_eval(inst, views, NULL, &num, 8, ORACLE_SCALE, &o, &e), &e);
		check_true(o->out[0].status[0] == EL_OUT, "dot %d: %d", dot, (int)o->out[0].status[0]);
		check_true(o->out[0].status[1] == EL_FINITE, "dot %d: %d", dot, (int)o->out[0].status[1]);
		oracle_free(o);
		op_inst_free(inst);
	}
}

/* One query, two keys, equal values of v: any common error of the weights cancels. A kernel that rounds the
 * second weight to bf16 for the product alone is off by its rounding. */
static void weights_rounded_for_the_products_alone_are_allowed_for(void **state)
{
	const struct op *op = op_builtin("attention");
	struct op_binding b = {.types = {DT_F32}, .dims = {1, 1, 1, 1, 2, 1, 1}, .present = {true, true, true}};
	float q = 1, k[2] = {0, -0.3F}, v[2] = {1, 1};
	void *data[] = {&q, k, v};
	struct numerics num = numerics_default();
	struct tensor t[3];
	const struct tensor *views[4] = {&t[0], &t[1], &t[2], NULL};
	double p = exp((double)k[1]), rounded = dtype_decode(DT_BF16, dtype_encode(DT_BF16, p, RND_NE, false));
	double off = fabs((1 + rounded) / (1 + p) - 1) * 0x1p24, S[2];
	struct op_inst *inst;
	struct err e = {0};

	(void)state;
	check_ok(op_bind(op, &b, &inst, &e), &e);
	for (int i = 0; i < 3; i++) {
		t[i] = op_inst_tensor(inst, i);
		tensor_set_contiguous(&t[i]);
		t[i].data = data[i];
		t[i].bytes = i ? 8 : 4;
	}
	snprintf(num.low[0].name, sizeof num.low[0].name, "p");
	num.low[0].dt = DT_BF16;
	for (num.nlow = 0; num.nlow < 2; num.nlow++) {
		struct oracle *o;

		check_ok(oracle_eval(inst, views, NULL, &num, 8, ORACLE_SCALE, &o, &e), &e);
		S[num.nlow] = o->out[0].S[0];
		oracle_free(o);
	}
	op_inst_free(inst);
	check_true(off > 100 * S[0] && off < S[1] && S[1] < 2 * 65536 + 100,
	           "off by %g u, S = %g undeclared, %g declared", off, S[0], S[1]);
}

static void value_of(const char *text, const char *name, float x, unsigned rules, double *z,
                     double *s)
{
	struct op *parsed = NULL;
	struct err e = {0};
	if (text)
		check_ok(op_parse(text, strlen(text), name, &parsed, &e), &e);
	const struct op *op = text ? parsed : op_builtin(name);
	struct op_binding b = {.types = {DT_F32}, .dims = {1}, .present = {true}};
	struct numerics num = numerics_default();
	struct op_inst *inst;
	struct oracle *o;

	check_ok(op_bind(op, &b, &inst, &e), &e);
	struct tensor t = op_inst_tensor(inst, 0);
	tensor_set_contiguous(&t);
	t.data = (uint8_t *)&x;
	t.bytes = sizeof x;
	const struct tensor *views[] = {&t};
	check_ok(eval_with_rules(inst, views, NULL, &num, 8, ORACLE_SCALE, rules, &o, &e), &e);
	*z = o->out[0].z[0];
	*s = o->out[0].S[0];
	oracle_free(o);
	op_inst_free(inst);
	if (parsed)
		op_free(parsed);
}

/* gelu(-1e8) is 0 of every library whose erf saturates; c·|erf|·|x|/2 would allow tens. */
static void saturation_keeps_gelu_tight(void **state)
{
	(void)state;
	double z, with, without;
	value_of(NULL, "gelu", -1e8f, SCALE_ALL, &z, &with);
	value_of(NULL, "gelu", -1e8f, SCALE_ALL & ~SCALE_SATURATION, &z, &without);
	assert_true(z <= 0 && z > -1e-300);
	check_true(with * 0x1p-24 * 6 < 1e-25, "S = %g with saturation", with);
	check_true(without * 0x1p-24 * 4 > 20, "S = %g without saturation", without);
}

/* ---- shifts ---- */

#define SOFTMAX_TEXT(kind, more)                                                                   \
	"op sm doc \"s\"\ntype T in f32\ndim R in 0.., C in 0..\nin x: T[R,C], b: T[R,C]\n"        \
	"out y: T[R,C]\nlet s[r,c] = x[r,c]*b[r,c]\n" kind " m[r] = max(c: s[r,c])" more "\n"      \
	"y[r,c] = exp(s[r,c] - m[r])/sum(k: exp(s[r,k] - m[r]))\n"                                 \
	"contract acc f32, nan propagate\n"

static struct oracle *softmax_of(const char *text, unsigned rules)
{
	enum { R = 4, C = 50 };
	static float x[R * C], w[R * C];
	struct op *op;
	struct op_inst *inst;
	struct op_binding b = {.types = {DT_F32}, .dims = {R, C}, .present = {true, true}};
	struct numerics num = numerics_default();
	struct tensor t[2];
	const struct tensor *views[2] = {&t[0], &t[1]};
	struct oracle *o;
	struct err e = {0};

	sim_fill(CL_NORMAL, R, C, 5, DT_F32, x);
	sim_fill(CL_NORMAL, R, C, 6, DT_F32, w);
	check_ok(op_parse(text, strlen(text), "sm", &op, &e), &e);
	check_ok(op_bind(op, &b, &inst, &e), &e);
	for (int k = 0; k < 2; k++) {
		t[k] = op_inst_tensor(inst, k);
		tensor_set_contiguous(&t[k]);
		t[k].data = (uint8_t *)(k ? w : x);
		t[k].bytes = sizeof x;
	}
	check_ok(eval_with_rules(inst, views, NULL, &num, 8, ORACLE_SCALE, rules, &o, &e), &e);
	op_inst_free(inst);
	op_free(op);
	o->inst = NULL;
	return o;
}

/* What `shift` claims: the result at m and at m + 1 is the same, S apart. */
static void a_shift_changes_nothing(void **state)
{
	(void)state;
	struct oracle *a = softmax_of(SOFTMAX_TEXT("shift", ""), SCALE_ALL);
	struct oracle *b = softmax_of(SOFTMAX_TEXT("shift", " + 1"), SCALE_ALL);
	for (int64_t i = 0; i < a->out[0].n; i++) {
		double d = fabs(a->out[0].z[i] - b->out[0].z[i]);
		check_true(d <= a->out[0].rad[i] + b->out[0].rad[i] && a->out[0].rad[i] < 1e-13,
		           "%" PRId64 ": %g", i, d);
	}
	oracle_free(a);
	oracle_free(b);
}

/* A maximum of rounded scores has an S, which counts against every element unless it is a shift. */
static void the_shift_rule_halves_the_scores_share(void **state)
{
	(void)state;
	unsigned plain = SCALE_ALL & ~SCALE_RATIO;
	struct oracle *a = softmax_of(SOFTMAX_TEXT("shift", ""), plain);
	struct oracle *b = softmax_of(SOFTMAX_TEXT("shift", ""), plain & ~SCALE_SHIFT);
	struct oracle *c = softmax_of(SOFTMAX_TEXT("let", ""), plain);
	for (int64_t i = 0; i < a->out[0].n; i++) {
		double q = b->out[0].S[i] / a->out[0].S[i];
		check_true(q > 1.05 && q < 2.5, "%" PRId64 ": %g", i, q);
		assert_true(b->out[0].S[i] == c->out[0].S[i]);
	}
	oracle_free(a);
	oracle_free(b);
	oracle_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(weights_rounded_for_the_products_alone_are_allowed_for),
	        cmocka_unit_test(terms_that_overflow_before_they_cancel_are_out_of_contract),
	        cmocka_unit_test(parts_of_a_sum_that_overflow_are_out_of_contract),
	        cmocka_unit_test(without_floors_underflow_alarms),
	        cmocka_unit_test(without_the_output_floor_long_sums_alarm),
	        cmocka_unit_test(flushing_kernels_need_the_flushing_floor),
	        cmocka_unit_test(without_second_order_constant_rows_alarm),
	        cmocka_unit_test(without_overflow_rules_large_values_alarm),
	        cmocka_unit_test(without_abs_in_exp_sigmoid_alarms),
	        cmocka_unit_test(the_ratio_rule_sharpens_attention),
	        cmocka_unit_test(declared_narrow_types_are_allowed_for),
	        cmocka_unit_test(saturation_keeps_gelu_tight),
	        cmocka_unit_test(a_shift_changes_nothing),
	        cmocka_unit_test(the_shift_rule_halves_the_scores_share),
	};
	return check_main(tests);
}

/* Judging from end to end: kernels simulated in f32, good ones and each with one bug, on values of
 * every class, with the provisional envelope. The good ones never FAIL; each bug does on normal
 * values. The functions are libm's floats, within an ulp or two, as a GPU's. */
#include "tests/oracles/reference.h"

enum { R = 16, C = 37, N = R * C };

/* y from x (N values, rows of C); bug: 0 none, 1 the kernel's own. */
typedef void kernel(const float *x, float *y, int bug);

/* bug: the last element is left out of the sum */
static void k_softmax(const float *x, float *y, int bug)
{
	for (int r = 0; r < R; r++, x += C, y += C) {
		float m = x[0], s = 0;

		for (int c = 1; c < C; c++)
			m = x[c] > m || isnan(x[c]) ? x[c] : m;
		for (int c = 0; c < C; c++)
			y[c] = expf(x[c] - m);
		for (int c = 0; c < C - bug; c++)
			s += y[c];
		for (int c = 0; c < C; c++)
			y[c] /= s;
	}
}

/* bug: variance with C - 1 */
static void k_layernorm(const float *x, float *y, int bug)
{
	for (int r = 0; r < R; r++, x += C, y += C) {
		float mu = 0, va = 0;

		for (int c = 0; c < C; c++)
			mu += x[c];
		mu /= C;
		for (int c = 0; c < C; c++)
			va += (x[c] - mu) * (x[c] - mu);
		va /= C - bug;
		for (int c = 0; c < C; c++)
			y[c] = (x[c] - mu) / sqrtf(va + 1e-5f);
	}
}

/* bug: the row's length squared */
static void k_l2norm(const float *x, float *y, int bug)
{
	for (int r = 0; r < R; r++, x += C, y += C) {
		float s = 0;

		for (int c = 0; c < C; c++)
			s += x[c] * x[c];
		s = bug ? s : sqrtf(s);
		for (int c = 0; c < C; c++)
			y[c] = x[c] / (s < 1e-12f ? 1e-12f : s);
	}
}

/* bug: the form with tanh */
static void k_gelu(const float *x, float *y, int bug)
{
	for (int i = 0; i < N; i++) {
		float a = 0.7978846f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);

		y[i] = bug ? 0.5f * x[i] * (1 + tanhf(a))
		           : 0.5f * x[i] * erfcf(-x[i] * 0.70710678f);
	}
}

/* bug: twice the argument */
static void k_silu(const float *x, float *y, int bug)
{
	for (int i = 0; i < N; i++)
		y[i] = x[i] / (1 + expf(bug ? -2 * x[i] : -x[i]));
}

/* bug: slope 0.1 for 0.01 */
static void k_leaky_relu(const float *x, float *y, int bug)
{
	for (int i = 0; i < N; i++)
		y[i] = x[i] > 0 ? x[i] : x[i] * (bug ? 0.1f : 0.01f);
}

static const struct {
	const char *op;
	kernel *run;
	bool rows;
} kernels[] = {
        {"softmax", k_softmax, true}, {"layernorm", k_layernorm, true},
        {"l2norm", k_l2norm, true},   {"gelu", k_gelu, false},
        {"silu", k_silu, false},      {"leaky_relu", k_leaky_relu, false},
};

/* Runs a kernel on a case and judges its output, rounded to the case's type. */
static void run_and_judge(struct ref_case *c, kernel *run, bool rows, int bug, struct judgement *j)
{
	struct envelope env = envelope_provisional(rows ? C : 1);
	struct numerics num = numerics_default();
	struct tensor ty = op_inst_tensor(c->inst, c->s->nin);
	const struct tensor *out[1] = {&ty};
	float x[N], y[N];
	struct oracle *o;
	struct err e = {0};

	for (int i = 0; i < N; i++)
		x[i] = (float)c->in[0].x[i];
	run(x, y, bug);
	ty.bytes = (size_t)N * dtype_bytes(ty.dt);
	ty.data = mem_alloc(ty.bytes);
	for (int i = 0; i < N; i++)
		dtype_store(ty.dt, ty.data + i * dtype_bytes(ty.dt),
		            dtype_encode(ty.dt, y[i], RND_NE, false));
	num.chain = rows ? C : 1;
	check_ok(oracle_eval(c->inst, c->views, NULL, &num, env.T, ORACLE_SCALE, &o, &e), &e);
	check_ok(oracle_judge(o, c->views, out, &env, j, &e), &e);
	oracle_free(o);
	free(ty.data);
}

static void begin(struct ref_case *c, size_t k, enum dtype t, enum values v, uint64_t seed)
{
	ref_begin(c, kernels[k].op, t, v, seed);
	ref_set(c, kernels[k].rows ? "R" : "N", kernels[k].rows ? R : N);
	if (kernels[k].rows)
		ref_set(c, "C", C);
	for (int i = 1; i < c->s->nin; i++)
		c->b.present[i] = false;
	ref_fill(c);
}

static void good_kernels_never_fail(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(kernels); k++) {
		double r = 0, q = 0;
		int runs = 0, passed = 0;

		for (size_t t = 0; t < ARRAY_LEN(ref_types); t++)
			for (uint64_t seed = 0; seed < 4 * VAL_COUNT; seed++, runs++) {
				struct ref_case c;
				struct judgement j;

				begin(&c, k, ref_types[t], seed % VAL_COUNT, seed);
				run_and_judge(&c, kernels[k].run, kernels[k].rows, 0, &j);
				check_true(j.verdict == V_PASS || j.verdict == V_UNKNOWN,
				           "%s: %s (q %g)", ref_where(&c, 0), j.reason, j.q);
				check_true(j.verdict == V_PASS || c.values >= VAL_TAME_COUNT,
				           "%s: %s", ref_where(&c, 0), j.reason);
				passed += j.verdict == V_PASS;
				r = fmax(r, j.r_max);
				q = fmax(q, j.q);
				ref_end(&c);
			}
		print_message("%-12s %d of %d runs pass, largest r %.3g, q %.3g\n", kernels[k].op,
		              passed, runs, r, q);
	}
}

static void a_bug_fails_on_normal_values(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(kernels); k++)
		for (size_t t = 0; t < ARRAY_LEN(ref_types); t++) {
			struct ref_case c;
			struct judgement j;

			begin(&c, k, ref_types[t], VAL_NORMAL, 3);
			run_and_judge(&c, kernels[k].run, kernels[k].rows, 1, &j);
			check_true(j.verdict == V_FAIL && j.r_max > 8, "%s: %s, r = %g",
			           ref_where(&c, 0), verdict_name(j.verdict), j.r_max);
			ref_end(&c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(good_kernels_never_fail),
	        cmocka_unit_test(a_bug_fails_on_normal_values),
	};

	return check_main(tests);
}

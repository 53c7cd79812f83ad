/* Pointwise operators against MPFR written by hand. */
#include "tests/oracles/reference.h"

typedef void point(const struct ref_case *c, mpfr_t y, double x);

static point *current;

/* The reference of a pointwise operator: `current` at each element. */
static void pointwise(const struct ref_case *c, mpfr_t *y)
{
	for (int64_t i = 0; i < c->n; i++)
		current(c, y[i], c->in[0].x[i]);
}

/* y = 1 + e^-x */
static void logistic_denominator(mpfr_t y, double x)
{
	mpfr_set_d(y, -x, MPFR_RNDN);
	mpfr_exp(y, y, MPFR_RNDN);
	mpfr_add_ui(y, y, 1, MPFR_RNDN);
}

static void ref_sigmoid(const struct ref_case *c, mpfr_t y, double x)
{
	(void)c;
	logistic_denominator(y, x);
	mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

static void ref_silu(const struct ref_case *c, mpfr_t y, double x)
{
	(void)c;
	logistic_denominator(y, x);
	mpfr_d_div(y, x, y, MPFR_RNDN);
}

static void ref_tanh(const struct ref_case *c, mpfr_t y, double x)
{
	(void)c;
	mpfr_set_d(y, x, MPFR_RNDN);
	mpfr_tanh(y, y, MPFR_RNDN);
}

static void ref_relu(const struct ref_case *c, mpfr_t y, double x)
{
	(void)c;
	mpfr_set_d(y, x < 0 ? 0 : x, MPFR_RNDN);
}

static void ref_leaky_relu(const struct ref_case *c, mpfr_t y, double x)
{
	mpfr_set_d(y, x, MPFR_RNDN);
	if (!(x > 0))
		mpfr_mul_d(y, y, ref_param(c, "slope"), MPFR_RNDN);
}

static void ref_elu(const struct ref_case *c, mpfr_t y, double x)
{
	mpfr_set_d(y, x, MPFR_RNDN);
	if (x > 0)
		return;
	mpfr_expm1(y, y, MPFR_RNDN);
	mpfr_mul_d(y, y, ref_param(c, "alpha"), MPFR_RNDN);
}

/* x/2·erfc(-x/√2): x times the normal distribution function. */
static void ref_gelu(const struct ref_case *c, mpfr_t y, double x)
{
	(void)c;
	mpfr_set_ui(y, 2, MPFR_RNDN);
	mpfr_sqrt(y, y, MPFR_RNDN);
	mpfr_d_div(y, -x, y, MPFR_RNDN);
	mpfr_erfc(y, y, MPFR_RNDN);
	mpfr_mul_d(y, y, x / 2, MPFR_RNDN);
}

/* x/(1 + e^-2a) = x/2·(1 + tanh a), a = √(2/π)(x + 0.044715 x³) */
static void ref_gelu_tanh(const struct ref_case *c, mpfr_t y, double x)
{
	mpfr_t a;

	(void)c;
	mpfr_init2(a, REF_BITS);
	mpfr_set_d(a, x, MPFR_RNDN);
	mpfr_sqr(a, a, MPFR_RNDN);
	mpfr_set_str(y, "0.044715", 10, MPFR_RNDN);
	mpfr_mul(a, a, y, MPFR_RNDN);
	mpfr_add_ui(a, a, 1, MPFR_RNDN);
	mpfr_mul_d(a, a, x, MPFR_RNDN);
	mpfr_const_pi(y, MPFR_RNDN);
	mpfr_ui_div(y, 2, y, MPFR_RNDN);
	mpfr_sqrt(y, y, MPFR_RNDN);
	mpfr_mul(a, a, y, MPFR_RNDN);
	mpfr_mul_si(a, a, -2, MPFR_RNDN);
	mpfr_exp(a, a, MPFR_RNDN);
	mpfr_add_ui(a, a, 1, MPFR_RNDN);
	mpfr_d_div(y, x, a, MPFR_RNDN);
	mpfr_clear(a);
}

/* All value classes and types in cases of 0, 1, 7, … elements. */
static void check_operator(const char *op, point *ref)
{
	static const int64_t sizes[] = {0, 1, 7, 300, 1025};
	struct ref_totals t = {0};
	struct ref_case c;

	current = ref;
	for (size_t k = 0; k < ARRAY_LEN(ref_types); k++) {
		int64_t before = t.elements;

		for (uint64_t seed = 1; t.elements - before < ref_wanted(); seed++) {
			ref_begin(&c, op, ref_types[k], seed % VAL_COUNT, seed);
			ref_set(&c, "N", sizes[seed / VAL_COUNT % ARRAY_LEN(sizes)]);
			if (seed % 3 == 0 && !strcmp(op, "leaky_relu")) {
				c.b.param_set[0] = true;
				c.b.params[0] = -1.75;
			}
			if (seed % 3 == 0 && !strcmp(op, "elu")) {
				c.b.param_set[0] = true;
				c.b.params[0] = 0.3;
			}
			ref_fill(&c);
			ref_check(&c, pointwise, 40, &t);
			ref_end(&c);
		}
	}
	ref_report(op, &t);
}

/* ---- hard roundings ---- */

enum { HARD_MAX = 600, SEARCH = 1 << 15, ROUNDS = 48 };

/* How far z is from a rounding boundary of f32, as a part of half an ulp (0: on it). */
static double closeness(double z)
{
	double h = dtype_ulp(DT_F32, z) / 2,
	       y = dtype_decode(DT_F32, dtype_encode(DT_F32, z, RND_NE, false));

	return fabs(fabs(z - y) - h) / h;
}

/* Inputs whose result is nearest to a boundary, of ROUNDS·SEARCH tried from -side to 7·side (-8 to
 * 0 when side is -1): about one in 2^13 is kept. */
static int search_hard(const char *op, double side, double *x)
{
	struct numerics num = numerics_default();
	int n = 0;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct ref_case c;
		struct oracle *o;
		struct err e = {0};
		float *data;

		ref_begin(&c, op, DT_F32, VAL_UNIFORM, 5 * seed + 1); /* contiguous */
		ref_set(&c, "N", SEARCH);
		ref_fill(&c);
		data = (float *)c.in[0].t.data;
		for (int i = 0; i < SEARCH; i++)
			data[i] = (float)side * (data[i] * 8 - (side > 0));
		check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, 0, &o, &e), &e);
		for (int i = 0; i < SEARCH && n < HARD_MAX / 2; i++)
			if (closeness(o->out[0].z[i]) < 0x1p-13)
				x[n++] = data[i];
		oracle_free(o);
		ref_end(&c);
	}
	return n;
}

/* Two neighbouring f32 between which the (here rising) function passes a boundary, found by
 * bisection with the reference: the inverse function, rounded both ways. */
static int invert_hard(const struct ref_case *c, point *ref, double side, double *x, int n)
{
	mpfr_t y;

	mpfr_init2(y, REF_BITS);
	for (uint64_t k = 0; k < 60; k++) {
		double at = side * (0.1 + 4 * rand_unit(5, 5, k)), target;
		float lo = (float)(at - 0.05), hi = (float)(at + 0.05);

		ref(c, y, at);
		target = dtype_decode(
		        DT_F32, dtype_encode(DT_F32, mpfr_get_d(y, MPFR_RNDN), RND_NE, false));
		target += dtype_ulp(DT_F32, target) / 2;
		while (nextafterf(lo, hi) < hi) {
			float mid = lo + (hi - lo) / 2;

			ref(c, y, mid);
			if (mpfr_cmp_d(y, target) < 0)
				lo = mid;
			else
				hi = mid;
		}
		x[n++] = lo;
		x[n++] = hi;
	}
	mpfr_clear(y);
	return n;
}

/* y rounded to f32 and the other f32 beside it. The result is irrational, never on a boundary. */
static void round_both_ways(const mpfr_t y, uint32_t *right, uint32_t *wrong)
{
	mpfr_t r;
	float a, b;
	int up;

	mpfr_init2(r, 24);
	up = mpfr_set(r, y, MPFR_RNDN) > 0;
	assert_true(!mpfr_zero_p(r) && mpfr_get_exp(r) > -120);
	a = mpfr_get_flt(r, MPFR_RNDN);
	up ? mpfr_nextbelow(r) : mpfr_nextabove(r);
	b = mpfr_get_flt(r, MPFR_RNDN);
	memcpy(right, &a, 4);
	memcpy(wrong, &b, 4);
	mpfr_clear(r);
}

/* With T = 0 exactly the correctly rounded result passes. The enclosures are used as they are, and
 * made 2^14 times wider, so that the verdict of nearly all these elements is MPFR's. */
static void check_hard(const char *op, point *ref, double side)
{
	static double x[HARD_MAX];
	static uint32_t right[HARD_MAX], wrong[HARD_MAX];
	struct numerics num = numerics_default();
	struct envelope env = {.T = 0, .name = "exact"};
	struct judgement j;
	struct ref_case c;
	struct tensor ty;
	const struct tensor *out[1] = {&ty};
	struct err e = {0};
	int n = search_hard(op, side, x);
	mpfr_t y;

	mpfr_init2(y, REF_BITS);
	ref_begin(&c, op, DT_F32, VAL_NORMAL, 1);
	ref_set(&c, "N", n + 120);
	ref_fill(&c);
	n = invert_hard(&c, ref, side, x, n);
	assert_true(n == c.n && n > 200);
	for (int i = 0; i < n; i++) {
		float f = (float)x[i];

		memcpy(c.in[0].t.data + 4 * i, &f, 4);
		ref(&c, y, x[i]);
		round_both_ways(y, &right[i], &wrong[i]);
	}
	ty = op_inst_tensor(c.inst, c.s->nin);
	ty.bytes = (size_t)n * 4;
	for (int wider = 0; wider < 2; wider++) {
		struct oracle *o;

		check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, ORACLE_SCALE, &o, &e), &e);
		for (int i = 0; wider && i < n; i++)
			o->out[0].rad[i] *= 0x1p14;
		ty.data = (uint8_t *)right;
		check_ok(oracle_judge(o, c.views, out, &env, &j, &e), &e);
		check_true(j.verdict == V_PASS, "%s: a correctly rounded result fails: %s", op,
		           j.reason);
		if (wider)
			check_true(o->mpfr_elements > n / 2, "only %" PRId64 " of %d by MPFR",
			           o->mpfr_elements, n);
		ty.data = (uint8_t *)wrong;
		check_ok(oracle_judge(o, c.views, out, &env, &j, &e), &e);
		check_true(j.failed == n, "%s: %" PRId64 " of %d wrong roundings pass", op,
		           n - j.failed, n);
		oracle_free(o);
	}
	print_message("%-12s %d hard roundings\n", op, n);
	ref_end(&c);
	mpfr_clear(y);
}

static void decides_the_hardest_roundings(void **state)
{
	(void)state;
	check_hard("sigmoid", ref_sigmoid, 1);
	check_hard("silu", ref_silu, 1);
	check_hard("tanh", ref_tanh, 1);
	check_hard("gelu", ref_gelu, 1);
	check_hard("gelu_tanh", ref_gelu_tanh, 1);
	check_hard("elu", ref_elu, -1); /* e^x - 1 */
}

#define CASE(name)                                                                                 \
	static void encloses_##name(void **state)                                                  \
	{                                                                                          \
		(void)state;                                                                       \
		check_operator(#name, ref_##name);                                                 \
	}
CASE(sigmoid)
CASE(silu)
CASE(tanh)
CASE(relu)
CASE(leaky_relu)
CASE(elu)
CASE(gelu)
CASE(gelu_tanh)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(encloses_sigmoid),
	        cmocka_unit_test(encloses_silu),
	        cmocka_unit_test(encloses_tanh),
	        cmocka_unit_test(encloses_relu),
	        cmocka_unit_test(encloses_leaky_relu),
	        cmocka_unit_test(encloses_elu),
	        cmocka_unit_test(encloses_gelu),
	        cmocka_unit_test(encloses_gelu_tanh),
	        cmocka_unit_test(decides_the_hardest_roundings),
	};

	return check_main(tests);
}

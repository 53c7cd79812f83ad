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
	        cmocka_unit_test(encloses_sigmoid),    cmocka_unit_test(encloses_silu),
	        cmocka_unit_test(encloses_tanh),       cmocka_unit_test(encloses_relu),
	        cmocka_unit_test(encloses_leaky_relu), cmocka_unit_test(encloses_elu),
	        cmocka_unit_test(encloses_gelu),       cmocka_unit_test(encloses_gelu_tanh),
	};

	return check_main(tests);
}

/* Row-wise operators against MPFR written by hand. */
#include "tests/oracles/reference.h"

/* The largest of n values `stride` apart; NaN when one is NaN, -inf of none. */
static double largest(const double *x, int64_t n, int64_t stride)
{
	double m = -INFINITY;

	for (int64_t i = 0; i < n; i++) {
		if (isnan(x[i * stride]))
			return NAN;
		m = x[i * stride] > m ? x[i * stride] : m;
	}
	return m;
}

/* r = sum of (x_i - shift)^power, power 1 or 2. */
static void power_sum(mpfr_t r, const double *x, int64_t n, int64_t stride, const mpfr_t shift,
                      int power)
{
	mpfr_t d;

	mpfr_init2(d, 2 * SUM_BITS);
	mpfr_set_zero(r, 1);
	for (int64_t i = 0; i < n; i++) {
		mpfr_d_sub(d, x[i * stride], shift, MPFR_RNDN);
		if (power == 2)
			mpfr_sqr(d, d, MPFR_RNDN);
		mpfr_add(r, r, d, MPFR_RNDN);
	}
	mpfr_clear(d);
}

static void ref_sum(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	mpfr_t zero, s;

	mpfr_init2(zero, 53);
	mpfr_init2(s, SUM_BITS);
	mpfr_set_zero(zero, 1);
	for (int64_t r = 0; r < R; r++) {
		power_sum(s, c->in[0].x + r * C, C, 1, zero, 1);
		mpfr_set_prec(y[r], SUM_BITS);
		mpfr_set(y[r], s, MPFR_RNDN);
	}
	mpfr_clear(zero);
	mpfr_clear(s);
}

/* The sum is exact, the quotient rounded once. */
static void ref_mean(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");

	ref_sum(c, y);
	for (int64_t r = 0; r < R; r++)
		mpfr_div_ui(y[r], y[r], C, MPFR_RNDN);
}

static void ref_cumsum(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");

	for (int64_t i = 0; i < R * C; i++) {
		mpfr_set_prec(y[i], SUM_BITS);
		mpfr_set_d(y[i], c->in[0].x[i], MPFR_RNDN);
		if (i % C > 0)
			mpfr_add(y[i], y[i], y[i - 1], MPFR_RNDN);
	}
}

static void ref_var(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	mpfr_t mu, zero;

	mpfr_inits2(2 * SUM_BITS, mu, zero, (mpfr_ptr)0);
	mpfr_set_zero(zero, 1);
	for (int64_t r = 0; r < R; r++) {
		const double *x = c->in[0].x + r * C;

		power_sum(mu, x, C, 1, zero, 1);
		mpfr_div_ui(mu, mu, C, MPFR_RNDN);
		mpfr_set_prec(y[r], 2 * SUM_BITS);
		power_sum(y[r], x, C, 1, mu, 2);
		mpfr_div_d(y[r], y[r], (double)C - ref_param(c, "correction"), MPFR_RNDN);
	}
	mpfr_clears(mu, zero, (mpfr_ptr)0);
}

static void ref_max(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");

	for (int64_t r = 0; r < R; r++)
		mpfr_set_d(y[r], largest(c->in[0].x + r * C, C, 1), MPFR_RNDN);
}

/* e = e^(x - m), the difference exact. */
static void shifted_exp(mpfr_t e, double x, double m)
{
	mpfr_t d;

	mpfr_init2(d, SUM_BITS);
	mpfr_set_d(d, x, MPFR_RNDN);
	mpfr_sub_d(d, d, m, MPFR_RNDN);
	mpfr_exp(e, d, MPFR_RNDN);
	mpfr_clear(d);
}

/* A row without a largest finite value has no softmax. */
static bool no_softmax(double m, mpfr_t *y, int64_t C)
{
	if (isfinite(m))
		return false;
	for (int64_t k = 0; k < C; k++)
		mpfr_set_nan(y[k]);
	return true;
}

static void ref_softmax(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	mpfr_t s;

	mpfr_init2(s, REF_BITS);
	for (int64_t r = 0; r < R; r++) {
		const double *x = c->in[0].x + r * C;
		double m = largest(x, C, 1);

		if (no_softmax(m, y + r * C, C))
			continue;
		mpfr_set_zero(s, 1);
		for (int64_t k = 0; k < C; k++) {
			shifted_exp(y[r * C + k], x[k], m);
			mpfr_add(s, s, y[r * C + k], MPFR_RNDN);
		}
		for (int64_t k = 0; k < C; k++)
			mpfr_div(y[r * C + k], y[r * C + k], s, MPFR_RNDN);
	}
	mpfr_clear(s);
}

/* x - m - log(1 + sum of the others' e^(x - m)): the winner's own 1 is kept apart, so that a result
 * near 0 has all its digits. */
static void ref_log_softmax(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	mpfr_t s, e;

	mpfr_inits2(REF_BITS, s, e, (mpfr_ptr)0);
	for (int64_t r = 0; r < R; r++) {
		const double *x = c->in[0].x + r * C;
		double m = largest(x, C, 1);
		bool seen = false;

		if (no_softmax(m, y + r * C, C))
			continue;
		mpfr_set_zero(s, 1);
		for (int64_t k = 0; k < C; k++) {
			if (x[k] == m && !seen) {
				seen = true;
				continue;
			}
			shifted_exp(e, x[k], m);
			mpfr_add(s, s, e, MPFR_RNDN);
		}
		mpfr_log1p(s, s, MPFR_RNDN);
		for (int64_t k = 0; k < C; k++) {
			mpfr_set_prec(y[r * C + k], SUM_BITS);
			mpfr_set_d(y[r * C + k], x[k], MPFR_RNDN);
			mpfr_sub_d(y[r * C + k], y[r * C + k], m, MPFR_RNDN);
			mpfr_sub(y[r * C + k], y[r * C + k], s, MPFR_RNDN);
		}
	}
	mpfr_clears(s, e, (mpfr_ptr)0);
}

static void ref_layernorm(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	mpfr_t mu, va, zero;

	mpfr_inits2(2 * SUM_BITS, mu, va, zero, (mpfr_ptr)0);
	mpfr_set_zero(zero, 1);
	for (int64_t r = 0; r < R; r++) {
		const double *x = c->in[0].x + r * C;

		power_sum(mu, x, C, 1, zero, 1);
		mpfr_div_ui(mu, mu, C, MPFR_RNDN);
		power_sum(va, x, C, 1, mu, 2);
		mpfr_div_ui(va, va, C, MPFR_RNDN);
		mpfr_add_d(va, va, ref_param(c, "eps"), MPFR_RNDN);
		mpfr_sqrt(va, va, MPFR_RNDN);
		for (int64_t k = 0; k < C; k++) {
			mpfr_t *p = &y[r * C + k];

			mpfr_set_prec(*p, 2 * SUM_BITS);
			mpfr_d_sub(*p, x[k], mu, MPFR_RNDN);
			mpfr_div(*p, *p, va, MPFR_RNDN);
			if (c->in[1].present)
				mpfr_mul_d(*p, *p, c->in[1].x[k], MPFR_RNDN);
			if (c->in[2].present)
				mpfr_add_d(*p, *p, c->in[2].x[k], MPFR_RNDN);
		}
	}
	mpfr_clears(mu, va, zero, (mpfr_ptr)0);
}

/* The vectors run along the middle axis. */
static void ref_rmsnorm(const struct ref_case *c, mpfr_t *y)
{
	int64_t A = ref_size(c, "A"), N = ref_size(c, "N"), B = ref_size(c, "B");
	mpfr_t s, zero;

	mpfr_inits2(2 * SUM_BITS, s, zero, (mpfr_ptr)0);
	mpfr_set_zero(zero, 1);
	for (int64_t v = 0; v < A * B; v++) {
		int64_t at = v / B * N * B + v % B;

		power_sum(s, c->in[0].x + at, N, B, zero, 2);
		mpfr_div_ui(s, s, N, MPFR_RNDN);
		mpfr_add_d(s, s, ref_param(c, "eps"), MPFR_RNDN);
		mpfr_sqrt(s, s, MPFR_RNDN);
		for (int64_t k = 0; k < N; k++) {
			mpfr_t *p = &y[at + k * B];

			mpfr_set_prec(*p, SUM_BITS);
			mpfr_d_div(*p, c->in[0].x[at + k * B], s, MPFR_RNDN);
			if (c->in[1].present)
				mpfr_mul_d(*p, *p, c->in[1].x[k], MPFR_RNDN);
		}
	}
	mpfr_clears(s, zero, (mpfr_ptr)0);
}

static void ref_l2norm(const struct ref_case *c, mpfr_t *y)
{
	int64_t R = ref_size(c, "R"), C = ref_size(c, "C");
	double eps = ref_param(c, "eps");
	mpfr_t s, zero;

	mpfr_inits2(2 * SUM_BITS, s, zero, (mpfr_ptr)0);
	mpfr_set_zero(zero, 1);
	for (int64_t r = 0; r < R; r++) {
		const double *x = c->in[0].x + r * C;

		power_sum(s, x, C, 1, zero, 2);
		mpfr_sqrt(s, s, MPFR_RNDN);
		if (!mpfr_nan_p(s) && mpfr_cmp_d(s, eps) < 0)
			mpfr_set_d(s, eps, MPFR_RNDN);
		for (int64_t k = 0; k < C; k++) {
			mpfr_set_prec(y[r * C + k], SUM_BITS);
			mpfr_d_div(y[r * C + k], x[k], s, MPFR_RNDN);
		}
	}
	mpfr_clears(s, zero, (mpfr_ptr)0);
}

/* ---- cases ---- */

/* Rows of 1, 2, 3, …, rarely long; every third case without an optional input, other parameters. */
static void set_up(struct ref_case *c, uint64_t seed, bool few_outputs)
{
	static const int64_t row[] = {1, 2, 3, 5, 8, 17, 33, 64, 100, 257, 1000};
	int64_t C = row[rand_below(seed, 1, 0, ARRAY_LEN(row))];
	int64_t R = (few_outputs ? 8000 : 2000) / (C + 10) + 1;

	if (!strcmp(c->s->name, "rmsnorm")) {
		int64_t B = seed % 4 == 0 ? 3 : 1;

		ref_set(c, "A", B == 3 ? R / 3 + 1 : R);
		ref_set(c, "N", C);
		ref_set(c, "B", B);
	} else {
		ref_set(c, "R", R);
		ref_set(c, "C", C);
	}
	c->b.present[1] = c->s->nin < 2 || rand_below(seed, 1, 1, 3) != 0;
	c->b.present[2] = c->s->nin < 3 || rand_below(seed, 1, 2, 3) != 0;
	if (c->s->nparams && seed % 3 == 0) {
		c->b.param_set[0] = true;
		c->b.params[0] = seed % 2 ? 0.5 : 1e-30;
	}
	if (!strcmp(c->s->name, "var")) {
		c->b.param_set[0] = seed % 3 == 0 || C == 1;
		c->b.params[0] = 0; /* correction */
	}
}

static void check_operator(const char *op, reference *ref, bool few_outputs)
{
	struct ref_totals t = {0};
	struct ref_case c;

	for (size_t k = 0; k < ARRAY_LEN(ref_types); k++) {
		int64_t before = t.elements;

		for (uint64_t seed = 1; t.elements - before < ref_wanted(); seed++) {
			ref_begin(&c, op, ref_types[k], seed % VAL_COUNT, seed);
			set_up(&c, seed, few_outputs);
			ref_fill(&c);
			ref_check(&c, ref, 101, &t);
			ref_end(&c);
		}
	}
	ref_report(op, &t);
}

#define CASE(name, few)                                                                            \
	static void encloses_##name(void **state)                                                  \
	{                                                                                          \
		(void)state;                                                                       \
		check_operator(#name, ref_##name, few);                                            \
	}
CASE(sum, true)
CASE(mean, true)
CASE(var, true)
CASE(cumsum, false)
CASE(max, true)
CASE(softmax, false)
CASE(log_softmax, false)
CASE(layernorm, false)
CASE(rmsnorm, false)
CASE(l2norm, false)

/* No rows, and rows of nothing: the sum is 0. */
static void empty_rows_have_their_own_rule(void **state)
{
	struct ref_totals t = {0};
	struct ref_case c;

	(void)state;
	for (int64_t R = 0; R < 4; R += 3) {
		ref_begin(&c, "sum", DT_F32, VAL_NORMAL, 1);
		ref_set(&c, "R", R);
		ref_set(&c, "C", 0);
		ref_fill(&c);
		ref_check(&c, ref_sum, 1, &t);
		ref_end(&c);
		ref_begin(&c, "softmax", DT_F16, VAL_NORMAL, 1);
		ref_set(&c, "R", R);
		ref_set(&c, "C", R ? 0 : 5);
		ref_fill(&c);
		ref_check(&c, ref_softmax, 1, &t);
		ref_end(&c);
	}
	assert_int_equal(t.elements, 3);
}

/* 0/0 with the default correction: NaN, but a kernel's 0 may be a rounding error over 0, so that
 * with the error scale there is no verdict. */
static void one_element_has_no_variance(void **state)
{
	struct numerics num = numerics_default();
	enum el_status status;
	struct err e = {0};
	struct ref_case c;
	struct oracle *o;
	mpfr_t lo, hi;

	(void)state;
	mpfr_inits2(120, lo, hi, (mpfr_ptr)0);
	ref_begin(&c, "var", DT_F32, VAL_NORMAL, 1);
	ref_set(&c, "R", 1);
	ref_set(&c, "C", 1);
	ref_fill(&c);
	check_ok(oracle_exact(c.inst, c.views, 0, 0, 120, lo, hi, &status, &e), &e);
	assert_int_equal(status, EL_NAN);
	check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, ORACLE_SCALE, &o, &e), &e);
	assert_int_equal(o->out[0].status[0], EL_ILL);
	oracle_free(o);
	ref_end(&c);
	mpfr_clears(lo, hi, (mpfr_ptr)0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(encloses_sum),
	        cmocka_unit_test(encloses_mean),
	        cmocka_unit_test(encloses_var),
	        cmocka_unit_test(encloses_cumsum),
	        cmocka_unit_test(encloses_max),
	        cmocka_unit_test(encloses_softmax),
	        cmocka_unit_test(encloses_log_softmax),
	        cmocka_unit_test(encloses_layernorm),
	        cmocka_unit_test(encloses_rmsnorm),
	        cmocka_unit_test(encloses_l2norm),
	        cmocka_unit_test(empty_rows_have_their_own_rule),
	        cmocka_unit_test(one_element_has_no_variance),
	};

	return check_main(tests);
}

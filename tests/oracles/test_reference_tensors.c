/* Operators that move elements about: rope, conv1d, conv2d, embedding, quant_i8,
 * dequant_i8, cross_entropy, against MPFR
 * written by hand. */
#include "tests/oracles/reference.h"

/* y += a·b, exact for f32 values and a y of SUM_BITS. */
static void add_product(mpfr_t y, double a, double b)
{
	mpfr_t t;

	mpfr_init2(t, 53); /* the product of two f32 is a double's 48 bits */
	mpfr_set_d(t, a, MPFR_RNDN);
	mpfr_mul_d(t, t, b, MPFR_RNDN);
	mpfr_add(y, y, t, MPFR_RNDN);
	mpfr_clear(t);
}

static void exact_zero(mpfr_t y)
{
	mpfr_set_prec(y, SUM_BITS);
	mpfr_set_zero(y, 1);
}

/* ---- rope: pairs of elements are turned, (u,v) -> (u·c - v·n, v·c + u·n) ---- */

static void ref_rope(const struct ref_case *c, mpfr_t *y)
{
	int64_t B = ref_size(c, "B"), S = ref_size(c, "S"), H = ref_size(c, "H");
	int64_t P = ref_size(c, "P");
	bool interleaved = c->b.options[0] == 1;

	for (int64_t row = 0; row < B * S * H; row++)
		for (int64_t p = 0; p < P; p++) {
			int64_t i = row * 2 * P + (interleaved ? 2 * p : p);
			int64_t j = interleaved ? i + 1 : i + P;
			int64_t angle = row / H % S * P + p;
			double u = c->in[0].x[i], v = c->in[0].x[j];
			double cosine = c->in[1].x[angle], sine = c->in[2].x[angle];

			exact_zero(y[i]);
			exact_zero(y[j]);
			add_product(y[i], u, cosine);
			add_product(y[i], -v, sine);
			add_product(y[j], v, cosine);
			add_product(y[j], u, sine);
		}
}

static void set_rope(struct ref_case *c, uint64_t seed)
{
	ref_set(c, "B", 1 + rand_below(seed, 1, 0, 4));
	ref_set(c, "S", 1 + rand_below(seed, 1, 1, 9));
	ref_set(c, "H", 1 + rand_below(seed, 1, 2, 6));
	ref_set(c, "P", 1 + rand_below(seed, 1, 3, 40));
	c->b.options[0] = (int)rand_below(seed, 1, 4, 2);
}

/* ---- convolutions: one plane at a time, padded with zeros in memory first ---- */

struct conv {
	int64_t N, C, K, H, W, R, S, P, Q; /* one dimension: H = R = P = 1 */
	int64_t groups, stride, pad, dil, pad_h;
};

static struct conv conv_of(const struct ref_case *c)
{
	bool flat = !strcmp(c->s->name, "conv1d");
	struct conv v = {.N = ref_size(c, "N"),
	                 .C = ref_size(c, "C"),
	                 .K = ref_size(c, "K"),
	                 .H = flat ? 1 : ref_size(c, "H"),
	                 .W = ref_size(c, "W"),
	                 .R = flat ? 1 : ref_size(c, "R"),
	                 .S = ref_size(c, "S"),
	                 .P = flat ? 1 : ref_size(c, "P"),
	                 .Q = ref_size(c, "Q"),
	                 .groups = (int64_t)ref_param(c, "groups"),
	                 .stride = (int64_t)ref_param(c, "stride"),
	                 .pad = (int64_t)ref_param(c, "pad"),
	                 .dil = (int64_t)ref_param(c, "dil")};

	v.pad_h = flat ? 0 : v.pad;
	return v;
}

/* x with its padding: [N*C][H + 2 pad][W + 2 pad]. */
static double *padded(const struct conv *v, const double *x)
{
	int64_t rows = v->H + 2 * v->pad_h, columns = v->W + 2 * v->pad;
	double *all = mem_zalloc((size_t)(v->N * v->C * rows * columns + 1), sizeof *all);

	for (int64_t plane = 0; plane < v->N * v->C; plane++)
		for (int64_t h = 0; h < v->H; h++)
			memcpy(all + (plane * rows + h + v->pad_h) * columns + v->pad,
			       x + (plane * v->H + h) * v->W, (size_t)v->W * sizeof *x);
	return all;
}

/* The products of output channel k with the window whose corner is (top, left). */
static void window(const struct conv *v, const double *all, const double *w, int64_t n, int64_t k,
                   int64_t top, int64_t left, mpfr_t y)
{
	int64_t rows = v->H + 2 * v->pad_h, columns = v->W + 2 * v->pad;
	int64_t mine = v->C / v->groups, first = k / (v->K / v->groups) * mine;

	for (int64_t c = 0; c < mine; c++)
		for (int64_t r = 0; r < v->R; r++)
			for (int64_t s = 0; s < v->S; s++)
				add_product(y,
				            all[((n * v->C + first + c) * rows + top + r * v->dil) *
				                        columns +
				                left + s * v->dil],
				            w[((k * mine + c) * v->R + r) * v->S + s]);
}

static void ref_conv(const struct ref_case *c, mpfr_t *y)
{
	struct conv v = conv_of(c);
	double *all = padded(&v, c->in[0].x);

	for (int64_t i = 0; i < v.N * v.K * v.P * v.Q; i++) {
		int64_t q = i % v.Q, p = i / v.Q % v.P, k = i / (v.Q * v.P) % v.K;

		exact_zero(y[i]);
		window(&v, all, c->in[1].x, i / (v.Q * v.P * v.K), k, p * v.stride, q * v.stride,
		       y[i]);
		if (c->in[2].present)
			mpfr_add_d(y[i], y[i], c->in[2].x[k], MPFR_RNDN);
	}
	free(all);
}

static void set_conv_param(struct ref_case *c, const char *name, int64_t value)
{
	int i = ref_param_number(c, name);

	c->b.param_set[i] = true;
	c->b.params[i] = (double)value;
}

/* Windows fit into the padded input. */
static void set_conv(struct ref_case *c, uint64_t seed)
{
	int64_t groups = 1 + rand_below(seed, 1, 0, 3), dil = 1 + rand_below(seed, 1, 1, 3);
	int64_t R = 1 + rand_below(seed, 1, 2, 4), S = 1 + rand_below(seed, 1, 3, 4);
	bool flat = !strcmp(c->s->name, "conv1d");

	ref_set(c, "N", 1 + rand_below(seed, 1, 4, 3));
	ref_set(c, "C", groups * (1 + rand_below(seed, 1, 5, 5)));
	ref_set(c, "K", groups * (1 + rand_below(seed, 1, 6, 4)));
	ref_set(c, "W", dil * (S - 1) + 1 + rand_below(seed, 1, 7, flat ? 60 : 9));
	ref_set(c, "S", S);
	if (!flat) {
		ref_set(c, "H", dil * (R - 1) + 1 + rand_below(seed, 1, 8, 9));
		ref_set(c, "R", R);
	}
	set_conv_param(c, "groups", groups);
	set_conv_param(c, "dil", dil);
	set_conv_param(c, "stride", 1 + rand_below(seed, 1, 9, 3));
	set_conv_param(c, "pad", rand_below(seed, 1, 10, 4));
	c->b.present[2] = rand_below(seed, 1, 11, 3) != 0;
}

/* ---- embedding ---- */

static void ref_embedding(const struct ref_case *c, mpfr_t *y)
{
	int64_t N = ref_size(c, "N"), D = ref_size(c, "D");

	for (int64_t i = 0; i < N * D; i++)
		mpfr_set_d(y[i], c->in[0].x[(int64_t)c->in[1].x[i / D] * D + i % D], MPFR_RNDN);
}

static void set_embedding(struct ref_case *c, uint64_t seed)
{
	ref_set(c, "N", 1 + rand_below(seed, 1, 0, 60));
	ref_set(c, "V", 1 + rand_below(seed, 1, 1, 50));
	ref_set(c, "D", 1 + rand_below(seed, 1, 2, 70));
}

/* ---- 8-bit integers with a scale a group: scales are top / 127, codes x / (top / 127) before they
 * are rounded, in a group of zeros 0 ---- */

/* The largest size in the group of element (r, at); NaN when one is NaN. */
static double group_top(const struct ref_case *c, int64_t r, int64_t at)
{
	int64_t C = ref_size(c, "C"), G = ref_size(c, "G"), first = at / G * G;
	double top = 0;

	for (int64_t k = first; k < C && k < first + G; k++) {
		double size = fabs(c->in[0].x[r * C + k]);

		if (isnan(size))
			return NAN;
		top = size > top ? size : top;
	}
	return top;
}

static void ref_quant_i8(const struct ref_case *c, mpfr_t *y)
{
	int64_t C = ref_size(c, "C"), G = ref_size(c, "G"), NB = ref_size(c, "NB");

	for (int64_t i = 0; i < c->n && c->output == 1; i++) {
		mpfr_set_d(y[i], group_top(c, i / NB, i % NB * G), MPFR_RNDN);
		mpfr_div_ui(y[i], y[i], 127, MPFR_RNDN);
	}
	for (int64_t i = 0; i < c->n && c->output == 0; i++) {
		double top = group_top(c, i / C, i % C);

		mpfr_set_d(y[i], c->in[0].x[i], MPFR_RNDN);
		mpfr_mul_ui(y[i], y[i], 127, MPFR_RNDN); /* exact */
		if (top == 0)
			mpfr_set_zero(y[i], 1);
		else
			mpfr_div_d(y[i], y[i], top, MPFR_RNDN);
	}
}

static void ref_dequant_i8(const struct ref_case *c, mpfr_t *y)
{
	int64_t C = ref_size(c, "C"), G = ref_size(c, "G"), NB = ref_size(c, "NB");

	for (int64_t i = 0; i < c->n; i++) {
		mpfr_set_d(y[i], c->in[0].x[i / C * NB + i % C / G], MPFR_RNDN);
		mpfr_mul_d(y[i], y[i], c->in[1].x[i], MPFR_RNDN);
	}
}

static void set_groups(struct ref_case *c, uint64_t seed)
{
	ref_set(c, "R", 1 + rand_below(seed, 1, 0, 40));
	ref_set(c, "C", 1 + rand_below(seed, 1, 1, 90));
	ref_set(c, "G", 1 + rand_below(seed, 1, 2, 40));
	c->output = strcmp(c->s->name, "quant_i8") ? 0 : (int)rand_below(seed, 1, 3, 2);
}

/* ---- cross_entropy: sum of w (log(sum e^(x - m)) + m - x_t) over sum of w, m the row's maximum,
 * so that nothing cancels; a row without a largest finite value has no softmax. ---- */

/* Where the row's largest value lies; -1: none, or it is not finite, or there is a NaN. */
static int64_t largest_finite(const double *x, int64_t V)
{
	int64_t at = 0;

	for (int64_t v = 0; v < V; v++) {
		if (isnan(x[v]))
			return -1;
		at = x[v] > x[at] ? v : at;
	}
	return isfinite(x[at]) ? at : -1;
}

static void minus_log_likelihood(mpfr_t r, const double *x, int64_t V, int64_t target)
{
	int64_t top = largest_finite(x, V);
	mpfr_t d;

	mpfr_set_nan(r);
	if (top < 0)
		return;
	mpfr_init2(d, SUM_BITS);
	mpfr_set_zero(r, 1);
	for (int64_t v = 0; v < V; v++) {
		if (v == top)
			continue;
		mpfr_set_d(d, x[v], MPFR_RNDN);
		mpfr_sub_d(d, d, x[top], MPFR_RNDN);
		mpfr_exp(d, d, MPFR_RNDN);
		mpfr_add(r, r, d, MPFR_RNDN);
	}
	mpfr_log1p(r, r, MPFR_RNDN);
	mpfr_set_d(d, x[top], MPFR_RNDN);
	mpfr_sub_d(d, d, x[target], MPFR_RNDN);
	mpfr_add(r, r, d, MPFR_RNDN);
	mpfr_clear(d);
}

static void ref_cross_entropy(const struct ref_case *c, mpfr_t *y)
{
	int64_t N = ref_size(c, "N"), V = ref_size(c, "V");
	int64_t ignore = (int64_t)ref_param(c, "ignore");
	mpfr_t nll, sum, weights;

	mpfr_inits2(SUM_BITS, nll, sum, weights, (mpfr_ptr)0);
	mpfr_set_zero(sum, 1);
	mpfr_set_zero(weights, 1);
	for (int64_t n = 0; n < N; n++) {
		int64_t target = (int64_t)c->in[1].x[n];
		double w = 1;

		if (target == ignore)
			continue;
		if (c->in[2].present)
			w = c->in[2].x[target];
		minus_log_likelihood(nll, c->in[0].x + n * V, V, target);
		mpfr_mul_d(nll, nll, w, MPFR_RNDN);
		mpfr_add(sum, sum, nll, MPFR_RNDN);
		mpfr_add_d(weights, weights, w, MPFR_RNDN);
	}
	mpfr_set_prec(y[0], SUM_BITS);
	mpfr_div(y[0], sum, weights, MPFR_RNDN);
	mpfr_clears(nll, sum, weights, (mpfr_ptr)0);
}

static void set_cross_entropy(struct ref_case *c, uint64_t seed)
{
	ref_set(c, "N", 1 + rand_below(seed, 1, 0, 12));
	ref_set(c, "V", 1 + rand_below(seed, 1, 1, 20));
	c->b.present[2] = rand_below(seed, 1, 2, 2) != 0;
	if (rand_below(seed, 1, 3, 4) == 0) {
		c->b.param_set[0] = true;
		c->b.params[0] = 0; /* the class 0 is ignored */
	}
}

/* ---- cases ---- */

static void encloses_rope(void **state)
{
	(void)state;
	ref_check_operator("rope", ref_rope, set_rope, 53);
}

static void encloses_conv1d(void **state)
{
	(void)state;
	ref_check_operator("conv1d", ref_conv, set_conv, 53);
}

static void encloses_conv2d(void **state)
{
	(void)state;
	ref_check_operator("conv2d", ref_conv, set_conv, 53);
}

static void encloses_embedding(void **state)
{
	(void)state;
	ref_check_operator("embedding", ref_embedding, set_embedding, 53);
}

static void encloses_quant_i8(void **state)
{
	(void)state;
	ref_check_operator("quant_i8", ref_quant_i8, set_groups, 53);
}

static void encloses_dequant_i8(void **state)
{
	(void)state;
	ref_check_operator("dequant_i8", ref_dequant_i8, set_groups, 53);
}

/* One element a case. */
static void encloses_cross_entropy(void **state)
{
	struct ref_totals t = {0};
	struct ref_case c;
	uint64_t cases = check_exhaustive() ? 20000 : 1000;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(ref_types); k++)
		for (uint64_t seed = 1; seed <= cases; seed++) {
			ref_begin(&c, "cross_entropy", ref_types[k], seed % VAL_COUNT, seed);
			set_cross_entropy(&c, seed);
			ref_fill(&c);
			ref_check(&c, ref_cross_entropy, 2, &t);
			ref_end(&c);
		}
	print_message("cross_entropy %" PRId64 " cases: finite %" PRId64
	              ", out of contract %" PRId64 ", ill %" PRId64 ", open %" PRId64
	              "; largest |exact - z|/rad %.3f\n",
	              t.elements, t.finite / 2, t.out, t.ill, t.open, t.worst);
	assert_true(t.finite > t.elements);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(encloses_rope),          cmocka_unit_test(encloses_conv1d),
	        cmocka_unit_test(encloses_conv2d),        cmocka_unit_test(encloses_embedding),
	        cmocka_unit_test(encloses_quant_i8),      cmocka_unit_test(encloses_dequant_i8),
	        cmocka_unit_test(encloses_cross_entropy),
	};

	return check_main(tests);
}

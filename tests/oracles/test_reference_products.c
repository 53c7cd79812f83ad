/* matmul, bmm and attention against MPFR written by hand. */
#include "tests/oracles/reference.h"

/* r = Σ a_i·b_i, the strides given; exact for f32 inputs. */
static void dot(mpfr_t r, const double *a, int64_t sa, const double *b, int64_t sb, int64_t n)
{
	mpfr_t t;

	mpfr_init2(t, 53); /* the product of two f32 is a double's 48 bits */
	mpfr_set_zero(r, 1);
	for (int64_t i = 0; i < n; i++) {
		mpfr_set_d(t, a[i * sa], MPFR_RNDN);
		mpfr_mul_d(t, t, b[i * sb], MPFR_RNDN);
		mpfr_add(r, r, t, MPFR_RNDN);
	}
	mpfr_clear(t);
}

static void ref_matmul(const struct ref_case *c, mpfr_t *y)
{
	int64_t M = ref_size(c, "M"), N = ref_size(c, "N"), K = ref_size(c, "K");

	for (int64_t m = 0; m < M; m++)
		for (int64_t n = 0; n < N; n++) {
			mpfr_set_prec(y[m * N + n], SUM_BITS);
			dot(y[m * N + n], c->in[0].x + m * K, 1, c->in[1].x + n, N, K);
		}
}

static void ref_bmm(const struct ref_case *c, mpfr_t *y)
{
	int64_t B = ref_size(c, "B"), M = ref_size(c, "M"), N = ref_size(c, "N");
	int64_t K = ref_size(c, "K");

	for (int64_t i = 0; i < B; i++)
		for (int64_t m = 0; m < M; m++)
			for (int64_t n = 0; n < N; n++) {
				mpfr_t *r = &y[(i * M + m) * N + n];

				mpfr_set_prec(*r, SUM_BITS);
				dot(*r, c->in[0].x + (i * M + m) * K, 1, c->in[1].x + i * K * N + n,
				    N, K);
			}
}

/* ---- attention ---- */

enum { Q, K_, V, BIAS };

struct attention {
	int64_t B, H, G, N, L, D, E;
	double scale;
	bool causal, bottom_right, nan_row;
	mpfr_t *s; /* scores of one query */
	mpfr_t *w; /* weights */
};

static int option_value(const struct ref_case *c, const char *name)
{
	for (int i = 0; i < c->s->noptions; i++)
		if (!strcmp(c->s->options[i].name, name))
			return c->b.options[i];
	fail_msg("no option %s", name);
	return 0;
}

static bool sees(const struct attention *a, int64_t i, int64_t j)
{
	return !a->causal || j <= i + (a->bottom_right ? a->L - a->N : 0);
}

/* Scores of query (b,h,i) against all it sees, and the largest (NaN if one is, -inf of none) in m.
 */
static void scores(const struct ref_case *c, const struct attention *a, int64_t b, int64_t h,
                   int64_t i, mpfr_t m)
{
	int64_t g = h / (a->H / a->G);
	const double *q = c->in[Q].x + ((b * a->H + h) * a->N + i) * a->D;

	mpfr_set_inf(m, -1);
	for (int64_t j = 0; j < a->L; j++) {
		if (!sees(a, i, j))
			continue;
		dot(a->s[j], q, 1, c->in[K_].x + ((b * a->G + g) * a->L + j) * a->D, 1, a->D);
		mpfr_mul_d(a->s[j], a->s[j], a->scale, MPFR_RNDN);
		if (c->in[BIAS].present)
			mpfr_add_d(a->s[j], a->s[j],
			           c->in[BIAS].x[((b * a->H + h) * a->N + i) * a->L + j],
			           MPFR_RNDN);
		if (mpfr_nan_p(a->s[j]) || mpfr_nan_p(m))
			mpfr_set_nan(m);
		else if (mpfr_cmp(a->s[j], m) > 0)
			mpfr_set(m, a->s[j], MPFR_RNDN);
	}
}

/* One query: softmax of its scores, then the weighted mean of v. */
static void query(const struct ref_case *c, const struct attention *a, int64_t b, int64_t h,
                  int64_t i, mpfr_t *y)
{
	int64_t g = h / (a->H / a->G);
	mpfr_t m, sum, t, p;

	mpfr_inits2(SUM_BITS, m, sum, t, p, (mpfr_ptr)0);
	scores(c, a, b, h, i, m);
	mpfr_set_zero(sum, 1);
	for (int64_t j = 0; j < a->L; j++) {
		if (!sees(a, i, j))
			continue;
		mpfr_sub(t, a->s[j], m, MPFR_RNDN);
		mpfr_exp(a->w[j], t, MPFR_RNDN);
		mpfr_add(sum, sum, a->w[j], MPFR_RNDN);
	}
	for (int64_t e = 0; e < a->E; e++) {
		if (mpfr_inf_p(m) && mpfr_sgn(m) < 0) {
			a->nan_row ? mpfr_set_nan(y[e]) : mpfr_set_zero(y[e], 1);
			continue;
		}
		mpfr_set_zero(t, 1);
		for (int64_t j = 0; j < a->L; j++) {
			if (!sees(a, i, j))
				continue;
			mpfr_mul_d(p, a->w[j], c->in[V].x[((b * a->G + g) * a->L + j) * a->E + e],
			           MPFR_RNDN);
			mpfr_add(t, t, p, MPFR_RNDN);
		}
		mpfr_div(y[e], t, sum, MPFR_RNDN);
	}
	mpfr_clears(m, sum, t, p, (mpfr_ptr)0);
}

static void ref_attention(const struct ref_case *c, mpfr_t *y)
{
	struct attention a = {ref_size(c, "B"),
	                      ref_size(c, "H"),
	                      ref_size(c, "G"),
	                      ref_size(c, "N"),
	                      ref_size(c, "L"),
	                      ref_size(c, "D"),
	                      ref_size(c, "E"),
	                      ref_param(c, "scale"),
	                      ref_param(c, "causal") != 0,
	                      option_value(c, "anchor") == 0,
	                      option_value(c, "masked_row") == 1,
	                      NULL,
	                      NULL};

	a.s = mem_alloc((a.L + 1) * sizeof *a.s);
	a.w = mem_alloc((a.L + 1) * sizeof *a.w);
	for (int64_t j = 0; j < a.L; j++) {
		mpfr_init2(a.s[j], SUM_BITS);
		mpfr_init2(a.w[j], REF_BITS);
	}
	for (int64_t b = 0; b < a.B; b++)
		for (int64_t h = 0; h < a.H; h++)
			for (int64_t i = 0; i < a.N; i++)
				query(c, &a, b, h, i, y + ((b * a.H + h) * a.N + i) * a.E);
	for (int64_t j = 0; j < a.L; j++) {
		mpfr_clear(a.s[j]);
		mpfr_clear(a.w[j]);
	}
	free(a.s);
	free(a.w);
}

/* ---- cases ---- */

static void set_matmul(struct ref_case *c, uint64_t seed)
{
	static const int64_t depth[] = {0, 1, 2, 3, 7, 16, 33, 64, 130};

	ref_set(c, "M", 1 + rand_below(seed, 1, 0, 60));
	ref_set(c, "N", 1 + rand_below(seed, 1, 1, 60));
	ref_set(c, "K", depth[rand_below(seed, 1, 2, ARRAY_LEN(depth))]);
}

static void set_bmm(struct ref_case *c, uint64_t seed)
{
	static const int64_t depth[] = {0, 1, 2, 3, 7, 16, 33, 64, 130};

	ref_set(c, "B", 1 + rand_below(seed, 1, 3, 5));
	ref_set(c, "M", 1 + rand_below(seed, 1, 0, 25));
	ref_set(c, "N", 1 + rand_below(seed, 1, 1, 25));
	ref_set(c, "K", depth[rand_below(seed, 1, 2, ARRAY_LEN(depth))]);
}

static void set_attention(struct ref_case *c, uint64_t seed)
{
	static const int64_t keys[] = {0, 1, 2, 5, 16, 33};

	ref_set(c, "B", 1 + rand_below(seed, 1, 0, 2));
	ref_set(c, "G", 1 + rand_below(seed, 1, 1, 2));
	ref_set(c, "H", (1 + rand_below(seed, 1, 2, 3)) * c->b.dims[ref_dim(c, "G")]);
	ref_set(c, "N", 1 + rand_below(seed, 1, 3, 12));
	ref_set(c, "L", keys[rand_below(seed, 1, 4, ARRAY_LEN(keys))]);
	ref_set(c, "D", 1 + rand_below(seed, 1, 5, 20));
	ref_set(c, "E", 1 + rand_below(seed, 1, 6, 16));
	c->b.present[BIAS] = rand_below(seed, 1, 7, 2);
	c->b.param_set[ref_param_number(c, "causal")] = true;
	c->b.params[ref_param_number(c, "causal")] = (double)rand_below(seed, 1, 8, 2);
	if (rand_below(seed, 1, 9, 3) == 0) {
		c->b.param_set[ref_param_number(c, "scale")] = true;
		c->b.params[ref_param_number(c, "scale")] = 0.7;
	}
	for (int i = 0; i < c->s->noptions; i++)
		c->b.options[i] = (int)rand_below(seed, 1, 10 + i, 2);
}

static void encloses_matmul(void **state)
{
	(void)state;
	ref_check_operator("matmul", ref_matmul, set_matmul, 53);
}

static void encloses_bmm(void **state)
{
	(void)state;
	ref_check_operator("bmm", ref_bmm, set_bmm, 53);
}

static void encloses_attention(void **state)
{
	(void)state;
	ref_check_operator("attention", ref_attention, set_attention, 211);
}

/* 2^24 + 1 and the like lie exactly between two f32: the even one is right, the other wrong, with T
 * = 0, however wide the enclosure is: MPFR recognises the exact result. */
static void recognises_exact_ties(void **state)
{
	static const struct {
		float a[2], b[2], right, wrong;
	} t[] = {{{0x1p24f, 1}, {1, 1}, 0x1p24f, 0x1p24f + 2},
	         {{0x1p24f, 3}, {1, 1}, 0x1p24f + 4, 0x1p24f + 2},
	         {{1, 0x1p-24f}, {1, 1}, 1, 1 + 0x1p-23f},
	         {{0x1.000002p0f, 0x1p-24f}, {1, 1}, 1 + 0x1p-22f, 0x1.000002p0f},
	         {{0x1p-149f, 0}, {0.5f, 1}, 0, 0x1p-149f}};
	struct numerics num = numerics_default();
	struct envelope env = {.T = 0, .name = "exact"};
	struct err e = {0};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(t); k++) {
		struct ref_case c;
		struct oracle *o;
		struct judgement j;
		struct tensor y;
		const struct tensor *out[1] = {&y};

		ref_begin(&c, "matmul", DT_F32, VAL_ZEROS, 1);
		ref_set(&c, "M", 1);
		ref_set(&c, "N", 1);
		ref_set(&c, "K", 2);
		ref_fill(&c);
		memcpy(c.in[0].t.data, t[k].a, 8);
		memcpy(c.in[1].t.data, t[k].b, 8);
		y = op_inst_tensor(c.inst, 2);
		y.bytes = 4;
		for (int wider = 0; wider < 2; wider++) {
			check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, ORACLE_SCALE, &o, &e),
			         &e);
			if (wider)
				o->out[0].rad[0] = fabs(o->out[0].z[0]) * 0x1p-30 + 0x1p-160;
			y.data = (uint8_t *)&t[k].right;
			check_ok(oracle_judge(o, c.views, out, &env, &j, &e), &e);
			check_true(j.verdict == V_PASS, "row %zu: the even neighbour: %s %s", k,
			           verdict_name(j.verdict), j.reason);
			y.data = (uint8_t *)&t[k].wrong;
			check_ok(oracle_judge(o, c.views, out, &env, &j, &e), &e);
			check_true(j.verdict == V_FAIL, "row %zu: the odd neighbour: %s", k,
			           verdict_name(j.verdict));
			oracle_free(o);
		}
		ref_end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(encloses_matmul),
	        cmocka_unit_test(encloses_bmm),
	        cmocka_unit_test(encloses_attention),
	        cmocka_unit_test(recognises_exact_ties),
	};

	return check_main(tests);
}

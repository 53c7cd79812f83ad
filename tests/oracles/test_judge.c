/* The judging of outputs. The rule is checked against its own text, cast(z - tol) <= y <= cast(z +
 * tol), with the sums exact and the casts done by MPFR in an exponent range of the type's size. */
#include <mpfr.h>

#include "oracles/judge_parts.h"
#include "tests/check.h"

/* ---- a hand-made oracle ---- */

static const char identity_text[] = "op identity\n"
                                    "type T in f64, f32, f16, bf16, e4m3, e5m2\n"
                                    "dim N in 0..\n"
                                    "in x: T[N]\n"
                                    "out y: T[N]\n"
                                    "y[i] = x[i]\n";

struct rig {
	struct op *op;
	struct op_inst *inst;
	struct oracle o;
	struct tensor y;
	struct judgement j;
	struct err e;
};

/* n elements of type t, all exact (rad 0), S = 0, z = 0, y = 0. */
static void rig_init(struct rig *r, const char *extra, enum dtype t, int64_t n)
{
	struct op_binding b = {
	        .types = {dtype_is_float(t) ? t : DT_F32}, .dims = {n}, .present = {true, true}};
	char text[400];

	memset(r, 0, sizeof *r);
	snprintf(text, sizeof text, "%s%s", identity_text, extra);
	check_ok(op_parse(text, strlen(text), "identity", &r->op, &r->e), &r->e);
	check_ok(op_bind(r->op, &b, &r->inst, &r->e), &r->e);
	r->o.inst = r->inst;
	r->o.num = numerics_default();
	r->o.nout = 1;
	r->o.out[0] = (struct oracle_out){.n = n,
	                                  .z = mem_zalloc(n + 1, sizeof(double)),
	                                  .rad = mem_zalloc(n + 1, sizeof(double)),
	                                  .S = mem_zalloc(n + 1, sizeof(double)),
	                                  .status = mem_zalloc(n + 1, 1)};
	r->y = (struct tensor){.dt = t, .rank = 1, .dim = {n}, .stride = {1}};
	r->y.bytes = n * dtype_bytes(t);
	r->y.data = mem_zalloc(n + 1, dtype_bytes(t));
}

static void rig_free(struct rig *r)
{
	free(r->o.out[0].z);
	free(r->o.out[0].rad);
	free(r->o.out[0].S);
	free(r->o.out[0].status);
	free(r->y.data);
	op_inst_free(r->inst);
	op_free(r->op);
}

static void rig_judge(struct rig *r, double T)
{
	const struct tensor *y[1] = {&r->y}, *in[1] = {&r->y};
	struct envelope env = {.T = T, .name = "test"}, hasty = env;
	struct judgement h;

	hasty.hasty = true;
	check_ok(oracle_judge(&r->o, in, y, &hasty, &h, &r->e), &r->e);
	check_ok(oracle_judge(&r->o, in, y, &env, &r->j, &r->e), &r->e);
	assert_int_equal(h.verdict, r->j.verdict);
	assert_int_equal(h.failed > 0, r->j.failed > 0);
}

static void rig_set(struct rig *r, int64_t i, double z, double S, uint64_t y)
{
	r->o.out[0].z[i] = z;
	r->o.out[0].S[i] = S;
	dtype_store(r->y.dt, r->y.data + i * dtype_bytes(r->y.dt), y);
}

/* ---- the rule, by MPFR ---- */

/* x rounded to the float type t, as a double; infinity beyond the largest value's rounding (e4m3:
 * NaN). */
static double cast_mpfr(enum dtype t, const mpfr_t x)
{
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t r;
	double d;
	int ternary;

	mpfr_init2(r, dtype_precision(t));
	mpfr_set_emin(dtype_emin(t) - dtype_precision(t) + 2);
	mpfr_set_emax(dtype_emax(t) + 1);
	ternary = mpfr_set(r, x, MPFR_RNDN);
	ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
	mpfr_subnormalize(r, ternary, MPFR_RNDN);
	d = mpfr_get_d(r, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_clear(r);
	if (t == DT_E4M3 && fabs(d) > 448) /* the encoding of 480 is NaN */
		d = copysign(INFINITY, d);
	return d;
}

static bool rule(enum dtype t, double z, double tol, uint64_t y)
{
	double v = dtype_decode(t, y), lo, hi;
	mpfr_t s;

	mpfr_init2(s, 2400);
	mpfr_set_d(s, z, MPFR_RNDN);
	mpfr_sub_d(s, s, tol, MPFR_RNDN);
	lo = cast_mpfr(t, s);
	mpfr_set_d(s, z, MPFR_RNDN);
	mpfr_add_d(s, s, tol, MPFR_RNDN);
	hi = cast_mpfr(t, s);
	mpfr_clear(s);
	if (t == DT_E4M3 && isnan(v))
		v = copysign(INFINITY, z);
	return !isnan(v) && lo <= v && v <= hi;
}

/* An exact value, a tolerance and an output near the border of what is accepted. */
static void draw(enum dtype t, uint64_t i, double *z, double *tol, uint64_t *y)
{
	uint64_t w = rand_u64(11, t, i);
	double u = rand_unit(12, t, i), v = rand_unit(13, t, i), edge;
	int range = dtype_emax(t) - dtype_emin(t) + dtype_precision(t) + 3;
	int e = (int)((w >> 8) % range) + dtype_emin(t) - dtype_precision(t);

	if (e > 1022)
		e = 1022;
	*z = ldexp(1 + u, e);
	if (w % 8 < 4) /* few digits: ties and exact values are common */
		*z = dtype_decode(t, dtype_encode(t, *z, RND_NE, true)) +
		     (int)(w >> 40 & 3) * ldexp(dtype_ulp(t, *z), -2);
	if (w >> 4 & 1)
		*z = -*z;
	*tol = w % 8 == 7 || w % 8 == 0 ? 0 : ldexp(1 + v, e - (int)((w >> 48) % 40));
	if (w % 8 == 1)
		*tol = ldexp(dtype_ulp(t, *z), -1);
	edge = *z + ((w >> 5 & 1) ? *tol : -*tol);
	*y = dtype_encode(t, edge, RND_NE, false);
	if (w >> 6 & 1)
		*y += (w >> 7 & 1) ? 1 : -1;
	*y &= ~(uint64_t)0 >> (64 - 8 * dtype_bytes(t));
}

/* T = 1 and S = tol/u, both exact. S of a tolerance below the doubles' range over u stays exact. */
static void follows_the_rule_for_every_type(void **state)
{
	static const enum dtype types[] = {DT_F32, DT_F16, DT_BF16, DT_E4M3, DT_E5M2, DT_F64};
	enum { N = 20000 };
	struct rig r;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		enum dtype t = types[k];
		int64_t wrong = 0, accepted = 0;

		rig_init(&r, "", t, 1);
		for (uint64_t i = 0; i < N; i++) {
			double z, tol;
			uint64_t y;
			bool want;

			draw(t, i, &z, &tol, &y);
			if (fabs(z) > 0x1p990)
				continue;
			want = rule(t, z, tol, y);
			rig_set(&r, 0, z, tol * 0x1p24, y);
			rig_judge(&r, 1);
			check_true((r.j.failed == 0) == want,
			           "%s: z = %a, tol = %a, y = %" PRIx64
			           " = %a: must %s (case %" PRIu64 ")",
			           dtype_name(t), z, tol, y, dtype_decode(t, y),
			           want ? "pass" : "fail", i);
			want ? accepted++ : wrong++;
		}
		check_true(wrong > N / 10 && accepted > N / 10, "%s: the draws are lopsided",
		           dtype_name(t));
		rig_free(&r);
	}
}

/* The same draws as whole tensors, contiguous, with padding between, and reversed: the counts
 * agree. */
static void counts_the_same_in_whole_tensors_and_views(void **state)
{
	enum { N = 5003 };
	static const enum dtype types[] = {DT_F32, DT_F16, DT_BF16};
	struct rig r;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		enum dtype t = types[k];
		int size = dtype_bytes(t);
		int64_t failed = 0;
		struct tensor plain;
		uint8_t *apart = mem_zalloc(3 * N, size);

		rig_init(&r, "", t, N);
		for (int i = 0; i < N; i++) {
			double z, tol;
			uint64_t y;

			draw(t, i, &z, &tol, &y);
			failed += !rule(t, z, tol, y);
			rig_set(&r, i, z, tol * 0x1p24, y);
			dtype_store(t, apart + (3 * i + 1) * size, y);
		}
		rig_judge(&r, 1);
		check_true(r.j.failed == failed && r.j.n == N && r.j.verdict == V_FAIL,
		           "%" PRId64 " wrong, not %" PRId64, r.j.failed, failed);
		assert_int_equal(r.j.nshown, JUDGE_MAX_SHOWN);
		plain = r.y;
		r.y.data = apart;
		r.y.bytes = (size_t)3 * N * size;
		r.y.stride[0] = 3;
		r.y.offset = 1;
		rig_judge(&r, 1);
		assert_int_equal(r.j.failed, failed);
		for (int i = 0; i < N; i++) /* backwards */
			dtype_store(t, apart + (3 * (N - 1 - i) + 1) * size,
			            dtype_load(t, plain.data + i * size));
		r.y.stride[0] = -3;
		r.y.offset = 3 * (N - 1) + 1;
		rig_judge(&r, 1);
		assert_int_equal(r.j.failed, failed);
		r.y = plain;
		rig_free(&r);
		free(apart);
	}
}

/* r = dist(z, reals that round to y)/(u·S). Expected values by hand. */
static void measures_the_scaled_error_beyond_the_rounding(void **state)
{
	static const struct {
		double z, S;
		float y;
		double r;
	} t[] = {
	        {1, 1, 1, 0},
	        /* 1 + 2^-23 rounds from 1 + 2^-24 on: distance 2^-24, in units of 2^-24·S */
	        {1, 1, 1 + 0x1p-23f, 1},
	        {1, 2, 1 + 0x1p-23f, 0.5},
	        {1, 0.25, 1 + 0x1p-23f, 4},
	        /* below a power of two the cell is half as wide: 1 - 2^-24 takes in up to 1 - 2^-25
	         */
	        {1, 1, 1 - 0x1p-24f, 0.5},
	        {1 + 0x1p-24, 1, 1 + 0x1p-23f, 0},
	        {3, 1, 4, 0x1p24 * (1 - 0x1p-23)},
	        /* 2^-149 takes in from 2^-150 on */
	        {0, 0x1p-126, 0x1p-149f, 1},
	        {-1, 3, -1 - 0x1p-22f, 3 / 3.0},
	        {7, 0, 7, 0},
	};
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F32, 1);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint32_t bits;
		double want = t[i].r;

		memcpy(&bits, &t[i].y, 4);
		rig_set(&r, 0, t[i].z, t[i].S, bits);
		rig_judge(&r, 1e9);
		if (want > 1000) /* rounded up to three digits */
			want = 16800000;
		check_true(r.j.r_max == want && r.j.failed == 0, "row %zu: r = %.17g, not %.17g", i,
		           r.j.r_max, want);
	}
	rig_set(&r, 0, 7, 0, 0x40e00001); /* x/0 */
	rig_judge(&r, 1e9);
	assert_true(isinf(r.j.r_max) && r.j.failed == 1);
	rig_free(&r);
}

static void rounds_r_up_to_three_digits(void **state)
{
	(void)state;
	assert_true(judge_ceil3(0) == 0 && judge_ceil3(1) == 1 && judge_ceil3(1.23) == 1.23);
	assert_true(judge_ceil3(1.2300000001) == 1.24 && judge_ceil3(9.991) == 10);
	assert_true(judge_ceil3(0.00012345) == 0.000124 && isinf(judge_ceil3(INFINITY)));
}

/* Each exact class against each kind of output: NaN, +inf, -inf, a number. */
static void compares_classes_and_signs_both_ways(void **state)
{
	static const uint32_t out[4] = {0x7fc00000, 0x7f800000, 0xff800000, 0x3f800000};
	static const uint8_t status[4] = {EL_NAN, EL_POS_INF, EL_NEG_INF, EL_FINITE};
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F32, 1);
	for (int s = 0; s < 4; s++)
		for (int y = 0; y < 4; y++) {
			rig_set(&r, 0, 1, 1, out[y]);
			r.o.out[0].status[0] = status[s];
			rig_judge(&r, 8);
			check_true((r.j.verdict == V_PASS) == (s == y), "class %d, output %d: %s",
			           s, y, verdict_name(r.j.verdict));
			assert_true(r.j.failed == (s != y));
			if (s != y)
				assert_true(r.j.r_max > 1e38 && r.j.shown[0].status == status[s]);
		}
	rig_set(&r, 0, 0, 1, 0xffc12345); /* any NaN */
	r.o.out[0].status[0] = EL_NAN;
	rig_judge(&r, 8);
	assert_int_equal(r.j.verdict, V_PASS);
	rig_set(&r, 0, 0, 0, 0x80000000); /* -0 for +0 */
	r.o.out[0].status[0] = EL_FINITE;
	rig_judge(&r, 8);
	assert_int_equal(r.j.verdict, V_PASS);
	rig_free(&r);
}

static void overflow_to_infinity_follows_the_rounding(void **state)
{
	/* f16: 65520 is the tie between 65504 and what would be 65536 */
	static const struct {
		double z;
		uint16_t y;
		bool pass;
	} t[] = {{65519.999, 0x7bff, true}, {65519.999, 0x7c00, false}, {65520, 0x7c00, true},
	         {65520, 0x7bff, false},    {1e9, 0x7c00, true},        {1e9, 0x7bff, false},
	         {-1e9, 0xfc00, true},      {-1e9, 0x7c00, false}};
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F16, 1);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		rig_set(&r, 0, t[i].z, 0, t[i].y);
		rig_judge(&r, 8);
		check_true((r.j.failed == 0) == t[i].pass, "row %zu", i);
	}
	rig_free(&r);
}

static void integers_are_cells_of_one_unit_and_saturate(void **state)
{
	static const struct {
		enum dtype t;
		double z;
		int y;
		bool pass;
	} t[] = {{DT_I8, 2.5, 2, true},   {DT_I8, 2.5, 3, false},    {DT_I8, 3.5, 4, true},
	         {DT_I8, 200, 127, true}, {DT_I8, -200, -128, true}, {DT_I8, -200, -127, false},
	         {DT_U8, -7, 0, true},    {DT_U8, 300, 255, true},   {DT_I8, 0.49, 0, true}};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		rig_init(&r, "", t[i].t, 1);
		rig_set(&r, 0, t[i].z, 0, (uint8_t)t[i].y);
		rig_judge(&r, 8);
		check_true((r.j.failed == 0) == t[i].pass, "row %zu", i);
		rig_free(&r);
	}
}

/* One right element beside one of each kind. */
static void counts_what_cannot_be_judged(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F32, 6);
	for (int i = 0; i < 6; i++)
		rig_set(&r, i, 1, 1, 0x3f800000);
	r.o.out[0].status[1] = EL_OUT;
	r.o.out[0].status[2] = EL_ILL;
	r.o.out[0].status[4] = EL_ANY;
	rig_set(&r, 5, 1, INFINITY, 0); /* an infinite scale is no verdict */
	rig_judge(&r, 8);
	assert_true(r.j.verdict == V_PASS && r.j.out_of_contract == 1 && r.j.ill == 2 &&
	            r.j.n == 6);
	r.o.out[0].status[3] = EL_UNKNOWN;
	rig_judge(&r, 8);
	assert_true(r.j.verdict == V_UNKNOWN && r.j.unknown == 1 && r.j.reason[0]);
	rig_set(&r, 0, 1, 1, 0);
	rig_judge(&r, 8);
	assert_true(r.j.verdict == V_FAIL && r.j.failed == 1 && r.j.shown[0].element == 0);
	for (int i = 0; i < 6; i++)
		r.o.out[0].status[i] = EL_OUT;
	rig_judge(&r, 8);
	assert_true(r.j.verdict == V_UNKNOWN && r.j.out_of_contract == 6 && r.j.failed == 0);
	rig_free(&r);
	rig_init(&r, "", DT_F32, 0); /* nothing cannot be wrong */
	rig_judge(&r, 8);
	assert_true(r.j.verdict == V_PASS && r.j.n == 0);
	rig_free(&r);
}

/* T·u·S > |z|/16: with T = 8, u = 2^-24, z = 1 from S > 2^17 on. */
static void counts_elements_without_power(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F32, 4);
	rig_set(&r, 0, 1, 0x1p17, 0x3f800000);
	rig_set(&r, 1, 1, 0x1.0001p17, 0x3f800000);
	rig_set(&r, 2, -1, 0x1p20, 0xbf800000);
	rig_set(&r, 3, 0, 0, 0);
	rig_judge(&r, 8);
	assert_true(r.j.no_power_elements == 2 && r.j.verdict == V_PASS);
	rig_free(&r);
}

/* f16: 4096 values between 1 and 2, each a sixteenth of an ulp off a rounding boundary; the kernel
 * that rounds every one of them to the wrong side stays within T = 64 but misrounds 1 of 1, where
 * an error of u·S explains u·S/ulp = 2^-24·2^8/2^-10 = 1/64 of them. */
static void judges_the_misrounding_ratio_of_16_bit_outputs(void **state)
{
	enum { N = 4096 };
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F16, N);
	for (int i = 0; i < N; i++) {
		uint16_t y = 0x3c00 + i % 1023;

		rig_set(&r, i, dtype_decode(DT_F16, y) + 0x1p-11 + 0x1p-14, 256, y);
	}
	rig_judge(&r, 64);
	assert_true(r.j.failed == 0 && r.j.q == 64 && r.j.q_failed && r.j.verdict == V_FAIL);
	assert_true(strstr(r.j.reason, "rounded wrongly") != NULL);
	for (int i = 0; i < N; i++) /* one in 64 misrounded is what is expected */
		if (i % 64)
			rig_set(&r, i, dtype_decode(DT_F16, 0x3c00 + i % 1023), 256,
			        0x3c00 + i % 1023);
	rig_judge(&r, 64);
	assert_true(r.j.q == 1 && !r.j.q_failed && r.j.verdict == V_PASS);
	for (int i = 1; i < N; i += 2) /* a right overflow is no misrounding */
		rig_set(&r, i, 70000, 256, 0x7c00);
	rig_judge(&r, 64);
	assert_true(r.j.q > 1.9 && r.j.q < 2.01 && r.j.failed == 0); /* 64 of 32 */
	for (int i = 1024; i < N; i++) /* fewer than 20 expected: no statement */
		rig_set(&r, i, 1, 0, 0x3c00);
	rig_judge(&r, 64);
	assert_true(isnan(r.j.q) && !r.j.q_failed);
	rig_free(&r);
}

/* f16: 4096 values within u·S = 2^-16 of a rounding boundary, 64 times closer than the 1/64 that an
 * even spread would have there: an error of u·S explains that half of them are on the wrong side,
 * which is 32 times what the spread explains. */
static void values_that_crowd_at_rounding_boundaries_may_be_misrounded(void **state)
{
	enum { N = 4096 };
	struct rig r;

	(void)state;
	rig_init(&r, "", DT_F16, N);
	for (int i = 0; i < N; i++) {
		uint16_t y = 0x3c00 + i % 1023;

		rig_set(&r, i, dtype_decode(DT_F16, y) + 0x1p-11 + (i % 2 ? 0x1p-18 : -0x1p-18),
		        256, y);
	}
	rig_judge(&r, 8);
	assert_true(r.j.q > 0.5 && r.j.q < 0.51 && r.j.verdict == V_PASS); /* 2048 of 4096 - 64 */
	for (int i = 0; i < N; i++) { /* the same a little farther off: no longer explained */
		uint16_t y = 0x3c00 + i % 1023;

		rig_set(&r, i, dtype_decode(DT_F16, y) + 0x1p-11 + (i % 2 ? 0x1p-15 : -0x1p-15),
		        256, y);
	}
	rig_judge(&r, 8);
	assert_true(r.j.failed == 0 && r.j.q == 32 && r.j.q_failed);
	rig_free(&r);
}

static void exact_contracts_compare_bits(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "contract exact\n", DT_F16, 3);
	rig_set(&r, 0, 1 + 0x1p-12, 100, 0x3c00);
	rig_set(&r, 1, 0, 100, 0);
	rig_set(&r, 2, 70000, 100, 0x7c00);
	rig_judge(&r, 8);
	assert_int_equal(r.j.verdict, V_PASS);
	rig_set(&r, 0, 1 + 0x1p-12, 100, 0x3c01);
	rig_set(&r, 1, 0, 100, 0x8000);
	rig_judge(&r, 8);
	assert_true(r.j.failed == 2 && r.j.shown[1].element == 1);
	assert_true(r.j.shown[0].want == 0x3c00 && r.j.shown[0].ulps == 1);
	rig_free(&r);
}

static void describes_the_first_wrong_elements(void **state)
{
	struct rig r;
	const struct judged *s;

	(void)state;
	rig_init(&r, "", DT_F32, 100);
	for (int i = 0; i < 100; i++)
		rig_set(&r, i, 1, 1, i == 7 || i == 90 ? 0x3f800000 + i : 0x3f800000);
	rig_judge(&r, 4);
	s = &r.j.shown[0];
	assert_true(r.j.failed == 2 && r.j.nshown == 2 && s->element == 7 && s->index[0] == 7);
	/* 7 ulp are 14 u, less the half of the rounding 13; allowed 1 ± 4u: -4 to +2 encodings */
	assert_true(s->ulps == 7 && s->r == 13 && s->want == 0x3f800000 && s->exact == 1);
	assert_true(s->lo == 0x3f800000 - 4 && s->hi == 0x3f800000 + 2 && s->got == 0x3f800007);
	assert_true(r.j.shown[1].element == 90 && r.j.r_max == 179 && r.j.r_max_element == 90);
	assert_true(strstr(r.j.reason, "y[7]") != NULL && strstr(r.j.reason, "2 of 100") != NULL);
	rig_free(&r);
}

static void refuses_an_output_of_another_size(void **state)
{
	struct rig r;
	const struct tensor *y[1] = {&r.y}, *in[1] = {&r.y};
	struct envelope env = envelope_provisional(1);

	(void)state;
	rig_init(&r, "", DT_F32, 4);
	r.y.dim[0] = 3;
	check_fails(oracle_judge(&r.o, in, y, &env, &r.j, &r.e), ST_INPUT, &r.e, "3 elements");
	rig_free(&r);
}

/* design.md: only PASS is a pass; FAIL wins; what was not decided stays undecided. */
static void combines_verdicts_by_the_table(void **state)
{
	static const char want[V_COUNT][V_COUNT + 1] = {"PFUN", "FFFF", "UFUU", "NFUN"};
	static const char letter[] = "PFUN";

	(void)state;
	for (int a = 0; a < V_COUNT; a++)
		for (int b = 0; b < V_COUNT; b++)
			assert_int_equal(letter[verdict_and(a, b)], want[a][b]);
	assert_string_equal(verdict_name(V_PASS), "PASS");
	assert_string_equal(verdict_name(V_UNSUPPORTED), "UNSUPPORTED");
	assert_true(envelope_provisional(8).T == 8 && envelope_provisional(100).T == 31);
	assert_true(envelope_provisional(1).provisional);
	assert_true(numerics_default().acc == DT_F32 && !numerics_default().ftz);
}

/* The scan gives the same bits on every instruction set. */
static void scans_alike_on_every_instruction_set(void **state)
{
	static const struct judge_loops *const loops[] = {&judge_loops_sse2, &judge_loops_avx2,
	                                                  &judge_loops_avx512};
	bool have[] = {true, __builtin_cpu_supports("avx2") != 0,
	               __builtin_cpu_supports("avx512dq") != 0};
	static double y[JUDGE_CHUNK], z[JUDGE_CHUNK], rad[JUDGE_CHUNK], S[JUDGE_CHUNK];
	static struct scan_out out[3];
	struct scan_in in = {y, z, rad, S, JUDGE_CHUNK, 8, 0x1p-24, 11, 0x1p-14};

	(void)state;
	for (uint64_t i = 0; i < JUDGE_CHUNK; i++) {
		double tol;
		uint64_t b;

		draw(DT_F16, i, &z[i], &tol, &b);
		y[i] = dtype_decode(DT_F16, b);
		S[i] = tol * 0x1p24;
		rad[i] = i % 3 ? 0 : fabs(z[i]) * 0x1p-45;
	}
	for (int s = 0; s < 3; s++) {
		if (!have[s])
			continue;
		loops[s]->scan(&in, &out[s]);
		assert_memory_equal(out[s].pass, out[0].pass, sizeof out[s].pass);
		for (int i = 0; i < JUDGE_CHUNK; i++)
			assert_true(out[s].r[i] == out[0].r[i] ||
			            (isnan(out[s].r[i]) && isnan(out[0].r[i])));
		assert_memory_equal(&out[s].r_max, &out[0].r_max,
		                    sizeof out[s] - offsetof(struct scan_out, r_max));
	}
	assert_true(out[0].passed > JUDGE_CHUNK / 4 && out[0].passed < JUDGE_CHUNK);
}

/* ---- escalation, on a real operator ---- */

/* Softmax of small rows: the enclosure is made wider by hand, up to 2^-20 relative, so that
 * verdicts are open and MPFR must decide; they must be those of the narrow enclosure. */
static void decides_by_mpfr_what_the_enclosure_leaves_open(void **state)
{
	enum { R = 40, C = 25, N = R * C };
	const struct op *op = op_builtin("softmax");
	struct op_binding b = {.types = {DT_F32}, .dims = {R, C}, .present = {true, true}};
	struct numerics num = numerics_default();
	struct envelope env = envelope_provisional(8);
	struct op_inst *inst;
	struct oracle *o;
	struct judgement narrow, wide;
	struct err e = {0};
	float x[N], y[N];
	struct tensor tx, ty;
	const struct tensor *in[1] = {&tx}, *out[1] = {&ty};
	int64_t before;

	(void)state;
	assert_non_null(op);
	check_ok(op_bind(op, &b, &inst, &e), &e);
	tx = op_inst_tensor(inst, 0);
	ty = op_inst_tensor(inst, 1);
	tx.data = (uint8_t *)x;
	ty.data = (uint8_t *)y;
	tx.bytes = ty.bytes = sizeof x;
	for (int i = 0; i < N; i++)
		x[i] = (float)(rand_unit(3, 1, i) * 8 - 4);
	check_ok(oracle_eval(inst, in, NULL, &num, env.T, ORACLE_SCALE, &o, &e), &e);
	for (int i = 0; i < N; i++) { /* errors around the tolerance */
		double tol = env.T * 0x1p-24 * o->out[0].S[i];

		y[i] = (float)(o->out[0].z[i] + (rand_unit(3, 2, i) * 2.4 - 1.2) * tol);
	}
	check_ok(oracle_judge(o, in, out, &env, &narrow, &e), &e);
	before = o->mpfr_elements;
	for (int i = 0; i < N; i++)
		o->out[0].rad[i] = o->out[0].z[i] * (i % 2 ? 0x1p-20 : 0x1p-30);
	check_ok(oracle_judge(o, in, out, &env, &wide, &e), &e);
	print_message("%" PRId64 " of %d elements were decided by MPFR, %" PRId64 " wrong\n",
	              o->mpfr_elements - before, N, wide.failed);
	assert_true(o->mpfr_elements - before > N / 20);
	assert_true(narrow.failed == wide.failed && narrow.failed > N / 20 &&
	            narrow.failed < N / 2);
	assert_true(narrow.r_max == wide.r_max && narrow.r_max_element == wide.r_max_element);
	assert_int_equal(narrow.nshown, wide.nshown);
	for (int i = 0; i < narrow.nshown; i++) {
		const struct judged *a = &narrow.shown[i], *w = &wide.shown[i];

		assert_true(a->element == w->element && a->want == w->want &&
		            a->exact == w->exact && a->r == w->r && a->lo == w->lo &&
		            a->hi == w->hi);
	}
	oracle_free(o);
	op_inst_free(inst);
}

/* Sums of f64, for which an enclosure in double tells neither verdict nor r: the sum here is MPFR's, exact. */
static void of_f64_outputs_the_largest_scaled_error_is_found(void **state)
{
	enum { R = 40, C = 60 };
	const struct op *op = op_builtin("sum");
	struct op_binding b = {.types = {DT_F64}, .dims = {R, C}, .present = {true, true}};
	struct numerics num = {.acc = DT_F64};
	struct envelope env = {.T = 1e6, .name = "wide"}, tight = {.T = 2, .name = "tight"};
	struct op_inst *inst;
	struct oracle *o;
	struct judgement j;
	struct err e = {0};
	double x[R * C], y[R], largest = 0;
	int64_t failed = 0;
	struct tensor tx, ty;
	const struct tensor *in[1] = {&tx}, *out[1] = {&ty};
	mpfr_t sum, d;

	(void)state;
	mpfr_inits2(2200, sum, d, (mpfr_ptr)0);
	check_ok(op_bind(op, &b, &inst, &e), &e);
	tx = op_inst_tensor(inst, 0);
	ty = op_inst_tensor(inst, 1);
	tx.data = (uint8_t *)x;
	tx.bytes = sizeof x;
	ty.data = (uint8_t *)y;
	ty.bytes = sizeof y;
	for (int i = 0; i < R * C; i++)
		x[i] = rand_unit(5, 1, i) * 2 - 1;
	check_ok(oracle_eval(inst, in, NULL, &num, env.T, ORACLE_SCALE, &o, &e), &e);
	for (int r = 0; r < R; r++) {
		double us = o->out[0].S[r] * 0x1p-53, z, off;

		mpfr_set_zero(sum, 1);
		for (int c = 0; c < C; c++)
			mpfr_add_d(sum, sum, x[r * C + c], MPFR_RNDN);
		z = mpfr_get_d(sum, MPFR_RNDN);
		y[r] = z + (rand_unit(5, 2, r) * 6 - 3) * us;
		mpfr_sub_d(d, sum, y[r], MPFR_RNDN);
		mpfr_abs(d, d, MPFR_RNDN);
		/* the reals that round to y reach half its ulp to either side; a power of two is none of these */
		mpfr_sub_d(d, d, dtype_ulp(DT_F64, y[r]) / 2, MPFR_RNDN);
		off = fmax(mpfr_get_d(d, MPFR_RNDN), 0) / us;
		largest = fmax(largest, off);
		failed += off > tight.T;
	}
	check_ok(oracle_judge(o, in, out, &env, &j, &e), &e);
	assert_int_equal(j.failed, 0);
	check_true(j.r_max >= largest * (1 - 1e-9) && j.r_max <= largest * 1.011, "r is %g, not %g", j.r_max, largest);
	check_ok(oracle_judge(o, in, out, &tight, &j, &e), &e);
	assert_true(failed > 0 && failed < R);
	assert_int_equal(j.failed, failed);
	mpfr_clears(sum, d, (mpfr_ptr)0);
	oracle_free(o);
	op_inst_free(inst);
}

/* q = cast(i8, rne, sat, 2*x) at T = 0: the codes are those of IEEE 754's convertToInteger to
 * nearest even, but saturating, NaN giving 0 as cvt.rni does; any other code is wrong. */
static void a_cast_to_the_outputs_own_type_is_judged(void **state)
{
	static const char text[] = "op t ; dim N in 1.. ; in x: f32[N] ; out q: i8[N]\n"
	                           "q[i] = cast(i8, rne, sat, 2*x[i])\n"
	                           "contract acc f32, nan propagate";
	static const struct {
		float x;
		int8_t code;
	} rows[] = {{0, 0},          {0.25f, 0},        {0.75f, 2}, {-0.75f, -2},    {1.25f, 2},
	            {0.26f, 1},      {63.75f, 127},     {64, 127},  {-64.25f, -128}, {-1e9f, -128},
	            {INFINITY, 127}, {-INFINITY, -128}, {NAN, 0},   {3e38f, 127}};
	struct envelope env = {.T = 0, .name = "exact"};
	struct numerics num = numerics_default();
	struct op_binding b = {.dims = {1}, .present = {true, true}};
	struct err e = {0};
	struct op *op;
	struct op_inst *inst;
	struct oracle *o;
	struct judgement j;
	struct tensor x, q;
	const struct tensor *in[1] = {&x}, *out[1] = {&q};

	(void)state;
	check_ok(op_parse(text, strlen(text), "t", &op, &e), &e);
	check_ok(op_bind(op, &b, &inst, &e), &e);
	x = op_inst_tensor(inst, 0);
	q = op_inst_tensor(inst, 1);
	x.bytes = 4;
	q.bytes = 1;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		x.data = (uint8_t *)&rows[i].x;
		check_ok(oracle_eval(inst, in, NULL, &num, 8, 0, &o, &e), &e);
		o->out[0].S = mem_zalloc(1, sizeof(double));
		for (int code = -128; code < 128; code++) {
			int8_t got = (int8_t)code;

			q.data = (uint8_t *)&got;
			check_ok(oracle_judge(o, in, out, &env, &j, &e), &e);
			check_true(j.verdict == (code == rows[i].code ? V_PASS : V_FAIL),
			           "x = %g, code %d: %s", rows[i].x, code, verdict_name(j.verdict));
		}
		oracle_free(o);
	}
	op_inst_free(inst);
	op_free(op);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(follows_the_rule_for_every_type),
	        cmocka_unit_test(counts_the_same_in_whole_tensors_and_views),
	        cmocka_unit_test(measures_the_scaled_error_beyond_the_rounding),
	        cmocka_unit_test(rounds_r_up_to_three_digits),
	        cmocka_unit_test(compares_classes_and_signs_both_ways),
	        cmocka_unit_test(overflow_to_infinity_follows_the_rounding),
	        cmocka_unit_test(integers_are_cells_of_one_unit_and_saturate),
	        cmocka_unit_test(counts_what_cannot_be_judged),
	        cmocka_unit_test(counts_elements_without_power),
	        cmocka_unit_test(judges_the_misrounding_ratio_of_16_bit_outputs),
	        cmocka_unit_test(values_that_crowd_at_rounding_boundaries_may_be_misrounded),
	        cmocka_unit_test(exact_contracts_compare_bits),
	        cmocka_unit_test(describes_the_first_wrong_elements),
	        cmocka_unit_test(refuses_an_output_of_another_size),
	        cmocka_unit_test(combines_verdicts_by_the_table),
	        cmocka_unit_test(scans_alike_on_every_instruction_set),
	        cmocka_unit_test(decides_by_mpfr_what_the_enclosure_leaves_open),
	        cmocka_unit_test(of_f64_outputs_the_largest_scaled_error_is_found),
	        cmocka_unit_test(a_cast_to_the_outputs_own_type_is_judged),
	};

	return check_main(tests);
}

/* test_math.c - the functions of CUDA's accuracy tables: exact values against published digits, what is promised, and the
 * emulator's results against both. */
#include "tests/check.h"

#include "calibrate/math.h"
#include "oracles/oracles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t function(const char *name)
{
	for (size_t i = 0; i < math_nfns; i++)
		if (strcmp(math_fns[i].name, name) == 0)
			return i;
	fail_msg("no function %s", name);
	return 0;
}

static uint32_t bits_of(float x)
{
	uint32_t u;

	memcpy(&u, &x, 4);
	return u;
}

/* Abramowitz and Stegun, tables 7.1, 7.4 (erfcx), 9.8, 26.1; DLMF 5.4, 7.17; values at numbers that f32 holds. */
static void exact_values_are_the_published_ones(void **state)
{
	static const struct {
		const char *name;
		float x;
		const char *value;
	} rows[] = {
		{"erff", 0.5f, "0.520499877813046537682746653892"},
		{"erfcf", 2, "0.00467773498104726583793074363275"},
		{"erfcxf", 1, "0.427583576155807004410750344491"},
		{"erfcxf", -1, "5.00898008076228346630982459821"},
		{"normcdff", 1, "0.841344746068542948585232545632"},
		{"normcdfinvf", 0.75f, "0.674489750196081743202227014541"},
		{"erfinvf", 0.5f, "0.476936276204469873381418353643"},
		{"erfinvf", -0.5f, "-0.476936276204469873381418353643"},
		{"erfcinvf", 0.5f, "0.476936276204469873381418353643"},
		{"erfcinvf", 1.5f, "-0.476936276204469873381418353643"},
		{"cyl_bessel_i0f", 1, "1.26606587775200833559824462521"},
		{"cyl_bessel_i1f", 1, "0.565159103992485027207696027609"},
		{"lgammaf", 0.5f, "0.572364942924700087071713675677"},
		{"tgammaf", 0.5f, "1.77245385090551602729816748334"},
		{"j0f", 1, "0.765197686557966551449717526103"},
		{"y1f", 1, "-0.781212821300288716547150000047"},
		{"rcbrtf", 8, "0.5"},
		{"sinpif", 0.25f, "0.707106781186547524400844362105"},
	};
	mpfr_t z, want;

	(void)state;
	mpfr_inits2(MATH_PREC, z, want, (mpfr_ptr)0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		math_exact(&math_fns[function(rows[i].name)], bits_of(rows[i].x), z);
		mpfr_set_str(want, rows[i].value, 10, MPFR_RNDN);
		mpfr_sub(want, want, z, MPFR_RNDN);
		check_true(mpfr_zero_p(want) || mpfr_get_exp(want) <= mpfr_get_exp(z) - 93, /* 28 digits */
		           "%s(%g) is %.20g", rows[i].name, (double)rows[i].x, mpfr_get_d(z, MPFR_RNDN));
	}
	mpfr_clears(z, want, (mpfr_ptr)0);
}

/* erfc(erfcinv(p)) = p, at all magnitudes. */
static void inverses_are_inverse(void **state)
{
	const size_t f = function("erfcinvf");
	mpfr_t y, p;

	(void)state;
	mpfr_inits2(MATH_PREC, y, p, (mpfr_ptr)0);
	for (uint32_t u = 1; u < 0x40000000; u += 0x00234567) { /* to 2 */
		math_exact(&math_fns[f], u, y);
		mpfr_erfc(p, y, MPFR_RNDN);
		mpfr_sub_d(p, p, dtype_decode(DT_F32, u), MPFR_RNDN);
		check_true(mpfr_zero_p(p) || mpfr_get_exp(p) < ilogb(dtype_decode(DT_F32, u)) - 200, "0x%08x", u);
	}
	mpfr_clears(y, p, (mpfr_ptr)0);
}

enum { POINTS = 64 };

/* An operator that is the function: the text of its double form. */
static void bind_operator(const struct math_fn *f, struct op **op, struct op_inst **inst)
{
	static const char *const bessel[] = {"j0(x)", "j1(x)", "y0(x)", "y1(x)"};
	struct op_binding b = {.dims = {POINTS}};
	const char *fn = f->f64, *prefix = "";
	struct err e = {0};
	char text[200];
	bool closed;

	if (strncmp(fn, "cyl_", 4) == 0) /* cyl_bessel_i0 */
		fn += 4;
	for (size_t i = 0; i < ARRAY_LEN(bessel); i++)
		if (strcmp(fn, bessel[i]) == 0)
			prefix = "bessel_";
	closed = fn[strlen(fn) - 1] == ')';
	snprintf(text, sizeof text, "op t doc \"-\"\ndim N in 0..\nin a: f32[N]\nout y: f32[N]\nlet x[i] = a[i]\n"
	         "y[i] = %s%.*sx[i]%s\n", prefix, (int)strlen(fn) - 1 - closed, fn, closed ? ")" : "");
	check_ok(op_parse(text, strlen(text), "t.op", op, &e), &e);
	check_ok(op_bind(*op, &b, inst, &e), &e);
}

/* Does the enclosure of status s hold z, which is right but for its last bits; inf: overflow of f32 at least. */
static bool agrees(enum el_status s, const mpfr_t lo, const mpfr_t hi, const mpfr_t z)
{
	mpfr_t t;
	bool ok;

	if (mpfr_nan_p(z))
		return s == EL_NAN;
	if (mpfr_inf_p(z) && s != EL_FINITE)
		return s == (mpfr_sgn(z) > 0 ? EL_POS_INF : EL_NEG_INF);
	if (mpfr_inf_p(z))
		return mpfr_sgn(z) > 0 ? mpfr_cmp_d(lo, 0x1p128) > 0 : mpfr_cmp_d(hi, -0x1p128) < 0;
	if (s != EL_FINITE || mpfr_zero_p(z)) /* 0: exactly, or below MPFR's range */
		return s == EL_FINITE && mpfr_sgn(lo) <= 0 && mpfr_sgn(hi) >= 0 && mpfr_cmp_d(hi, 0x1p-1000) < 0 &&
		       mpfr_cmp_d(lo, -0x1p-1000) > 0;
	mpfr_init2(t, MATH_PREC);
	mpfr_sub(t, hi, z, MPFR_RNDD);
	ok = mpfr_sgn(t) >= 0 || mpfr_get_exp(t) < mpfr_get_exp(z) - 240;
	mpfr_sub(t, z, lo, MPFR_RNDD);
	ok &= mpfr_sgn(t) >= 0 || mpfr_get_exp(t) < mpfr_get_exp(z) - 240;
	mpfr_sub(t, hi, lo, MPFR_RNDU);
	ok &= mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(z) - 180;
	mpfr_clear(t);
	return ok;
}

static void check_operator(const struct math_fn *f)
{
	uint32_t bits[POINTS];
	struct tensor a = {.dt = DT_F32, .rank = 1, .dim = {POINTS}, .data = (uint8_t *)bits, .bytes = sizeof bits};
	const struct tensor *in[] = {&a};
	struct op_inst *inst;
	struct op *op;
	mpfr_t lo, hi, z;

	tensor_set_contiguous(&a);
	bind_operator(f, &op, &inst);
	mpfr_init2(z, MATH_PREC);
	mpfr_inits2(200, lo, hi, (mpfr_ptr)0);
	for (int i = 0; i < POINTS; i++) { /* half of them between 2^-15 and 2^17, some negative */
		bits[i] = (uint32_t)math_mix((uint64_t)i);
		if (i % 2)
			bits[i] = (bits[i] & 0x87ffffff) | (bits[i] >> 27 & 1 ? 0x38000000 : 0x40000000);
	}
	for (int i = 0; i < POINTS; i++) {
		enum el_status s;
		struct err e = {0};

		math_exact(f, bits[i], z);
		check_ok(oracle_exact(inst, in, 0, i, 200, lo, hi, &s, &e), &e);
		check_true(agrees(s, lo, hi, z), "%s(%a) is %.17g, the operator language says %.17g (status %d)", f->name,
		           dtype_decode(DT_F32, bits[i]), mpfr_get_d(z, MPFR_RNDN), mpfr_get_d(lo, MPFR_RNDN), (int)s);
	}
	mpfr_clears(lo, hi, z, (mpfr_ptr)0);
	op_inst_free(inst);
	op_free(op);
}

/* Two programs: one rounds to nearest with bits to spare, the other encloses. */
static void the_operator_language_has_every_function_with_the_same_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < math_nfns; i++)
		if (math_fns[i].f64)
			check_operator(&math_fns[i]);
}

static void ulps_are_mullers(void **state)
{
	static const struct {
		enum dtype dt;
		uint32_t y;
		const char *z;
		double ulps;
	} rows[] = {
		{DT_F32, 0x3f800000, "1", 0},
		{DT_F32, 0x3f800001, "1", 1},
		{DT_F32, 0x3f7fffff, "1", 0.5},              /* the number below a power of two is half an ulp away */
		{DT_F32, 0x00000001, "0", 1},                /* the smallest subnormal */
		{DT_F32, 0x7f800000, "0x1.fffffep127", 1},   /* infinity stands for 2^128 */
		{DT_F32, 0x7f7fffff, "0x1p200", 1},
		{DT_F32, 0x7f800000, "0x1p200", 0},
		{DT_F16, 0x3c01, "1", 1},
		{DT_F16, 0x7c00, "65504", 1},
		{DT_BF16, 0x3f81, "1", 1},
		{DT_F32, 0x7fffffff, "1", INFINITY},
	};
	mpfr_t z;

	(void)state;
	mpfr_init2(z, MATH_PREC);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double got;

		mpfr_set_str(z, rows[i].z, 0, MPFR_RNDN);
		got = math_ulps(rows[i].dt, rows[i].y, z);
		check_true(got == rows[i].ulps, "row %zu: %g", i, got);
	}
	mpfr_set_nan(z);
	check_true(math_ulps(DT_F32, 0x7fffffff, z) == 0, "NaN for NaN");
	mpfr_clear(z);
}

/* 2^-21.41, and the ulps that grow with x. */
static void promises_hold_where_they_say(void **state)
{
	const struct math_fn *log = &math_fns[function("__logf")], *ex = &math_fns[function("__expf")];
	bool ulps;

	(void)state;
	check_true(fabs(math_allowed(log, 1.5, 0.4, &ulps) / pow(2, -21.41) - 1) < 1e-12 && !ulps, "__logf(1.5)");
	check_true(math_allowed(log, 3, 1.0986, &ulps) == 3.5 * 0x1p-23 && ulps, "__logf(3)");
	check_true(math_allowed(ex, -10, 4.54e-5, &ulps) == 13.5 * 0x1p-38 && ulps, "__expf(-10)");
	check_true(isinf(math_allowed(&math_fns[function("__sinf")], 4, -0.75, &ulps)), "__sinf(4)");
	check_true(isinf(math_allowed(&math_fns[function("lgammaf")], -3.5, -1.3, &ulps)), "lgammaf(-3.5)");
}

/* An H200's worst inputs and sampled chunks, in the emulator. */
static void the_emulator_has_an_h200s_results(void **state)
{
	const struct math_options o = {.jobs = 1, .quiet = true};
	struct device *d = NULL;
	struct buf text = {0};
	struct err e = {0};
	cJSON *record = NULL;
	size_t compared, different;

	(void)state;
	check_ok(math_shipped_record(&record, &e), &e);
	check_ok(device_open("emu", &d, &e), &e);
	check_ok(math_hold(d, record, &o, &text, &compared, &different, &e), &e);
	check_true(different == 0 && compared == math_nfns, "%zu of %zu differ:\n%s", different, compared,
	           text.s ? text.s : "");
	buf_free(&text);
	cJSON_Delete(record);
	device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_values_are_the_published_ones),
		cmocka_unit_test(inverses_are_inverse),
		cmocka_unit_test(the_operator_language_has_every_function_with_the_same_values),
		cmocka_unit_test(ulps_are_mullers),
		cmocka_unit_test(promises_hold_where_they_say),
		cmocka_unit_test(the_emulator_has_an_h200s_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

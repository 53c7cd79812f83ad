/* test_dtype.c - element types against the definitions of the formats (IEEE 754-2019 §3.4, OCP
 * "8-bit Floating Point Specification" 1.0) and against MPFR's roundings at the type's precision.
 */
#include "tests/check.h"

#include <float.h>
#include <mpfr.h>

static const enum dtype floats[] = {DT_F64, DT_F32, DT_TF32, DT_F16, DT_BF16, DT_E4M3, DT_E5M2};
static const enum dtype narrow[] = {DT_F32, DT_TF32, DT_F16, DT_BF16, DT_E4M3, DT_E5M2};
static const enum rnd rnds[] = {RND_NE, RND_NA, RND_Z, RND_U, RND_D};
static const char *const rnd_name[] = {"NE", "NA", "Z", "U", "D"};

/* ---- the formats, written down again ---- */

static const struct format {
	int width, exp_bits, frac_bits, low; /* bits; low: unused ones at the bottom */
} formats[DT_COUNT] = {
	[DT_F64] = {64, 11, 52, 0}, [DT_F32] = {32, 8, 23, 0}, [DT_TF32] = {32, 8, 10, 13},
	[DT_F16] = {16, 5, 10, 0},  [DT_BF16] = {16, 8, 7, 0}, [DT_E4M3] = {8, 4, 3, 0},
	[DT_E5M2] = {8, 5, 2, 0},
};

static int bias(enum dtype t)
{
	return (1 << (formats[t].exp_bits - 1)) - 1;
}

/* Value of an encoding by the formula of the standard. */
static double value_of(enum dtype t, uint64_t bits)
{
	const struct format *f = &formats[t];
	uint64_t frac = bits >> f->low & ((1ull << f->frac_bits) - 1);
	int field = (int)(bits >> (f->low + f->frac_bits) & ((1ull << f->exp_bits) - 1));
	double sign = bits >> (f->width - 1) & 1 ? -1 : 1;
	double part = ldexp((double)frac, -f->frac_bits);

	if (t == DT_E4M3 ? field == 15 && frac == 7 : field == (1 << f->exp_bits) - 1 && frac != 0)
		return NAN;
	if (t != DT_E4M3 && field == (1 << f->exp_bits) - 1)
		return sign * INFINITY;
	if (field == 0)
		return sign * ldexp(part, 1 - bias(t));
	return sign * ldexp(1 + part, field - bias(t));
}

/* Encoding of a value that the type has, by the same formula. */
static uint64_t encoding_of(enum dtype t, double x)
{
	const struct format *f = &formats[t];
	uint64_t sign = signbit(x) ? 1ull << (f->width - 1) : 0;
	double a = fabs(x), least = ldexp(1, 1 - bias(t));
	int e, field = 0;

	if (isinf(x))
		return sign | ((1ull << f->exp_bits) - 1) << (f->frac_bits + f->low);
	if (a >= least) {
		frexp(a, &e);
		field = e - 1 + bias(t);
		a = ldexp(a, 1 - e) - 1;
	} else {
		a /= least;
	}
	a = ldexp(a, f->frac_bits);
	assert_true(a == trunc(a));
	return sign | ((uint64_t)field << f->frac_bits | (uint64_t)a) << f->low;
}

static uint64_t nan_of(enum dtype t)
{
	static const uint64_t nans[DT_COUNT] = {
		[DT_F64] = 0x7fffffffffffffff,
		[DT_F32] = 0x7fffffff,
		[DT_TF32] = 0x7fffe000,
		[DT_F16] = 0x7fff,
		[DT_BF16] = 0x7fff,
		[DT_E4M3] = 0x7f,
		[DT_E5M2] = 0x7f,
	};

	return nans[t];
}

/* ---- the reference: MPFR at the type's precision and exponent range ---- */

/* Largest exponent (of 1.m × 2^e); e4m3 has 448 = 1.75 × 2^8 and uses the code of 480 for NaN. */
static int top_exponent(enum dtype t)
{
	return t == DT_E4M3 ? 8 : bias(t);
}

static double largest(enum dtype t)
{
	return t == DT_E4M3 ? 448 : ldexp(2 - ldexp(1, -formats[t].frac_bits), bias(t));
}

/* x rounded to the type by MPFR, as if it had no largest value but for the exponent range; infinity
 * beyond it. */
static double mpfr_rounded(enum dtype t, double x, mpfr_rnd_t r)
{
	static mpfr_t y;
	static bool ready;
	mpfr_exp_t lo = mpfr_get_emin(), hi = mpfr_get_emax();
	double v;
	int ternary;

	if (!ready)
		mpfr_init2(y, 53);
	ready = true;
	mpfr_set_prec(y, formats[t].frac_bits + 1);
	mpfr_set_emin(2 - bias(t) - formats[t].frac_bits); /* MPFR's numbers are 0.1m × 2^e */
	mpfr_set_emax(top_exponent(t) + 1);
	ternary = mpfr_set_d(y, x, r);
	ternary = mpfr_check_range(y, ternary, r);
	mpfr_subnormalize(y, ternary, r);
	v = mpfr_get_d(y, MPFR_RNDN);
	mpfr_set_emin(lo);
	mpfr_set_emax(hi);
	return v;
}

/* To nearest, ties away: MPFR has no such mode with subnormals; take the neighbours on both sides
 * and compare with their middle, which 200 bits hold. */
static double mpfr_nearest_away(enum dtype t, double x)
{
	double in = mpfr_rounded(t, x, MPFR_RNDZ), out = mpfr_rounded(t, x, MPFR_RNDA);
	double far = isinf(out) ? copysign(ldexp(1, top_exponent(t) + 1), x) : out;
	mpfr_t middle;
	int c;

	mpfr_init2(middle, 200);
	mpfr_set_d(middle, in, MPFR_RNDN);
	mpfr_add_d(middle, middle, far, MPFR_RNDN);
	mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
	c = mpfr_cmp_d(middle, x);
	mpfr_clear(middle);
	return c == 0 || (c < 0) == (x > 0) ? out : in;
}

static uint64_t expected(enum dtype t, double x, enum rnd r, bool sat)
{
	static const mpfr_rnd_t mode[] = {[RND_NE] = MPFR_RNDN,
	                                  [RND_Z] = MPFR_RNDZ,
	                                  [RND_U] = MPFR_RNDU,
	                                  [RND_D] = MPFR_RNDD};
	bool inward = r == RND_Z || r == (x > 0 ? RND_D : RND_U);
	double y;

	if (isnan(x))
		return nan_of(t);
	y = isinf(x) ? x : r == RND_NA ? mpfr_nearest_away(t, x) : mpfr_rounded(t, x, mode[r]);
	if (fabs(y) <= largest(t))
		return encoding_of(t, y);
	if (sat || (inward && !isinf(x)))
		return encoding_of(t, copysign(largest(t), x));
	return t == DT_E4M3 ? nan_of(t) | (x < 0 ? 0x80 : 0)
	                    : encoding_of(t, copysign(INFINITY, x));
}

static void check_encode(enum dtype t, double x)
{
	for (size_t k = 0; k < ARRAY_LEN(rnds); k++)
		for (int sat = 0; sat < 2; sat++) {
			uint64_t got = dtype_encode(t, x, rnds[k], sat);
			uint64_t want = expected(t, x, rnds[k], sat);

			check_true(got == want, "%s(%a) %s%s: got 0x%" PRIx64 ", want 0x%" PRIx64,
			           dtype_name(t), x, rnd_name[k], sat ? " satfinite" : "", got,
			           want);
		}
}

/* x, its two neighbours among doubles, and all of them negative. */
static void check_round(enum dtype t, double x)
{
	const double v[] = {x, nextafter(x, -INFINITY), nextafter(x, INFINITY)};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		check_encode(t, v[i]);
		check_encode(t, -v[i]);
	}
}

/* ---- tests ---- */

static void published_values_of_the_formats(void **state)
{
	static const struct row {
		enum dtype t;
		uint64_t bits;
		double value;
	} rows[] = {
		{DT_F16, 0x7bff, 65504},
		{DT_F16, 0x0400, 0x1p-14},
		{DT_F16, 0x0001, 0x1p-24},
		{DT_F16, 0x3555, 0x1.554p-2},
		{DT_BF16, 0x7f7f, 0x1.fep127},
		{DT_BF16, 0x0001, 0x1p-133},
		{DT_BF16, 0x4049, 3.140625},
		{DT_E4M3, 0x7e, 448},
		{DT_E4M3, 0x08, 0x1p-6},
		{DT_E4M3, 0x07, 0x1.cp-7},
		{DT_E4M3, 0x01, 0x1p-9},
		{DT_E5M2, 0x7b, 57344},
		{DT_E5M2, 0x04, 0x1p-14},
		{DT_E5M2, 0x03, 0x1.8p-15},
		{DT_E5M2, 0x01, 0x1p-16},
		{DT_F32, 0x7f7fffff, 0x1.fffffep127},
		{DT_F32, 0x00000001, 0x1p-149},
		{DT_TF32, 0x3f802000, 0x1.004p0},
		{DT_TF32, 0x7f7fe000, 0x1.ffcp127},
		{DT_F64, 0x3ff8000000000000, 1.5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_true(dtype_decode(rows[i].t, rows[i].bits) == rows[i].value, "%s 0x%" PRIx64,
		           dtype_name(rows[i].t), rows[i].bits);
		check_bits(dtype_encode(rows[i].t, rows[i].value, RND_NE, false), rows[i].bits,
		           dtype_name(rows[i].t));
	}
	assert_true(dtype_max(DT_E4M3) == 448 && dtype_max(DT_F16) == 65504);
	assert_true(dtype_max(DT_I32) == 2147483647 && dtype_max(DT_BF16) == 0x1.fep127);
	assert_true(dtype_u(DT_F16) == 0x1p-11 && dtype_u(DT_E5M2) == 0x1p-3);
}

static void names_read_back(void **state)
{
	enum dtype t;

	(void)state;
	for (int i = 0; i < DT_COUNT; i++)
		assert_true(dtype_parse(dtype_name((enum dtype)i), &t) && t == (enum dtype)i);
	assert_false(dtype_parse("float", &t));
	assert_false(dtype_parse("", &t));
	assert_false(dtype_parse("F32", &t));
}

static bool same_value(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void every_8_and_16_bit_float_decodes_and_comes_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(floats); i++) {
		enum dtype t = floats[i];

		for (uint64_t b = 0; formats[t].width <= 16 && b >> formats[t].width == 0; b++) {
			double x = dtype_decode(t, b);

			check_true(same_value(x, value_of(t, b)), "%s 0x%" PRIx64, dtype_name(t),
			           b);
			for (size_t k = 0; k < ARRAY_LEN(rnds); k++)
				check_bits(dtype_encode(t, x, rnds[k], isfinite(x)),
				           isnan(x) ? nan_of(t) : b, dtype_name(t));
		}
	}
}

static void wide_floats_decode_and_come_back(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 300000; i++) {
		uint64_t r = rand_u64(1, 1, i);
		const enum dtype ts[] = {DT_F32, DT_TF32, DT_F64};

		for (size_t k = 0; k < ARRAY_LEN(ts); k++) {
			enum dtype t = ts[k];
			uint64_t b = t == DT_F64   ? r
			             : t == DT_F32 ? (uint32_t)r
			                           : (uint32_t)r >> 13 << 13;
			double x = dtype_decode(t, b);

			check_true(same_value(x, value_of(t, b)), "%s 0x%" PRIx64, dtype_name(t),
			           b);
			check_bits(dtype_encode(t, x, rnds[i % 5], false), isnan(x) ? nan_of(t) : b,
			           dtype_name(t));
		}
	}
	assert_true(dtype_decode(DT_TF32, 0x3f801fff) == 1); /* the low 13 bits are not looked at */
	assert_true(isinf(dtype_decode(DT_TF32, 0x7f800001)));
}

/* All middles between neighbours, all values, and the doubles next to them. */
static void check_all_pairs(enum dtype t)
{
	for (uint64_t b = 0;; b++) {
		double x = value_of(t, b), y = value_of(t, b + 1);

		if (x == largest(t))
			break;
		check_round(t, x);
		check_round(t, (x + y) / 2);
	}
}

static void e4m3_rounds_as_mpfr_at_every_tie(void **state)
{
	(void)state;
	check_all_pairs(DT_E4M3);
}

static void e5m2_rounds_as_mpfr_at_every_tie(void **state)
{
	(void)state;
	check_all_pairs(DT_E5M2);
}

static void f16_rounds_as_mpfr_at_every_tie(void **state)
{
	(void)state;
	check_all_pairs(DT_F16);
}

static void bf16_rounds_as_mpfr_at_every_tie(void **state)
{
	(void)state;
	check_all_pairs(DT_BF16);
}

/* Exponents × fractions with runs of ones and zeros at both ends, and random ones. */
static void check_wide_ties(enum dtype t)
{
	const struct format *f = &formats[t];
	uint64_t top = (1ull << f->exp_bits) - 1, n = 0;

	for (uint64_t field = 0; field < top; field++)
		for (int k = 0; k < 2 * f->frac_bits + 4; k++) {
			uint64_t ones = (1ull << f->frac_bits) - 1, frac, b;
			double x, y;

			frac = k <= f->frac_bits       ? ones >> k
			       : k <= 2 * f->frac_bits ? ones << (k - f->frac_bits) & ones
			                               : rand_u64(7, 1, n++) & ones;
			b = (field << f->frac_bits | frac) << f->low;
			x = value_of(t, b);
			y = value_of(t, b + (1ull << f->low));
			check_round(t, x);
			if (isfinite(y))
				check_round(t, (x + y) / 2);
		}
}

static void f32_rounds_as_mpfr_at_ties_of_every_exponent(void **state)
{
	(void)state;
	check_wide_ties(DT_F32);
}

static void tf32_rounds_as_mpfr_at_ties_of_every_exponent(void **state)
{
	(void)state;
	check_wide_ties(DT_TF32);
}

static void edges_of_range_round_as_mpfr(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(narrow); i++) {
		enum dtype t = narrow[i];
		double max = largest(t), unit = ldexp(1, top_exponent(t) - formats[t].frac_bits);
		double least = ldexp(1, 1 - bias(t) - formats[t].frac_bits);
		const double v[] = {
		        0,
		        0x1p-1074,
		        0x1p-1022,
		        least / 4,
		        least / 2,
		        least * 0.75,
		        least,
		        max,
		        max + unit / 4,
		        max + unit / 2,
		        max + unit * 0.75,
		        max + unit,
		        max + unit * 1.5,
		        2 * max,
		        4 * max,
		        1e300,
		        DBL_MAX,
		        INFINITY,
		};

		for (size_t k = 0; k < ARRAY_LEN(v); k++)
			check_round(t, v[k]);
		check_encode(t, NAN);
		check_encode(t, -NAN);
	}
}

static void random_doubles_round_as_mpfr(void **state)
{
	uint64_t n = check_exhaustive() ? 20000000 : 30000;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(narrow); i++)
		for (uint64_t k = 0; k < n; k++) {
			enum dtype t = narrow[i];
			int span = top_exponent(t) + bias(t) + formats[t].frac_bits + 6;
			int e = (int)rand_below(3, i, 2 * k, (uint64_t)span) + 2 - bias(t) -
			        formats[t].frac_bits - 4;

			check_encode(t,
			             ldexp(1 + rand_unit(3, i, 2 * k + 1), e) * (k & 1 ? -1 : 1));
		}
}

/* Every f32 to every narrower type, to nearest: hours, so only on demand. */
static void every_f32_rounds_as_mpfr(void **state)
{
	(void)state;
	if (!check_exhaustive())
		check_skip("takes hours: make check-exhaustive");
	for (uint64_t b = 0; b >> 32 == 0; b++)
		for (size_t i = 1; i < ARRAY_LEN(narrow); i++) {
			double x = value_of(DT_F32, b);

			check_bits(dtype_encode(narrow[i], x, RND_NE, false),
			           expected(narrow[i], x, RND_NE, false), dtype_name(narrow[i]));
		}
}

static void f64_keeps_values_and_saturates_on_demand(void **state)
{
	(void)state;
	check_bits(dtype_encode(DT_F64, -0.1, RND_U, true), 0xbfb999999999999a, "-0.1");
	check_bits(dtype_encode(DT_F64, INFINITY, RND_Z, false), 0x7ff0000000000000, "inf");
	check_bits(dtype_encode(DT_F64, -INFINITY, RND_NE, true), 0xffefffffffffffff, "-max");
	check_bits(dtype_encode(DT_F64, -NAN, RND_NE, true), 0x7fffffffffffffff, "nan");
}

/* ---- integers ---- */

static const struct limits {
	enum dtype t;
	int bits;
	bool is_signed;
} ints[] = {
	{DT_I8, 8, true},    {DT_U8, 8, false},   {DT_I16, 16, true},
	{DT_U16, 16, false}, {DT_I32, 32, true},  {DT_U32, 32, false},
	{DT_I64, 64, true},  {DT_U64, 64, false}, {DT_BOOL, 1, false},
};

/* Rounds by MPFR, saturates by GMP, takes the two's complement. */
static uint64_t expected_integer(const struct limits *l, double x, enum rnd r)
{
	mpz_t z, lo, hi;
	mpfr_t v;
	uint64_t bits;

	if (isnan(x))
		return 0;
	mpz_inits(z, lo, hi, NULL);
	mpfr_init2(v, 53);
	mpz_setbit(hi, (mp_bitcnt_t)(l->bits - l->is_signed));
	if (l->is_signed)
		mpz_neg(lo, hi);
	mpz_sub_ui(hi, hi, 1);
	mpfr_set_d(v, x, MPFR_RNDN);
	(r == RND_NE   ? mpfr_roundeven
	 : r == RND_NA ? mpfr_round
	 : r == RND_Z  ? mpfr_trunc
	 : r == RND_U  ? mpfr_ceil
	               : mpfr_floor)(v, v);
	if (mpfr_cmp_z(v, lo) < 0)
		mpz_set(z, lo);
	else if (mpfr_cmp_z(v, hi) > 0)
		mpz_set(z, hi);
	else
		mpfr_get_z(z, v, MPFR_RNDN);
	mpz_fdiv_r_2exp(z, z, (mp_bitcnt_t)(l->t == DT_BOOL ? 8 : l->bits));
	bits = mpz_get_ui(z);
	mpz_clears(z, lo, hi, NULL);
	mpfr_clear(v);
	return bits;
}

static void check_integer(const struct limits *l, double x)
{
	for (size_t k = 0; k < ARRAY_LEN(rnds); k++) {
		uint64_t got = dtype_encode(l->t, x, rnds[k], k & 1);
		uint64_t want = isinf(x) ? expected_integer(l, copysign(1e300, x), rnds[k])
		                         : expected_integer(l, x, rnds[k]);

		check_true(got == want, "%s(%a) %s: got 0x%" PRIx64 ", want 0x%" PRIx64,
		           dtype_name(l->t), x, rnd_name[k], got, want);
	}
}

static void integers_round_and_saturate_as_gmp(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ints); i++) {
		for (int e = -2; e <= 66; e++)
			for (double d = -3; d <= 3; d += 0.25) {
				double x = ldexp(1, e) + d;
				const double v[] = {x, nextafter(x, 0), nextafter(x, INFINITY)};

				for (size_t k = 0; k < ARRAY_LEN(v); k++) {
					check_integer(&ints[i], v[k]);
					check_integer(&ints[i], -v[k]);
				}
			}
		check_integer(&ints[i], INFINITY);
		check_integer(&ints[i], -INFINITY);
		check_integer(&ints[i], NAN);
		check_integer(&ints[i], -0x1p-1074);
	}
}

static void integers_decode_and_keep_64_bits(void **state)
{
	uint8_t p[9];

	(void)state;
	for (int b = 0; b < 256; b++) {
		assert_true(dtype_decode(DT_U8, (uint64_t)b) == b);
		assert_true(dtype_decode(DT_I8, (uint64_t)b) == (b < 128 ? b : b - 256));
		assert_true(dtype_decode(DT_BOOL, (uint64_t)b) == (b != 0));
	}
	assert_true(dtype_decode(DT_I16, 0x8000) == -32768);
	assert_true(dtype_decode(DT_I32, 0xffffffff) == -1);
	assert_true(dtype_decode(DT_U32, 0xffffffff) == 4294967295.0);
	assert_true(dtype_decode(DT_I64, 0x8000000000000000) == -0x1p63);
	assert_true(dtype_decode(DT_U64, 0x8000000000000000) == 0x1p63);
	dtype_store(DT_I64, p + 1, 0x123456789abcdef1);
	check_bits(dtype_load(DT_I64, p + 1), 0x123456789abcdef1, "unaligned i64");
	assert_true(p[1] == 0xf1 && p[8] == 0x12);
	dtype_store(DT_I16, p, 0xfffffffffffffffe);
	check_bits(dtype_load(DT_I16, p), 0xfffe, "i16");
	dtype_store(DT_E4M3, p, 0x1ff);
	check_bits(dtype_load(DT_E4M3, p), 0xff, "e4m3");
}

/* ---- ulp ---- */

/* 2^max(e-p+1, emin-p+1) with MPFR's exponent. */
static double expected_ulp(enum dtype t, double z)
{
	int p = formats[t].frac_bits + 1, emin = 1 - bias(t);
	mpfr_t v;
	int e;

	mpfr_init2(v, 53);
	mpfr_set_d(v, z, MPFR_RNDN);
	e = mpfr_zero_p(v) ? emin : (int)mpfr_get_exp(v) - 1;
	mpfr_clear(v);
	return ldexp(1, (e > emin ? e : emin) - p + 1);
}

static void ulp_of_an_exact_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(floats); i++) {
		enum dtype t = floats[i];

		for (int e = -1074; e <= 1023; e++) {
			const double v[] = {ldexp(1, e), nextafter(ldexp(1, e), 0),
			                    nextafter(ldexp(1, e), INFINITY), -ldexp(1.5, e)};

			for (size_t k = 0; k < ARRAY_LEN(v); k++)
				check_true(dtype_ulp(t, v[k]) == expected_ulp(t, v[k]), "%s %a",
				           dtype_name(t), v[k]);
		}
		assert_true(dtype_ulp(t, 0) == value_of(t, 1ull << formats[t].low));
		assert_true(dtype_ulp(t, -0.0) == dtype_ulp(t, 0));
		assert_true(isnan(dtype_ulp(t, NAN)) && isinf(dtype_ulp(t, -INFINITY)));
	}
	assert_true(dtype_ulp(DT_I32, 1e9) == 1);
}

static void ulp_diff_counts_encodings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(floats); i++) {
		enum dtype t = floats[i];
		const struct format *f = &formats[t];
		uint64_t minus = 1ull << (f->width - 1), one = encoding_of(t, 1),
		         unit = 1ull << f->low;
		uint64_t max = encoding_of(t, largest(t));

		check_bits(dtype_ulp_diff(t, 0, minus), 0, "+0 and -0");
		check_bits(dtype_ulp_diff(t, unit, minus | unit), 2, "least and -least");
		check_bits(dtype_ulp_diff(t, one, one + 5 * unit), 5, "five up");
		check_bits(dtype_ulp_diff(t, one + 5 * unit, one), 5, "five down");
		check_bits(dtype_ulp_diff(t, minus | one, minus | (one - unit)), 1, "at -1");
		check_bits(dtype_ulp_diff(t, max, minus | max), 2 * (max >> f->low), "all");
		check_bits(dtype_ulp_diff(t, nan_of(t), one), UINT64_MAX, "one NaN");
		check_bits(dtype_ulp_diff(t, one, nan_of(t) | minus), UINT64_MAX, "one NaN");
		check_bits(dtype_ulp_diff(t, nan_of(t), nan_of(t) | minus), 0, "two NaN");
		if (t != DT_E4M3)
			check_bits(dtype_ulp_diff(t, max, encoding_of(t, INFINITY)), 1, "infinity");
	}
	check_bits(dtype_ulp_diff(DT_I8, 0x80, 0x7f), 255, "i8");
	check_bits(dtype_ulp_diff(DT_U8, 0, 255), 255, "u8");
	check_bits(dtype_ulp_diff(DT_I32, 0xffffffff, 1), 2, "i32");
	check_bits(dtype_ulp_diff(DT_I64, 1ull << 63, ~0ull >> 1), UINT64_MAX, "i64");
	check_bits(dtype_ulp_diff(DT_U64, 5, 3), 2, "u64");
	check_bits(dtype_ulp_diff(DT_BOOL, 1, 0), 1, "bool");
	check_bits(dtype_ulp_diff(DT_BOOL, 2, 1), 0, "bool");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_values_of_the_formats),
		cmocka_unit_test(names_read_back),
		cmocka_unit_test(every_8_and_16_bit_float_decodes_and_comes_back),
		cmocka_unit_test(wide_floats_decode_and_come_back),
		cmocka_unit_test(e4m3_rounds_as_mpfr_at_every_tie),
		cmocka_unit_test(e5m2_rounds_as_mpfr_at_every_tie),
		cmocka_unit_test(f16_rounds_as_mpfr_at_every_tie),
		cmocka_unit_test(bf16_rounds_as_mpfr_at_every_tie),
		cmocka_unit_test(f32_rounds_as_mpfr_at_ties_of_every_exponent),
		cmocka_unit_test(tf32_rounds_as_mpfr_at_ties_of_every_exponent),
		cmocka_unit_test(edges_of_range_round_as_mpfr),
		cmocka_unit_test(random_doubles_round_as_mpfr),
		cmocka_unit_test(every_f32_rounds_as_mpfr),
		cmocka_unit_test(f64_keeps_values_and_saturates_on_demand),
		cmocka_unit_test(integers_round_and_saturate_as_gmp),
		cmocka_unit_test(integers_decode_and_keep_64_bits),
		cmocka_unit_test(ulp_of_an_exact_value),
		cmocka_unit_test(ulp_diff_counts_encodings),
	};

	return check_main(tests);
}

/* test_num_cvt.c - conversions of a lane against MPFR and exact integers. */
#include "ptx/num.h"
#include "tests/ptx/num_ref.h"

enum { CASES = 60000 };

static mpfr_t big; /* holds any number of any format, and any 64-bit integer */

static uint64_t random_integer(unsigned i)
{
	uint64_t r = ref_random(), u = ref_random(), one = 1;
	switch (r % 6) {
	case 0:
		return u;
	case 1:
		return u >> (r >> 8) % 64;
	case 2:
		return (uint64_t)((int64_t)u >> (r >> 8) % 64);
	case 3:
		return (one << i % 64) + (r >> 8) % 5 - 2;
	case 4:
		return 0 - (one << i % 64) + (r >> 8) % 5 - 2;
	default: /* a tie of some precision, or its neighbour */
		return ((u | one << 63) >> (r >> 8) % 40 << (r >> 8) % 40) +
		       (one << (r >> 8) % 40 >> 1) + (r >> 32) % 3 - 1;
	}
}
static uint64_t extend(uint64_t v, int bits, bool is_signed)
{
	if (bits < 64)
		v &= (1ull << bits) - 1;
	if (is_signed && bits < 64 && (v >> (bits - 1)))
		v -= 1ull << bits;
	return v;
}
static void set_integer(mpfr_t x, uint64_t v, bool is_signed)
{
	if (is_signed)
		mpfr_set_sj(x, (intmax_t)v, MPFR_RNDN);
	else
		mpfr_set_uj(x, v, MPFR_RNDN);
}

static void integer_to_integer(void **state)
{
	static const int widths[] = {8, 16, 32, 64};
	(void)state;
	for (unsigned i = 0; i < CASES; i++)
		for (int k = 0; k < 64; k++) {
			int sb = widths[k & 3], db = widths[k >> 2 & 3];
			bool ss = k & 16, ds = k & 32;
			uint64_t v = random_integer(i), x = extend(v, sb, ss);
			__int128 exact = ss ? (__int128)(int64_t)x : (__int128)x, top, low, c;
			REF_CHECK(cvt_int(v, sb, ss, db, ds, false), extend(x, db, ds), "cvt %d %d",
			          sb, db);
			top = ((__int128)1 << (db - ds)) - 1;
			low = ds ? -top - 1 : 0;
			c = exact > top ? top : exact < low ? low : exact;
			REF_CHECK(cvt_int(v, sb, ss, db, ds, true), (uint64_t)c, "cvt.sat %d %d",
			          sb, db);
		}
}

static uint64_t rounded(mpfr_t x, enum rnd r, const struct ref_format *f)
{
	static mpfr_t d;
	static bool ready;
	if (!ready)
		mpfr_init2(d, 64), ready = true;
	mpfr_set_prec(d, f->p);
	return ref_finish(d, mpfr_set(d, x, ref_rnd(r)), r, false, f);
}
static void integer_to_float(void **state)
{
	static const int widths[] = {8, 16, 32, 64};
	(void)state;
	for (unsigned i = 0; i < CASES; i++)
		for (int k = 0; k < 8; k++) {
			int bits = widths[k & 3];
			bool s = k & 4;
			uint64_t v = random_integer(i), x = extend(v, bits, s);
			set_integer(big, x, s);
			for (int m = 0; m < 4; m++) {
				enum rnd r = ref_rounds[m];
				const char *what = ref_round_name[m];
				uint64_t f32 = rounded(big, r, &REF_F32);
				REF_CHECK(cvt_f32_from_int(v, bits, s, r), f32, "f32 %s %" PRIx64,
				          what, x);
				if (bits == 32 && s)
					REF_CHECK(cvt_f32_from_s32((uint32_t)v, r), f32, "s32");
				if (bits == 32 && !s)
					REF_CHECK(cvt_f32_from_u32((uint32_t)v, r), f32, "u32");
				REF_CHECK(cvt_f64_from_int(v, bits, s, r),
				          rounded(big, r, &REF_F64), "f64 %s %" PRIx64, what, x);
				REF_CHECK(cvt_half_from_int(v, bits, s, HALF_F16, r),
				          rounded(big, r, &REF_F16), "f16 %s %" PRIx64, what, x);
				REF_CHECK(cvt_half_from_int(v, bits, s, HALF_BF16, r),
				          rounded(big, r, &REF_BF16), "bf16 %s %" PRIx64, what, x);
			}
		}
}

/* x rounded to an integer by r and saturated; the caller has dealt with NaN. */
static uint64_t integer_of(mpfr_t x, enum rnd r, int bits, bool s)
{
	mpfr_t i, top, low;
	uint64_t v;
	mpfr_inits2(2200, i, top, low, (mpfr_ptr)0);
	mpfr_rint(i, x, ref_rnd(r));
	mpfr_set_ui_2exp(top, 1, bits - s, MPFR_RNDN);
	mpfr_sub_ui(top, top, 1, MPFR_RNDN);
	mpfr_neg(low, top, MPFR_RNDN);
	mpfr_sub_ui(low, low, 1, MPFR_RNDN);
	if (!s)
		mpfr_set_zero(low, 1);
	if (mpfr_greater_p(i, top))
		mpfr_set(i, top, MPFR_RNDN);
	if (mpfr_less_p(i, low))
		mpfr_set(i, low, MPFR_RNDN);
	v = s ? (uint64_t)mpfr_get_sj(i, MPFR_RNDN) : mpfr_get_uj(i, MPFR_RNDN);
	mpfr_clears(i, top, low, (mpfr_ptr)0);
	return v;
}
/* An operand for roundings to integers: often halves, near powers of two, or any. */
static uint64_t near_integer(unsigned i, const struct ref_format *f)
{
	uint64_t r = ref_random(), none[3] = {0, 0, 0};
	if (i < REF_SPECIALS)
		return ref_special(i, f);
	if (r % 3 == 0)
		return ref_operand(0, none, f);
	double v = r % 3 == 1
	                   ? ldexp((double)((int64_t)(r >> 16 & 15) - 8), (int)(r >> 24 & 63) - 1)
	                   : ldexp((double)(ref_random() >> 12), (int)(r >> 24) % 66 - 52);
	v = r & 1ull << 40 ? v : floor(v) + 0.5;
	v = r & 1ull << 41 ? v : -v;
	if (!(fabs(v) < ldexp(1, f->emax)))
		v = 1.5;
	uint64_t bits = rounded((mpfr_set_d(big, v, MPFR_RNDN), big), RND_NE, f);
	return bits + (r >> 50 & 7) - 3;
}
static uint32_t small_from(uint64_t u, int which, int bits, bool s, enum rnd r, bool ftz)
{
	switch (which) {
	case 0:
		return cvt_int_from_f32((uint32_t)u, bits, s, r, ftz);
	case 1:
		return cvt_int_from_f64(u, bits, s, r);
	case 2:
		return cvt_int_from_half((uint32_t)u, bits, s, HALF_F16, r);
	default:
		return cvt_int_from_half((uint32_t)u, bits, s, HALF_BF16, r);
	}
}
static uint64_t wide_from(uint64_t u, int which, bool s, enum rnd r, bool ftz)
{
	switch (which) {
	case 0:
		return cvt_i64_from_f32((uint32_t)u, s, r, ftz);
	case 1:
		return cvt_i64_from_f64(u, s, r);
	case 2:
		return cvt_i64_from_half((uint32_t)u, s, HALF_F16, r);
	default:
		return cvt_i64_from_half((uint32_t)u, s, HALF_BF16, r);
	}
}
/* NaN: 0, but the top bit when the source is f64 or the result has 64 bits (PTX ISA, cvt). */
static void check_to_integer(uint64_t u, int which, const struct ref_format *f)
{
	static const int widths[] = {8, 16, 32, 64};
	bool nan = ref_isnan(u, f);
	for (int ftz = 0; ftz <= (which == 0); ftz++) {
		ref_set(big, ftz ? ref_flush(u, f) : u, f);
		for (int k = 0; k < 32; k++) {
			int bits = widths[k & 3];
			bool s = k & 4;
			enum rnd r = ref_rounds[k >> 3];
			uint64_t want = nan ? (bits == 64 || which == 1 ? 1ull << (bits - 1) : 0)
			                    : integer_of(big, r, bits, s);
			if (bits == 64)
				REF_CHECK(wide_from(u, which, s, r, ftz), want, "%d %s %" PRIx64,
				          which, ref_round_name[k >> 3], u);
			else
				REF_CHECK(small_from(u, which, bits, s, r, ftz),
				          (uint32_t)extend(want, bits, s), "%d %s %d %d %" PRIx64,
				          which, ref_round_name[k >> 3], bits, s, u);
		}
	}
}
static void float_to_integer(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES / 4; i++) {
		check_to_integer(near_integer(i, &REF_F32) & 0xffffffffu, 0, &REF_F32);
		check_to_integer(near_integer(i, &REF_F64), 1, &REF_F64);
	}
	for (unsigned i = 0; i < 65536; i += check_exhaustive() ? 1 : 7) {
		check_to_integer(i, 2, &REF_F16);
		check_to_integer(i, 3, &REF_BF16);
	}
}

static uint64_t integral(uint64_t u, enum rnd r, const struct ref_format *f)
{
	ref_set(big, u, f);
	mpfr_rint(big, big, ref_rnd(r));
	return ref_bits(big, f);
}
static void to_integral_values(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++)
		for (int k = 0; k < 4; k++) {
			enum rnd r = ref_rounds[k];
			uint64_t u = near_integer(i, &REF_F32) & 0xffffffffu,
			         d = near_integer(i, &REF_F64);
			for (int ftz = 0; ftz < 2; ftz++) {
				uint64_t want =
				        integral(ftz ? ref_flush(u, &REF_F32) : u, r, &REF_F32);
				REF_CHECK(cvt_f32_integral((uint32_t)u, r, ftz, false), want,
				          "%" PRIx64, u);
				REF_CHECK(cvt_f32_integral((uint32_t)u, r, ftz, true),
				          ref_saturate(want, &REF_F32), "sat %" PRIx64, u);
			}
			REF_CHECK(cvt_f64_integral(d, r),
			          ref_isnan(d, &REF_F64) ? d | 1ull << 51
			                                 : integral(d, r, &REF_F64),
			          "%" PRIx64, d);
		}
	for (uint32_t h = 0; h < 65536; h++)
		for (int k = 0; k < 4; k++) {
			struct half_mods m = {false, false, false};
			REF_CHECK(cvt_half_integral(h, HALF_F16, ref_rounds[k], m),
			          integral(h, ref_rounds[k], &REF_F16), "f16 %x", h);
			REF_CHECK(cvt_half_integral(h, HALF_BF16, ref_rounds[k], m),
			          integral(h, ref_rounds[k], &REF_BF16), "bf16 %x", h);
		}
}

/* An operand near what the narrower format can tell apart: its numbers, its ties, their
 * neighbours. */
static uint64_t near_narrow(unsigned i, const struct ref_format *f, const struct ref_format *to)
{
	uint64_t none[3] = {0, 0, 0}, r = ref_random();
	if (i < REF_SPECIALS)
		return ref_special(i, f);
	if (r % 4 == 0)
		return ref_operand(0, none, f);
	int e = to->emin - to->p - 2 +
	        (int)((r >> 8) % (unsigned)(to->emax - to->emin + to->p + 5));
	uint64_t bits = ref_at_exponent(e + 1 - f->emin, f);
	int cut = f->mbits - to->mbits - 1 + (int)(r >> 40) % (to->mbits + 2); /* the tie's bit */
	if (e >= f->emin && cut < f->mbits) {
		bits = bits >> cut << cut;
		bits |= r & 1ull << 36 ? 1ull << cut : 0;
	}
	return bits + (r >> 50) % 3 - 1;
}
static uint64_t payload(uint64_t u, const struct ref_format *from, const struct ref_format *to)
{
	uint64_t m = u & ((1ull << from->mbits) - 1);
	m = from->mbits > to->mbits ? m >> (from->mbits - to->mbits)
	                            : m << (to->mbits - from->mbits);
	return (u & ref_sign(from) ? ref_sign(to) : 0) | ref_inf(to) | 1ull << (to->mbits - 1) | m;
}
/* Conversions from f64 keep the payload of a NaN (seen on an H200), from f32 it becomes
 * canonical. */
static void narrowing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++)
		for (int k = 0; k < 4; k++) {
			enum rnd r = ref_rounds[k];
			for (int t = 0; t < 2; t++) {
				const struct ref_format *to = t ? &REF_BF16 : &REF_F16;
				uint32_t u = (uint32_t)near_narrow(i, &REF_F32, to);
				uint64_t want = ref_convert(u, &REF_F32, r, false, to);
				uint64_t relu = want & 0x8000 ? 0 : want;
				REF_CHECK(cvt_half_from_f32(u, t, r, false, false, false), want,
				          "%x", u);
				REF_CHECK(cvt_half_from_f32(u, t, r, false, true, false),
				          ref_saturate(want, to), "sat %x", u);
				REF_CHECK(cvt_half_from_f32(u, t, r, false, false, true), relu,
				          "relu");
				REF_CHECK(cvt_half2_from_f32(u, 0x3f800000, t, r, false, false),
				          want << 16 | (t ? 0x3f80 : 0x3c00), "x2 %x", u);
				uint64_t d = near_narrow(i, &REF_F64, to);
				want = ref_isnan(d, &REF_F64)
				               ? payload(d, &REF_F64, to)
				               : ref_convert(d, &REF_F64, r, false, to);
				REF_CHECK(cvt_half_from_f64(d, t, r, false), want, "%" PRIx64, d);
			}
			uint64_t d = near_narrow(i, &REF_F64, &REF_F32);
			for (int ftz = 0; ftz < 2; ftz++) {
				uint64_t want =
				        ref_isnan(d, &REF_F64)
				                ? payload(d, &REF_F64, &REF_F32)
				                : ref_convert(d, &REF_F64, r, ftz, &REF_F32);
				REF_CHECK(cvt_f32_from_f64(d, r, ftz, false), want,
				          "%s ftz %d %" PRIx64, ref_round_name[k], ftz, d);
				REF_CHECK(cvt_f32_from_f64(d, r, ftz, true),
				          ref_saturate(want, &REF_F32), "sat %" PRIx64, d);
			}
		}
}
static void widening_and_between_halves(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u = ref_operand(0, (uint64_t[3]){0, 0, 0}, &REF_F32);
		uint64_t wide = ref_isnan(u, &REF_F32)
		                        ? payload(u, &REF_F32, &REF_F64)
		                        : ref_convert(u, &REF_F32, RND_NE, false, &REF_F64);
		REF_CHECK(cvt_f64_from_f32((uint32_t)u, false, false), wide, "%" PRIx64, u);
		REF_CHECK(cvt_f64_from_f32((uint32_t)u, false, true), ref_saturate(wide, &REF_F64),
		          "sat");
		uint64_t z = ref_flush(u, &REF_F32);
		REF_CHECK(cvt_f64_from_f32((uint32_t)u, true, false),
		          ref_isnan(u, &REF_F32)
		                  ? 0x7fffffffe0000000u
		                  : ref_convert(z, &REF_F32, RND_NE, false, &REF_F64),
		          "ftz");
		REF_CHECK(cvt_f32_from_f32((uint32_t)u, false, false), u, "a move");
		REF_CHECK(cvt_f32_from_f32((uint32_t)u, false, true), ref_saturate(u, &REF_F32),
		          "sat");
		REF_CHECK(cvt_f32_from_f32((uint32_t)u, true, false),
		          ref_isnan(u, &REF_F32) ? 0x7fffffff : z, "ftz");
	}
	for (uint32_t h = 0; h < 65536; h++) {
		uint64_t f = ref_convert(h, &REF_F16, RND_NE, false, &REF_F32);
		REF_CHECK(cvt_f32_from_half(h, HALF_F16, false, false), f, "f16 %x", h);
		REF_CHECK(cvt_f32_from_half(h, HALF_F16, false, true), ref_saturate(f, &REF_F32),
		          "sat");
		REF_CHECK(cvt_f32_from_half(h, HALF_BF16, false, false), h << 16, "bf16 %x", h);
		uint64_t d = ref_isnan(h, &REF_F16)
		                     ? payload(h, &REF_F16, &REF_F64)
		                     : ref_convert(h, &REF_F16, RND_NE, false, &REF_F64);
		REF_CHECK(cvt_f64_from_half(h, HALF_F16), d, "f64 of f16 %x", h);
		for (int k = 0; k < 4; k++) {
			REF_CHECK(cvt_half_from_half(h, HALF_BF16, HALF_F16, ref_rounds[k], false),
			          ref_convert(h, &REF_F16, ref_rounds[k], false, &REF_BF16), "%x",
			          h);
			REF_CHECK(cvt_half_from_half(h, HALF_F16, HALF_BF16, ref_rounds[k], false),
			          ref_convert(h, &REF_BF16, ref_rounds[k], false, &REF_F16), "%x",
			          h);
		}
	}
}

static void tf32(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint32_t u = (uint32_t)near_narrow(i, &REF_F32, &REF_TF32);
		bool nan = ref_isnan(u, &REF_F32);
		for (int k = 0; k < 2; k++) {
			uint64_t v = ref_convert(u, &REF_F32, ref_rounds[k], false, &REF_TF32)
			             << 13;
			v = nan ? 0x7fffe000 : v;
			REF_CHECK(cvt_tf32(u, ref_rounds[k], false), v, "%s %x", ref_round_name[k],
			          u);
			REF_CHECK(cvt_tf32(u, ref_rounds[k], true), v >> 31 ? 0 : v, "relu %x", u);
		}
		/* .rna: half of a unit in the last place added to the magnitude, then cut */
		uint64_t away = u & 0xffffe000u;
		if ((u & 0x7fffffff) < 0x7f800000u && (u & 0x1fff) >= 0x1000)
			away += 0x2000;
		REF_CHECK(cvt_tf32_rna(u), away, "rna %x", u);
	}
}

/* The value of an 8-bit float by its definition (OCP 8-bit floating point specification, 2023);
 * NaN and, for e5m2, infinity apart. */
static double fp8_value(uint32_t b, enum num_fp8 t)
{
	int mb = t == FP8_E4M3 ? 3 : 2, bias = t == FP8_E4M3 ? 7 : 15;
	int e = (int)(b & 0x7f) >> mb, m = (int)b & ((1 << mb) - 1);
	double v = e ? ldexp((1 << mb) + m, e - bias - mb) : ldexp(m, 1 - bias - mb);
	return b & 0x80 ? -v : v;
}
static bool fp8_nan(uint32_t b, enum num_fp8 t)
{
	return (b & 0x7f) > (t == FP8_E4M3 ? 0x7eu : 0x7cu);
}
/* Nearest by search among all numbers of the format, ties to the even encoding, else the
 * largest. */
static uint32_t fp8_nearest(double x, enum num_fp8 t)
{
	uint32_t best = 0, top = t == FP8_E4M3 ? 0x7e : 0x7b, sign = signbit(x) ? 0x80 : 0;
	if (isnan(x))
		return 0x7f;
	if (fabs(x) >= fp8_value(top, t))
		return sign | top;
	for (uint32_t b = 1; b <= top; b++) { /* the differences are exact near the nearest */
		double old = fabs(fabs(x) - fp8_value(best, t)),
		       new = fabs(fabs(x) - fp8_value(b, t));
		if (new < old || (new == old && !(b & 1)))
			best = b;
	}
	return sign | best;
}
static void fp8(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		for (uint32_t b = 0; b < 256; b++) {
			double v = fp8_value(b, t);
			uint64_t f16 =
			        rounded((mpfr_set_d(big, v, MPFR_RNDN), big), RND_NE, &REF_F16);
			bool inf = t == FP8_E5M2 && (b & 0x7f) == 0x7c;
			uint32_t want = fp8_nan(b, t) ? 0x7fff
			                : inf         ? (b & 0x80) << 8 | 0x7c00
			                              : (uint32_t)f16;
			REF_CHECK(f16_from_fp8(b, t), want, "%x", b);
			REF_CHECK(cvt_f16x2_from_fp8x2(b << 8 | 1, t, false),
			          want << 16 | f16_from_fp8(1, t), "%x", b);
			REF_CHECK(cvt_f16x2_from_fp8x2(b, t, true), want & 0x8000 ? 0 : want, "%x",
			          b);
		}
		for (unsigned i = 0; i < CASES; i++) {
			uint32_t u = (uint32_t)near_narrow(i, &REF_F32, &REF_F16);
			if (i > REF_SPECIALS && i & 1) /* a tie or its neighbour */
				u = (u >> 18 << 18) + (uint32_t)(ref_random() % 3) - 1 + (1u << 19);
			uint32_t want = fp8_nearest(f32_value(u), t);
			REF_CHECK(fp8_from_f32(u, t, false), want, "%d %x", t, u);
			REF_CHECK(cvt_fp8x2_from_f32(u, 0x3f800000, t, true),
			          (want & 0x80 ? 0 : want) << 8 | (t == FP8_E4M3 ? 0x38 : 0x3c),
			          "%x", u);
		}
		for (uint32_t h = 0; h < 65536; h++) {
			uint32_t u = (uint32_t)ref_convert(h, &REF_F16, RND_NE, false, &REF_F32);
			REF_CHECK(cvt_fp8x2_from_f16x2(h << 16 | 0x3c00, t, false),
			          fp8_nearest(f32_value(u), t) << 8 | (t == FP8_E4M3 ? 0x38 : 0x3c),
			          "%x", h);
		}
	}
}

static int init(void **state)
{
	(void)state;
	mpfr_init2(big, 64);
	return 0;
}
int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(integer_to_integer),
	        cmocka_unit_test(integer_to_float),
	        cmocka_unit_test(float_to_integer),
	        cmocka_unit_test(to_integral_values),
	        cmocka_unit_test(narrowing),
	        cmocka_unit_test(widening_and_between_halves),
	        cmocka_unit_test(tf32),
	        cmocka_unit_test(fp8),
	};
	return cmocka_run_group_tests_name(__FILE__, tests, init, NULL);
}

/* test_num_half.c - f16 and bf16 arithmetic of a lane against MPFR: one rounding, all one-operand
 * forms for all 65536 inputs. */
#include "ptx/mufu.h"
#include "tests/ptx/num_ref.h"

enum { CASES = 150000 };
static const struct half_mods plain;

static const struct ref_format *format(enum num_half t)
{
	return t == HALF_F16 ? &REF_F16 : &REF_BF16;
}
static uint32_t apply(enum ref_op op, const uint64_t u[3], enum num_half t, struct half_mods m)
{
	uint32_t a = (uint32_t)u[0], b = (uint32_t)u[1], c = (uint32_t)u[2];
	switch (op) {
	case REF_ADD:
		return half_add(a, b, t, m);
	case REF_SUB:
		return half_sub(a, b, t, m);
	case REF_MUL:
		return half_mul(a, b, t, m);
	default:
		return half_fma(a, b, c, t, m);
	}
}
static uint32_t apply2(enum ref_op op, const uint32_t u[3], enum num_half t, struct half_mods m)
{
	switch (op) {
	case REF_ADD:
		return half_add_x2(u[0], u[1], t, m);
	case REF_SUB:
		return half_sub_x2(u[0], u[1], t, m);
	case REF_MUL:
		return half_mul_x2(u[0], u[1], t, m);
	default:
		return half_fma_x2(u[0], u[1], u[2], t, m);
	}
}
static void arithmetic(enum num_half t)
{
	const struct ref_format *f = format(t);
	uint64_t before[3] = {0, 0, 0};
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, f);
		for (int op = REF_ADD; op <= REF_FMA; op++)
			for (int ftz = 0; ftz <= (t == HALF_F16); ftz++) {
				uint64_t want = ref_apply(op, u, RND_NE, ftz, f);
				uint64_t relu = want & 0x8000 ? 0 : want;
				struct half_mods m = {ftz, false, false}, sat = {ftz, true, false},
				                 rel = {ftz, false, true};
				REF_CHECK(apply(op, u, t, m), want,
				          "%s ftz %d bf16 %d %" PRIx64 " %" PRIx64 " %" PRIx64,
				          ref_op_name[op], ftz, t, u[0], u[1], u[2]);
				REF_CHECK(apply(op, u, t, sat), ref_saturate(want, f),
				          "%s.sat ftz %d %" PRIx64 " %" PRIx64 " %" PRIx64,
				          ref_op_name[op], ftz, u[0], u[1], u[2]);
				REF_CHECK(apply(op, u, t, rel), relu, "%s.relu ftz %d",
				          ref_op_name[op], ftz);
				uint32_t pair[3];
				for (int k = 0; k < 3; k++)
					pair[k] = (uint32_t)(before[k] | u[k] << 16);
				REF_CHECK(apply2(op, pair, t, m),
				          want << 16 | ref_apply(op, before, RND_NE, ftz, f),
				          "%sx2", ref_op_name[op]);
			}
		memcpy(before, u, sizeof before);
	}
}
static void f16_arithmetic_rounds_once(void **state)
{
	(void)state;
	arithmetic(HALF_F16);
}
static void bf16_arithmetic_rounds_once(void **state)
{
	(void)state;
	arithmetic(HALF_BF16);
}

/* Where fma in f64 followed by a conversion is wrong: 1.0078125 * 1.0078125 lies near a tie, or on
 * it, and an addend 2^-60 of it decides.  1 + 2^-8 is a tie of bf16. */
static void bf16_fma_sees_tiny_addends(void **state)
{
	(void)state;
	for (int e = 9; e <= 130; e++) {
		uint32_t tie_a = 0x3f88, tie_b = 0x3f88; /* (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8: a tie */
		uint32_t c =
		        e <= 126 ? (uint32_t)(127 - e) << 7 : 1u << (133 - e > 0 ? 133 - e : 0);
		uint32_t minus = c | 0x8000;
		REF_CHECK(half_fma(tie_a, tie_b, c, HALF_BF16, plain), 0x3f91, "above the tie, %d",
		          e);
		REF_CHECK(half_fma(tie_a, tie_b, minus, HALF_BF16, plain), 0x3f90, "below, %d", e);
	}
	REF_CHECK(half_fma(0x3f88, 0x3f88, 0, HALF_BF16, plain), 0x3f90, "the tie is to even");
}

static void one_operand_forms_are_right_everywhere(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		const struct ref_format *f = format(t);
		for (uint32_t a = 0; a < 65536; a++) {
			bool nan = ref_isnan(a, f);
			uint64_t wide = ref_convert(a, f, RND_NE, false, &REF_F32);
			for (int ftz = 0; ftz <= (t == HALF_F16); ftz++) {
				uint32_t x = ftz ? (uint32_t)ref_flush(a, f) : a;
				REF_CHECK(half_neg(a, t, ftz), nan ? 0x7fff : x ^ 0x8000, "neg %x",
				          a);
				REF_CHECK(half_abs(a, t, ftz), nan ? 0x7fff : x & 0x7fff, "abs %x",
				          a);
				REF_CHECK(half_neg_x2(a << 16 | 0x3c00, t, ftz),
				          (nan ? 0x7fff : x ^ 0x8000) << 16 | 0xbc00, "neg x2 %x",
				          a);
				REF_CHECK(half_abs_x2(a << 16 | 0xbc00, t, ftz),
				          (nan ? 0x7fff : x & 0x7fff) << 16 | 0x3c00, "abs x2 %x",
				          a);
			}
			if (!nan)
				REF_CHECK(half_widen(a, t), wide, "widen %x", a);
			REF_CHECK(f32_isnan(half_widen(a, t)), nan, "widen %x", a);
		}
	}
}

static void min_max_and_comparisons(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (unsigned i = 0; i < CASES; i++) {
			const struct ref_format *f = format(t);
			uint64_t u[3];
			ref_case(i, u, f);
			uint32_t a = (uint32_t)u[0], b = (uint32_t)u[1], sign = (a ^ b) & 0x8000;
			bool an = ref_isnan(a, f), bn = ref_isnan(b, f);
			float x = f32_value((uint32_t)ref_convert(a, f, RND_NE, false, &REF_F32));
			float y = f32_value((uint32_t)ref_convert(b, f, RND_NE, false, &REF_F32));
			uint32_t low = an && bn           ? 0x7fff
			               : an               ? b
			               : bn               ? a
			               : x == 0 && y == 0 ? a | b
			               : x < y            ? a
			                                  : b;
			uint32_t high = an && bn           ? 0x7fff
			                : an               ? b
			                : bn               ? a
			                : x == 0 && y == 0 ? a & b
			                : x < y            ? b
			                                   : a;
			REF_CHECK(half_minmax(a, b, t, false, false, false, false), low,
			          "min %x %x", a, b);
			REF_CHECK(half_minmax(a, b, t, true, false, false, false), high,
			          "max %x %x", a, b);
			REF_CHECK(half_minmax(a, b, t, true, false, true, false),
			          an || bn ? 0x7fff : high, "max.NaN %x %x", a, b);
			uint32_t mag = an && bn              ? 0x7fff
			               : an                  ? b & 0x7fff
			               : bn                  ? a & 0x7fff
			               : fabsf(x) < fabsf(y) ? a & 0x7fff
			                                     : b & 0x7fff;
			REF_CHECK(half_minmax(a, b, t, false, false, false, true),
			          an && bn ? 0x7fff : mag | sign, "min.xorsign.abs %x %x", a, b);
			REF_CHECK(half_compare(a, b, t, CMP_LT, false), !an && !bn && x < y, "lt");
			REF_CHECK(half_compare(a, b, t, CMP_LEU, false), an || bn || x <= y, "leu");
			REF_CHECK(half_compare(a, b, t, CMP_NE, false), !an && !bn && x != y, "ne");
			REF_CHECK(half_compare(a, b, t, CMP_NUM, false), !an && !bn, "num");
			if (t == HALF_F16) {
				uint32_t p = (uint32_t)ref_flush(a, f),
				         q = (uint32_t)ref_flush(b, f);
				REF_CHECK(half_minmax(a, b, t, false, true, false, false),
				          half_minmax(p, q, t, false, false, false, false),
				          "min.ftz");
				REF_CHECK(half_compare(a, b, t, CMP_GT, true),
				          half_compare(p, q, t, CMP_GT, false), "gt.ftz");
			}
		}
}

/* From the definition of the 16-bit special functions (an H200 gave these bits for all inputs): the
 * f32 unit's value truncated, f16 subnormals kept; the f32 unit has its own test. */
static void special_functions_truncate(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < 65536; a++) {
		uint32_t wide = (uint32_t)ref_convert(a, &REF_F16, RND_NE, false, &REF_F32);
		bool nan = ref_isnan(a, &REF_F16), bnan = ref_isnan(a, &REF_BF16);
		uint64_t tanh16 = ref_convert(mufu_tanh(wide), &REF_F32, RND_Z, false, &REF_F16);
		REF_CHECK(f16_tanh_approx(a), nan ? 0x7fff : tanh16, "tanh f16 %x", a);
		uint64_t ex2 = mufu_ex2(wide),
		         want = ref_convert(ex2, &REF_F32, RND_Z, false, &REF_F16);
		if (ex2 >= (uint64_t)(127 + 16) << 23)
			want = 0x7c00; /* the unit overflows to infinity, it does not truncate there
			                */
		REF_CHECK(f16_ex2_approx(a), nan ? 0x7fff : want, "ex2 f16 %x", a);
		REF_CHECK(bf16_tanh_approx(a), bnan ? 0x7fff : mufu_tanh(a << 16) >> 16, "tanh %x",
		          a);
		REF_CHECK(bf16_ex2_approx(a), bnan ? 0x7fff : mufu_ex2(a << 16) >> 16, "ex2 %x", a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(f16_arithmetic_rounds_once),
	        cmocka_unit_test(bf16_arithmetic_rounds_once),
	        cmocka_unit_test(bf16_fma_sees_tiny_addends),
	        cmocka_unit_test(one_operand_forms_are_right_everywhere),
	        cmocka_unit_test(min_max_and_comparisons),
	        cmocka_unit_test(special_functions_truncate),
	};
	return check_main(tests);
}

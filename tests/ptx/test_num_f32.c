/* test_num_f32.c - f32 arithmetic of a lane against MPFR. */
#include "ptx/num.h"
#include "tests/ptx/num_ref.h"

enum { CASES = 120000 };

static uint32_t apply(enum ref_op op, const uint64_t u[3], enum rnd r, bool ftz, bool sat)
{
	uint32_t a = (uint32_t)u[0], b = (uint32_t)u[1], c = (uint32_t)u[2];
	switch (op) {
	case REF_ADD:
		return f32_add(a, b, r, ftz, sat);
	case REF_SUB:
		return f32_sub(a, b, r, ftz, sat);
	case REF_MUL:
		return f32_mul(a, b, r, ftz, sat);
	case REF_FMA:
		return f32_fma(a, b, c, r, ftz, sat);
	case REF_DIV:
		return f32_div(a, b, r, ftz);
	case REF_RCP:
		return f32_rcp(a, r, ftz);
	case REF_SQRT:
		return f32_sqrt(a, r, ftz);
	}
	return 0;
}

static void arithmetic(enum ref_op op)
{
	bool has_sat = op <= REF_FMA;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F32);
		for (int k = 0; k < 4; k++)
			for (int ftz = 0; ftz < 2; ftz++) {
				enum rnd r = ref_rounds[k];
				uint64_t want = ref_apply(op, u, r, ftz, &REF_F32);
				REF_CHECK(apply(op, u, r, ftz, false), want,
				          "%s.%s%s %" PRIx64 " %" PRIx64 " %" PRIx64,
				          ref_op_name[op], ref_round_name[k], ftz ? ".ftz" : "",
				          u[0], u[1], u[2]);
				if (has_sat)
					REF_CHECK(apply(op, u, r, ftz, true),
					          ref_saturate(want, &REF_F32),
					          "%s.%s%s.sat %" PRIx64 " %" PRIx64 " %" PRIx64,
					          ref_op_name[op], ref_round_name[k],
					          ftz ? ".ftz" : "", u[0], u[1], u[2]);
			}
	}
}
static void add_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_ADD);
}
static void sub_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_SUB);
}
static void mul_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_MUL);
}
static void fma_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_FMA);
}
static void div_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_DIV);
}
static void rcp_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_RCP);
}
static void sqrt_is_exact(void **state)
{
	(void)state;
	arithmetic(REF_SQRT);
}

/* Written from the PTX ISA's text for min and max, on numbers and not on bits. */
static uint32_t minmax(uint32_t a, uint32_t b, bool max, bool ftz, bool nan, bool xorsign)
{
	uint32_t sign = (a ^ b) & 0x80000000u;
	if (ftz)
		a = (uint32_t)ref_flush(a, &REF_F32), b = (uint32_t)ref_flush(b, &REF_F32);
	if (xorsign)
		a &= 0x7fffffffu, b &= 0x7fffffffu;
	bool an = ref_isnan(a, &REF_F32), bn = ref_isnan(b, &REF_F32);
	uint32_t d;
	if ((an && bn) || (nan && (an || bn)))
		return 0x7fffffffu;
	if (an || bn)
		d = an ? b : a;
	else if (f32_value(a) == 0 && f32_value(b) == 0)
		d = max ? a & b : a | b; /* -0 < +0 */
	else
		d = (f32_value(a) < f32_value(b)) ^ max ? a : b;
	return xorsign ? d | sign : d;
}
static void min_and_max_follow_the_manual(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F32);
		for (int m = 0; m < 16; m++) {
			bool max = m & 1, ftz = m & 2, nan = m & 4, xorsign = m & 8;
			uint32_t a = (uint32_t)u[0], b = (uint32_t)u[1];
			REF_CHECK(f32_minmax(a, b, max, ftz, nan, xorsign),
			          minmax(a, b, max, ftz, nan, xorsign),
			          "%s ftz %d NaN %d xorsign %d %x %x", max ? "max" : "min", ftz,
			          nan, xorsign, a, b);
		}
	}
}

static void neg_abs_copysign_testp(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F32);
		uint32_t a = (uint32_t)u[0], b = (uint32_t)u[1];
		int class = fpclassify(f32_value(a));
		bool nan = class == FP_NAN;
		for (int ftz = 0; ftz < 2; ftz++) {
			uint32_t x = ftz ? (uint32_t)ref_flush(a, &REF_F32) : a;
			REF_CHECK(f32_neg(a, ftz), nan ? 0x7fffffffu : x ^ 0x80000000u, "neg %x",
			          a);
			REF_CHECK(f32_abs(a, ftz), nan ? 0x7fffffffu : x & 0x7fffffffu, "abs %x",
			          a);
		}
		REF_CHECK(f32_copysign(a, b), (a & 0x80000000u) | (b & 0x7fffffffu), "copysign");
		REF_CHECK(f32_testp(a, TESTP_FINITE), class != FP_NAN && class != FP_INFINITE, "%x",
		          a);
		REF_CHECK(f32_testp(a, TESTP_INFINITE), class == FP_INFINITE, "%x", a);
		REF_CHECK(f32_testp(a, TESTP_NUMBER), class != FP_NAN, "%x", a);
		REF_CHECK(f32_testp(a, TESTP_NOTANUMBER), class == FP_NAN, "%x", a);
		REF_CHECK(f32_testp(a, TESTP_NORMAL), class == FP_NORMAL || class == FP_ZERO, "%x",
		          a);
		REF_CHECK(f32_testp(a, TESTP_SUBNORMAL), class == FP_SUBNORMAL, "%x", a);
	}
}

/* The table of setp in the PTX ISA: each operator as the set of relations {<, =, >, unordered}. */
static const struct {
	enum num_cmp op;
	const char *holds;
} relations[] = {
        {CMP_EQ, "="},   {CMP_NE, "<>"},   {CMP_LT, "<"},    {CMP_LE, "<="},  {CMP_GT, ">"},
        {CMP_GE, ">="},  {CMP_EQU, "=u"},  {CMP_NEU, "<>u"}, {CMP_LTU, "<u"}, {CMP_LEU, "<=u"},
        {CMP_GTU, ">u"}, {CMP_GEU, ">=u"}, {CMP_NUM, "<=>"}, {CMP_NAN, "u"},
};
static void comparisons_follow_the_manual(void **state)
{
	(void)state;
	mpfr_t x, y;
	mpfr_inits2(64, x, y, (mpfr_ptr)0);
	for (unsigned i = 0; i < CASES; i++)
		for (int ftz = 0; ftz < 2; ftz++) {
			uint64_t u[3];
			ref_case(i, u, &REF_F32);
			ref_set(x, ftz ? ref_flush(u[0], &REF_F32) : u[0], &REF_F32);
			ref_set(y, ftz ? ref_flush(u[1], &REF_F32) : u[1], &REF_F32);
			int c = mpfr_cmp(x, y);
			char rel = mpfr_unordered_p(x, y) ? 'u' : c < 0 ? '<' : c > 0 ? '>' : '=';
			for (size_t k = 0; k < ARRAY_LEN(relations); k++)
				REF_CHECK(f32_compare((uint32_t)u[0], (uint32_t)u[1],
				                      relations[k].op, ftz),
				          strchr(relations[k].holds, rel) != NULL,
				          "setp %s %" PRIx64 " %" PRIx64, relations[k].holds, u[0],
				          u[1]);
		}
	mpfr_clears(x, y, (mpfr_ptr)0);
}

/* An H200 (driver 580.159) on 2^-126 (1 + 2^-k) (1 - 2^-k) = 2^-126 (1 - 2^-2k): flushed up to k
 * = 12, from k = 13 on rounded to 2^-126. */
static void tininess_is_found_after_rounding(void **state)
{
	(void)state;
	for (int k = 2; k <= 23; k++) {
		uint32_t a = f32_bits(0x1p-63f * (1 + ldexpf(1, -k)));
		uint32_t b = f32_bits(0x1p-63f * (1 - ldexpf(1, -k)));
		uint32_t rounds = k > 12 ? 0x00800000u : 0;
		for (int r = 0; r < 4; r++) {
			uint32_t want =
			        ref_rounds[r] == RND_NE || ref_rounds[r] == RND_U ? rounds : 0;
			REF_CHECK(f32_mul(a, b, ref_rounds[r], true, false), want, "mul k = %d", k);
			REF_CHECK(f32_fma(a, b, 0, ref_rounds[r], true, false), want, "fma k = %d",
			          k);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(add_is_exact),
	        cmocka_unit_test(sub_is_exact),
	        cmocka_unit_test(mul_is_exact),
	        cmocka_unit_test(fma_is_exact),
	        cmocka_unit_test(div_is_exact),
	        cmocka_unit_test(rcp_is_exact),
	        cmocka_unit_test(sqrt_is_exact),
	        cmocka_unit_test(min_and_max_follow_the_manual),
	        cmocka_unit_test(neg_abs_copysign_testp),
	        cmocka_unit_test(comparisons_follow_the_manual),
	        cmocka_unit_test(tininess_is_found_after_rounding),
	};
	return check_main(tests);
}

/* test_num_f64.c - f64 arithmetic of a lane against MPFR; NaN rules as an H200 showed them. */
#include "ptx/num.h"
#include "tests/ptx/num_ref.h"

enum { CASES = 120000 };
#define QUIET 0x0008000000000000u

static uint64_t apply(enum ref_op op, const uint64_t u[3], enum rnd r)
{
	switch (op) {
	case REF_ADD:
		return f64_add(u[0], u[1], r);
	case REF_SUB:
		return f64_sub(u[0], u[1], r);
	case REF_MUL:
		return f64_mul(u[0], u[1], r);
	case REF_FMA:
		return f64_fma(u[0], u[1], u[2], r);
	case REF_DIV:
		return f64_div(u[0], u[1], r);
	case REF_RCP:
		return f64_rcp(u[0], r);
	case REF_SQRT:
		return f64_sqrt(u[0], r);
	}
	return 0;
}
/* Which NaN an H200 (driver 580.159) returned: the second operand's, made quiet, then the third's,
 * then the first's; div prefers the first. */
static uint64_t nan_of(enum ref_op op, const uint64_t u[3], uint64_t made)
{
	static const int order[2][3] = {{1, 2, 0}, {0, 1, 2}};
	for (int k = 0; k < 3; k++) {
		int i = order[op == REF_DIV][k];
		if (i < ref_op_operands(op) && ref_isnan(u[i], &REF_F64))
			return u[i] | QUIET;
	}
	return made;
}
static void arithmetic(enum ref_op op)
{
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F64);
		for (int k = 0; k < 4; k++) {
			uint64_t want = ref_apply(op, u, ref_rounds[k], false, &REF_F64);
			REF_CHECK(apply(op, u, ref_rounds[k]), nan_of(op, u, want),
			          "%s.%s.f64 %" PRIx64 " %" PRIx64 " %" PRIx64, ref_op_name[op],
			          ref_round_name[k], u[0], u[1], u[2]);
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

/* The integer code serves the directed roundings; to nearest it must agree with MPFR as well. */
static void integer_code_rounds_to_nearest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F64);
		REF_CHECK(f64_soft_fma(u[0], u[1], u[2], RND_NE),
		          ref_apply(REF_FMA, u, RND_NE, false, &REF_F64), "fma");
		REF_CHECK(f64_soft_div(u[0], u[1], RND_NE),
		          ref_apply(REF_DIV, u, RND_NE, false, &REF_F64), "div");
		REF_CHECK(f64_soft_sqrt(u[0], RND_NE),
		          ref_apply(REF_SQRT, u, RND_NE, false, &REF_F64), "sqrt");
	}
}

static void min_max_neg_abs_testp(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t u[3];
		ref_case(i, u, &REF_F64);
		uint64_t a = u[0], b = u[1], sign = 1ull << 63;
		bool an = ref_isnan(a, &REF_F64), bn = ref_isnan(b, &REF_F64);
		double x = f64_value(a), y = f64_value(b);
		int class = fpclassify(x);
		uint64_t low = an && bn           ? b | QUIET
		               : an               ? b
		               : bn               ? a
		               : x == 0 && y == 0 ? a | b
		               : x < y            ? a
		                                  : b;
		uint64_t high = an && bn           ? b | QUIET
		                : an               ? b
		                : bn               ? a
		                : x == 0 && y == 0 ? a & b
		                : x < y            ? b
		                                   : a;
		REF_CHECK(f64_min(a, b), low, "min %" PRIx64 " %" PRIx64, a, b);
		REF_CHECK(f64_max(a, b), high, "max %" PRIx64 " %" PRIx64, a, b);
		REF_CHECK(f64_neg(a), an ? a | QUIET : a ^ sign, "neg %" PRIx64, a);
		REF_CHECK(f64_abs(a), an ? a | QUIET : a & ~sign, "abs %" PRIx64, a);
		REF_CHECK(f64_copysign(a, b), (a & sign) | (b & ~sign), "copysign");
		REF_CHECK(f64_testp(a, TESTP_FINITE), isfinite(x) != 0, "%" PRIx64, a);
		REF_CHECK(f64_testp(a, TESTP_INFINITE), isinf(x) != 0, "%" PRIx64, a);
		REF_CHECK(f64_testp(a, TESTP_NUMBER), !an, "%" PRIx64, a);
		REF_CHECK(f64_testp(a, TESTP_NOTANUMBER), an, "%" PRIx64, a);
		REF_CHECK(f64_testp(a, TESTP_NORMAL), class == FP_NORMAL || class == FP_ZERO,
		          "%" PRIx64, a);
		REF_CHECK(f64_testp(a, TESTP_SUBNORMAL), class == FP_SUBNORMAL, "%" PRIx64, a);
		REF_CHECK(f64_compare(a, b, CMP_LT), !an && !bn && x < y, "lt");
		REF_CHECK(f64_compare(a, b, CMP_GEU), an || bn || x >= y, "geu");
		REF_CHECK(f64_compare(a, b, CMP_EQ), !an && !bn && x == y, "eq");
		REF_CHECK(f64_compare(a, b, CMP_NAN), an || bn, "nan");
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
	        cmocka_unit_test(integer_code_rounds_to_nearest),
	        cmocka_unit_test(min_max_neg_abs_testp),
	};
	return check_main(tests);
}

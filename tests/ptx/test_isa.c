/* test_isa.c - the instruction table. That each of its forms assembles for sm_90 was checked with ptxas 13.0
 * (all forms, operands made from the table's patterns); what is refused below ptxas refuses as well. */
#include "ptx/isa.h"
#include "tests/check.h"

static void every_form_is_found_again(void **state)
{
	size_t n = ptx_form_count();

	(void)state;
	check_true(n > 13000, "%zu forms", n);
	for (size_t k = 0; k < n; k++) {
		struct ptx_form f = ptx_form_get(k);
		struct ir_insn i = { 0 };
		struct buf b = { 0 };

		check_true(isa_match_text(f.text, &i), "%s is not matched", f.text);
		isa_form_text(i.form, i.choice, &b);
		check_true(strcmp(b.s, f.text) == 0, "%s comes back as %s", f.text, b.s);
		check_true(f.tier >= 0 && f.tier <= 2 && f.section[0] != 0, "%s", f.text);
		buf_free(&b);
	}
}

static void combinations_that_do_not_exist_are_refused(void **state)
{
	static const char *const bad[] = {
		"add", "add.f8", "add.rn.s32", "add.sat.u32", "add.sat.f64", "add.ftz.f64", "fma.f32",
		"mul.s32", "mul.wide.u64", "mad.s32", "div.f32", "div.approx.f64", "rcp.f32",
		"sqrt.f64", "rsqrt.rn.f32", "sin.f32", "tanh.approx.ftz.f32", "ex2.approx.bf16",
		"setp.lt.b32", "setp.lo.s32", "setp.f32", "selp.pred", "and.s32", "shl.u32", "shf.l.b32",
		"cvt.f32.f64", "cvt.s32.f32", "cvt.rn.s32.f32", "cvt.rn.f64.f32", "cvt.sat.u32.u16",
		"cvt.rn.e4m3x2.f32", "cvt.rni.ftz.s32.f16", "ld.v4.f64", "ld.nc.f32", "ld.volatile.local.b32",
		"ld.acquire.u32", "st.const.b32", "st.acquire.gpu.b32", "atom.add.s64", "atom.add.f16",
		"atom.cas.u32", "red.exch.b32", "red.acquire.gpu.add.u32", "shfl.sync.b32",
		"vote.sync.ballot.pred", "bar.red.add.u32", "membar.gpu", "mov.f16", "mov.v2.b32",
		"neg.u32", "abs.ftz.f64", "min.relu.u32", "lop3.xor.b32", "min.NaN.f64", "copysign.f16",
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(bad); k++) {
		struct ir_insn i = { 0 };

		check_true(!isa_match_text(bad[k], &i), "%s is taken", bad[k]);
	}
}

static void fields_are_decoded(void **state)
{
	struct ir_insn i = { 0 };

	(void)state;
	assert_true(isa_match_text("fma.rz.ftz.sat.f32", &i));
	assert_true(i.op == OP_FMA && i.rnd == MOD_RZ && i.flags == (FL_FTZ | FL_SAT) &&
	            i.ty[0] == TY_F32 && i.vec == 1);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("setp.lo.and.u64", &i));
	assert_true(i.cmp == MOD_LO && i.bop == MOD_AND && i.sub == MOD_NONE && i.ty[0] == TY_U64);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("mul.lo.u16", &i));
	assert_true(i.cmp == MOD_NONE && i.sub == MOD_LO);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("cvt.rn.bf16x2.f32", &i));
	assert_true(i.ty[0] == TY_BF16X2 && i.ty[1] == TY_F32 && i.rnd == MOD_RN);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("bar.red.popc.u32", &i));
	assert_true(i.op == OP_BAR && i.sub == MOD_RED && i.bop == MOD_POPC);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("membar.gl", &i) && i.scope == MOD_GPU);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("ld.mmio.relaxed.sys.global.u32", &i));
	assert_true(i.sem == MOD_MMIO && i.scope == MOD_SYS && i.space == MOD_GLOBAL);
	memset(&i, 0, sizeof i);
	assert_true(isa_match_text("vote.sync.uni.pred", &i) && i.sub == MOD_UNI && i.flags == 0);
}

/* Triton writes atom.global.gpu.acq_rel.add, ptxas takes any order of modifiers (not of types). */
static void the_order_of_modifiers_is_free_that_of_types_is_not(void **state)
{
	struct ir_insn a = { 0 }, b = { 0 };

	(void)state;
	assert_true(isa_match_text("atom.global.gpu.acq_rel.add.f32", &a));
	assert_true(isa_match_text("atom.acq_rel.gpu.global.add.f32", &b));
	assert_true(a.form == b.form && a.choice == b.choice);
	assert_true(isa_match_text("ld.global.L1::evict_last.v4.b32", &a) && a.vec == 4);
	assert_true(isa_match_text("ld.v4.b32.global", &a) && a.vec == 4);
	assert_true(isa_match_text("ld.shared::cta.b32", &a) && a.space == MOD_SHARED);
	assert_true(isa_match_text("cvt.rn.f32.s32", &a) && a.ty[0] == TY_F32);
	assert_true(isa_match_text("cvt.rzi.s32.f32", &a) && a.ty[0] == TY_S32);
	assert_false(isa_match_text("cvt.rzi.f32.s32", &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_found_again),
		cmocka_unit_test(combinations_that_do_not_exist_are_refused),
		cmocka_unit_test(fields_are_decoded),
		cmocka_unit_test(the_order_of_modifiers_is_free_that_of_types_is_not),
	};

	return check_main(tests);
}

/* test_lint_ssa.c - values where they are read (validate/lint/ssa.c), on small programs whose answers follow from the definition: the one instruction that
 * comes there on every way, or the place where ways that bring different ones meet. */
#include "tests/validate/lint_world.h"

/* What %r1 holds where the instruction behind the label reads it. */
static int32_t value(struct world *w, const char *name)
{
	return ssa_resolve(&w->f, ssa_value(&w->f, &w->f.f->insn[label(w, name)->insn], reg(w, "%r1")));
}

static void the_last_definition_of_a_block_counts(void **state)
{
	struct world w = world_of("A:\n	mov.u32 %r1, 1;\nB:\n	add.u32 %r1, %r1, 2;\nC:\n	add.u32 %r2, %r1, 3;\n	ret;\n");

	(void)state;
	assert_int_equal(value(&w, "B"), label(&w, "A")->insn); /* its own does not */
	assert_int_equal(value(&w, "C"), label(&w, "B")->insn);
	assert_int_equal(value(&w, "A"), SSA_UNKNOWN);
	world_free(&w);
}

static const char branch[] = "	ld.param.u32 %%r3, [k_n];\n	setp.lt.u32 %%p1, %%r3, 7;\nA:\n	mov.u32 %%r1, 1;\n	@%%p1 bra LEFT;\nRIGHT:\n	%s;\n	bra JOIN;\n"
                             "LEFT:\n	%s;\nJOIN:\n	add.u32 %%r2, %%r1, 1;\n	ret;\n";

static struct world branch_of(const char *right, const char *left)
{
	struct buf b = {0};
	struct world w;

	buf_printf(&b, branch, right, left);
	w = world_of(b.s);
	buf_free(&b);
	return w;
}

static void ways_that_bring_different_values_meet_in_a_phi(void **state)
{
	struct world w = branch_of("mov.u32 %r1, 2", "mov.u32 %r1, 3");
	int32_t v = value(&w, "JOIN"), left = 0, right = 0;
	const struct ssa_phi *phi = ssa_phi(&w.f, v);

	(void)state;
	assert_true(SSA_IS_PHI(v) && phi != NULL);
	assert_int_equal(phi->block, w.f.block_of[label(&w, "JOIN")->insn]);
	assert_int_equal(w.f.pred[phi->block].n, 2);
	for (int p = 0; p < 2; p++) {
		left += ssa_resolve(&w.f, phi->from[p]) == label(&w, "LEFT")->insn;
		right += ssa_resolve(&w.f, phi->from[p]) == label(&w, "RIGHT")->insn;
	}
	assert_true(left == 1 && right == 1);
	world_free(&w);
	w = branch_of("mov.u32 %r1, 2", "mov.u32 %r4, 3"); /* on the left the one before the branch */
	assert_true(SSA_IS_PHI(value(&w, "JOIN")));
	world_free(&w);
	w = branch_of("mov.u32 %r4, 2", "mov.u32 %r4, 3"); /* both the one before the branch: it has one definition, which dominates */
	assert_int_equal(value(&w, "JOIN"), label(&w, "A")->insn);
	world_free(&w);
}

static void a_value_that_a_loop_leaves_alone_is_no_phi(void **state)
{
	struct world w = world_of("A:\n	mov.u32 %r1, 1;\nB:\n	mov.u32 %r2, %r1;\nC:\n	mov.u32 %r1, 5;\nLOOP:\n	add.u32 %r2, %r1, 1;\n	setp.lt.u32 %p1, %r2, 9;\n	@%p1 bra LOOP;\n"
	                          "END:\n	add.u32 %r3, %r1, 1;\n	ret;\n");

	(void)state;
	assert_int_equal(value(&w, "B"), label(&w, "A")->insn);
	assert_int_equal(value(&w, "LOOP"), label(&w, "C")->insn); /* round the loop it is the same */
	assert_int_equal(value(&w, "END"), label(&w, "C")->insn);
	world_free(&w);
}

static void a_counter_is_a_phi_of_its_start_and_its_step(void **state)
{
	struct world w = world_of("A:\n	mov.u32 %r1, 0;\nLOOP:\n	add.u32 %r1, %r1, 1;\n	setp.lt.u32 %p1, %r1, 9;\n	@%p1 bra LOOP;\nEND:\n	mov.u32 %r3, %r1;\n	ret;\n");
	int32_t v = value(&w, "LOOP"), start = 0, step = 0;
	const struct ssa_phi *phi = ssa_phi(&w.f, v);

	(void)state;
	assert_true(phi != NULL);
	for (int p = 0; p < w.f.pred[phi->block].n; p++) {
		start += ssa_resolve(&w.f, phi->from[p]) == label(&w, "A")->insn;
		step += ssa_resolve(&w.f, phi->from[p]) == label(&w, "LOOP")->insn;
	}
	assert_true(start == 1 && step == 1);
	assert_int_equal(value(&w, "END"), label(&w, "LOOP")->insn);
	world_free(&w);
}

static void a_single_definition_that_does_not_dominate_is_not_known(void **state)
{
	struct world w = world_of("	ld.param.u32 %r3, [k_n];\n	setp.lt.u32 %p1, %r3, 7;\n	@%p1 bra JOIN;\nTHEN:\n	mov.u32 %r1, 1;\nJOIN:\n	add.u32 %r2, %r1, 1;\n	ret;\n");

	(void)state;
	assert_int_equal(value(&w, "JOIN"), SSA_UNKNOWN);
	world_free(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_definition_of_a_block_counts),
		cmocka_unit_test(ways_that_bring_different_values_meet_in_a_phi),
		cmocka_unit_test(a_value_that_a_loop_leaves_alone_is_no_phi),
		cmocka_unit_test(a_counter_is_a_phi_of_its_start_and_its_step),
		cmocka_unit_test(a_single_definition_that_does_not_dominate_is_not_known),
	};

	return check_main(tests);
}

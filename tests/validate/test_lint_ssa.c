/* test_lint_ssa.c - values where they are read (validate/lint/ssa.c), on small programs whose answers follow from the definition: the one instruction that
 * comes there on every way, or the place where ways that bring different ones meet. */
#include "validate/lint/fn.h" /* before math.h, whose NAN its tables have as a name */

#include "tests/check.h"

struct world {
	struct ptx_module *m;
	struct lint_fn f;
};

static struct world world_of(const char *body)
{
	struct world w = {0};
	struct buf b = {0};
	struct err e = {0};
	struct ir_func *f;

	buf_printf(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 k_n)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<9>;\n%s\n}\n", body);
	check_ok(ptx_parse_loose(b.s, b.len, "test", &w.m, &e), &e);
	buf_free(&b);
	w.f.a = arena_new();
	w.f.m = w.m;
	f = ir_func_copy(w.f.a, &w.m->func[0]);
	ir_build_cfg(w.f.a, f);
	w.f.f = f;
	flow_analyse(&w.f);
	defs_analyse(&w.f);
	return w;
}

static void world_free(struct world *w)
{
	arena_free(w->f.a);
	ptx_module_free(w->m);
}

/* The first instruction in the text behind label NAME. */
static int behind(const struct world *w, const char *name)
{
	for (int i = 0; i < w->f.f->nlabel; i++)
		if (strcmp(w->f.f->label[i].name, name) == 0)
			return w->f.f->label[i].insn;
	fail_msg("no label %s", name);
	return -1;
}

/* What %r1 holds where the instruction behind the label reads it. */
static int32_t value(struct world *w, const char *label)
{
	for (int r = 0; r < w->f.f->nreg; r++)
		if (strcmp(w->f.f->reg[r].name, "%r1") == 0)
			return ssa_resolve(&w->f, ssa_value(&w->f, &w->f.f->insn[behind(w, label)], r));
	fail_msg("no %%r1");
	return SSA_UNKNOWN;
}

static void the_last_definition_of_a_block_counts(void **state)
{
	struct world w = world_of("A:\n	mov.u32 %r1, 1;\nB:\n	add.u32 %r1, %r1, 2;\nC:\n	add.u32 %r2, %r1, 3;\n	ret;\n");

	(void)state;
	assert_int_equal(value(&w, "B"), behind(&w, "A")); /* its own does not */
	assert_int_equal(value(&w, "C"), behind(&w, "B"));
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
	assert_int_equal(phi->block, w.f.block_of[behind(&w, "JOIN")]);
	assert_int_equal(w.f.pred[phi->block].n, 2);
	for (int p = 0; p < 2; p++) {
		left += ssa_resolve(&w.f, phi->from[p]) == behind(&w, "LEFT");
		right += ssa_resolve(&w.f, phi->from[p]) == behind(&w, "RIGHT");
	}
	assert_true(left == 1 && right == 1);
	world_free(&w);
	w = branch_of("mov.u32 %r1, 2", "mov.u32 %r4, 3"); /* on the left the one before the branch */
	assert_true(SSA_IS_PHI(value(&w, "JOIN")));
	world_free(&w);
	w = branch_of("mov.u32 %r4, 2", "mov.u32 %r4, 3"); /* both the one before the branch: it has one definition, which dominates */
	assert_int_equal(value(&w, "JOIN"), behind(&w, "A"));
	world_free(&w);
}

static void a_value_that_a_loop_leaves_alone_is_no_phi(void **state)
{
	struct world w = world_of("A:\n	mov.u32 %r1, 1;\nB:\n	mov.u32 %r2, %r1;\nC:\n	mov.u32 %r1, 5;\nLOOP:\n	add.u32 %r2, %r1, 1;\n	setp.lt.u32 %p1, %r2, 9;\n	@%p1 bra LOOP;\n"
	                          "END:\n	add.u32 %r3, %r1, 1;\n	ret;\n");

	(void)state;
	assert_int_equal(value(&w, "B"), behind(&w, "A"));
	assert_int_equal(value(&w, "LOOP"), behind(&w, "C")); /* round the loop it is the same */
	assert_int_equal(value(&w, "END"), behind(&w, "C"));
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
		start += ssa_resolve(&w.f, phi->from[p]) == behind(&w, "A");
		step += ssa_resolve(&w.f, phi->from[p]) == behind(&w, "LOOP");
	}
	assert_true(start == 1 && step == 1);
	assert_int_equal(value(&w, "END"), behind(&w, "LOOP"));
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

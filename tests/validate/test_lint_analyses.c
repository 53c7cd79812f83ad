/* test_lint_analyses.c - the analyses of lint on small programs whose answers were worked out by hand: dominators and loops, control dependence,
 * reachability, divergence, origins of addresses, registers without a value, cp.async groups; dominators also by their definition on random graphs. */
#include "tests/validate/lint_world.h"

/* The block that the label begins. */
static int at(const struct world *w, const char *name)
{
	return label(w, name)->block;
}

/* ---- flow ---- */

static const char nest[] = "mov.u32 %r1, 0;\n"
                           "OUTER:\n	add.u32 %r1, %r1, 1;\n	mov.u32 %r2, 0;\n"
                           "INNER:\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, 5;\n	@%p1 bra INNER;\n"
                           "TAIL:\n	setp.lt.u32 %p2, %r1, 7;\n	@%p2 bra OUTER;\n"
                           "BRANCH:\n	setp.eq.u32 %p3, %r1, 3;\n	@%p3 bra LEFT;\n"
                           "RIGHT:\n	mov.u32 %r3, 1;\n	bra JOIN;\n"
                           "LEFT:\n	mov.u32 %r3, 2;\n"
                           "JOIN:\n	ret;\n";

static void dominators_and_loops_of_a_nest(void **state)
{
	struct world w = world_of(nest);

	(void)state;
	assert_int_equal(w.f.idom[at(&w, "INNER")], at(&w, "OUTER"));
	assert_int_equal(w.f.idom[at(&w, "TAIL")], at(&w, "INNER"));
	assert_int_equal(w.f.idom[at(&w, "LEFT")], at(&w, "BRANCH"));
	assert_int_equal(w.f.idom[at(&w, "JOIN")], at(&w, "BRANCH"));
	assert_int_equal(w.f.idom[0], -1);
	assert_true(flow_dominates(&w.f, 0, at(&w, "JOIN")) && flow_dominates(&w.f, at(&w, "OUTER"), at(&w, "RIGHT")));
	assert_false(flow_dominates(&w.f, at(&w, "LEFT"), at(&w, "JOIN")));
	assert_int_equal(w.f.loop[at(&w, "INNER")], at(&w, "INNER"));
	assert_int_equal(w.f.loop[at(&w, "OUTER")], at(&w, "OUTER"));
	assert_int_equal(w.f.loop[at(&w, "TAIL")], at(&w, "OUTER"));
	assert_int_equal(w.f.loop[0], -1);
	assert_int_equal(w.f.loop[at(&w, "BRANCH")], -1);
	world_free(&w);
}

static bool depends_on(const struct world *w, const char *block, const char *branch)
{
	const struct list *l = &w->f.depends[at(w, block)];

	for (int i = 0; i < l->n; i++)
		if (l->v[i] == at(w, branch))
			return true;
	return false;
}

static void control_dependence_of_a_nest(void **state)
{
	struct world w = world_of(nest);

	(void)state;
	assert_true(depends_on(&w, "LEFT", "BRANCH") && depends_on(&w, "RIGHT", "BRANCH"));
	assert_false(depends_on(&w, "JOIN", "BRANCH"));
	assert_true(depends_on(&w, "INNER", "INNER") && depends_on(&w, "INNER", "TAIL")); /* the branch decides whether it runs again */
	assert_true(depends_on(&w, "OUTER", "TAIL"));
	assert_int_equal(w.f.depends[at(&w, "BRANCH")].n, 0);
	world_free(&w);
}

static bool stops_at_barrier(const struct lint_fn *f, const struct ir_insn *i)
{
	(void)f;
	return i->op == OP_BAR;
}

static int insn_with(const struct world *w, enum ir_op op, int nth)
{
	for (int k = 0; k < w->f.f->ninsn; k++)
		if (w->f.f->insn[k].op == op && nth-- == 0)
			return k;
	fail_msg("no such instruction");
	return -1;
}

static void reachability_goes_round_loops_and_ends_at_what_stops(void **state)
{
	struct world w = world_of("LOOP:\n	ld.shared.f32 %f1, [s];\n	bar.sync 0;\n	st.shared.f32 [s], %f1;\n	add.u32 %r1, %r1, 1;\n"
	                          "	setp.lt.u32 %p1, %r1, 5;\n	@%p1 bra LOOP;\n	ld.shared.f32 %f2, [s+4];\n	bar.sync 0;\n	st.shared.f32 [s+4], %f2;\n	ret;\n");
	int load = insn_with(&w, OP_LD, 0), store = insn_with(&w, OP_ST, 0), last_load = insn_with(&w, OP_LD, 1), last = insn_with(&w, OP_ST, 1);

	(void)state;
	assert_true(flow_reaches(&w.f, store, load, stops_at_barrier)); /* by the back edge */
	assert_false(flow_reaches(&w.f, load, store, stops_at_barrier));
	assert_true(flow_reaches(&w.f, store, last_load, stops_at_barrier));
	assert_false(flow_reaches(&w.f, store, last, stops_at_barrier));
	assert_false(flow_reaches(&w.f, last, load, stops_at_barrier)); /* nothing goes back from there */
	world_free(&w);
}

/* Is `to` reached from the first block without going through `avoid`? */
static bool reached_without(const struct world *w, int to, int avoid)
{
	char seen[64] = {0};
	int32_t work[256];
	int n = 0;

	if (avoid == 0)
		return false;
	work[n++] = 0;
	while (n > 0) {
		int b = work[--n];

		if (seen[b] || b == avoid)
			continue;
		seen[b] = 1;
		for (int s = 0, next; (next = flow_successor(w->f.f, b, s)) >= 0; s++)
			work[n++] = next;
	}
	return seen[to];
}

/* Block a dominates b when every path from the first block to b goes through a. */
static void dominators_are_what_their_definition_says_on_random_graphs(void **state)
{
	uint64_t x = 12345;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct buf b = {0};
		struct world w;
		int n = 3 + round % 9;

		for (int i = 0; i < n; i++) {
			x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
			buf_printf(&b, "B%d:\n	setp.eq.u32 %%p1, %%r1, %d;\n", i, i);
			if (x >> 62)
				buf_printf(&b, "	@%%p1 bra B%d;\n", (int)((x >> 33) % (unsigned)n));
			if ((x >> 58 & 7) == 0)
				buf_printf(&b, "	bra B%d;\n", (int)((x >> 13) % (unsigned)n));
		}
		buf_puts(&b, "	ret;\n");
		w = world_of(b.s);
		buf_free(&b);
		for (int i = 0; i < w.f.f->nblock; i++)
			for (int k = 0; w.f.f->block[i].rpo >= 0 && k < w.f.f->nblock; k++)
				if (w.f.f->block[k].rpo >= 0)
					check_true(flow_dominates(&w.f, i, k) == (i == k || !reached_without(&w, k, i)), "round %d: %d over %d", round, i, k);
		world_free(&w);
	}
}

/* ---- divergence ---- */

static void divergence_follows_data_and_control(void **state)
{
	struct world w = world_of("mov.u32 %r1, %tid.x;\n	mov.u32 %r2, %ctaid.x;\n	shr.u32 %r3, %r1, 5;\n	ld.param.u32 %r4, [k_n];\n"
	                          "	add.u32 %r5, %r1, %r4;\n	add.u32 %r6, %r2, %r4;\n	ld.param.u64 %rd1, [k_x];\n	ld.global.u32 %r7, [%rd1];\n"
	                          "	mul.wide.u32 %rd2, %r1, 4;\n	add.u64 %rd3, %rd1, %rd2;\n	ld.global.u32 %r8, [%rd3];\n"
	                          "	atom.global.add.u32 %r9, [%rd1], 1;\n	setp.lt.u32 %p1, %r1, 7;\n	mov.u32 %r10, 0;\n	@!%p1 bra JOIN;\n"
	                          "THEN:\n	mov.u32 %r10, 1;\n	mov.u32 %r11, 3;\n"
	                          "JOIN:\n	setp.lt.u32 %p2, %r4, 7;\n	mov.u32 %r12, 0;\n	@!%p2 bra END;\n"
	                          "SAME:\n	mov.u32 %r12, 1;\n"
	                          "END:\n	vote.sync.ballot.b32 %r13, %p1, 0xffffffff;\n	ret;\n");
	static const struct { const char *reg; enum spread spread; } want[] = {
		{"%r1", DIVERGENT}, {"%r2", UNIFORM}, {"%r3", WARP_UNIFORM}, {"%r4", UNIFORM}, {"%r5", DIVERGENT}, {"%r6", UNIFORM},
		{"%r7", UNIFORM},   {"%r8", DIVERGENT}, {"%r9", DIVERGENT}, {"%p1", DIVERGENT},
		{"%r10", DIVERGENT}, /* which of two values it has depends on the thread */
		{"%r11", UNIFORM},   /* who has it has the same */
		{"%r12", UNIFORM},  {"%r13", WARP_UNIFORM},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		check_true(w.f.spread[reg(&w, want[i].reg)] == want[i].spread, "%s is %d", want[i].reg, w.f.spread[reg(&w, want[i].reg)]);
	assert_int_equal(w.f.control[at(&w, "THEN")], DIVERGENT);
	assert_int_equal(w.f.control[at(&w, "JOIN")], UNIFORM);
	assert_int_equal(w.f.control[at(&w, "SAME")], UNIFORM);
	world_free(&w);
}

/* One register, first the same for all threads, then not: what is read between is the first. */
static void a_register_used_again_is_as_divergent_as_what_is_read(void **state)
{
	struct world w = world_of("mov.u32 %r1, 0;\n	ld.param.u32 %r4, [k_n];\n	mov.u32 %r2, %r1;\n"
	                          "LOOP:\n	bar.sync 0;\n	mov.u32 %r1, %tid.x;\n	st.shared.u32 [s], %r1;\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, %r4;\n"
	                          "	@%p1 bra LOOP;\n"
	                          "END:\n	mov.u32 %r3, %r1;\n	ret;\n");

	(void)state;
	assert_int_equal(w.f.spread[reg(&w, "%r1")], DIVERGENT);
	assert_int_equal(w.f.spread[reg(&w, "%r2")], UNIFORM);
	assert_int_equal(w.f.control[at(&w, "LOOP")], UNIFORM);
	assert_int_equal(w.f.spread[reg(&w, "%r3")], DIVERGENT);
	world_free(&w);
	/* under a guard the value before is read as well; behind a loop that threads leave at different turns so is what each turn gave */
	w = world_of("mov.u32 %r1, %tid.x;\n	ld.param.u32 %r4, [k_n];\n	setp.lt.u32 %p1, %r4, 7;\n	@%p1 mov.u32 %r1, 0;\n	mov.u32 %r2, %r1;\n"
	             "	mov.u32 %r5, %tid.x;\n	mov.u32 %r6, 0;\n	mov.u32 %r7, 0;\n"
	             "LOOP:\n	mov.u32 %r7, %r6;\n	add.u32 %r6, %r6, 1;\n	setp.lt.u32 %p2, %r6, %r5;\n	@%p2 bra LOOP;\n"
	             "	mov.u32 %r8, %r7;\n	ret;\n");
	assert_int_equal(w.f.spread[reg(&w, "%r2")], DIVERGENT);
	assert_int_equal(w.f.spread[reg(&w, "%r8")], DIVERGENT);
	world_free(&w);
}

/* shfl.idx gives all threads of a warp one lane's value where they name the same lane and c = 31 makes the warp one segment (PTX ISA, shfl.sync). */
static void an_exchange_by_one_lane_is_the_same_in_a_warp(void **state)
{
	struct world w = world_of("mov.u32 %r1, %tid.x;\n	ld.param.u32 %r2, [k_n];\n	mov.u32 %r3, 31;\n	shfl.sync.idx.b32 %r4, %r1, %r2, %r3, -1;\n"
	                          "	shfl.sync.idx.b32 %r5, %r1, 0, 31, -1;\n	shfl.sync.idx.b32 %r6, %r1, 0, 0x181f, -1;\n	shfl.sync.idx.b32 %r7, %r1, %r1, 31, -1;\n"
	                          "	shfl.sync.idx.b32 %r8, %r1, 0, %r2, -1;\n	shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\n"
	                          "	shfl.sync.idx.b32 %r10, %r2, 0, %r3, -1;\n	ret;\n");
	static const struct { const char *reg; enum spread spread; } want[] = {
		{"%r4", WARP_UNIFORM}, {"%r5", WARP_UNIFORM}, {"%r6", DIVERGENT}, {"%r7", DIVERGENT}, {"%r8", DIVERGENT}, {"%r9", DIVERGENT},
		{"%r10", UNIFORM}}; /* of what all threads of the block have */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		check_true(w.f.spread[reg(&w, want[i].reg)] == want[i].spread, "%s is %d", want[i].reg, w.f.spread[reg(&w, want[i].reg)]);
	world_free(&w);
}

/* ---- origins ---- */

static void addresses_know_the_parameter_they_are_made_from(void **state)
{
	struct world w = world_of("ld.param.u64 %rd1, [k_x];\n	ld.param.u64 %rd2, [k_y];\n	cvta.to.global.u64 %rd3, %rd1;\n	mov.u32 %r1, %tid.x;\n"
	                          "	mul.wide.u32 %rd4, %r1, 4;\n	add.s64 %rd5, %rd3, %rd4;\n	add.s64 %rd6, %rd2, %rd4;\n	setp.eq.u32 %p1, %r1, 0;\n"
	                          "	selp.b64 %rd7, %rd5, %rd6, %p1;\n	mov.u64 %rd8, s;\n	ld.global.f32 %f1, [%rd5];\n	st.global.f32 [%rd6+8], %f1;\n"
	                          "	st.global.f32 [%rd7], %f1;\n	st.shared.f32 [s+4], %f1;\n	ret;\n");

	(void)state;
	assert_int_equal(w.f.origin[reg(&w, "%rd4")], FROM_NOTHING);
	assert_int_equal(w.f.origin[reg(&w, "%rd5")], 0);
	assert_int_equal(w.f.origin[reg(&w, "%rd6")], 1);
	assert_int_equal(w.f.origin[reg(&w, "%rd7")], FROM_MANY);
	assert_int_equal(w.f.origin[reg(&w, "%rd8")], FROM_SHARED);
	assert_int_equal(origin_of(&w.f, &w.f.f->insn[insn_with(&w, OP_ST, 0)].src[0]), 1);
	assert_int_equal(origin_of(&w.f, &w.f.f->insn[insn_with(&w, OP_ST, 2)].src[0]), FROM_SHARED);
	world_free(&w);
}

/* ---- rules on whole texts ---- */

static int findings(const char *body, const char *rule, const char *launch)
{
	struct lint_options o = {.launch = launch};
	struct lint_report *r;
	struct err e = {0};
	char *text = text_of(body);
	int n = 0;

	check_ok(lint_text(text, strlen(text), "test", &o, &r, &e), &e);
	for (int i = 0; i < r->nfindings; i++)
		n += strcmp(r->findings[i].rule->id, rule) == 0 && r->findings[i].severity > LINT_NOTE;
	lint_report_free(r);
	free(text);
	return n;
}

static struct lint_report *report_of(const char *text)
{
	struct lint_options o = {0};
	struct lint_report *r;
	struct err e = {0};

	check_ok(lint_text(text, strlen(text), "test", &o, &r, &e), &e);
	return r;
}

/* Texts that nvcc and Triton make and ptxas 13.0 takes, with what the emulator refuses: they are linted all the same. */
static void what_is_not_emulated_is_linted(void **state)
{
	static const char *const texts[] = {
		/* cooperative_groups::this_grid().sync() */
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, %envreg2;\nret;\n}\n",
		/* sm_100 has a maximum of three */
		".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 k_x)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<2>;\n"
		"ld.param.u64 %rd1, [k_x];\nld.global.v2.b32 {%r1, %r2}, [%rd1];\nmax.f32 %r3, %r1, %r2, 0f00000000;\nst.global.b32 [%rd1], %r3;\nret;\n}\n",
		/* a table of functions, a call through it */
		".version 8.0\n.target sm_90\n.address_size 64\n.func (.param .b32 r) f(.param .b32 a);\n.global .align 8 .u64 t[2] = {f, f};\n"
		".func (.param .b32 r) f(.param .b32 a)\n{\nret;\n}\n"
		".visible .entry k()\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nmov.u64 %rd2, f;\nld.global.u64 %rd1, [t];\nmov.u32 %r1, 1;\n"
		"{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], %r1;\nprototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
		"call (q0), %rd1, (p0), prototype_0;\nld.param.b32 %r2, [q0];\n}\nret;\n}\n",
		".version 8.0\n.target sm_90\n.address_size 64\n.func f();\n.func g()\n{\nret;\n}\n.alias f, g;\n.visible .entry k()\n{\ncall f;\nret;\n}\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct lint_report *r = report_of(texts[i]);
		struct ptx_module *m;
		struct err e = {0};

		check_true(r->nmetrics == 1 && lint_count(r, LINT_ERROR) == 0 && lint_count(r, LINT_WARNING) == 0, "text %zu", i);
		lint_report_free(r);
		check_true(ptx_parse(texts[i], strlen(texts[i]), "test", &m, &e) == ST_UNSUP, "text %zu is for the emulator: %s", i, e.msg);
	}
}

/* A brx under a guard may be passed over: what follows it is reached (its block had no predecessor, and an index of -1 was written through). */
static void a_guarded_table_branch_may_be_passed_over(void **state)
{
	struct world w = world_of("setp.eq.u32 %p1, 1, 1;\n	mov.u32 %r1, 0;\nT: .branchtargets A, B;\n	@%p1 brx.idx %r1, T;\n"
	                          "NEXT:\n	mov.u32 %r2, 1;\nA:\n	mov.u32 %r3, 1;\nB:\n	ret;\n");

	(void)state;
	assert_int_equal(w.f.idom[at(&w, "NEXT")], 0);
	assert_int_equal(w.f.idom[at(&w, "A")], 0);
	assert_int_equal(w.f.pred[at(&w, "NEXT")].n, 1);
	assert_int_equal(w.f.pred[at(&w, "A")].n, 2);
	world_free(&w);
}

/* n loops inside one another: blocks depend on n * n / 2 branches in sum. */
static void an_entry_too_large_for_an_analysis_ends_it_and_is_told(void **state)
{
	(void)state;
	for (int n = 100; n <= 5000; n += 4900) {
		struct lint_report *r;
		struct buf b = {0};
		char *text;

		buf_puts(&b, "	mov.u32 %r1, %tid.x;\n");
		for (int i = 0; i < n; i++)
			buf_printf(&b, "L%d:\n	add.u32 %%r1, %%r1, 1;\n", i);
		for (int i = n - 1; i >= 0; i--)
			buf_printf(&b, "	setp.lt.u32 %%p1, %%r1, %d;\n	@%%p1 bra L%d;\n", i, i);
		buf_puts(&b, "	ret;\n");
		text = text_of(b.s);
		r = report_of(text);
		check_true((r->unfinished != NULL) == (n == 5000), "%d loops: %s", n, r->assumed);
		check_true((strstr(r->assumed, "not all of k was analysed") != NULL) == (n == 5000), "%d loops: %s", n, r->assumed);
		lint_report_free(r);
		free(text);
		buf_free(&b);
	}
}

/* Two copies of each other: no definition to come to. */
static void copies_in_a_circle_end(void **state)
{
	(void)state;
	assert_int_equal(findings("L:\n	mov.u64 %rd1, %rd2;\n	mov.u64 %rd2, %rd1;\n	add.u64 %rd3, %rd1, 4;\n	ld.global.v2.f32 {%f1, %f2}, [%rd1+4];\n"
	                          "	setp.eq.u64 %p1, %rd3, 0;\n	@%p1 bra L;\n	ret;\n", "misaligned-vector", NULL), 1);
}

/* CuTe's layernorm: two sums in one register, neither of itself. */
static void a_sum_is_followed_by_values_not_by_registers(void **state)
{
	static const char rule[] = "low-accumulator";

	(void)state;
	assert_int_equal(findings("	mov.b32 %r1, 0;\n	mov.b32 %r2, 0;\n	mov.u32 %r5, 0;\nL:\n	fma.rn.f16x2 %r3, %r1, %r1, %r2;\n	fma.rn.f16x2 %r3, %r2, %r3, %r1;\n"
	                          "	st.shared.b32 [s], %r3;\n	add.u32 %r5, %r5, 1;\n	setp.lt.u32 %p1, %r5, 9;\n	@%p1 bra L;\n	ret;\n", rule, NULL), 0);
	assert_int_equal(findings("	mov.b32 %r1, 0;\n	mov.b32 %r3, 0;\n	mov.u32 %r5, 0;\nL:\n	fma.rn.f16x2 %r2, %r1, %r1, %r3;\n	fma.rn.f16x2 %r3, %r1, %r1, %r2;\n"
	                          "	add.u32 %r5, %r5, 1;\n	setp.lt.u32 %p1, %r5, 9;\n	@%p1 bra L;\n	st.shared.b32 [s], %r3;\n	ret;\n", rule, NULL), 1);
}

/* What was stored is read as well: that a copy was started before proves nothing (CUTLASS' sparse product reads indices so). */
static void a_read_of_what_was_stored_is_no_read_of_a_copy(void **state)
{
	static const char rule[] = "async-no-wait";

	(void)state;
	assert_int_equal(findings("	mov.u32 %r1, s;\n	ld.param.u64 %rd1, [k_x];\n	cp.async.ca.shared.global [%r1], [%rd1], 4;\n	ld.shared.f32 %f1, [%r1];\n"
	                          "	cp.async.wait_all;\n	ret;\n", rule, NULL), 1);
	assert_int_equal(findings("	mov.u32 %r1, s;\n	ld.param.u64 %rd1, [k_x];\n	st.shared.u32 [s+256], %r1;\n	cp.async.ca.shared.global [%r1], [%rd1], 4;\n"
	                          "	ld.shared.f32 %f1, [s+256];\n	cp.async.wait_all;\n	ret;\n", rule, NULL), 0);
}

/* CUTLASS' producer initialises its mbarriers, arrives at a named barrier and goes on; the others wait there. */
static void a_named_barrier_tells_that_an_mbarrier_is_initialised(void **state)
{
	static const char body[] = "	mov.u32 %%r1, %%tid.x;\n	mov.u32 %%r2, s;\n	setp.ne.u32 %%p1, %%r1, 0;\n	@%%p1 bra REST;\n	mbarrier.init.shared.b64 [%%r2], 1;\n%s"
	                           "REST:\n	mbarrier.arrive.shared.b64 _, [%%r2];\n	ret;\n";

	(void)state;
	for (int arrives = 0; arrives < 2; arrives++) {
		struct buf b = {0};

		buf_printf(&b, body, arrives ? "	bar.arrive 8, 128;\n" : "");
		assert_int_equal(findings(b.s, "mbarrier-init-unseen", NULL), !arrives);
		buf_free(&b);
	}
}

/* A register that is called through is read. */
static void a_call_through_a_register_reads_it(void **state)
{
	(void)state;
	assert_int_equal(findings("	call %rd3, (), P;\nP: .callprototype _ ();\n	ret;\n", "uninitialised-register", NULL), 1);
}

static void registers_without_a_value(void **state)
{
	static const char rule[] = "uninitialised-register";

	(void)state;
	assert_int_equal(findings("	add.u32 %r1, %r2, 1;\n	ret;\n", rule, NULL), 1);
	/* given later in the text: round by a loop, or never */
	assert_int_equal(findings("L:\n	add.u32 %r1, %r2, 1;\n	mov.u32 %r2, 4;\n	setp.lt.u32 %p1, %r1, 9;\n	@%p1 bra L;\n	ret;\n", rule, NULL), 0);
	assert_int_equal(findings("	add.u32 %r1, %r2, 1;\n	mov.u32 %r2, 4;\n	ret;\n", rule, NULL), 1);
	/* given and read under one condition */
	assert_int_equal(findings("	setp.eq.u32 %p1, 1, 1;\n	@%p1 mov.u32 %r2, 4;\n	@%p1 add.u32 %r1, %r2, 1;\n	ret;\n", rule, NULL), 0);
	/* copied to where a load under a condition may go as well: CUTLASS begins its loads so */
	assert_int_equal(findings("	mov.u32 %r1, %r2;\n	@%p1 ld.shared.u32 %r1, [s];\n	mov.pred %p1, 0;\n	ret;\n", rule, NULL), 1); /* %p1 alone */
	assert_int_equal(findings("	mov.u32 %r1, %r2;\n	st.shared.u32 [s], %r1;\n	ret;\n", rule, NULL), 1);
	/* packed with a value, and cut off again: LLVM packs so */
	assert_int_equal(findings("	mov.u32 %r1, 1;\n	mov.b64 %rd1, {%r1, %r2};\n	cvt.u32.u64 %r3, %rd1;\n	st.shared.u32 [s], %r3;\n	ret;\n", rule, NULL), 0);
	/* in code that nothing reaches */
	assert_int_equal(findings("	bra E;\n	add.u32 %r1, %r2, 1;\nE:\n	ret;\n", rule, NULL), 0);
}

/* At the begin of a block. */
static bool definite(const struct world *w, struct defs_ways *ways, const char *block, const char *name)
{
	return !defs_missing(ways, w->f.f->block[at(w, block)].first, reg(w, name));
}

static void definite_initialisation_asks_every_way(void **state)
{
	struct world w = world_of("	mov.u32 %r1, 1;\n	setp.eq.u32 %p1, %r1, 1;\n	@%p1 bra LEFT;\n"
	                          "RIGHT:\n	mov.u32 %r2, 1;\n	mov.u32 %r3, 1;\n	bra JOIN;\n"
	                          "LEFT:\n	mov.u32 %r2, 2;\n	@%p1 mov.u32 %r4, 2;\n"
	                          "JOIN:\n	add.u32 %r1, %r1, %r2;\n	mov.u32 %r5, 3;\n	setp.lt.u32 %p2, %r1, 9;\n	@%p2 bra JOIN;\n"
	                          "END:\n	ret;\n");
	struct defs_ways ways = defs_ways_new(&w.f), *have = &ways;

	(void)state;
	assert_true(definite(&w, have, "JOIN", "%r1") && definite(&w, have, "JOIN", "%r2"));
	assert_false(definite(&w, have, "JOIN", "%r3")); /* from the right alone */
	assert_false(definite(&w, have, "JOIN", "%r4"));
	assert_false(definite(&w, have, "JOIN", "%r5")); /* round the loop, but not the first time */
	assert_true(definite(&w, have, "END", "%r5"));
	assert_false(definite(&w, have, "LEFT", "%r2"));
	defs_ways_free(&ways);
	world_free(&w);
}

/* wait_group N is over when all but the latest N groups are: with two groups, one copy each, wait_group 1 covers the first alone. */
static void groups_of_copies_are_counted(void **state)
{
	static const char launch[] = "grid=1 block=32 args=ptr:4096,ptr:4096,i32:1";
	static const char copies[] = "	ld.param.u64 %%rd1, [k_x];\n	mov.u32 %%r1, s;\n	add.u32 %%r2, %%r1, 128;\n"
	                             "	cp.async.ca.shared.global [%%r1], [%%rd1], 4;\n	cp.async.commit_group;\n"
	                             "	cp.async.ca.shared.global [%%r2], [%%rd1], 4;\n	cp.async.commit_group;\n	%s;\n	ld.shared.f32 %%f1, [%s];\n	ret;\n";
	static const struct { const char *wait, *read; int n; } cases[] = {
		{"cp.async.wait_group 0", "%r1", 0}, {"cp.async.wait_group 0", "%r2", 0}, {"cp.async.wait_group 1", "%r1", 0},
		{"cp.async.wait_group 1", "%r2", 1}, {"cp.async.wait_group 2", "%r1", 1}, {"cp.async.wait_all", "%r2", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = {0};

		buf_printf(&b, copies, cases[i].wait, cases[i].read);
		check_true(findings(b.s, "async-no-wait", launch) == cases[i].n, "%s, then %s", cases[i].wait, cases[i].read);
		buf_free(&b);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dominators_and_loops_of_a_nest),
		cmocka_unit_test(control_dependence_of_a_nest),
		cmocka_unit_test(reachability_goes_round_loops_and_ends_at_what_stops),
		cmocka_unit_test(dominators_are_what_their_definition_says_on_random_graphs),
		cmocka_unit_test(divergence_follows_data_and_control),
		cmocka_unit_test(a_register_used_again_is_as_divergent_as_what_is_read),
		cmocka_unit_test(an_exchange_by_one_lane_is_the_same_in_a_warp),
		cmocka_unit_test(addresses_know_the_parameter_they_are_made_from),
		cmocka_unit_test(what_is_not_emulated_is_linted),
		cmocka_unit_test(a_guarded_table_branch_may_be_passed_over),
		cmocka_unit_test(an_entry_too_large_for_an_analysis_ends_it_and_is_told),
		cmocka_unit_test(copies_in_a_circle_end),
		cmocka_unit_test(a_sum_is_followed_by_values_not_by_registers),
		cmocka_unit_test(a_read_of_what_was_stored_is_no_read_of_a_copy),
		cmocka_unit_test(a_named_barrier_tells_that_an_mbarrier_is_initialised),
		cmocka_unit_test(a_call_through_a_register_reads_it),
		cmocka_unit_test(registers_without_a_value),
		cmocka_unit_test(definite_initialisation_asks_every_way),
		cmocka_unit_test(groups_of_copies_are_counted),
	};

	return check_main(tests);
}

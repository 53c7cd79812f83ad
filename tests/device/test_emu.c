/* test_emu.c - device "emu": loading, runs of several launches, findings seen from outside, budget,
 * coverage, and use by several threads. The PTX is written by hand. */
#include "tests/check.h"

#include "device/device.h"

static const char ptx[] =
        ".version 8.0\n"
        ".target sm_90\n"
        ".address_size 64\n"
        /* y[i] = 2*x[i] for i < n, i != skip */
        ".visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 skip)\n"
        "{\n"
        "	.reg .pred %p<3>; .reg .f32 %f<3>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
        "	.loc 1 10 0\n"
        "	ld.param.u64 %rd1, [x];\n"
        "	ld.param.u64 %rd2, [y];\n"
        "	ld.param.u32 %r1, [n];\n"
        "	ld.param.u32 %r2, [skip];\n"
        "	cvta.to.global.u64 %rd3, %rd1;\n"
        "	cvta.to.global.u64 %rd4, %rd2;\n"
        "	mov.u32 %r3, %tid.x;\n"
        "	mov.u32 %r4, %ctaid.x;\n"
        "	shl.b32 %r5, %r4, 5;\n"
        "	add.s32 %r3, %r3, %r5;\n"
        "	setp.ge.u32 %p1, %r3, %r1;\n"
        "	@%p1 bra END;\n"
        "	.loc 1 11 0\n"
        "	setp.eq.u32 %p2, %r3, %r2;\n"
        "	@%p2 bra END;\n"
        "	.loc 1 12 0\n"
        "	mul.wide.u32 %rd5, %r3, 4;\n"
        "	add.s64 %rd6, %rd3, %rd5;\n"
        "	ld.global.f32 %f1, [%rd6];\n"
        "	add.f32 %f2, %f1, %f1;\n"
        "	add.s64 %rd7, %rd4, %rd5;\n"
        "	st.global.f32 [%rd7], %f2;\n"
        "END:\n"
        "	.loc 1 13 0\n"
        "	ret;\n"
        "}\n"
        /* x[0] = 7 by every thread, in the input */
        ".visible .entry spoil(.param .u64 x)\n"
        "{\n"
        "	.reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
        "	.loc 1 12 0\n"
        "	ld.param.u64 %rd1, [x];\n"
        "	cvta.to.global.u64 %rd2, %rd1;\n"
        "	mov.u32 %r1, 7;\n"
        "	st.global.u32 [%rd2], %r1;\n"
        "	ret;\n"
        "}\n"
        ".visible .entry spin()\n"
        "{\n"
        "AGAIN:\n"
        "	bra AGAIN;\n"
        "}\n"
        "	.file 1 \"twice.cu\"\n";

#define N     100
#define GUARD 64

struct world {
	struct device *d;
	struct dev_module *m;
	float x[N + 2 * GUARD], y[N + 2 * GUARD];
	struct run_buffer buffers[2];
	struct run_arg args[4];
	struct run_launch launches[3];
	struct run_plan plan;
	struct dev_run_options o;
	struct run_report r;
};

static void set_u32(struct run_arg *a, uint32_t v)
{
	*a = (struct run_arg){.buffer = -1, .bytes = 4};
	memcpy(a->value, &v, 4);
}

/* One launch of `twice` over all of x. */
static void world_plan(struct world *w)
{
	for (int i = 0; i < N; i++)
		w->x[GUARD + i] = (float)i;
	for (int k = 0; k < 2; k++)
		w->buffers[k] = (struct run_buffer){.name = k ? "y" : "x",
		                                    .role = k ? RUN_OUT : RUN_IN,
		                                    .dt = DT_F32,
		                                    .data = (uint8_t *)((k ? w->y : w->x) + GUARD),
		                                    .bytes = 4 * N,
		                                    .guard = 4 * GUARD};
	w->args[0] = (struct run_arg){.buffer = 0, .bytes = 8};
	w->args[1] = (struct run_arg){.buffer = 1, .bytes = 8};
	set_u32(&w->args[2], N);
	set_u32(&w->args[3], N);
	w->launches[0] = (struct run_launch){.entry = "twice",
	                                     .grid = {4, 1, 1},
	                                     .block = {32, 1, 1},
	                                     .args = w->args,
	                                     .nargs = 4};
	w->plan = (struct run_plan){.buffers = w->buffers,
	                            .nbuffers = 2,
	                            .launches = w->launches,
	                            .nlaunches = 1,
	                            .fill = 0xa5};
	w->o = (struct dev_run_options){.sanitize = true};
}

static int setup(void **state)
{
	struct world *w = mem_zalloc(1, sizeof *w);
	struct err e = {0};

	check_ok(device_open("emu", &w->d, &e), &e);
	check_ok(device_load(w->d, ptx, sizeof ptx - 1, "twice.ptx", &w->m, &e), &e);
	world_plan(w);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	dev_module_free(w->m);
	device_close(w->d);
	free(w);
	return 0;
}

static void run(struct world *w)
{
	struct err e = {0};

	check_ok(device_run(w->m, &w->plan, &w->o, &w->r, &e), &e);
}

static const struct finding *find(const struct run_report *r, enum finding_kind kind)
{
	for (int i = 0; i < r->nfindings; i++)
		if (r->findings[i].kind == kind)
			return &r->findings[i];
	fail_msg("no finding %s", finding_name(kind));
	return NULL;
}

static void knows_its_devices(void **state)
{
	struct world *w = *state;
	struct device *d = NULL;
	struct err e = {0};

	assert_string_equal(device_name(w->d), "emu");
	assert_non_null(strstr(device_text(w->d), "sm_90"));
	check_fails(device_open("gpu", &d, &e), ST_INPUT, &e, "known are emu, cuda:N");
	assert_null(d);
}

static void refuses_text_that_is_no_ptx(void **state)
{
	struct world *w = *state;
	struct dev_module *m = NULL;
	struct err e = {0};

	check_fails(device_load(w->d, "hello", 5, "hello.ptx", &m, &e), ST_INPUT, &e, "hello.ptx");
	assert_null(m);
}

static void computes(void **state)
{
	struct world *w = *state;

	memset(&w->r, 0xff, sizeof w->r); /* what a report held before does not matter */
	run(w);
	assert_true(w->r.complete);
	assert_int_equal(w->r.nfindings, 0);
	for (int i = 0; i < N; i++)
		assert_true(w->y[GUARD + i] == 2 * (float)i);
	assert_true(w->r.lane_instructions > 10 * N && w->r.lane_instructions < 40 * 4 * 32);
	assert_true(w->r.warp_instructions * 32 >= w->r.lane_instructions);
	assert_true(w->r.seconds > 0);
}

static void names_an_unknown_entry(void **state)
{
	struct world *w = *state;
	struct err e = {0};

	w->launches[0].entry = "thrice";
	check_fails(device_run(w->m, &w->plan, &w->o, &w->r, &e), ST_INPUT, &e,
	            "no entry 'thrice'; it has twice, spoil, spin");
}

static void an_empty_grid_is_no_launch(void **state)
{
	struct world *w = *state;

	w->launches[0].grid[1] = 0;
	w->launches[0].entry = "is not looked up";
	run(w);
	assert_true(w->r.complete);
	assert_int_equal(w->r.lane_instructions, 0);
	assert_int_equal(find(&w->r, FIND_UNWRITTEN)->count, N);
}

static void finds_an_element_never_written(void **state)
{
	struct world *w = *state;

	set_u32(&w->args[3], 37);
	run(w);
	assert_int_equal(w->r.nfindings, 1);
	assert_int_equal(find(&w->r, FIND_UNWRITTEN)->element, 37);
	assert_int_equal(w->r.findings[0].count, 1);
	w->o.sanitize = false;
	run(w);
	assert_int_equal(w->r.nfindings, 0);
}

static void finds_a_written_input(void **state)
{
	struct world *w = *state;

	for (int sanitize = 0; sanitize < 2; sanitize++) {
		w->x[GUARD] = 0;
		w->o.sanitize = sanitize;
		w->launches[1] = (struct run_launch){.entry = "spoil",
		                                     .grid = {1, 1, 1},
		                                     .block = {1, 1, 1},
		                                     .args = w->args,
		                                     .nargs = 1};
		w->plan.nlaunches = 2;
		run(w);
		assert_string_equal(find(&w->r, FIND_INPUT_WRITTEN)->buffer, "x");
		assert_int_equal(find(&w->r, FIND_INPUT_WRITTEN)->element, 0);
		assert_int_equal(w->r.nfindings, 1);
	}
}

static void the_budget_is_over_all_launches(void **state)
{
	struct world *w = *state;
	uint64_t one;

	run(w);
	one = 32 * w->r.warp_instructions;
	w->launches[1] = w->launches[2] = w->launches[0];
	w->plan.nlaunches = 3;
	w->o.budget = 3 * one;
	run(w);
	assert_true(w->r.complete);
	assert_int_equal(32 * w->r.warp_instructions, 3 * one);
	w->o.budget = 2 * one + one / 2;
	run(w);
	assert_false(w->r.complete);
	find(&w->r, FIND_BUDGET);
}

static void an_endless_loop_ends_by_budget(void **state)
{
	struct world *w = *state;

	w->launches[0] =
	        (struct run_launch){.entry = "spin", .grid = {1, 1, 1}, .block = {1, 1, 1}};
	w->launches[1] = w->launches[0];
	w->launches[1].entry = "never reached";
	w->plan.nlaunches = 2;
	w->o.budget = 100000;
	run(w);
	assert_false(w->r.complete);
	assert_int_equal(w->r.nfindings, 1); /* no complaint about y, which was never reached */
	assert_string_equal(find(&w->r, FIND_BUDGET)->entry, "spin");
}

struct hit {
	int line;
	uint64_t hits;
};

static void note_line(void *ctx, const char *file, int line, uint64_t hits)
{
	struct hit *h = ctx;

	assert_string_equal(file, "twice.cu");
	while (h->line)
		h++;
	*h = (struct hit){line, hits};
}

static void coverage_counts_entries_together(void **state)
{
	struct world *w = *state;
	struct dev_coverage *all = dev_coverage_new(w->m), *one = dev_coverage_new(w->m);
	struct ptx_coverage_sum before = dev_coverage_total(all), after;
	struct hit h[8] = {{0}};

	assert_int_equal(before.blocks_hit + before.edges_hit, 0);
	assert_true(before.blocks >= 5 && before.edges >= 4);
	w->o.coverage = one;
	run(w);
	assert_true(dev_coverage_new_edges(all, one) > 0);
	dev_coverage_merge(all, one);
	assert_int_equal(dev_coverage_new_edges(all, one), 0);
	set_u32(&w->args[3], 5); /* the branch of line 11, taken for the first time */
	run(w);
	assert_true(dev_coverage_new_edges(all, one) > 0);
	dev_coverage_merge(all, one);
	after = dev_coverage_total(all);
	assert_int_equal(after.edges_hit, 4);
	dev_coverage_lines(all, note_line, h);
	/* Line 12 stands in twice and in spoil, once in the list; spin has no line. */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(h[i].line, 10 + i);
		assert_true(h[i].hits > 0);
	}
	assert_int_equal(h[4].line, 0);
	dev_coverage_free(all);
	dev_coverage_free(one);
}

struct crowd {
	const struct world *w;
	struct dev_coverage *all;
	bool ok[64];
};

static void run_one(void *ctx, size_t i, int worker)
{
	struct crowd *c = ctx;
	struct world *mine = mem_zalloc(1, sizeof *mine);
	struct dev_coverage *cov = dev_coverage_new(c->w->m);
	struct err e = {0};
	bool ok;

	(void)worker;
	world_plan(mine);
	mine->o.coverage = cov;
	set_u32(&mine->args[3], (uint32_t)i);
	ok = device_run(c->w->m, &mine->plan, &mine->o, &mine->r, &e) == ST_OK;
	ok = ok && mine->r.nfindings == 1 && mine->r.findings[0].kind == FIND_UNWRITTEN &&
	     mine->r.findings[0].element == (int64_t)i;
	for (size_t k = 0; k < N; k++)
		ok = ok && (k == i || mine->y[GUARD + k] == 2 * (float)k);
	dev_coverage_merge(c->all, cov);
	c->ok[i] = ok;
	dev_coverage_free(cov);
	free(mine);
}

static void threads_share_a_module(void **state)
{
	struct world *w = *state;
	struct crowd c = {.w = w, .all = dev_coverage_new(w->m)};

	pool_run(4, ARRAY_LEN(c.ok), run_one, NULL, &c);
	for (size_t i = 0; i < ARRAY_LEN(c.ok); i++)
		check_true(c.ok[i], "run %zu", i);
	assert_int_equal(dev_coverage_total(c.all).edges_hit, 4);
	dev_coverage_free(c.all);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
	        T(knows_its_devices),
	        T(refuses_text_that_is_no_ptx),
	        T(computes),
	        T(names_an_unknown_entry),
	        T(an_empty_grid_is_no_launch),
	        T(finds_an_element_never_written),
	        T(finds_a_written_input),
	        T(the_budget_is_over_all_launches),
	        T(an_endless_loop_ends_by_budget),
	        T(coverage_counts_entries_together),
	        T(threads_share_a_module),
	};

	return check_main(tests);
}

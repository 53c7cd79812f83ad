/* test_buffers.c - what device/ sees of a run from outside: fills, bitmaps, and changes that are
 * made here by hand in place of a kernel. */
#include "tests/check.h"

#include "device/check_buffers.h"

#define GUARD 32
#define FILL  0xa5

/* x: 5 f32; y: 3 rows of 2 f16, one element of padding between them (elements 0 1 . 3 4 . 6 7); w:
 * an i32. */
struct world {
	uint8_t store[3][2 * GUARD + 64];
	uint8_t y_valid[2];
	struct run_buffer b[3];
	struct run_launch launch;
	struct run_plan plan;
	struct run_report r;
};

static void world_init(struct world *w)
{
	memset(w, 0, sizeof *w);
	w->b[0] = (struct run_buffer){.name = "x", .role = RUN_IN, .dt = DT_F32, .bytes = 20};
	w->b[1] = (struct run_buffer){.name = "y", .role = RUN_OUT, .dt = DT_F16, .bytes = 16};
	w->b[2] = (struct run_buffer){.name = "w", .role = RUN_WORKSPACE, .dt = DT_I32, .bytes = 4};
	for (int i = 0; i < 3; i++) {
		w->b[i].data = w->store[i] + GUARD;
		w->b[i].guard = GUARD;
	}
	for (int i = 0; i < 20; i++)
		w->b[0].data[i] = (uint8_t)(i + 1);
	w->y_valid[0] = 0xcf; /* bytes 4, 5 and 10, 11 are padding */
	w->y_valid[1] = 0xf3;
	w->b[1].valid = w->y_valid;
	w->launch.entry = "kernel_f16";
	w->plan = (struct run_plan){.buffers = w->b,
	                            .nbuffers = 3,
	                            .launches = &w->launch,
	                            .nlaunches = 1,
	                            .fill = FILL};
	w->r.complete = true;
}

static void write_all(struct world *w)
{
	memset(w->b[1].written, 0xff, 2);
}

static const struct finding *the_finding(const struct world *w, enum finding_kind kind)
{
	assert_int_equal(w->r.nfindings, 1);
	assert_int_equal(w->r.findings[0].kind, kind);
	assert_string_equal(w->r.findings[0].entry, "kernel_f16");
	return &w->r.findings[0];
}

static void fills_everything_but_inputs(void **state)
{
	struct world w;
	struct buffer_watch *watch;

	(void)state;
	world_init(&w);
	watch = buffer_watch_begin(&w.plan, true);
	for (int i = 0; i < 20; i++)
		assert_int_equal(w.b[0].data[i], i + 1);
	for (int i = 0; i < 3; i++)
		for (int k = 1; k <= GUARD; k++) {
			assert_int_equal(w.b[i].data[-k], FILL);
			assert_int_equal(w.b[i].data[w.b[i].bytes + (uint64_t)k - 1], FILL);
		}
	for (int i = 0; i < 16; i++)
		assert_int_equal(w.b[1].data[i], FILL);
	assert_int_equal(w.b[2].data[3], FILL);
	assert_null(w.b[0].written);
	assert_int_equal(w.b[1].written[0] | w.b[1].written[1] | w.b[2].written[0], 0);
	write_all(&w);
	buffer_watch_report(watch, &w.plan, &w.r);
	assert_int_equal(w.r.nfindings, 0);
	buffer_watch_end(watch, &w.plan);
	assert_null(w.b[1].written);
	assert_null(w.b[2].written);
}

static void keeps_a_bitmap_that_is_there_and_clears_it(void **state)
{
	uint8_t mine[2] = {0xff, 0xff};
	struct world w;
	struct buffer_watch *watch;

	(void)state;
	world_init(&w);
	w.b[1].written = mine;
	watch = buffer_watch_begin(&w.plan, false);
	assert_ptr_equal(w.b[1].written, mine);
	assert_null(w.b[2].written); /* not sanitized: none is made */
	assert_int_equal(mine[0] | mine[1], 0);
	buffer_watch_end(watch, &w.plan);
	assert_ptr_equal(w.b[1].written, mine);
}

static void names_elements_never_written(void **state)
{
	struct world w;
	struct buffer_watch *watch;
	const struct finding *f;

	(void)state;
	world_init(&w);
	watch = buffer_watch_begin(&w.plan, true);
	w.b[1].written[0] = 0x0f | 0x40; /* elements 0 and 1, half of 3 */
	w.b[1].written[1] = 0xf0;        /* elements 6 and 7, not 4 */
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	f = the_finding(&w, FIND_UNWRITTEN);
	assert_string_equal(f->buffer, "y");
	assert_int_equal(f->element, 3);
	assert_int_equal(f->count, 2);
	assert_non_null(strstr(f->text, "element 3"));
}

static void says_nothing_of_writing_without_sanitizer_or_end(void **state)
{
	struct world w;
	struct buffer_watch *watch;

	(void)state;
	world_init(&w);
	watch = buffer_watch_begin(&w.plan, false);
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	assert_int_equal(w.r.nfindings, 0);
	world_init(&w);
	w.r.complete = false;
	watch = buffer_watch_begin(&w.plan, true);
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	assert_int_equal(w.r.nfindings, 0);
}

static void names_a_changed_input(void **state)
{
	struct world w;
	struct buffer_watch *watch;
	const struct finding *f;

	(void)state;
	world_init(&w);
	watch = buffer_watch_begin(&w.plan, true);
	write_all(&w);
	w.b[0].data[9] ^= 1; /* element 2 */
	w.b[0].data[10] ^= 1;
	w.b[0].data[19] ^= 1; /* element 4 */
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	f = the_finding(&w, FIND_INPUT_WRITTEN);
	assert_string_equal(f->buffer, "x");
	assert_int_equal(f->element, 2);
	assert_int_equal(f->count, 2);
}

static void leaves_an_input_to_the_emulators_finding(void **state)
{
	struct finding known = {
	        .kind = FIND_INPUT_WRITTEN, .buffer = "x", .ptx_line = 7, .count = 1};
	struct world w;
	struct buffer_watch *watch;

	(void)state;
	world_init(&w);
	watch = buffer_watch_begin(&w.plan, true);
	write_all(&w);
	run_report_add(&w.r, &known);
	w.b[0].data[0] ^= 1;
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	assert_int_equal(w.r.nfindings, 1);
	assert_int_equal(w.r.findings[0].ptx_line, 7);
}

/* Runs one change at byte `at` of buffer b; the element that is named. */
static int64_t changed_at(int b, int64_t at)
{
	struct world w;
	struct buffer_watch *watch;
	const struct finding *f;

	world_init(&w);
	watch = buffer_watch_begin(&w.plan, true);
	write_all(&w);
	w.b[b].data[at] ^= 1;
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	f = the_finding(&w, FIND_GUARD_CHANGED);
	assert_string_equal(f->buffer, w.b[b].name);
	assert_int_equal(f->count, 1);
	return f->element;
}

static void names_changed_guards_and_padding(void **state)
{
	(void)state;
	assert_int_equal(changed_at(0, -1), -1); /* f32: bytes -4..-1 are element -1 */
	assert_int_equal(changed_at(0, -4), -1);
	assert_int_equal(changed_at(0, -5), -2);
	assert_int_equal(changed_at(0, 20), 5);
	assert_int_equal(changed_at(1, 16 + GUARD - 1), 23);
	assert_int_equal(changed_at(1, 5), 2); /* between the rows of y */
	assert_int_equal(changed_at(1, 10), 5);
	assert_int_equal(changed_at(2, 4), 1);
}

static void empty_buffers_are_nothing_special(void **state)
{
	struct world w;
	struct buffer_watch *watch;

	(void)state;
	world_init(&w);
	w.b[0].bytes = w.b[1].bytes = w.b[2].bytes = 0;
	w.plan.nlaunches = 0;
	watch = buffer_watch_begin(&w.plan, true);
	buffer_watch_report(watch, &w.plan, &w.r);
	buffer_watch_end(watch, &w.plan);
	assert_int_equal(w.r.nfindings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fills_everything_but_inputs),
	        cmocka_unit_test(keeps_a_bitmap_that_is_there_and_clears_it),
	        cmocka_unit_test(names_elements_never_written),
	        cmocka_unit_test(says_nothing_of_writing_without_sanitizer_or_end),
	        cmocka_unit_test(names_a_changed_input),
	        cmocka_unit_test(leaves_an_input_to_the_emulators_finding),
	        cmocka_unit_test(names_changed_guards_and_padding),
	        cmocka_unit_test(empty_buffers_are_nothing_special),
	};

	return check_main(tests);
}

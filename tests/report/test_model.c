/* test_model.c - what stands in the cells of the verdict grid, and the sentences beside it. The
 * expectations are read off data/text.json by hand.
 *
 * The drawing is a program of its own, not part of libreport.a, so the two files that decide what
 * is drawn are included here; they need no Cairo. */
#include "tests/check.h"

#include "report/draw/model.c"
#include "report/draw/prose.c"

static cJSON *sample(struct model *m)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(report_read("tests/report/data/text.json", &j, &e), &e);
	model_init(m, j);
	return j;
}

static void clear(struct model *m, cJSON *j)
{
	model_clear(m);
	cJSON_Delete(j);
}

static void check_cell(struct cell got, enum mark mark, enum sense sense)
{
	assert_int_equal(got.mark, mark);
	assert_int_equal(got.sense, sense);
}

static void rows_are_in_groups_and_columns_are_those_of_the_evidence(void **state)
{
	struct model m;
	cJSON *j = sample(&m);

	(void)state;
	assert_int_equal(m.nrows, 4);
	assert_int_equal(m.rows[0].group, GROUP_USER);
	assert_string_equal(m.rows[1].name, "leak");
	assert_int_equal(m.rows[1].group, GROUP_BUGGY);
	assert_string_equal(m.rows[2].name, "good");
	assert_int_equal(m.size[GROUP_CONTROL], 2);
	assert_int_equal(m.nprofiles, 2);
	assert_int_equal(m.ndtypes, 3);
	assert_string_equal(m.dtypes[0], "f32");
	assert_string_equal(m.dtypes[2], "bf16");
	clear(&m, j);
}

/* Accepting a buggy kernel is wrong, rejecting it right; of controls the other way round. */
static void cells_tell_what_was_said_and_whether_it_is_right(void **state)
{
	struct model m;
	cJSON *j = sample(&m);
	const struct row *user = &m.rows[0], *leak = &m.rows[1], *good = &m.rows[2],
	                 *bad = &m.rows[3];

	(void)state;
	check_cell(model_bench(&m, leak, INPUT_FRIENDLY, 0), MARK_ACCEPT,
	           SENSE_WRONG);                                                      /* 20 of 20 */
	check_cell(model_bench(&m, leak, INPUT_FRIENDLY, 1), MARK_SOME, SENSE_RIGHT); /* 19 of 20 */
	check_cell(model_bench(&m, leak, INPUT_OWN, 0), MARK_REJECT, SENSE_RIGHT);    /* 0 of 5 */
	check_cell(model_bench(&m, leak, INPUT_OWN, 1), MARK_ACCEPT, SENSE_WRONG);    /* 5 of 5 */
	check_cell(model_bench(&m, good, INPUT_FRIENDLY, 0), MARK_ACCEPT, SENSE_RIGHT);
	check_cell(model_bench(&m, good, INPUT_OWN, 0), MARK_NONE, SENSE_NONE);
	check_cell(model_dtype(&m, leak, 0), MARK_REJECT, SENSE_RIGHT);
	check_cell(model_dtype(&m, leak, 1), MARK_ACCEPT, SENSE_WRONG);
	check_cell(model_dtype(&m, leak, 2), MARK_NONE, SENSE_NONE);
	check_cell(model_dtype(&m, good, 0), MARK_ACCEPT, SENSE_RIGHT);
	check_cell(model_dtype(&m, bad, 2), MARK_REJECT, SENSE_WRONG);
	check_cell(model_dtype(&m, user, 0), MARK_UNKNOWN, SENSE_NONE);
	check_cell(model_dtype(&m, user, 1), MARK_UNSUPPORTED, SENSE_NONE);
	clear(&m, j);
}

static void a_users_kernel_is_neither_right_nor_wrong(void **state)
{
	(void)state;
	assert_int_equal(sense_of(GROUP_USER, MARK_ACCEPT), SENSE_OPEN);
	assert_int_equal(sense_of(GROUP_USER, MARK_SOME), SENSE_OPEN);
	assert_int_equal(sense_of(GROUP_USER, MARK_REJECT), SENSE_OPEN);
	assert_int_equal(sense_of(GROUP_CONTROL, MARK_SOME), SENSE_WRONG);
}

static void check_tally(struct tally got, int accepted, int judged)
{
	assert_int_equal(got.accepted, accepted);
	assert_int_equal(got.judged, judged);
}

static void groups_are_counted(void **state)
{
	struct model m;
	cJSON *j = sample(&m);

	(void)state;
	check_tally(m.bench[GROUP_BUGGY][INPUT_FRIENDLY][0], 1, 1);
	check_tally(m.bench[GROUP_BUGGY][INPUT_FRIENDLY][1], 0, 1);
	check_tally(m.bench[GROUP_BUGGY][INPUT_OWN][1], 1, 1);
	check_tally(m.bench[GROUP_CONTROL][INPUT_FRIENDLY][0], 1, 1); /* the other has no input */
	check_tally(m.bench[GROUP_CONTROL][INPUT_OWN][0], 0, 0);
	check_tally(m.dtype[GROUP_BUGGY][0], 0, 1);
	check_tally(m.dtype[GROUP_BUGGY][1], 1, 1);
	check_tally(m.dtype[GROUP_CONTROL][2], 0, 1);
	check_tally(m.dtype[GROUP_USER][0], 0, 1);
	clear(&m, j);
}

static void failing_shares_stay_between_0_and_1(void **state)
{
	struct row r = {.n = {.cases = 10, .failed = 4, .failed_by_value = 1}};

	(void)state;
	assert_true(model_failing(&r, false) == 0.4);
	assert_true(model_failing(&r, true) == 0.1);
	r.n.failed = 11;
	assert_true(model_failing(&r, false) == 1);
	r.n.failed = -1;
	assert_true(model_failing(&r, false) == 0);
	r.n.cases = 0;
	assert_true(model_failing(&r, true) == 0);
}

static void the_headline_is_honest(void **state)
{
	struct model m;
	cJSON *j = sample(&m);
	struct buf b = {0};

	(void)state;
	prose_verdicts(&m, &b);
	assert_non_null(
	        strstr(b.s, "<b>Your kernel.</b> <b>0 of 1 pass, 0 fail</b>, 1 left undecided.\n"));
	assert_non_null(strstr(b.s,
	                       "<b>1 of 1 accepted on one input chosen per operator; 0 of 1 on "
	                       "KernelBench's own.</b>"));
	assert_non_null(
	        strstr(b.s, "<b>1 of 1 caught</b> (0 by output values alone), <b>1 of 2 controls "
	                    "flagged</b>.\n"));
	b.len = 0;
	prose_nulls(&m, &b);
	/* zeros are accepted at 19 of 20 seeds, which does not count */
	assert_string_equal(b.s, "On its friendly inputs the one-shape check also accepts "
	                         "<b>softmax</b>: mean of the exact output.");
	buf_free(&b);
	clear(&m, j);
}

static void counts_are_those_of_the_evidence(void **state)
{
	static const struct {
		const char *label, *user, *set, *note;
	} want[] = {
	        /* intervals: Clopper and Pearson's by bisection of the binomial sums, rounded outwards:
	         * 1 of 1 0.0250 to 1, 0 of 1 0 to 0.975, 1 of 2 0.0126 to 0.9874, 4 of 20 0.0573 to
	         * 0.4366 */
	        {"buggy accepted by one-shape check", "", "1 of 1", "2–100 %"},
	        {"   the same in f16", "", "", ""},
	        {"   on KernelBench's own inputs", "", "0 of 1", "0–98 %"},
	        {"buggy caught by gpuemu", "", "1 of 1", "2–100 %"},
	        {"controls flagged by gpuemu", "", "1 of 2", "1–99 %"},
	        {"cases of buggy kernels that fail", "", "4 of 20", "5–44 %"},
	        {"cases that fail", "0 of 4", "", ""},
	        {"cases unknown", "2", "0", ""},
	        {"cases unsupported", "2", "0", ""},
	        {"cases without power", "0", "2", ""},
	        {"elements out of contract", "0", "7", ""},
	};
	struct prose_column columns[PROSE_MAX_COLUMNS];
	struct model m;
	cJSON *j = sample(&m);
	char value[64], note[64];

	(void)state;
	assert_int_equal(prose_columns(&m, columns), 2);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		int row = 0;

		while (row < prose_rows() && strcmp(prose_label(row), want[i].label) != 0)
			row++;
		check_true(row < prose_rows(), "no row '%s'", want[i].label);
		prose_value(&m, &columns[0], row, value, note);
		assert_string_equal(value, want[i].user);
		prose_value(&m, &columns[1], row, value, note);
		assert_string_equal(value, want[i].set);
		assert_string_equal(note, want[i].note);
	}
	clear(&m, j);
}

static void replays_begin_with_what_ought_not_to_fail(void **state)
{
	struct model m;
	cJSON *j = sample(&m);
	const struct row *r = NULL;

	(void)state;
	assert_string_equal(ev_text(prose_replay(&m, 0, &r), "case"), "gelu/bf16 N=1");
	assert_int_equal(r->group, GROUP_CONTROL);
	assert_string_equal(ev_text(prose_replay(&m, 1, &r), "case"), "softmax/f32 R=1,C=65");
	assert_int_equal(r->group, GROUP_BUGGY);
	assert_null(prose_replay(&m, 2, &r));
	clear(&m, j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_are_in_groups_and_columns_are_those_of_the_evidence),
	        cmocka_unit_test(cells_tell_what_was_said_and_whether_it_is_right),
	        cmocka_unit_test(a_users_kernel_is_neither_right_nor_wrong),
	        cmocka_unit_test(groups_are_counted),
	        cmocka_unit_test(failing_shares_stay_between_0_and_1),
	        cmocka_unit_test(the_headline_is_honest),
	        cmocka_unit_test(counts_are_those_of_the_evidence),
	        cmocka_unit_test(replays_begin_with_what_ought_not_to_fail),
	};

	return check_main(tests);
}

/* outcome.c - see outcome.h. */
#include "report/outcome.h"

#include <string.h>

/* Of the corpus' kernels by their roles. */
static void count_known(struct outcome *o, const cJSON *k)
{
	bool fails = ev_is(k, "verdict", "FAIL");

	if (ev_is(k, "role", "buggy")) {
		o->buggy++;
		o->caught += fails;
	} else {
		o->control++;
		o->flagged += fails;
	}
}

/* The set with the most kernels; it says how many are caught, which asks that the twin passes. */
static void take_set(struct outcome *o, const cJSON *summary)
{
	const cJSON *s, *most = NULL;
	double n = 0;

	cJSON_ArrayForEach(s, summary) {
		double here = ev_number(s, "buggy_total") + ev_number(s, "control_total");

		if (here > n) {
			n = here;
			most = s;
		}
	}
	if (!most)
		return;
	o->buggy = ev_number(most, "buggy_total");
	o->caught = ev_number(most, "buggy_caught");
	o->control = ev_number(most, "control_total");
	o->flagged = ev_number(most, "control_flagged");
}

struct outcome outcome_of(const cJSON *evidence)
{
	struct outcome o = {0};
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) {
		bool pass = ev_is(k, "verdict", "PASS"), fail = ev_is(k, "verdict", "FAIL");

		o.configurations += cJSON_GetArraySize(ev_get(k, "dtypes"));
		if (ev_is(k, "role", "buggy") || ev_is(k, "role", "control")) {
			count_known(&o, k);
		} else {
			o.user++;
			o.user_pass += pass;
			o.user_fail += fail;
		}
		if (!cJSON_IsTrue(ev_get(k, "as_expected"))) {
			o.wrong |= pass || fail;
			o.undecided |= !pass && !fail;
		}
	}
	take_set(&o, ev_get(evidence, "summary"));
	o.left_out = cJSON_GetArraySize(ev_get(evidence, "left_out"));
	o.undecided |= o.left_out > 0 || cJSON_GetArraySize(ev_get(evidence, "kernels")) == 0;
	return o;
}

static const char *s_of(double n)
{
	return n == 1 ? "" : "s";
}

static void put_user(const struct outcome *o, struct buf *b)
{
	int open = o->user - o->user_pass - o->user_fail;

	buf_printf(b, "%d of %d kernel%s pass%s", o->user_pass, o->user, s_of(o->user), o->user_pass == 1 ? "es" : "");
	if (o->user_fail)
		buf_printf(b, ", %d fail%s", o->user_fail, o->user_fail == 1 ? "s" : "");
	if (open)
		buf_printf(b, ", %d could not be decided", open);
	buf_putc(b, '.');
}

void outcome_sentence(const struct outcome *o, struct buf *b)
{
	if (o->user)
		put_user(o, b);
	if (o->buggy + o->control > 0)
		buf_printf(b, "%s%.0f of %.0f buggy kernel%s caught, %.0f of %.0f control%s flagged.", o->user ? " Of those whose faults are known: " : "",
		           o->caught, o->buggy, s_of(o->buggy), o->flagged, o->control, s_of(o->control));
	if (!o->user && o->buggy + o->control == 0)
		buf_puts(b, "No kernel was judged.");
	if (o->left_out)
		buf_printf(b, " %d kernel%s could not be run.", o->left_out, s_of(o->left_out));
}

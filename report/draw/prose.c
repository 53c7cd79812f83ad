/* prose.c - sentences and counts: see prose.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/draw/prose.h"

void put_escaped(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == '&')
			buf_puts(b, "&amp;");
		else if (*s == '<')
			buf_puts(b, "&lt;");
		else if (*s == '>')
			buf_puts(b, "&gt;");
		else /* markup allows no other control character */
			buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
}

/* The counts of the headline's check on the inputs that its benchmark itself uses. */
static const cJSON *headline_of(const cJSON *set)
{
	return ev_get(ev_get(set, "buggy_accepted_by"), MODEL_HEADLINE);
}

/* ---- verdicts ---- */

static void put_set(struct buf *b, const cJSON *s, bool bench)
{
	const cJSON *own = headline_of(s);

	struct buf name = {0};

	ev_put_set(&name, s->string);
	name.s[0] = (char)toupper((unsigned char)name.s[0]);
	buf_puts(b, "<b>");
	put_escaped(b, name.s);
	buf_puts(b, ".</b> ");
	buf_free(&name);
	if (bench)
		buf_printf(b,
		           "The one-shape check: <b>%.6g of %.6g accepted on one input chosen per "
		           "operator; "
		           "%.6g of %.6g on KernelBench's own.</b> ",
		           ev_number(s, "buggy_accepted_by_bench"), ev_number(s, "buggy_total"),
		           ev_number(own, "published"), ev_number(own, "published_total"));
	buf_printf(
	        b,
	        "gpuemu: <b>%.6g of %.6g caught</b> (%.6g by output values alone), <b>%.6g of %.6g "
	        "controls flagged</b>.\n",
	        ev_number(s, "buggy_caught"), ev_number(s, "buggy_total"),
	        ev_number(s, "buggy_caught_by_value"), ev_number(s, "control_flagged"),
	        ev_number(s, "control_total"));
}

static int with_verdict(const struct model *m, const char *verdict)
{
	int n = 0;

	for (int i = 0; i < m->nrows; i++)
		n += m->rows[i].group == GROUP_USER &&
		     strcmp(ev_text(m->rows[i].kernel, "verdict"), verdict) == 0;
	return n;
}

static void put_user(struct buf *b, const struct model *m)
{
	int n = m->size[GROUP_USER], pass = with_verdict(m, "PASS"), fail = with_verdict(m, "FAIL");

	buf_printf(b,
	           "<b>Your kernel%s.</b> <b>%d of %d pass%s, %d fail%s</b>, %d left undecided.\n",
	           n == 1 ? "" : "s", pass, n, n == 1 && pass == 1 ? "es" : "", fail,
	           fail == 1 ? "s" : "", n - pass - fail);
}

void prose_verdicts(const struct model *m, struct buf *out)
{
	const cJSON *s;

	if (m->nrows == 0)
		buf_puts(out, "The evidence holds no kernel: nothing was judged.\n");
	if (m->size[GROUP_USER])
		put_user(out, m);
	cJSON_ArrayForEach(s, ev_get(m->evidence, "summary")) if (cJSON_IsObject(s))
	        put_set(out, s, m->nprofiles > 0);
}

/* ---- sets, and dtypes that pass ---- */

static int set_size(const struct model *m, const char *set)
{
	int n = 0;

	for (int i = 0; i < m->nrows; i++)
		n += ev_has_set(m->rows[i].kernel, set);
	return n;
}

static bool in_earlier(const cJSON *kernel, const cJSON *sets, const cJSON *set)
{
	const cJSON *s;

	for (s = sets->child; s && s != set; s = s->next)
		if (ev_has_set(kernel, s->string))
			return true;
	return false;
}

/* "; it adds a, b to what the sets before it have": the most of them by name. */
static void put_added(struct buf *b, const struct model *m, const cJSON *sets, const cJSON *set)
{
	int n = 0, both = 0;

	for (int i = 0; i < m->nrows; i++)
		both += ev_has_set(m->rows[i].kernel, set->string) &&
		        in_earlier(m->rows[i].kernel, sets, set);
	if (!both) {
		buf_puts(b, set == sets->child ? "" : ", none of which is in a set before it");
		return;
	}
	buf_printf(b, ", %d of which %s in a set before it", both, both == 1 ? "is" : "are");
	for (int i = 0; i < m->nrows && n < 6; i++) {
		const cJSON *k = m->rows[i].kernel;

		if (!ev_has_set(k, set->string) || in_earlier(k, sets, set))
			continue;
		buf_puts(b, n ? ", " : "; it adds ");
		put_escaped(b, m->rows[i].name);
		n++;
	}
	if (n && set_size(m, set->string) - both > n)
		buf_printf(b, " and %d more", set_size(m, set->string) - both - n);
}

void prose_sets(const struct model *m, struct buf *out)
{
	const cJSON *sets = ev_get(m->evidence, "summary"), *s;

	cJSON_ArrayForEach(s, sets)
	{
		struct buf name = {0};

		if (!cJSON_IsObject(s))
			continue;
		ev_put_set(&name, s->string);
		buf_puts(out, "The <b>");
		put_escaped(out, name.s);
		buf_printf(out, "</b> is a set of %d kernel%s", set_size(m, s->string),
		           set_size(m, s->string) == 1 ? "" : "s");
		put_added(out, m, sets, s);
		buf_puts(out, ".\n");
		buf_free(&name);
	}
}

void prose_passing(const struct model *m, struct buf *out)
{
	for (int i = 0; i < m->nrows; i++) {
		const struct row *r = &m->rows[i];
		struct buf pass = {0}, fail = {0};
		int passes = ev_put_dtypes(&pass, r->kernel, "PASS"),
		    fails = ev_put_dtypes(&fail, r->kernel, "FAIL");

		if (passes && fails) {
			buf_puts(out, "<b>");
			put_escaped(out, r->name);
			buf_puts(out, "</b> passes in ");
			put_escaped(out, pass.s);
			buf_puts(out, " and fails in ");
			put_escaped(out, fail.s);
			buf_puts(out, r->group == GROUP_BUGGY
			                      ? ": wrong all the same, and no case in the first "
			                        "shows it.\n"
			                      : ".\n");
		}
		buf_free(&pass);
		buf_free(&fail);
	}
}

/* ---- counts ---- */

int prose_columns(const struct model *m, struct prose_column columns[PROSE_MAX_COLUMNS])
{
	const cJSON *s;
	int n = 0;

	if (m->size[GROUP_USER])
		columns[n++] = (struct prose_column){"your kernels", NULL};
	cJSON_ArrayForEach(s, ev_get(m->evidence, "summary")) if (cJSON_IsObject(s) &&
	                                                          n < PROSE_MAX_COLUMNS)
	        columns[n++] = (struct prose_column){s->string, s};
	return n;
}

/* kind of a row: a share of a total, a plain number, or one that has a function of its own */
enum kind { SHARE, NUMBER, OWN_INPUTS, HALF };

static const struct count_row {
	const char *label;
	enum kind kind;
	const char *key, *total; /* in the summary of a set; HALF: the dtype */
	bool bench, user;        /* only with benchmark checks; also for users' kernels */
} count_rows[] = {
        {"buggy accepted by one-shape check", SHARE, "buggy_accepted_by_bench", "buggy_total", true,
         false},
        {"   the same in f16", HALF, "f16", NULL, true, false},
        {"   the same in bf16", HALF, "bf16", NULL, true, false},
        {"   on KernelBench's own inputs", OWN_INPUTS, NULL, NULL, true, false},
        {"controls accepted by one-shape check", SHARE, "control_accepted_by_bench",
         "control_total", true, false},
        {"buggy caught by gpuemu", SHARE, "buggy_caught", "buggy_total", false, false},
        {"   by output values alone", SHARE, "buggy_caught_by_value", "buggy_total", false, false},
        {"controls passed by gpuemu", SHARE, "control_passed", "control_total", false, false},
        {"controls flagged by gpuemu", SHARE, "control_flagged", "control_total", false, false},
        {"cases of buggy kernels that fail", SHARE, "buggy_cases_flagged", "buggy_cases", false,
         false},
        {"cases of controls that fail", SHARE, "control_cases_flagged", "control_cases", false,
         false},
        {"cases that fail", SHARE, "failed", "cases", false, true},
        {"cases unknown", NUMBER, "unknown", NULL, false, true},
        {"cases unsupported", NUMBER, "unsupported", NULL, false, true},
        {"cases without power", NUMBER, "cases_no_power", NULL, false, true},
        {"elements out of contract", NUMBER, "elements_out_of_contract", NULL, false, true},
};

int prose_rows(void)
{
	return (int)ARRAY_LEN(count_rows);
}

const char *prose_label(int row)
{
	return count_rows[row].label;
}

/* "1,623 of 2,700" and its interval. */
static void put_share(double x, double n, char value[64], char note[64])
{
	char a[NUM_SIZE], b[NUM_SIZE];
	double lo, hi;

	snprintf(value, 64, "%.28s of %.28s", num_count(x, NUM_PLAIN, a), num_count(n, NUM_PLAIN, b));
	if (!num_are_counts(x, n))
		return;
	num_interval(x, n, &lo, &hi);
	num_limits(lo, hi, a, b);
	snprintf(note, 64, "%.20s–%.20s %%", a, b);
}

static void put_number(double v, char value[64])
{
	char text[NUM_SIZE];

	snprintf(value, 64, "%.60s", num_count(v, NUM_PLAIN, text));
}

/* Buggy kernels of a set that the headline's check accepts at every seed on the friendly input in a
 * dtype. */
static void value_half(const struct model *m, const char *set, const char *dtype, char value[64],
                       char note[64])
{
	int n = 0, of = 0, accepted, seeds;

	for (int i = 0; i < m->nrows; i++) {
		const cJSON *k = m->rows[i].kernel;

		if (m->rows[i].group == GROUP_BUGGY && ev_has_set(k, set) &&
		    ev_bench(k, "friendly", dtype, MODEL_HEADLINE, &accepted, &seeds)) {
			of++;
			n += accepted == seeds;
		}
	}
	if (of)
		put_share(n, of, value, note);
}

static double out_of_contract(const cJSON *kernel)
{
	const cJSON *d;
	double n = 0;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes")) n +=
	        ev_number(d, "elements_out_of_contract");
	return n;
}

/* The rows that a user's kernels have, in the order of their places at the end of count_rows. */
static void value_user(const struct model *m, const struct count_row *r, char value[64], char note[64])
{
	struct ev_totals t = {0};
	double out = 0;

	for (int i = 0; i < m->nrows; i++) {
		const struct row *k = &m->rows[i];

		if (k->group != GROUP_USER)
			continue;
		t.cases += k->n.cases;
		t.failed += k->n.failed;
		t.unknown += k->n.unknown;
		t.unsupported += k->n.unsupported;
		t.no_power += k->n.no_power;
		out += out_of_contract(k->kernel);
	}
	if (r->kind == SHARE)
		put_share(t.failed, t.cases, value, note);
	else
		put_number(strcmp(r->key, "unknown") == 0          ? t.unknown
		           : strcmp(r->key, "unsupported") == 0    ? t.unsupported
		           : strcmp(r->key, "cases_no_power") == 0 ? t.no_power
		                                                   : out,
		           value);
	note[0] = 0; /* a user's kernels are drawn from nothing */
}

void prose_value(const struct model *m, const struct prose_column *column, int row, char value[64],
                 char note[64])
{
	const struct count_row *r = &count_rows[row];
	const cJSON *own = headline_of(column->set);

	value[0] = note[0] = 0;
	if (r->bench && !m->nprofiles)
		return;
	if (!column->set) {
		if (r->user)
			value_user(m, r, value, note);
		return;
	}
	if (r->kind == HALF) {
		value_half(m, column->set->string, r->key, value, note);
	} else if (r->kind == OWN_INPUTS) {
		put_share(ev_number(own, "published"), ev_number(own, "published_total"), value, note);
	} else if (r->kind == NUMBER) {
		put_number(ev_number(column->set, r->key), value);
	} else if (ev_get(column->set, r->total)) {
		put_share(ev_number(column->set, r->key), ev_number(column->set, r->total), value,
		          note);
	}
}

/* ---- null kernels, replay ---- */

static void put_nulls_of(struct buf *b, const cJSON *f)
{
	const cJSON *n;
	const char *before = "";

	cJSON_ArrayForEach(n, ev_get(f, "nulls"))
	{
		if (ev_number(f, "seeds") <= 0 ||
		    ev_number(n, MODEL_HEADLINE) != ev_number(f, "seeds"))
			continue;
		if (!before[0]) {
			buf_puts(b, b->len ? "; <b>" : "<b>");
			put_escaped(b, ev_text(f, "operator"));
			if (strcmp(ev_text(f, "set"), "seed") != 0) {
				struct buf set = {0};

				ev_put_set(&set, ev_text(f, "set"));
				buf_puts(b, " (");
				put_escaped(b, set.s);
				buf_putc(b, ')');
				buf_free(&set);
			}
			buf_puts(b, "</b>: ");
		}
		buf_puts(b, before);
		put_escaped(b, n->string);
		before = ", ";
	}
}

void prose_nulls(const struct model *m, struct buf *out)
{
	const cJSON *f;
	struct buf b = {0};

	cJSON_ArrayForEach(f, ev_get(m->evidence, "friendly_inputs")) put_nulls_of(&b, f);
	if (!m->nprofiles)
		buf_puts(out, "The benchmark checks were not run.");
	else if (!b.len)
		buf_puts(out, "On its friendly inputs the one-shape check accepts no null kernel.");
	else
		buf_printf(out, "On its friendly inputs the one-shape check also accepts %s.", b.s);
	buf_free(&b);
}

const cJSON *prose_replay(const struct model *m, int i, const struct row **row)
{
	bool shown = false;

	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < m->nrows && !(pass && shown); k++) {
			const struct row *r = &m->rows[k];
			const cJSON *minimal = ev_minimal(r->kernel);

			if (!minimal || (r->group == GROUP_BUGGY) != (pass == 1))
				continue;
			shown |= pass == 1;
			*row = r;
			if (i-- == 0)
				return minimal;
		}
	return NULL;
}

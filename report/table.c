/* table.c - evidence as a table for a terminal. */
#include <stdio.h>
#include <string.h>

#include "report/read.h"

struct table {
	struct buf *out;
	int name_width;
	bool colour;
};

static void put_padded(struct buf *b, const char *s, int width)
{
	int n = ev_columns(s);

	buf_puts(b, s);
	for (; n < width; n++)
		buf_putc(b, ' ');
}

static void put_verdict(struct table *t, const char *v, int width, bool good)
{
	if (t->colour)
		buf_puts(t->out, good ? "\x1b[32m" : strcmp(v, "FAIL") == 0 ? "\x1b[31m" : "\x1b[33m");
	put_padded(t->out, v, width);
	if (t->colour)
		buf_puts(t->out, "\x1b[0m");
}

/* "20/20" seeds of the friendly input in f32 that the one-shape check accepts; "-" without one. */
static void bench_text(const cJSON *k, char out[24])
{
	int accepted, seeds;

	if (ev_bench(k, "friendly", "f32", "seed", &accepted, &seeds))
		snprintf(out, 24, "%s %d/%d", accepted == seeds ? "accepts" : "rejects", accepted, seeds);
	else
		snprintf(out, 24, "-");
}

static void put_kernel(struct table *t, const cJSON *k)
{
	struct ev_totals n = ev_totals(k);
	char text[40], bench[24];
	const char *v = ev_text(k, "verdict"), *finding = ev_first_finding(k);
	const cJSON *d;

	put_padded(t->out, ev_text(k, "name"), t->name_width);
	buf_putc(t->out, ' ');
	put_padded(t->out, ev_text(k, "role"), 8);
	bench_text(k, bench);
	put_padded(t->out, bench, 15);
	put_verdict(t, v, 12, cJSON_IsTrue(ev_get(k, "as_expected")));
	snprintf(text, sizeof text, "%.0f/%.0f", n.failed, n.cases);
	put_padded(t->out, text, 10);
	cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
	{
		snprintf(text, sizeof text, "%s %s", ev_text(d, "dtype"), ev_text(d, "verdict"));
		put_padded(t->out, text, 10);
	}
	if (finding[0])
		buf_printf(t->out, " %s", finding);
	buf_putc(t->out, '\n');
}

static void put_interval(struct buf *b, const cJSON *s, const char *key)
{
	const cJSON *ci = ev_get(ev_get(s, "ci95"), key);

	if (cJSON_GetArraySize(ci) == 2)
		buf_printf(b, " (95 %% interval %.1f to %.1f %%)", 100 * cJSON_GetArrayItem(ci, 0)->valuedouble,
		           100 * cJSON_GetArrayItem(ci, 1)->valuedouble);
}

static void put_set(struct buf *b, const char *set, const cJSON *s, bool bench)
{
	buf_printf(b, "\nset %s\n", set);
	if (bench)
		buf_printf(b, "  one-shape check (allclose atol 1e-5, rtol 1e-2, one friendly input an operator, "
		              "20 seeds):\n    accepts %.0f of %.0f buggy and %.0f of %.0f controls\n",
		           ev_number(s, "buggy_accepted_by_bench"), ev_number(s, "buggy_total"),
		           ev_number(s, "control_accepted_by_bench"), ev_number(s, "control_total"));
	buf_printf(b, "  gpuemu:\n    catches %.0f of %.0f buggy, %.0f by value alone", ev_number(s, "buggy_caught"),
	           ev_number(s, "buggy_total"), ev_number(s, "buggy_caught_by_value"));
	put_interval(b, s, "buggy_caught");
	buf_printf(b, "\n    flags %.0f of %.0f controls", ev_number(s, "control_flagged"),
	           ev_number(s, "control_total"));
	put_interval(b, s, "control_flagged");
	buf_printf(b, "\n  cases: %.0f of %.0f buggy and %.0f of %.0f control cases flagged; %.0f unknown, "
	              "%.0f unsupported, %.0f without power\n", ev_number(s, "buggy_cases_flagged"),
	           ev_number(s, "buggy_cases"), ev_number(s, "control_cases_flagged"),
	           ev_number(s, "control_cases"), ev_number(s, "unknown"), ev_number(s, "unsupported"),
	           ev_number(s, "cases_no_power"));
}

static void put_failures(struct buf *b, const cJSON *evidence)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		const cJSON *m = ev_minimal(k);

		/* a control or a user's kernel that fails: say how to see it */
		if (m && strcmp(ev_text(k, "role"), "buggy") != 0)
			buf_printf(b, "\n%s: %s\n  %s\n", ev_text(k, "name"), ev_text(m, "reason"),
			           ev_text(m, "replay"));
	}
}

void report_table(const cJSON *evidence, int width, bool colour, struct buf *out)
{
	struct table t = {out, 12, colour};
	const cJSON *k, *s;
	bool bench = cJSON_GetArraySize(ev_get(evidence, "profiles")) > 0;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		int n = ev_columns(ev_text(k, "name"));

		t.name_width = n > t.name_width ? n : t.name_width;
	}
	if (t.name_width > width / 3)
		t.name_width = width / 3;
	put_padded(out, "kernel", t.name_width);
	buf_puts(out, " role    one-shape      gpuemu      failed    by dtype\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
		put_kernel(&t, k);
	cJSON_ArrayForEach(s, ev_get(evidence, "summary"))
		put_set(out, s->string, s, bench);
	put_failures(out, evidence);
	buf_printf(out, "\ntolerance: %s; %s; %.1f cases/s, %.0f s of cases, %.0f s of benchmark checks\n",
	           ev_text(ev_get(evidence, "tolerance"), "text"), ev_text(ev_get(evidence, "device"), "text"),
	           ev_number(evidence, "cases_per_s"), ev_number(evidence, "seconds"),
	           ev_number(evidence, "bench_seconds"));
}

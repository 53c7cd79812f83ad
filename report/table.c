/* table.c - evidence as a table for a terminal. */
#include <stdio.h>
#include <string.h>

#include "report/read.h"

struct table {
	struct buf *out;
	int name_width;
	bool colour;
};

/* The bytes of the first n code points. */
static size_t prefix(const char *s, int n)
{
	size_t i = 0;

	for (; s[i]; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return i;
}

static void put_padded(struct buf *b, const char *s, int width)
{
	int n = ev_columns(s);

	buf_puts(b, s);
	for (; n < width; n++)
		buf_putc(b, ' ');
}

/* Text of a file: nothing in it may steer the terminal. */
static void put_plain(struct buf *b, const char *s)
{
	for (; *s; s++)
		buf_putc(b, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

/* A name that is too long ends with an ellipsis. */
static void put_name(struct buf *b, const char *s, int width)
{
	int n = ev_columns(s);
	struct buf name = {0};

	if (n > width) {
		buf_add(&name, s, prefix(s, width - 1));
		buf_puts(&name, "…");
		s = name.s;
		n = width;
	}
	put_plain(b, s);
	for (; n < width; n++)
		buf_putc(b, ' ');
	buf_free(&name);
}

static void put_verdict(struct table *t, const char *v, int width, bool good)
{
	if (t->colour)
		buf_puts(t->out, good                     ? "\x1b[32m"
		                 : strcmp(v, "FAIL") == 0 ? "\x1b[31m"
		                                          : "\x1b[33m");
	put_padded(t->out, v, width);
	if (t->colour)
		buf_puts(t->out, "\x1b[0m");
}

/* "accepts 20/20" seeds of the friendly input in f32 by the one-shape check, or "rejects 3/20"; "-" without one. */
static void bench_text(const cJSON *k, char out[24])
{
	int accepted, seeds;

	if (ev_bench(k, "friendly", "f32", "seed", &accepted, &seeds))
		snprintf(out, 24, "%s %d/%d", accepted == seeds ? "accepts" : "rejects",
		         accepted == seeds ? accepted : seeds - accepted, seeds);
	else
		snprintf(out, 24, "-");
}

/* "f32 FAIL   f16 PASS": in columns as long as verdicts are short, else two blanks apart. */
static void put_dtypes(struct buf *b, const cJSON *k)
{
	const cJSON *d;
	char text[40];

	cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
	{
		snprintf(text, sizeof text, "%s %s", ev_text(d, "dtype"), ev_text(d, "verdict"));
		put_padded(b, text, d->next ? 9 : 0);
		buf_puts(b, d->next ? "  " : "");
	}
}

/* A verdict on less than the operator's domain says so. */
static void put_domain(struct buf *b, const cJSON *k)
{
	const cJSON *r;
	const char *sep = "  only where ";

	cJSON_ArrayForEach(r, ev_get(k, "requires"))
	{
		buf_puts(b, sep);
		put_plain(b, r->valuestring ? r->valuestring : "");
		sep = " and ";
	}
}

static void put_kernel(struct table *t, const cJSON *k)
{
	struct ev_totals n = ev_totals(k);
	char text[40], bench[24];
	const char *v = ev_text(k, "verdict"), *finding = ev_first_finding(k);

	put_name(t->out, ev_text(k, "name"), t->name_width);
	buf_putc(t->out, ' ');
	put_padded(t->out, ev_text(k, "role"), 8);
	bench_text(k, bench);
	put_padded(t->out, bench, 15);
	put_verdict(t, v, 12, cJSON_IsTrue(ev_get(k, "as_expected")));
	snprintf(text, sizeof text, "%.0f/%.0f", n.failed, n.cases);
	put_padded(t->out, text, 10);
	put_dtypes(t->out, k);
	if (finding[0])
		buf_puts(t->out, "  ");
	put_plain(t->out, finding);
	put_domain(t->out, k);
	buf_putc(t->out, '\n');
}

static void put_interval(struct buf *b, const cJSON *s, const char *key)
{
	char lo[NUM_SIZE], hi[NUM_SIZE];

	if (ev_limits(s, key, lo, hi))
		buf_printf(b, " (95 %% interval %s to %s %%)", lo, hi);
}

/* What the one-shape check accepts; nothing when the benchmark checks were not run. */
static void put_bench_sums(struct buf *b, const cJSON *evidence, const cJSON *s)
{
	const cJSON *p, *own = ev_get(ev_get(s, "buggy_accepted_by"), "seed");

	cJSON_ArrayForEach(p, ev_get(evidence, "profiles"))
	{
		if (strcmp(ev_text(p, "name"), "seed") != 0)
			continue;
		buf_printf(b, "  one-shape check (%s, atol %g, rtol %g, f32, every seed):\n",
		           ev_text(p, "rule"), ev_number(p, "atol_f32"), ev_number(p, "rtol_f32"));
		buf_printf(b,
		           "    %.0f of %.0f accepted on one input chosen per operator; %.0f of "
		           "%.0f on KernelBench's own\n",
		           ev_number(s, "buggy_accepted_by_bench"), ev_number(s, "buggy_total"),
		           ev_number(own, "published"), ev_number(own, "published_total"));
		buf_printf(b, "    accepts %.0f of %.0f controls\n",
		           ev_number(s, "control_accepted_by_bench"),
		           ev_number(s, "control_total"));
	}
}

static void put_set(struct buf *b, const cJSON *evidence, const cJSON *s)
{
	buf_puts(b, "\nset ");
	put_plain(b, s->string);
	buf_putc(b, '\n');
	put_bench_sums(b, evidence, s);
	buf_printf(b, "  gpuemu:\n    catches %.0f of %.0f buggy", ev_number(s, "buggy_caught"),
	           ev_number(s, "buggy_total"));
	put_interval(b, s, "buggy_caught");
	buf_printf(b, ", %.0f by value alone\n", ev_number(s, "buggy_caught_by_value"));
	buf_printf(b, "    flags %.0f of %.0f controls", ev_number(s, "control_flagged"),
	           ev_number(s, "control_total"));
	put_interval(b, s, "control_flagged");
	buf_printf(b, "\n  cases: %.0f of %.0f buggy and %.0f of %.0f control cases flagged; ",
	           ev_number(s, "buggy_cases_flagged"), ev_number(s, "buggy_cases"),
	           ev_number(s, "control_cases_flagged"), ev_number(s, "control_cases"));
	buf_printf(b, "%.0f unknown, %.0f unsupported, %.0f without power\n",
	           ev_number(s, "unknown"), ev_number(s, "unsupported"),
	           ev_number(s, "cases_no_power"));
}

static void put_failure(struct buf *b, const cJSON *k, const cJSON *minimal)
{
	buf_putc(b, '\n');
	put_plain(b, ev_text(k, "name"));
	buf_puts(b, ": ");
	put_plain(b, ev_text(minimal, "reason"));
	buf_puts(b, "\n  ");
	put_plain(b, ev_text(minimal, "replay"));
	buf_putc(b, '\n');
}

static void put_failures(struct buf *b, const cJSON *evidence)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		const cJSON *m = ev_minimal(k);

		/* a control or a user's kernel that fails: say how to see it */
		if (m && strcmp(ev_text(k, "role"), "buggy") != 0)
			put_failure(b, k, m);
	}
}

/* Why a kernel has no verdict, once where its types agree. */
static void put_undecided(struct buf *b, const cJSON *evidence)
{
	const cJSON *k, *d;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		const char *before = "";

		cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
		{
			const char *v = ev_text(d, "verdict"), *why = ev_text(d, "reason");

			if (strcmp(v, "PASS") == 0 || strcmp(v, "FAIL") == 0 || !why[0] || strcmp(why, before) == 0)
				continue;
			buf_putc(b, '\n');
			put_plain(b, ev_text(k, "name"));
			buf_printf(b, ": %s %s: ", ev_text(d, "dtype"), v);
			put_plain(b, why);
			buf_putc(b, '\n');
			before = why;
		}
	}
}

void report_table(const cJSON *evidence, int width, bool colour, struct buf *out)
{
	struct table t = {out, 12, colour};
	const cJSON *k, *s;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		int n = ev_columns(ev_text(k, "name"));

		t.name_width = n > t.name_width ? n : t.name_width;
	}
	if (t.name_width > width / 3)
		t.name_width = width / 3;
	put_padded(out, "kernel", t.name_width);
	buf_puts(out, " role    one-shape      gpuemu      failed    by dtype\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) put_kernel(&t, k);
	cJSON_ArrayForEach(s, ev_get(evidence, "summary")) put_set(out, evidence, s);
	put_failures(out, evidence);
	put_undecided(out, evidence);
	buf_printf(
	        out,
	        "\ntolerance: %s; %s; %.1f cases/s, %.0f s of cases, %.0f s of benchmark checks\n",
	        ev_text(ev_get(evidence, "tolerance"), "text"),
	        ev_text(ev_get(evidence, "device"), "text"), ev_number(evidence, "cases_per_s"),
	        ev_number(evidence, "seconds"), ev_number(evidence, "bench_seconds"));
}

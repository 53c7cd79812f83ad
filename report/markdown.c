/* markdown.c - evidence as GitHub-flavoured Markdown. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/markup.h"
#include "report/read.h"

void md_cell(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == '|')
			buf_puts(b, "\\|");
		else if (*s == '<')
			buf_puts(b, "&lt;");
		else if (*s == '&')
			buf_puts(b, "&amp;");
		else
			buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
}

void md_code(struct buf *b, const char *s)
{
	int longest = 0, run = 0;

	for (const char *p = s; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (int i = 0; i <= longest; i++)
		buf_putc(b, '`');
	if (longest)
		buf_putc(b, ' ');
	for (; *s; s++)
		buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
	if (longest)
		buf_putc(b, ' ');
	for (int i = 0; i <= longest; i++)
		buf_putc(b, '`');
}

static void put_bench(struct buf *b, const cJSON *k, const char *input, const char *profile)
{
	int accepted, seeds;

	if (ev_bench(k, input, "f32", profile, &accepted, &seeds))
		buf_printf(b, "%s %d/%d", accepted == seeds ? "accepted" : "rejected", accepted,
		           seeds);
	else
		buf_puts(b, "–");
}

static void put_kernels(struct buf *b, const cJSON *evidence)
{
	const cJSON *k;

	buf_puts(b, "## Kernels\n\n| kernel | operator | role | one-shape check | gpuemu | cases "
	            "failed | "
	            "by value |\n|---|---|---|---|---|---|---|\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		struct ev_totals n = ev_totals(k);

		buf_puts(b, "| ");
		md_cell(b, ev_text(k, "name"));
		buf_printf(b, " | %s | %s | ", ev_text(k, "operator"), ev_text(k, "role"));
		put_bench(b, k, "friendly", "seed");
		buf_printf(b, " | %s%s | %.0f of %.0f | %.0f |\n", ev_text(k, "verdict"),
		           cJSON_IsTrue(ev_get(k, "as_expected")) ? "" : " (unexpected)", n.failed,
		           n.cases, n.failed_by_value);
	}
}

static void put_set(struct buf *b, const cJSON *s, bool bench)
{
	const cJSON *own = ev_get(ev_get(s, "buggy_accepted_by"), "seed");

	struct buf name = {0};

	ev_put_set(&name, s->string);
	name.s[0] = (char)toupper((unsigned char)name.s[0]);
	buf_puts(b, "**");
	md_cell(b, name.s);
	buf_puts(b, ".** ");
	buf_free(&name);
	if (bench)
		buf_printf(b,
		           "The one-shape check: **%.0f of %.0f accepted on one input chosen per "
		           "operator; %.0f of %.0f on KernelBench's own.** ",
		           ev_number(s, "buggy_accepted_by_bench"), ev_number(s, "buggy_total"),
		           ev_number(own, "published"), ev_number(own, "published_total"));
	buf_printf(b,
	           "gpuemu: **%.0f of %.0f caught** (%.0f by output values alone), **%.0f of %.0f "
	           "controls flagged**.\n\n",
	           ev_number(s, "buggy_caught"), ev_number(s, "buggy_total"),
	           ev_number(s, "buggy_caught_by_value"), ev_number(s, "control_flagged"),
	           ev_number(s, "control_total"));
	buf_printf(
	        b,
	        "Cases: %.0f of %.0f of buggy kernels and %.0f of %.0f of controls fail; %.0f "
	        "unknown, %.0f unsupported, %.0f without power; %.0f elements out of contract.\n\n",
	        ev_number(s, "buggy_cases_flagged"), ev_number(s, "buggy_cases"),
	        ev_number(s, "control_cases_flagged"), ev_number(s, "control_cases"),
	        ev_number(s, "unknown"), ev_number(s, "unsupported"),
	        ev_number(s, "cases_no_power"), ev_number(s, "elements_out_of_contract"));
}

/* Kernels that pass in some dtypes and fail in others. */
static void put_passing(struct buf *b, const cJSON *evidence)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		struct buf pass = {0}, fail = {0};

		if (ev_put_dtypes(&pass, k, "PASS") && ev_put_dtypes(&fail, k, "FAIL")) {
			buf_puts(b, "**");
			md_cell(b, ev_text(k, "name"));
			buf_printf(b, "** (%s) passes in %s and fails in %s.\n\n", ev_text(k, "role"),
			           pass.s, fail.s);
		}
		buf_free(&pass);
		buf_free(&fail);
	}
}

static void put_summary(struct buf *b, const cJSON *evidence)
{
	bool bench = cJSON_GetArraySize(ev_get(evidence, "profiles")) > 0;
	const cJSON *s;

	cJSON_ArrayForEach(s, ev_get(evidence, "summary")) put_set(b, s, bench);
	put_passing(b, evidence);
}

/* Buggy kernels by published check, on the benchmarks' own inputs. */
static void put_matrix(struct buf *b, const cJSON *evidence)
{
	const cJSON *k, *p, *profiles = ev_get(evidence, "profiles");

	bool any = false;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) any |=
	        strcmp(ev_text(k, "role"), "buggy") == 0;
	if (cJSON_GetArraySize(profiles) == 0 || !any)
		return;
	buf_puts(b,
	         "\n## What published checks accept, on KernelBench's own inputs (f32, shrunk in "
	         "independent dimensions)\n\n| buggy kernel |");
	cJSON_ArrayForEach(p, profiles) buf_printf(b, " %s |", ev_check_title(ev_text(p, "name")));
	buf_puts(b, "\n|---|");
	cJSON_ArrayForEach(p, profiles) buf_puts(b, "---|");
	buf_putc(b, '\n');
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		if (strcmp(ev_text(k, "role"), "buggy") != 0)
			continue;
		buf_puts(b, "| ");
		md_cell(b, ev_text(k, "name"));
		buf_puts(b, " |");
		cJSON_ArrayForEach(p, profiles)
		{
			buf_putc(b, ' ');
			put_bench(b, k, ev_text(p, "published_inputs"), ev_text(p, "name"));
			buf_puts(b, " |");
		}
		buf_putc(b, '\n');
	}
}

static void put_nulls(struct buf *b, const cJSON *evidence)
{
	const cJSON *f, *n, *inputs = ev_get(evidence, "friendly_inputs");
	size_t start;

	if (cJSON_GetArraySize(inputs) == 0)
		return;
	buf_puts(b,
	         "\n## Null kernels that the one-shape check accepts on the friendly inputs\n\n");
	start = b->len;
	cJSON_ArrayForEach(f, inputs) cJSON_ArrayForEach(
	        n, ev_get(f, "nulls")) if (ev_number(f, "seeds") > 0 &&
	                                   ev_number(n, "seed") == ev_number(f, "seeds"))
	{
		buf_printf(b, "- %s (", ev_text(f, "operator"));
		md_code(b, ev_text(f, "case"));
		buf_puts(b, "): ");
		md_cell(b, n->string);
		buf_putc(b, '\n');
	}
	if (b->len == start)
		buf_puts(b, "None.\n");
}

static void put_one_minimal(struct buf *b, const cJSON *k, const cJSON *d, const cJSON *m)
{
	const char *twin = ev_text(m, "twin_verdict");

	buf_puts(b, "- **");
	md_cell(b, ev_text(k, "name"));
	buf_printf(b, "** %s, by %s", ev_text(d, "dtype"), ev_text(m, "by"));
	if (twin[0])
		buf_printf(b, "; its twin: %s", twin);
	buf_puts(b, "\n\n  ");
	md_code(b, ev_text(m, "replay"));
	buf_putc(b, '\n');
}

static void put_minimal(struct buf *b, const cJSON *evidence)
{
	const cJSON *k, *d;
	size_t start;

	buf_puts(b, "\n## Minimal failing cases\n\n");
	start = b->len;
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	        cJSON_ArrayForEach(d, ev_get(k, "dtypes")) if (ev_get(d, "minimal"))
	                put_one_minimal(b, k, d, ev_get(d, "minimal"));
	if (b->len == start)
		buf_puts(b, "None.\n");
}

void report_markdown(const cJSON *evidence, struct buf *out)
{
	const cJSON *tool = ev_get(evidence, "tool"), *corpus = ev_get(evidence, "corpus");

	buf_puts(out, "# gpuemu evidence\n\n");
	buf_printf(out, "%s %s · %s · campaign seed %s · %s · %s\n\n%.0f kernels, sha256 of their names and files ",
	           ev_text(tool, "name"), ev_text(tool, "version"), ev_text(evidence, "date"),
	           ev_text(evidence, "seed"), ev_text(ev_get(evidence, "device"), "text"),
	           ev_text(ev_get(evidence, "tolerance"), "text"), ev_number(corpus, "kernels"));
	md_code(out, ev_text(corpus, "sha256"));
	buf_puts(out, "\n\n");
	put_summary(out, evidence);
	put_kernels(out, evidence);
	put_matrix(out, evidence);
	put_nulls(out, evidence);
	put_minimal(out, evidence);
}

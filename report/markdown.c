/* markdown.c - evidence as GitHub-flavoured Markdown. */
#include <stdio.h>
#include <string.h>

#include "report/read.h"

/* Text inside a table cell: a bar would end it. */
static void put_cell(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == '|')
			buf_puts(b, "\\|");
		else
			buf_putc(b, *s == '\n' ? ' ' : *s);
}

static void put_bench(struct buf *b, const cJSON *k, const char *input, const char *profile)
{
	int accepted, seeds;

	if (ev_bench(k, input, "f32", profile, &accepted, &seeds))
		buf_printf(b, "%s %d/%d", accepted == seeds ? "accepted" : "rejected", accepted, seeds);
	else
		buf_puts(b, "–");
}

static void put_kernels(struct buf *b, const cJSON *evidence)
{
	const cJSON *k;

	buf_puts(b, "## Kernels\n\n| kernel | operator | role | one-shape check | gpuemu | cases failed | "
	            "by value |\n|---|---|---|---|---|---|---|\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		struct ev_totals n = ev_totals(k);

		buf_puts(b, "| ");
		put_cell(b, ev_text(k, "name"));
		buf_printf(b, " | %s | %s | ", ev_text(k, "operator"), ev_text(k, "role"));
		put_bench(b, k, "friendly", "seed");
		buf_printf(b, " | %s%s | %.0f of %.0f | %.0f |\n", ev_text(k, "verdict"),
		           cJSON_IsTrue(ev_get(k, "as_expected")) ? "" : " (unexpected)", n.failed, n.cases,
		           n.failed_by_value);
	}
}

static void put_summary(struct buf *b, const cJSON *evidence)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, ev_get(evidence, "summary"))
		buf_printf(b, "**Set %s.** The one-shape check accepts %.0f of %.0f buggy kernels on one friendly "
		              "input chosen per operator; gpuemu catches %.0f of %.0f (%.0f by value alone) and "
		              "flags %.0f of %.0f controls.\n\n", s->string,
		           ev_number(s, "buggy_accepted_by_bench"), ev_number(s, "buggy_total"),
		           ev_number(s, "buggy_caught"), ev_number(s, "buggy_total"),
		           ev_number(s, "buggy_caught_by_value"), ev_number(s, "control_flagged"),
		           ev_number(s, "control_total"));
}

/* Buggy kernels by published check, on the benchmarks' own inputs. */
static void put_matrix(struct buf *b, const cJSON *evidence)
{
	const cJSON *k, *p, *profiles = ev_get(evidence, "profiles");

	if (cJSON_GetArraySize(profiles) == 0)
		return;
	buf_puts(b, "\n## What published checks accept, on KernelBench's own inputs (f32, shrunk in "
	            "independent dimensions)\n\n| buggy kernel |");
	cJSON_ArrayForEach(p, profiles)
		buf_printf(b, " %s |", ev_text(p, "name"));
	buf_puts(b, "\n|---|");
	cJSON_ArrayForEach(p, profiles)
		buf_puts(b, "---|");
	buf_putc(b, '\n');
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		if (strcmp(ev_text(k, "role"), "buggy") != 0)
			continue;
		buf_puts(b, "| ");
		put_cell(b, ev_text(k, "name"));
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
	const cJSON *f, *n;

	buf_puts(b, "\n## Null kernels that the one-shape check accepts on the friendly inputs\n\n");
	cJSON_ArrayForEach(f, ev_get(evidence, "friendly_inputs"))
		cJSON_ArrayForEach(n, ev_get(f, "nulls"))
			if (ev_number(n, "seed") == ev_number(f, "seeds"))
				buf_printf(b, "- %s (`%s`): %s\n", ev_text(f, "operator"), ev_text(f, "case"),
				           n->string);
}

static void put_minimal(struct buf *b, const cJSON *evidence)
{
	const cJSON *k, *d;

	buf_puts(b, "\n## Minimal failing cases\n\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
		cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
		{
			const cJSON *m = ev_get(d, "minimal");

			if (m)
				buf_printf(b, "- **%s** %s, by %s; its twin: %s\n\n  `%s`\n", ev_text(k, "name"),
				           ev_text(d, "dtype"), ev_text(m, "by"),
				           ev_get(m, "twin_verdict") ? ev_text(m, "twin_verdict") : "–",
				           ev_text(m, "replay"));
		}
}

void report_markdown(const cJSON *evidence, struct buf *out)
{
	buf_printf(out, "# gpuemu evidence\n\n%s · seed %s · %s · %s\n\n", ev_text(evidence, "date"),
	           ev_text(evidence, "seed"), ev_text(ev_get(evidence, "device"), "text"),
	           ev_text(ev_get(evidence, "tolerance"), "text"));
	put_summary(out, evidence);
	put_kernels(out, evidence);
	put_matrix(out, evidence);
	put_nulls(out, evidence);
	put_minimal(out, evidence);
}

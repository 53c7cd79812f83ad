/* summary.c - a campaign as the Markdown of a GitHub step summary: one sentence, a small table, what fails with the line that
 * replays it. It says what had to be left out: GitHub shows nothing of a step whose summary is larger than 1 MiB. */
#include <string.h>

#include "report/markup.h"
#include "report/outcome.h"

/* Room for what stands behind the lists. */
#define RESERVE 4096

struct summary {
	struct buf *out;
	size_t most;         /* bytes of out */
	int rows, cases;     /* left out */
};

/* Appends a piece, or leaves it out. */
static void add(struct summary *s, struct buf *piece, int *left_out)
{
	if (piece->len == 0)
		return;
	if (s->out->len + piece->len + RESERVE > s->most)
		++*left_out;
	else
		buf_add(s->out, piece->s, piece->len);
	buf_free(piece);
}

static bool as_expected(const cJSON *k)
{
	return cJSON_IsTrue(ev_get(k, "as_expected"));
}

static void add_row(struct summary *s, const cJSON *k)
{
	struct ev_totals n = ev_totals(k);
	struct buf b = {0};
	const cJSON *d;

	buf_puts(&b, "| ");
	md_cell(&b, ev_text(k, "name"));
	buf_puts(&b, " | ");
	md_cell(&b, ev_text(k, "operator"));
	buf_puts(&b, as_expected(k) ? " | " : " | **");
	md_cell(&b, ev_text(k, "verdict"));
	buf_puts(&b, as_expected(k) ? "" : "**");
	if (as_expected(k) && strcmp(ev_text(k, "role"), "buggy") == 0)
		buf_puts(&b, ", as it should");
	buf_puts(&b, " |");
	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) {
		buf_putc(&b, ' ');
		md_cell(&b, ev_text(d, "dtype"));
		buf_putc(&b, ' ');
		md_cell(&b, ev_text(d, "verdict"));
		buf_puts(&b, d->next ? "," : "");
	}
	buf_printf(&b, " | %.0f of %.0f | ", n.failed, n.cases);
	md_cell(&b, ev_first_finding(k));
	buf_puts(&b, " |\n");
	add(s, &b, &s->rows);
}

static void put_table(struct summary *s, const cJSON *kernels)
{
	const cJSON *k;

	if (cJSON_GetArraySize(kernels) == 0)
		return;
	buf_puts(s->out, "\n| kernel | operator | verdict | by dtype | cases failed | first finding |\n|---|---|---|---|---|---|\n");
	/* what is not as it should be comes first */
	for (int good = 0; good < 2; good++)
		cJSON_ArrayForEach(k, kernels)
			if (as_expected(k) == (good == 1))
				add_row(s, k);
}

static void add_case(struct summary *s, const cJSON *k, const cJSON *d)
{
	const cJSON *m = ev_get(d, "minimal");
	struct buf b = {0};

	buf_puts(&b, "- **");
	md_cell(&b, ev_text(k, "name"));
	buf_puts(&b, "** ");
	md_cell(&b, ev_text(d, "dtype"));
	buf_puts(&b, ": ");
	md_cell(&b, m ? ev_text(m, "reason") : ev_text(d, "reason"));
	buf_putc(&b, '\n');
	if (m) {
		buf_puts(&b, "  ");
		md_code(&b, ev_text(m, "replay"));
		buf_putc(&b, '\n');
	}
	add(s, &b, &s->cases);
}

/* Kernels in a dtype that fail or are undecided; expected: of those that should, else of the others. */
static void put_cases(struct summary *s, const cJSON *kernels, const char *head, bool expected)
{
	const cJSON *k, *d;
	bool any = false;

	cJSON_ArrayForEach(k, kernels)
		cJSON_ArrayForEach(d, ev_get(k, "dtypes")) {
			if (as_expected(k) != expected || strcmp(ev_text(d, "verdict"), "PASS") == 0)
				continue;
			if (!any)
				buf_puts(s->out, head);
			any = true;
			add_case(s, k, d);
		}
	if (any && expected)
		buf_puts(s->out, "\n</details>\n");
}

static void put_left_out(struct summary *s, const cJSON *evidence)
{
	const cJSON *l;
	bool any = false;

	cJSON_ArrayForEach(l, ev_get(evidence, "left_out")) {
		struct buf b = {0};

		buf_puts(&b, any ? "- " : "\n#### Could not be run\n\n- ");
		md_cell(&b, ev_text(l, "folder"));
		buf_puts(&b, ": ");
		md_cell(&b, ev_text(l, "reason"));
		buf_putc(&b, '\n');
		any = true;
		add(s, &b, &s->cases);
	}
}

void report_summary(const cJSON *evidence, size_t most, struct buf *out)
{
	const cJSON *kernels = ev_get(evidence, "kernels"), *tool = ev_get(evidence, "tool");
	struct summary s = {.out = out, .most = out->len + most};
	struct outcome o = outcome_of(evidence);
	struct buf end = {0};

	buf_puts(out, "### gpuemu: ");
	outcome_sentence(&o, out);
	buf_putc(out, '\n');
	put_cases(&s, kernels, "\n#### Failing\n\n", false);
	put_left_out(&s, evidence);
	put_table(&s, kernels);
	put_cases(&s, kernels, "\n<details><summary>Known to be buggy, and failing</summary>\n\n", true);
	if (s.rows || s.cases)
		buf_printf(out, "\n**Left out, for the size that a summary may have: %d rows of the table, %d failing cases.** evidence.json has them.\n",
		           s.rows, s.cases);
	buf_printf(&end, "\n%s %s · seed %s · %s · %s\n", ev_text(tool, "name"), ev_text(tool, "version"), ev_text(evidence, "seed"),
	           ev_text(ev_get(evidence, "device"), "text"), ev_text(ev_get(evidence, "tolerance"), "text"));
	if (end.len < RESERVE / 2)
		buf_add(out, end.s, end.len);
	buf_free(&end);
}

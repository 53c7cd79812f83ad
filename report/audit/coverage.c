/* coverage.c - which source lines of a kernel were executed: see audit.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audit/audit.h"

struct line {
	int number;
	bool hit;
};

static int by_number(const void *a, const void *b)
{
	return ((const struct line *)a)->number - ((const struct line *)b)->number;
}

/* The lines of a kernel, each once, rising: executed in one of its entries is executed. Caller
 * frees. */
static struct line *lines_of(const cJSON *coverage, int *n)
{
	const cJSON *list = ev_get(coverage, "lines"), *x;
	int size = cJSON_GetArraySize(list), k = 0;
	struct line *v = mem_zalloc((size_t)size + 1, sizeof *v);

	cJSON_ArrayForEach(x, list)
	{
		const cJSON *line = cJSON_GetArrayItem(x, 0), *hit = cJSON_GetArrayItem(x, 1);

		if (cJSON_IsNumber(line) && cJSON_IsNumber(hit) && line->valuedouble > 0)
			v[k++] = (struct line){line->valueint, hit->valuedouble > 0};
	}
	qsort(v, (size_t)k, sizeof *v, by_number);
	*n = 0;
	for (int i = 0; i < k; i++)
		if (*n && v[*n - 1].number == v[i].number)
			v[*n - 1].hit |= v[i].hit;
		else
			v[(*n)++] = v[i];
	return v;
}

/* "3–9, 12" of the lines that were hit, or were not. */
static void put_ranges(struct buf *b, const struct line *v, int n, bool hit)
{
	for (int i = 0; i < n; i++) {
		int last = i;

		if (v[i].hit != hit)
			continue;
		while (last + 1 < n && v[last + 1].hit == hit)
			last++;
		buf_printf(b, b->len ? ", %d" : "%d", v[i].number);
		if (last > i)
			buf_printf(b, "–%d", v[last].number);
		i = last;
	}
}

#define CELL_W  15.0
#define CELL_H  11.0
#define PER_ROW ((int)(PAGE_TEXT / CELL_W))

/* The same on a page of HTML; the sentence above says it to those who do not see. */
static void strip_html(struct buf *b, const struct line *v, int n)
{
	buf_puts(b, "<p class=\"lines\" aria-hidden=\"true\">");
	for (int i = 0; i < n; i++)
		buf_printf(b, "<span%s>%d</span>\n", v[i].hit ? "" : " class=\"missed\"", v[i].number);
	buf_puts(b, "</p>\n");
}

/* A cell a line with code: pale blue executed, dark with a white number not. */
static void strip(struct audit *a, const struct line *v, int n)
{
	struct flow *f = &a->f;

	if (f->html && n > 0)
		strip_html(f->html, v, n);
	for (int i = 0; i < n && !f->html; i += PER_ROW) {
		flow_need(f, CELL_H + 1);
		flow_tag(f, "Figure");
		for (int k = i; f->drawing && k < n && k < i + PER_ROW; k++) {
			struct face s = {.size = v[k].number > 999 ? 4.6 : 5.8,
			                 .colour = v[k].hit ? C_RIGHT_INK : C_WHITE,
			                 .align = ALIGN_CENTRE};
			double x = PAGE_LEFT + (k - i) * CELL_W;
			char number[16];

			snprintf(number, sizeof number, "%d", v[k].number);
			flow_rect(f, v[k].hit ? C_RIGHT : C_WRONG, x, f->y, CELL_W - 1, CELL_H - 1);
			flow_text(f, s, x, f->y + 1.2, CELL_W - 1, 1, number);
		}
		flow_untag(f, "Figure");
		f->y += CELL_H;
	}
	f->y += 4;
}

#define MAX_MISSED 20

/* The lines never executed, as they read. */
static void missed_lines(struct audit *a, const cJSON *kernel, const struct line *v, int n)
{
	static const struct column columns[] = {{.title = "Line", .w = 36, .align = ALIGN_RIGHT},
	                                        {.title = "Never executed", .w = -1, .mono = true}};
	struct table t;
	int put = 0;

	for (int i = 0; i < n && put < MAX_MISSED; i++) {
		const char *text = v[i].hit ? "" : source_line(kernel, v[i].number);
		struct td cells[2] = {{.text = NULL}, {.text = text}};
		char number[16];

		if (!text[0])
			continue;
		if (!put++)
			table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
		snprintf(number, sizeof number, "%d", v[i].number);
		cells[0].text = number;
		table_row(&t, cells);
	}
	if (put)
		table_end(&t);
}

void kernel_coverage(struct audit *a, const struct row *r)
{
	const cJSON *c = ev_get(r->kernel, "coverage");
	struct buf b = {0}, missed = {0};
	struct line *v;
	int n;

	if (!c)
		return;
	v = lines_of(c, &n);
	flow_heading(&a->f, 2, DEST_NONE, "Coverage in this campaign", NULL);
	if (ev_number(c, "blocks") == 0) {
		flow_par(&a->f, face_body, "Not measured: only the emulator sees which instructions run.");
		free(v);
		return;
	}
	buf_puts(&b, "Over the ");
	put_plural(&b, r->n.cases, "case", "cases");
	buf_puts(&b, " of this evidence, in all element types, ");
	put_count(&b, ev_number(c, "blocks_hit"));
	buf_puts(&b, " of ");
	put_plural(&b, ev_number(c, "blocks"), "basic block", "basic blocks");
	buf_puts(&b, " and ");
	put_count(&b, ev_number(c, "edges_hit"));
	buf_puts(&b, " of ");
	put_plural(&b, ev_number(c, "edges"), "way of a branch", "ways of the branches");
	buf_puts(&b, " were taken. ");
	put_ranges(&missed, v, n, false);
	if (n == 0)
		buf_puts(&b, "The PTX names no source lines.");
	else if (missed.len)
		buf_printf(&b, "Source lines never executed: %s.", missed.s);
	else
		buf_puts(&b, "Every source line with code was executed.");
	flow_par(&a->f, face_body, b.s);
	strip(a, v, n);
	missed_lines(a, r->kernel, v, n);
	free(v);
	buf_free(&b);
	buf_free(&missed);
}

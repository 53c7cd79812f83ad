/* changes_print.c - changes as text, as annotations of GitHub and as Markdown: see baseline.h. */
#include <string.h>

#include "report/baseline.h"
#include "report/markup.h"

static const enum change_kind order[] = {CHANGE_WORSE, CHANGE_UNDECIDED, CHANGE_NEUTRAL, CHANGE_BETTER};

/* "3 changes: 2 worse, 1 better" */
static void put_counts(struct buf *b, const struct changes *c)
{
	const char *sep = ": ";

	buf_printf(b, "%d change%s", c->n, c->n == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		int n = changes_count(c, order[i]);

		if (n)
			buf_printf(b, "%s%d %s", sep, n, change_name(order[i]));
		if (n)
			sep = ", ";
	}
}

static void put_name(struct buf *b, const struct change *x)
{
	buf_printf(b, "%s%s%s", x->kernel, x->dtype[0] ? " " : "", x->dtype);
}

/* Texts come from files: nothing in them ends a line or moves a terminal's cursor. */
static void put_plain(struct buf *b, const char *s)
{
	for (; *s; s++)
		buf_putc(b, (unsigned char)*s < ' ' || *s == 127 ? ' ' : *s);
}

void changes_print(struct buf *b, const struct changes *c, const char *baseline)
{
	for (size_t o = 0; o < ARRAY_LEN(order); o++)
		for (int i = 0; i < c->n; i++) {
			const struct change *x = &c->v[i];
			struct buf name = {0};

			if (x->kind != order[o])
				continue;
			put_name(&name, x);
			buf_printf(b, "%-9s ", change_name(x->kind));
			put_plain(b, name.s);
			buf_puts(b, ": ");
			put_plain(b, x->text);
			if (x->line > 0) {
				buf_puts(b, " (");
				put_plain(b, x->path);
				buf_printf(b, ":%d)", x->line);
			}
			buf_putc(b, '\n');
			if (x->replay) {
				buf_puts(b, "            ");
				put_plain(b, x->replay);
				buf_putc(b, '\n');
			}
			buf_free(&name);
		}
	if (!c->n)
		return;
	if (c->causes.len)
		buf_printf(b, "possible cause: %s\n", c->causes.s);
	put_counts(b, c);
	buf_printf(b, " against %s\n", baseline);
}

static void annotate(struct buf *b, const struct change *x, const char *baseline)
{
	struct buf text = {0};

	put_name(&text, x);
	buf_printf(&text, ": %s", x->text);
	if (x->replay)
		buf_printf(&text, "\n%s", x->replay);
	host_annotation(b, x->kind == CHANGE_WORSE ? "error" : x->kind == CHANGE_UNDECIDED ? "warning" : "notice", x->path ? x->path : baseline,
	                x->path ? x->line : 0, "gpuemu ci", text.s);
	buf_free(&text);
}

void changes_annotate(struct buf *b, const struct changes *c, const char *baseline)
{
	for (int about = 0; about < ABOUT_COUNT; about++)
		for (int i = 0; i < c->n; i++)
			if ((int)c->v[i].about == about)
				annotate(b, &c->v[i], baseline);
}

/* Room for what stands behind the list. */
#define RESERVE 2048

void changes_markdown(struct buf *b, const struct changes *c, const char *baseline, size_t most)
{
	size_t limit = b->len + most;
	int left = 0;

	buf_puts(b, "### gpuemu ci: ");
	if (c->n)
		put_counts(b, c);
	else
		buf_puts(b, "nothing changed");
	buf_puts(b, " against ");
	md_code(b, baseline);
	buf_puts(b, "\n\n");
	for (size_t o = 0; o < ARRAY_LEN(order); o++)
		for (int i = 0; i < c->n; i++) {
			const struct change *x = &c->v[i];
			struct buf line = {0}, name = {0};

			if (x->kind != order[o])
				continue;
			put_name(&name, x);
			buf_printf(&line, "- **%s** ", change_name(x->kind));
			md_cell(&line, name.s);
			buf_puts(&line, ": ");
			md_cell(&line, x->text);
			buf_putc(&line, '\n');
			if (x->replay) {
				buf_puts(&line, "  ");
				md_code(&line, x->replay);
				buf_putc(&line, '\n');
			}
			if (b->len + line.len + RESERVE <= limit)
				buf_add(b, line.s, line.len);
			else
				left++;
			buf_free(&line);
			buf_free(&name);
		}
	if (left)
		buf_printf(b, "\n**%d more changes are left out, for the size that a summary may have.**\n", left);
	if (c->n && c->causes.len && c->causes.len < RESERVE / 2) {
		buf_puts(b, "\nPossible cause: ");
		md_cell(b, c->causes.s);
		buf_putc(b, '\n');
	}
}

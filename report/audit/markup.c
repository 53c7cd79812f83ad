/* markup.c - see markup.h. */
#include <string.h>

#include "report/audit/markup.h"

/* Of text that is clean. line: what a BREAK becomes. */
static void put_clean(struct buf *b, const char *s, const char *line)
{
	static const size_t n = sizeof BREAK - 1;

	for (; *s; s++)
		if (strncmp(s, BREAK, n) == 0) {
			buf_puts(b, line);
			s += n - 1;
		} else if (*s == '&')
			buf_puts(b, "&amp;");
		else if (*s == '<')
			buf_puts(b, "&lt;");
		else if (*s == '>')
			buf_puts(b, "&gt;");
		else if (*s == '"')
			buf_puts(b, "&quot;");
		else
			buf_putc(b, *s);
}

static void put_text(struct buf *b, const char *text, const char *line)
{
	char *clean = text_clean(text);

	put_clean(b, clean, line);
	g_free(clean);
}

void markup_text(struct buf *b, const char *text)
{
	put_text(b, text, "<br>");
}

void markup_value(struct buf *b, const char *text)
{
	put_text(b, text, " ");
}

void markup_faced(struct buf *b, const struct face *s, const char *text)
{
	char *clean;

	if (!s->markup) {
		markup_text(b, text);
		return;
	}
	clean = text_clean(text);
	buf_puts(b, clean);
	g_free(clean);
}

const char *markup_class(enum colour c)
{
	switch (c) {
	case C_WRONG:
		return "wrong";
	case C_RIGHT_INK:
		return "right";
	case C_OPEN:
		return "open";
	case C_SOFT:
	case C_FAINT:
		return "soft";
	default:
		return NULL;
	}
}

static const char *anchor_of(const struct flow *f, int dest)
{
	return dest > DEST_NONE && dest < f->known->ndest ? f->anchors[dest] : NULL;
}

/* ---- blocks ---- */

void markup_heading(struct flow *f, int level, int dest, const char *text)
{
	const char *anchor = anchor_of(f, dest);
	int h = 1 + level + f->deeper;

	h = h > 6 ? 6 : h;
	buf_printf(f->html, "<h%d", h);
	if (anchor)
		buf_printf(f->html, " id=\"%s\"", anchor);
	buf_putc(f->html, '>');
	markup_text(f->html, text);
	buf_printf(f->html, "</h%d>\n", h);
}

void markup_par(struct flow *f, const struct face *s, const char *class, const char *text)
{
	if (!text[0])
		return;
	class = class ? class : s->size < face_body.size ? "note" : NULL;
	buf_puts(f->html, "<p");
	if (class)
		buf_printf(f->html, " class=\"%s\"", class);
	buf_putc(f->html, '>');
	markup_faced(f->html, s, text);
	buf_puts(f->html, "</p>\n");
}

void markup_code(struct flow *f, const char *text)
{
	if (!text[0])
		return;
	buf_puts(f->html, "<pre class=\"code\"><code>");
	markup_text(f->html, text);
	buf_puts(f->html, "</code></pre>\n");
}

void markup_verdict(struct flow *f, enum colour colour, const char *word, const char *text)
{
	const char *class = markup_class(colour);

	buf_printf(f->html, "<p class=\"verdict %s\"><strong>", class ? class : "open");
	markup_text(f->html, word);
	buf_puts(f->html, "</strong> ");
	markup_text(f->html, text);
	buf_puts(f->html, "</p>\n");
}

/* ---- tables ---- */

#define SHORT 24 /* bytes: a line that is not broken in a column of its own width */

static bool is_short(const char *text)
{
	const char *end;

	while ((end = strstr(text, BREAK)) != NULL && end - text <= SHORT)
		text = end + sizeof BREAK - 1;
	return !end && strlen(text) <= SHORT;
}

static void put_classes(struct buf *b, bool number, bool whole, const char *class)
{
	if (number || whole || class)
		buf_printf(b, " class=\"%s%s%s\"", number ? "n" : whole ? "whole" : "",
		           (number || whole) && class ? " " : "", class ? class : "");
}

void markup_table(struct table *t)
{
	struct buf *b = t->f->html;

	buf_printf(b, "<div class=\"wide\"><table%s>\n", t->plain ? " class=\"facts\"" : "");
	if (!t->plain) {
		buf_puts(b, "<thead><tr>");
		for (int i = 0; i < t->n; i++) {
			buf_puts(b, "<th scope=\"col\"");
			put_classes(b, t->column[i].align == ALIGN_RIGHT, false, NULL);
			buf_putc(b, '>');
			markup_text(b, t->column[i].title ? t->column[i].title : "");
			buf_puts(b, "</th>");
		}
		buf_puts(b, "</tr></thead>\n");
	}
	buf_puts(b, "<tbody>\n");
}

static void put_cell(struct table *t, int i, const struct td *c)
{
	struct buf *b = t->f->html;
	const char *anchor = anchor_of(t->f, c->dest), *text = c->text ? c->text : "";
	bool mono = (c->mono || t->column[i].mono) && text[0], head = t->plain && i == 0;
	size_t blanks = strspn(text, " "); /* on paper they set a line in */

	buf_puts(b, head ? "<th scope=\"row\"" : "<td");
	put_classes(b, t->column[i].align == ALIGN_RIGHT, !head && t->column[i].w > 0 && text[0] && is_short(text),
	            blanks                 ? "sub"
	            : head || !c->coloured ? NULL
	                                   : markup_class(c->colour));
	buf_putc(b, '>');
	if (anchor)
		buf_printf(b, "<a href=\"#%s\">", anchor);
	buf_puts(b, mono ? "<code>" : c->bold && text[0] ? "<b>" : "");
	markup_text(b, text + blanks);
	buf_puts(b, mono ? "</code>" : c->bold && text[0] ? "</b>" : "");
	buf_puts(b, anchor ? "</a>" : "");
	buf_puts(b, head ? "</th>" : "</td>");
}

void markup_row(struct table *t, const struct td *cells)
{
	buf_puts(t->f->html, "<tr>");
	for (int i = 0; i < t->n; i++)
		put_cell(t, i, &cells[i]);
	buf_puts(t->f->html, "</tr>\n");
}

void markup_group(struct table *t, const char *text)
{
	buf_printf(t->f->html, "<tr><th scope=\"rowgroup\" class=\"group\" colspan=\"%d\">", t->n);
	markup_text(t->f->html, text);
	buf_puts(t->f->html, "</th></tr>\n");
}

void markup_table_end(struct table *t)
{
	buf_puts(t->f->html, "</tbody></table></div>\n");
}

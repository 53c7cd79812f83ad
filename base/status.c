/* status.c - statuses and the first error of a piece of work. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	int exit_status;
} st_info[ST_COUNT] = {
#define X(name, text, rc) [ST_##name] = {text, rc},
	ST_LIST(X)
#undef X
};

const char *st_text(enum st code)
{
	return (unsigned)code < ST_COUNT ? st_info[code].text : "unknown status";
}

int st_exit(enum st code)
{
	return (unsigned)code < ST_COUNT ? st_info[code].exit_status : 3;
}

/* Claims e for a first error: false when there is no place for it or an error is there already. */
static bool err_claim(struct err *e, enum st code, const char *file, int line)
{
	if (e == NULL || e->code != ST_OK || code == ST_OK)
		return false;
	e->code = code;
	e->file = file;
	e->line = line;
	return true;
}

/* Texts of files end up in messages: nothing in them may steer a terminal. */
static void make_printable(char *s)
{
	for (; *s != '\0'; s++)
		if (((unsigned char)*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)
			*s = '?';
}

enum st err_set(struct err *e, enum st code, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (err_claim(e, code, file, line)) {
		va_start(ap, fmt);
		vsnprintf(e->msg, sizeof e->msg, fmt, ap);
		va_end(ap);
		make_printable(e->msg);
	}
	return code;
}

enum st err_prefix(struct err *e, const char *fmt, ...)
{
	char text[sizeof e->msg];
	va_list ap;
	size_t n, m;

	if (e == NULL || e->code == ST_OK)
		return e == NULL ? ST_OK : e->code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text - 2, fmt, ap);
	va_end(ap);
	strcat(text, ": ");
	n = strlen(text);
	m = strlen(e->msg);
	if (m > sizeof e->msg - 1 - n)
		m = sizeof e->msg - 1 - n;
	memmove(e->msg + n, e->msg, m);
	memcpy(e->msg, text, n);
	e->msg[n + m] = '\0';
	return e->code;
}

/* Is c the first byte of a UTF-8 character?  Columns count characters, not bytes. */
static bool utf8_starts(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Bytes of the source line that are shown before and after the place. */
#define SHOWN_BEFORE 72
#define SHOWN_AFTER  48

/* The source line round text[pos] and a caret below it. */
static void show_place(char *out, size_t size, const char *text, size_t from, size_t to, size_t pos)
{
	char source[SHOWN_BEFORE + SHOWN_AFTER + 1], caret[SHOWN_BEFORE + 1];
	size_t n = 0, k = 0;

	if (pos - from > SHOWN_BEFORE)
		from = pos - SHOWN_BEFORE;
	if (to - pos > SHOWN_AFTER)
		to = pos + SHOWN_AFTER;
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)text[i];

		source[n++] = c == '\t' || (c >= ' ' && c != 0x7f) ? text[i] : '?';
		if (i < pos && utf8_starts(text[i]))
			caret[k++] = c == '\t' ? '\t' : ' ';
	}
	snprintf(out, size, "\n    %.*s\n    %.*s^", (int)n, source, (int)k, caret);
}

enum st err_set_at(struct err *e, enum st code, const char *file, int line, const char *name,
                   const char *text, size_t len, size_t pos, const char *fmt, ...)
{
	char place[SHOWN_BEFORE * 2 + SHOWN_AFTER + 16];
	size_t from = 0, to, row = 1, col = 1, n;
	va_list ap;

	if (!err_claim(e, code, file, line))
		return code;
	if (pos > len)
		pos = len;
	for (size_t i = 0; i < pos; i++) {
		col += utf8_starts(text[i]);
		if (text[i] == '\n') {
			row++;
			col = 1;
			from = i + 1;
		}
	}
	for (to = pos; to < len && text[to] != '\n';)
		to++;
	show_place(place, sizeof place, text, from, to, pos);
	snprintf(e->msg, sizeof e->msg - strlen(place), "%s:%zu:%zu: ", name, row, col);
	n = strlen(e->msg);
	va_start(ap, fmt);
	vsnprintf(e->msg + n, sizeof e->msg - strlen(place) - n, fmt, ap);
	va_end(ap);
	strcat(e->msg, place);
	make_printable(e->msg);
	return code;
}

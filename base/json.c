/* json.c - reading and printing JSON, held in cJSON's trees. */
#include "base/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum st json_parse(const char *name, const char *text, size_t len, cJSON **out, struct err *e)
{
	TRY(json_scan(name, text, len, e));
	*out = cJSON_ParseWithLength(text, len);
	if (*out == NULL) /* json_scan let it pass: only for want of memory */
		return FAIL(e, NOMEM, "%s: out of memory while reading JSON", name);
	return ST_OK;
}

enum st json_embedded(const struct embedded *list, size_t n, const char *name, cJSON **out, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return json_parse(name, list[i].text, strlen(list[i].text), out, e);
	return FAIL(e, BUG, "%s is not embedded", name);
}

const char *json_text(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsString(v) ? v->valuestring : "";
}

enum st json_read(const char *path, size_t max, cJSON **out, struct err *e)
{
	char *text;
	size_t len;
	enum st rc;

	TRY(file_read(path, max, &text, &len, e));
	rc = json_parse(path, text, len, out, e);
	free(text);
	return rc;
}

/* ---- printing ---- */

#define INDENT 2

/* Shortest decimal text that reads back as x. JSON has no NaN and no infinity: they become null.
 * snprintf's decimal point is whatever the locale says, which is put right. */
static void print_number(struct buf *b, double x)
{
	/* 15 digits tell all decimals apart that a normal double can hold, and %g drops the zeros
	 * behind shorter ones; subnormals hold fewer. */
	int digits = fabs(x) < 0x1p-1022 ? 1 : 15;
	char s[40];

	if (!isfinite(x)) {
		buf_puts(b, "null");
		return;
	}
	if (x == trunc(x) && fabs(x) < 0x1p53) {
		buf_printf(b, "%.0f", x);
		return;
	}
	do
		snprintf(s, sizeof s, "%.*g", digits, x);
	while (digits++ < 17 && strtod(s, NULL) != x);
	for (char *p = s; *p != '\0'; p++)
		if (strchr("0123456789+-e", *p) == NULL)
			*p = '.';
	buf_puts(b, s);
}

static void print_string(struct buf *b, const char *s)
{
	size_t len = strlen(s), n;

	buf_putc(b, '"');
	for (size_t i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)s[i];

		n = utf8_length(s + i, len - i);
		if (n == 0) { /* no UTF-8: the replacement character */
			buf_puts(b, "\\ufffd");
			n = 1;
		} else if (c == '"' || c == '\\') {
			buf_printf(b, "\\%c", c);
		} else if (c == '\n' || c == '\t') {
			buf_puts(b, c == '\n' ? "\\n" : "\\t");
		} else if (c < ' ') {
			buf_printf(b, "\\u%04x", c);
		} else {
			buf_add(b, s + i, n);
		}
	}
	buf_putc(b, '"');
}

static bool is_scalar(const cJSON *j)
{
	return !cJSON_IsArray(j) && !cJSON_IsObject(j);
}

/* Does a value fit on one line of pretty text: a scalar, or an array of scalars? */
static bool is_short(const cJSON *j)
{
	if (j->child == NULL || is_scalar(j))
		return true;
	if (cJSON_IsObject(j))
		return false;
	for (const cJSON *c = j->child; c != NULL; c = c->next)
		if (!is_scalar(c))
			return false;
	return true;
}

static void print_break(struct buf *b, int depth)
{
	buf_printf(b, "\n%*s", depth * INDENT, "");
}

/* depth: of indentation, or -1 for one line. */
static void print_value(struct buf *b, const cJSON *j, int depth)
{
	bool object = cJSON_IsObject(j), lines = depth >= 0 && !is_short(j);
	int inner = depth >= 0 ? depth + 1 : -1;

	if (cJSON_IsNumber(j)) {
		print_number(b, j->valuedouble);
	} else if (cJSON_IsString(j)) {
		print_string(b, j->valuestring);
	} else if (cJSON_IsRaw(j)) {
		buf_puts(b, j->valuestring);
	} else if (cJSON_IsBool(j)) {
		buf_puts(b, cJSON_IsTrue(j) ? "true" : "false");
	} else if (is_scalar(j)) {
		buf_puts(b, "null");
	} else {
		buf_putc(b, object ? '{' : '[');
		for (const cJSON *c = j->child; c != NULL; c = c->next) {
			if (lines)
				print_break(b, inner);
			if (object) {
				print_string(b, c->string);
				buf_puts(b, depth >= 0 ? ": " : ":");
			}
			print_value(b, c, inner);
			if (c->next != NULL)
				buf_puts(b, lines || depth < 0 ? "," : ", ");
		}
		if (lines)
			print_break(b, depth);
		buf_putc(b, object ? '}' : ']');
	}
}

char *json_print(const cJSON *j, bool pretty)
{
	struct buf b = {0};

	print_value(&b, j, pretty ? 0 : -1);
	if (pretty)
		buf_putc(&b, '\n');
	return b.s;
}

enum st json_write(const char *path, const cJSON *j, struct err *e)
{
	char *text = json_print(j, true);
	enum st rc = file_write(path, text, strlen(text), e);

	free(text);
	return rc;
}

/* json_scan.c - a strict reader of JSON that builds nothing: it only says whether and where a text
 * is wrong, which cJSON does not (it takes duplicate keys, control characters and numbers like 01).
 */
#include "base/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest number: cJSON copies numbers to a buffer of 64 bytes. */
#define MAX_NUMBER 60

struct key {
	char *s; /* decoded */
	size_t pos;
};

struct scan {
	const char *name, *text;
	size_t len, pos;
	int depth;
	struct key *keys; /* those of all objects that are open */
	size_t nkeys, cap;
	struct err *e;
};

#define SCAN_FAIL_AT(s, at, ...)                                                                   \
	FAIL_AT((s)->e, INPUT, (s)->name, (s)->text, (s)->len, (at), __VA_ARGS__)
#define SCAN_FAIL(s, ...) SCAN_FAIL_AT(s, (s)->pos, __VA_ARGS__)

size_t utf8_length(const char *s, size_t n)
{
	/* Least value that needs 2, 3, 4 bytes: shorter ones written longer are refused. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)s[0];
	size_t len = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
	uint32_t v = len == 1 ? c : c & (0x7fu >> len);

	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return v < least[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0 : len;
}

static int peek(const struct scan *s)
{
	return s->pos < s->len ? (unsigned char)s->text[s->pos] : -1;
}

static int next_token(struct scan *s)
{
	int c;

	while ((c = peek(s)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		s->pos++;
	return c;
}

/* ---- strings ---- */

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hex digits after "\u" at pos. */
static enum st scan_hex4(struct scan *s, uint32_t *v)
{
	*v = 0;
	for (int i = 0; i < 4; i++, s->pos++) {
		int d = peek(s) < 0 ? -1 : hex_value(peek(s));

		if (d < 0)
			return SCAN_FAIL(s, "expected four hex digits after \\u");
		*v = *v << 4 | (uint32_t)d;
	}
	return ST_OK;
}

static void add_utf8(struct buf *b, uint32_t v)
{
	if (v < 0x80) {
		buf_putc(b, (char)v);
	} else if (v < 0x800) {
		buf_putc(b, (char)(0xc0 | v >> 6));
		buf_putc(b, (char)(0x80 | (v & 0x3f)));
	} else if (v < 0x10000) {
		buf_putc(b, (char)(0xe0 | v >> 12));
		buf_putc(b, (char)(0x80 | (v >> 6 & 0x3f)));
		buf_putc(b, (char)(0x80 | (v & 0x3f)));
	} else {
		buf_putc(b, (char)(0xf0 | v >> 18));
		buf_putc(b, (char)(0x80 | (v >> 12 & 0x3f)));
		buf_putc(b, (char)(0x80 | (v >> 6 & 0x3f)));
		buf_putc(b, (char)(0x80 | (v & 0x3f)));
	}
}

/* \uXXXX, or a pair of surrogates; pos is behind the first 'u'. */
static enum st scan_unicode(struct scan *s, struct buf *out)
{
	size_t at = s->pos - 2;
	uint32_t v, low;

	TRY(scan_hex4(s, &v));
	if (v == 0)
		return SCAN_FAIL_AT(s, at, "the character U+0000 is not allowed");
	if (v >= 0xdc00 && v < 0xe000)
		return SCAN_FAIL_AT(s, at, "half of a surrogate pair");
	if (v >= 0xd800 && v < 0xdc00) {
		if (s->len - s->pos < 2 || memcmp(s->text + s->pos, "\\u", 2) != 0)
			return SCAN_FAIL_AT(s, at, "half of a surrogate pair");
		s->pos += 2;
		TRY(scan_hex4(s, &low));
		if (low < 0xdc00 || low >= 0xe000)
			return SCAN_FAIL_AT(s, at, "half of a surrogate pair");
		v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(out, v);
	return ST_OK;
}

static enum st scan_escape(struct scan *s, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c;
	const char *p;

	s->pos++; /* the backslash */
	c = peek(s);
	if (c == 'u') {
		s->pos++;
		return scan_unicode(s, out);
	}
	p = c > 0 ? strchr(from, c) : NULL;
	if (p == NULL)
		return SCAN_FAIL(s, "unknown escape in a string");
	buf_putc(out, to[p - from]);
	s->pos++;
	return ST_OK;
}

/* A string, pos at its quotation mark; its decoded text is added to out. */
static enum st scan_string(struct scan *s, struct buf *out)
{
	size_t start = s->pos++;

	buf_add(out, "", 0);
	for (;;) {
		int c = peek(s);
		size_t n;

		if (c < 0)
			return SCAN_FAIL_AT(s, start, "string without end");
		if (c == '"')
			break;
		if (c < ' ')
			return SCAN_FAIL(s, "control character 0x%02x in a string (write \\u%04x)",
			                 (unsigned)c, (unsigned)c);
		if (c == '\\') {
			TRY(scan_escape(s, out));
			continue;
		}
		n = utf8_length(s->text + s->pos, s->len - s->pos);
		if (n == 0)
			return SCAN_FAIL(s, "byte 0x%02x is not valid UTF-8", (unsigned)c);
		buf_add(out, s->text + s->pos, n);
		s->pos += n;
	}
	s->pos++;
	return ST_OK;
}

/* ---- numbers and words ---- */

static bool skip_digits(struct scan *s)
{
	size_t start = s->pos;

	while (peek(s) >= '0' && peek(s) <= '9')
		s->pos++;
	return s->pos > start;
}

static enum st scan_number(struct scan *s)
{
	size_t start = s->pos, first;
	char copy[MAX_NUMBER + 1];

	s->pos += peek(s) == '-';
	first = s->pos;
	if (!skip_digits(s))
		return SCAN_FAIL(s, "expected a digit");
	if (s->text[first] == '0' && s->pos - first > 1)
		return SCAN_FAIL_AT(s, first, "a number may not start with 0");
	if (peek(s) == '.') {
		s->pos++;
		if (!skip_digits(s))
			return SCAN_FAIL(s, "expected a digit after the decimal point");
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->pos++;
		s->pos += peek(s) == '+' || peek(s) == '-';
		if (!skip_digits(s))
			return SCAN_FAIL(s, "expected a digit in the exponent");
	}
	if (s->pos - start > MAX_NUMBER)
		return SCAN_FAIL_AT(s, start, "number of more than %d characters", MAX_NUMBER);
	memcpy(copy, s->text + start, s->pos - start);
	copy[s->pos - start] = '\0';
	if (isinf(strtod(copy, NULL)))
		return SCAN_FAIL_AT(s, start, "number beyond the range of a double");
	return ST_OK;
}

static enum st scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if (s->len - s->pos >= n && !memcmp(s->text + s->pos, words[i], n)) {
			s->pos += n;
			return ST_OK;
		}
	}
	return s->pos < s->len ? SCAN_FAIL(s, "expected a JSON value")
	                       : SCAN_FAIL(s, "expected a JSON value, but the text ends here");
}

/* ---- arrays and objects ---- */

static enum st scan_value(struct scan *s);

/* After an element: true when another one follows, false behind the closing bracket. */
static enum st scan_more(struct scan *s, char close, bool *more)
{
	int c = next_token(s);

	if (c != ',' && c != close)
		return SCAN_FAIL(s, "expected ',' or '%c'%s", close,
		                 c < 0 ? ", but the text ends here" : "");
	s->pos++;
	*more = c == ',';
	if (*more && next_token(s) == close)
		return SCAN_FAIL(s, "expected another element after ','");
	return ST_OK;
}

static enum st scan_array(struct scan *s)
{
	bool more = true;

	s->pos++;
	if (next_token(s) == ']') {
		s->pos++;
		return ST_OK;
	}
	while (more) {
		TRY(scan_value(s));
		TRY(scan_more(s, ']', &more));
	}
	return ST_OK;
}

static enum st scan_key(struct scan *s)
{
	struct buf b = {0};
	size_t pos = s->pos;

	if (peek(s) != '"')
		return SCAN_FAIL(s, "expected a key in quotation marks");
	if (s->nkeys == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 16;
		s->keys = mem_realloc(s->keys, s->cap * sizeof *s->keys);
	}
	if (scan_string(s, &b) != ST_OK) {
		buf_free(&b);
		return ST_INPUT;
	}
	s->keys[s->nkeys++] = (struct key){b.s, pos};
	if (next_token(s) != ':')
		return SCAN_FAIL(s, "expected ':' after the key");
	s->pos++;
	return ST_OK;
}

static int key_order(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = strcmp(x->s, y->s);

	return c ? c : (x->pos > y->pos) - (x->pos < y->pos);
}

static void drop_keys(struct scan *s, size_t n)
{
	while (s->nkeys > n)
		free(s->keys[--s->nkeys].s);
}

/* The keys from the n-th on are those of one object, read whole: all different? */
static enum st check_keys(struct scan *s, size_t n)
{
	const struct key *again = NULL;

	if (s->nkeys - n > 1)
		qsort(s->keys + n, s->nkeys - n, sizeof *s->keys, key_order);
	for (size_t i = n + 1; i < s->nkeys; i++)
		if (!strcmp(s->keys[i].s, s->keys[i - 1].s) &&
		    (again == NULL || s->keys[i].pos < again->pos))
			again = &s->keys[i];
	if (again != NULL)
		return SCAN_FAIL_AT(s, again->pos, "key '%.80s' appears twice", again->s);
	drop_keys(s, n);
	return ST_OK;
}

static enum st scan_object(struct scan *s)
{
	size_t mine = s->nkeys;
	bool more = true;

	s->pos++;
	if (next_token(s) == '}') {
		s->pos++;
		return ST_OK;
	}
	while (more) {
		next_token(s);
		TRY(scan_key(s));
		TRY(scan_value(s));
		TRY(scan_more(s, '}', &more));
	}
	return check_keys(s, mine);
}

static enum st scan_text(struct scan *s)
{
	struct buf b = {0};
	enum st rc = scan_string(s, &b);

	buf_free(&b);
	return rc;
}

static enum st scan_value(struct scan *s)
{
	int c = next_token(s);
	enum st rc;

	if (c == '"')
		return scan_text(s);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s);
	if (c != '[' && c != '{')
		return scan_word(s);
	if (s->depth == JSON_MAX_DEPTH)
		return SCAN_FAIL(s, "nested deeper than %d", JSON_MAX_DEPTH);
	s->depth++;
	rc = c == '[' ? scan_array(s) : scan_object(s);
	s->depth--;
	return rc;
}

enum st json_scan(const char *name, const char *text, size_t len, struct err *e)
{
	struct scan s = {.name = name, .text = text, .len = len, .e = e};
	enum st rc = scan_value(&s);

	if (rc == ST_OK && next_token(&s) >= 0)
		rc = SCAN_FAIL(&s, "unexpected text after the value");
	drop_keys(&s, 0);
	free(s.keys);
	return rc;
}

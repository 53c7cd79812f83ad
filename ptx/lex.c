/* lex.c - PTX text as tokens. PTX ISA, "Syntax": ASCII, C comments, no preprocessing. */
#include "ptx/lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(int c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int peek(const struct lexer *l, size_t ahead)
{
	return l->at + ahead < l->len ? (unsigned char)l->text[l->at + ahead] : 0;
}

#define FAIL_LEX(l, e, pos, ...) FAIL_AT((e), INPUT, (l)->name, (l)->text, (l)->len, (pos), __VA_ARGS__)

static enum st skip_block_comment(struct lexer *l, struct err *e)
{
	size_t start = l->at;

	for (l->at += 2; l->at < l->len; l->at++) {
		if (l->text[l->at] == '\n')
			l->line++;
		if (l->text[l->at] == '*' && peek(l, 1) == '/') {
			l->at += 2;
			return ST_OK;
		}
	}
	return FAIL_LEX(l, e, start, "this comment is never closed");
}

static enum st skip_blank(struct lexer *l, struct err *e)
{
	for (;;) {
		int c = peek(l, 0);

		if (c == '\n') {
			l->line++;
			l->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			l->at++;
		} else if (c == '/' && peek(l, 1) == '/') {
			while (l->at < l->len && l->text[l->at] != '\n')
				l->at++;
		} else if (c == '/' && peek(l, 1) == '*') {
			TRY(skip_block_comment(l, e));
		} else {
			return ST_OK;
		}
	}
}

/* 0f and eight, or 0d and sixteen hexadecimal digits: the bits of a float. */
static enum st lex_float_bits(struct lexer *l, struct token *t, int digits, struct err *e)
{
	for (int i = 0; i < digits; i++) {
		int h = hex_digit(peek(l, 2 + (size_t)i));

		if (h < 0)
			return FAIL_LEX(l, e, l->at, "0%c needs exactly %d hexadecimal digits",
			                peek(l, 1), digits);
		t->val = t->val << 4 | (uint64_t)h;
	}
	t->kind = digits == 8 ? T_F32 : T_F64;
	l->at += 2 + (size_t)digits;
	return ST_OK;
}

static enum st lex_decimal_float(struct lexer *l, struct token *t, size_t n, struct err *e)
{
	char copy[64];
	double v;

	if (n >= sizeof copy)
		return FAIL_LEX(l, e, l->at, "a number of more than %zu characters", sizeof copy - 1);
	memcpy(copy, l->text + l->at, n);
	copy[n] = 0;
	v = strtod(copy, NULL); /* the C locale: gpuemu never sets another */
	memcpy(&t->val, &v, sizeof v);
	t->kind = T_F64;
	l->at += n;
	return ST_OK;
}

/* Length of the decimal floating-point number at l->at, 0 if it is none (an integer). */
static size_t float_length(const struct lexer *l)
{
	size_t n = 0;
	bool is_float = false;

	while (is_digit(peek(l, n)))
		n++;
	if (peek(l, n) == '.' && (is_digit(peek(l, n + 1)) || !is_word(peek(l, n + 1)))) {
		is_float = true;
		for (n++; is_digit(peek(l, n)); n++)
			;
	}
	if (peek(l, n) == 'e' || peek(l, n) == 'E') {
		size_t k = n + 1;

		if (peek(l, k) == '+' || peek(l, k) == '-')
			k++;
		if (is_digit(peek(l, k))) {
			is_float = true;
			for (n = k; is_digit(peek(l, n)); n++)
				;
		}
	}
	return is_float ? n : 0;
}

static enum st lex_integer(struct lexer *l, struct token *t, struct err *e)
{
	int c = peek(l, 1);
	unsigned base = 10;
	size_t n = 0, digits = 0;

	if (peek(l, 0) == '0') {
		base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
		n = base == 8 ? 0 : 2;
	}
	for (;; n++, digits++) {
		int h = hex_digit(peek(l, n));

		if (h < 0 || (unsigned)h >= base)
			break;
		if (t->val > (UINT64_MAX - (unsigned)h) / base)
			return FAIL_LEX(l, e, t->pos, "this number does not fit in 64 bits");
		t->val = t->val * base + (unsigned)h;
	}
	t->uns = t->val > INT64_MAX;
	if (peek(l, n) == 'U') {
		t->uns = true;
		n++;
	}
	if (digits == 0 || is_word(peek(l, n)))
		return FAIL_LEX(l, e, t->pos, "this is not a number");
	t->kind = T_INT;
	l->at += n;
	return ST_OK;
}

static enum st lex_number(struct lexer *l, struct token *t, struct err *e)
{
	int c = peek(l, 1);
	size_t n;

	if (peek(l, 0) == '0' && (c == 'f' || c == 'F'))
		return lex_float_bits(l, t, 8, e);
	if (peek(l, 0) == '0' && (c == 'd' || c == 'D'))
		return lex_float_bits(l, t, 16, e);
	n = float_length(l);
	if (n > 0)
		return lex_decimal_float(l, t, n, e);
	return lex_integer(l, t, e);
}

static enum st lex_string(struct lexer *l, struct token *t, struct err *e)
{
	for (l->at++; l->at < l->len && l->text[l->at] != '\n'; l->at++) {
		if (l->text[l->at] == '\\' && peek(l, 1) != '\n') {
			l->at++;
		} else if (l->text[l->at] == '"') {
			l->at++;
			t->kind = T_STR;
			return ST_OK;
		}
	}
	return FAIL_LEX(l, e, t->pos, "this string is never closed");
}

static void lex_word(struct lexer *l)
{
	for (l->at++; l->at < l->len; l->at++) {
		int c = peek(l, 0);

		if (c == ':' && peek(l, 1) == ':' && is_word(peek(l, 2)))
			l->at++; /* a part of .L1::evict_last */
		else if (!is_word(c))
			return;
	}
}

static void lex_name(struct lexer *l)
{
	for (l->at++; is_word(peek(l, 0)); l->at++)
		;
}

static enum st lex_punct(struct lexer *l, struct token *t, struct err *e)
{
	static const char two[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
	int c = peek(l, 0);

	t->kind = T_PUNCT;
	for (size_t i = 0; i < ARRAY_LEN(two); i++) {
		if (c == two[i][0] && peek(l, 1) == two[i][1]) {
			l->at += 2;
			return ST_OK;
		}
	}
	if (c == 0 || strchr("{}()[],;:=+-*/%|!@<>&^~?.", c) == NULL) {
		if (c > 32 && c < 127)
			return FAIL_LEX(l, e, t->pos, "the character '%c' has no meaning here", c);
		return FAIL_LEX(l, e, t->pos, "the byte 0x%02x has no meaning in PTX", (unsigned)c);
	}
	l->at++;
	return ST_OK;
}

enum st lex_next(struct lexer *l, struct token *t, struct err *e)
{
	int c;

	memset(t, 0, sizeof *t);
	TRY(skip_blank(l, e));
	t->pos = l->at;
	t->line = l->line;
	if (l->at >= l->len)
		return ST_OK;
	c = peek(l, 0);
	if (is_digit(c)) {
		TRY(lex_number(l, t, e));
	} else if (is_letter(c) || c == '_' || c == '$' || (c == '%' && is_word(peek(l, 1)))) {
		t->kind = T_ID;
		lex_name(l);
	} else if (c == '.' && is_word(peek(l, 1))) {
		t->kind = T_DOT;
		lex_word(l);
	} else if (c == '"') {
		TRY(lex_string(l, t, e));
	} else {
		TRY(lex_punct(l, t, e));
	}
	t->len = l->at - t->pos;
	return ST_OK;
}

bool tok_is(const struct lexer *l, const struct token *t, const char *s)
{
	return t->kind != T_EOF && strlen(s) == t->len && memcmp(l->text + t->pos, s, t->len) == 0;
}

/* The token as messages quote it. */
const char *tok_kind_text(const struct lexer *l, const struct token *t, char out[48])
{
	if (t->kind == T_EOF)
		snprintf(out, 48, "the end of the text");
	else
		snprintf(out, 48, "'%.*s'%s", (int)(t->len < 40 ? t->len : 40), l->text + t->pos,
		         t->len < 40 ? "" : "…");
	return out;
}

/* ---- suggestions ------------------------------------------------------------------------------ */

#define NEAR_MAX 40 /* longer names are not worth a suggestion */

/* Edit distance (insert, delete, replace), both at most NEAR_MAX long. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	int row[NEAR_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		row[j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		int diag = row[0];

		row[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int d = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			if (diag + 1 < d)
				d = diag + 1;
			row[j] = d;
		}
	}
	return row[nb];
}

void nearest_init(struct nearest *n, const char *want, size_t len)
{
	*n = (struct nearest){ .want = want, .len = len, .budget = 2000 };
	n->dist = len < 3 ? 2 : len < 8 ? 3 : 4; /* one more than the largest accepted */
}

void nearest_add(struct nearest *n, const char *cand)
{
	size_t nc = strlen(cand);
	int d;

	if (n->budget <= 0 || n->len > NEAR_MAX || nc > NEAR_MAX)
		return;
	n->budget--;
	d = edit_distance(n->want, n->len, cand, nc);
	if (d < n->dist) {
		n->dist = d;
		n->best = cand;
	}
}

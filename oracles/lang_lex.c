/* lang_lex.c - the tokens of the operator language.
 *
 *   name    letter or _, then letters, digits, _
 *   number  digits [. digits] [e [+-] digits]      (a point needs a digit after it: 0.. is a range)
 *   string  "…" on one line, no escapes
 *   #       comment to the end of the line
 *
 * A line end ends a clause unless it is inside brackets, the text before it cannot end a clause
 * (an operator, a comma, then, …), or the text after it cannot begin one (anything but a name;
 * else, then, and, or, when). */
#include "oracles/lang_parse.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 20000
#define MAX_NUMBER 60 /* characters of a number */

struct lexer {
	const char *file, *s;
	size_t len, at;
	int brackets;
	bool newline; /* a line end since the last token */
	struct tok *tok;
	int n, cap;
	struct err *e;
};

#define LEX_FAIL(x, pos, ...)                                                                      \
	FAIL_AT((x)->e, INPUT, (x)->file, (x)->s, (x)->len, (pos), __VA_ARGS__)

static bool is_name_char(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int peek(const struct lexer *x, size_t ahead)
{
	return x->at + ahead < x->len ? (unsigned char)x->s[x->at + ahead] : 0;
}

static bool word_in(const struct lexer *x, const struct tok *t, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == t->len && memcmp(*list, x->s + t->pos, t->len) == 0)
			return true;
	return false;
}

static bool cannot_end(const struct lexer *x, const struct tok *t)
{
	static const char *const words[] = {"and", "or", "not", "if", "then", "else", "when", NULL};

	switch (t->kind) {
	case T_NAME:
		return word_in(x, t, words);
	case T_INT:
	case T_REAL:
	case T_STR:
	case T_DOTS:
	case T_SEP:
	case ')':
	case ']':
	case '}':
		return false;
	default:
		return true;
	}
}

static bool cannot_begin(const struct lexer *x, const struct tok *t)
{
	static const char *const words[] = {"else", "then", "and", "or", "when", NULL};

	return t->kind != T_NAME || word_in(x, t, words);
}

static enum st push(struct lexer *x, struct tok t)
{
	if (x->n >= MAX_TOKENS)
		return LEX_FAIL(x, t.pos, "more than %d tokens", MAX_TOKENS);
	if (x->n + 1 >= x->cap) {
		x->cap = x->cap ? 2 * x->cap : 256;
		x->tok = mem_realloc(x->tok, (size_t)x->cap * sizeof *x->tok);
	}
	x->tok[x->n++] = t;
	return ST_OK;
}

static enum st add(struct lexer *x, int kind, size_t pos, size_t len)
{
	struct tok t = {kind, (uint32_t)pos, (uint32_t)len};

	if (x->newline && x->n > 0 && x->brackets == 0 && !cannot_end(x, &x->tok[x->n - 1]) &&
	    !cannot_begin(x, &t))
		TRY(push(x, (struct tok){T_SEP, t.pos, 0}));
	x->newline = false;
	return push(x, t);
}

static enum st lex_number(struct lexer *x)
{
	size_t from = x->at;
	int kind = T_INT;

	while (is_digit(peek(x, 0)))
		x->at++;
	if (peek(x, 0) == '.' && is_digit(peek(x, 1))) {
		kind = T_REAL;
		x->at++;
		while (is_digit(peek(x, 0)))
			x->at++;
	}
	if (peek(x, 0) == 'e' || peek(x, 0) == 'E') {
		size_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';

		if (is_digit(peek(x, 1 + sign))) {
			kind = T_REAL;
			x->at += 1 + sign;
			while (is_digit(peek(x, 0)))
				x->at++;
		}
	}
	if (is_name_char(peek(x, 0)))
		return LEX_FAIL(x, x->at, "a number cannot be followed by '%c'", peek(x, 0));
	if (x->at - from > MAX_NUMBER)
		return LEX_FAIL(x, from, "a number of more than %d characters", MAX_NUMBER);
	return add(x, kind, from, x->at - from);
}

static enum st lex_string(struct lexer *x)
{
	size_t from = ++x->at;

	while (x->at < x->len && x->s[x->at] != '"') {
		if ((unsigned char)x->s[x->at] < ' ' && x->s[x->at] != '\t')
			return LEX_FAIL(x, from - 1, "the string does not end on its line");
		x->at++;
	}
	if (x->at == x->len)
		return LEX_FAIL(x, from - 1, "the string does not end");
	x->at++;
	return add(x, T_STR, from, x->at - 1 - from);
}

static enum st lex_punct(struct lexer *x)
{
	static const struct {
		char a, b;
		int kind;
	} two[] = {{'<', '=', T_LE},   {'>', '=', T_GE},    {'=', '=', T_EQ},     {'!', '=', T_NE},
	           {'.', '.', T_DOTS}, {'-', '>', T_ARROW}, {'=', '>', T_IMPLIES}};
	int c = peek(x, 0);
	size_t from = x->at;

	for (size_t i = 0; i < ARRAY_LEN(two); i++)
		if (c == two[i].a && peek(x, 1) == two[i].b) {
			x->at += 2;
			return add(x, two[i].kind, from, 2);
		}
	if (c == 0 || !strchr("+-*/%^()[]{}<>=,:|?", c)) {
		if (c > ' ' && c < 127)
			return LEX_FAIL(x, from, "unexpected character '%c'", c);
		return LEX_FAIL(x, from, "unexpected byte 0x%02x: the language is plain ASCII", c);
	}
	x->at++;
	TRY(add(x, c, from, 1));
	if (c == '(' || c == '[' || c == '{')
		x->brackets++;
	if ((c == ')' || c == ']' || c == '}') && x->brackets > 0)
		x->brackets--;
	return ST_OK;
}

static enum st lex_one(struct lexer *x)
{
	int c = peek(x, 0);
	size_t from = x->at;

	if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
		x->newline |= c == '\n';
		x->at++;
		return ST_OK;
	}
	if (c == '#') {
		while (x->at < x->len && x->s[x->at] != '\n')
			x->at++;
		return ST_OK;
	}
	if (c == ';') {
		x->at++;
		x->newline = false;
		return push(x, (struct tok){T_SEP, (uint32_t)from, 1});
	}
	if (is_digit(c))
		return lex_number(x);
	if (c == '"')
		return lex_string(x);
	if (!is_name_char(c))
		return lex_punct(x);
	while (is_name_char(peek(x, 0)))
		x->at++;
	if (x->at - from > 30)
		return LEX_FAIL(x, from, "a name of more than 30 characters");
	return add(x, T_NAME, from, x->at - from);
}

enum st lang_lex(const char *file, const char *text, size_t len, struct tok **out, int *n,
                 struct err *e)
{
	struct lexer x = {.file = file, .s = text, .len = len, .e = e};
	enum st rc = ST_OK;

	while (rc == ST_OK && x.at < len)
		rc = lex_one(&x);
	if (rc == ST_OK)
		rc = push(&x, (struct tok){T_END, (uint32_t)len, 0});
	if (rc != ST_OK) {
		free(x.tok);
		return rc;
	}
	*out = x.tok;
	*n = x.n;
	return ST_OK;
}

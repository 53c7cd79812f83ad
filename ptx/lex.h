/* lex.h - PTX text as tokens, private to ptx/. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "base/base.h"

enum tok_kind {
	T_EOF,
	T_ID,    /* name, %name, $name, _ */
	T_DOT,   /* .word, with :: parts: ".L1::evict_last" */
	T_INT,   /* val */
	T_F32,   /* 0f3F800000: val is the pattern */
	T_F64,   /* 0d…, or a decimal number: val is the pattern */
	T_STR,   /* quotes included */
	T_PUNCT  /* one character, or two: << >> <= >= == != && || :: */
};

struct token {
	enum tok_kind kind;
	bool uns; /* T_INT with suffix U, or beyond the signed range */
	int line;
	size_t pos, len;
	uint64_t val;
};

struct lexer {
	const char *name, *text;
	size_t len, at;
	int line;
};

MUST_USE enum st lex_next(struct lexer *l, struct token *t, struct err *e);
bool tok_is(const struct lexer *l, const struct token *t, const char *s);
const char *tok_kind_text(const struct lexer *l, const struct token *t, char out[48]);

/* The candidate nearest to s in spelling, if near enough to be worth suggesting; NULL otherwise.
 * Feed candidates one by one. */
struct nearest {
	const char *want;
	size_t len;
	const char *best;
	int dist;
	int budget; /* candidates still looked at: bounds the work on hostile input */
};
void nearest_init(struct nearest *n, const char *want, size_t len);
void nearest_add(struct nearest *n, const char *cand);

#endif

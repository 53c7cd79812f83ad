/* lang_parse.c - expressions of the operator language, by recursive descent.
 *
 *   expr    = "if" expr "then" expr "else" expr | or [ "else" expr ]     (else: or is a read)
 *   or      = and { "or" and }          and = not { "and" not }         not = "not" not | compare
 *   compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/" | "%") unary }
 *   unary   = ("-" | "+") unary | power
 *   power   = primary [ "^" INTEGER ]                                        (lang_primary.c)
 *   index   = NAME [ "<" sum ]
 */
#include "oracles/lang_parse.h"

#include <string.h>

#define MAX_NESTING 60

/* ---- tokens ---- */

bool lang_tok_is(const struct lang_parser *p, const struct tok *t, const char *word)
{
	return t->kind == T_NAME && strlen(word) == t->len &&
	       memcmp(tok_text(p, t), word, t->len) == 0;
}

bool tok_accept(struct lang_parser *p, int kind)
{
	if (tok_cur(p)->kind != kind)
		return false;
	p->at++;
	return true;
}

bool tok_accept_word(struct lang_parser *p, const char *word)
{
	if (!lang_tok_is(p, tok_cur(p), word))
		return false;
	p->at++;
	return true;
}

enum st tok_unexpected(struct lang_parser *p, const char *expected)
{
	const struct tok *t = tok_cur(p);

	if (t->kind == T_END)
		return LANG_FAIL(p, t->pos, "expected %s, found the end of the text", expected);
	if (t->kind == T_SEP)
		return LANG_FAIL(p, t->pos, "expected %s, found the end of the clause", expected);
	return LANG_FAIL(p, t->pos, "expected %s, found '%.*s'", expected, (int)t->len,
	                 tok_text(p, t));
}

enum st tok_expect(struct lang_parser *p, int kind, const char *what)
{
	return tok_accept(p, kind) ? ST_OK : tok_unexpected(p, what);
}

struct lang_node *tok_unexpected_null(struct lang_parser *p, const char *expected)
{
	tok_unexpected(p, expected);
	return NULL;
}

/* ---- indices ---- */

void scope_pop(struct lang_parser *p, int n)
{
	p->nscope -= n;
}

static struct lang_index *parse_index(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	struct lang_index *x;
	struct lang_node *extent;
	enum where where = p->where;

	if (t->kind != T_NAME)
		return (struct lang_index *)tok_unexpected_null(p, "an index");
	x = index_new(p, t->pos, tok_text(p, t), t->len);
	if (!x)
		return NULL;
	p->at++;
	if (!tok_accept(p, '<'))
		return x;
	p->where = IN_SIZE;
	extent = parse_sum(p);
	p->where = where;
	if (extent && extent->type != LT_INT)
		return LANG_NULL(p, extent->pos, "the extent of an index must be an integer");
	x->given = true;
	x->extent = extent;
	return extent ? x : NULL;
}

int parse_indices(struct lang_parser *p, int close, struct lang_index **idx)
{
	int n = 0;

	if (close == ']' && tok_accept(p, ']'))
		return 0;
	do {
		if (n == LANG_MAX_RANK) {
			LANG_FAIL(p, tok_cur(p)->pos, "more than %d indices", LANG_MAX_RANK);
			return -1;
		}
		idx[n] = parse_index(p);
		if (!idx[n++])
			return -1;
	} while (tok_accept(p, ','));
	if (close == ']' && tok_expect(p, ']', "',' or ']'") != ST_OK)
		return -1;
	return n;
}

/* ---- operators ---- */

static struct lang_node *parse_power(struct lang_parser *p)
{
	struct lang_node *a = parse_primary(p), *n;
	const struct tok *t = tok_cur(p);

	if (!a || !tok_accept(p, '^'))
		return a;
	if (tok_cur(p)->kind != T_INT)
		return tok_unexpected_null(p, "an integer exponent (else use pow)");
	n = parse_number(p);
	return n ? node_power(p, t->pos, a, n->ival) : NULL;
}

static struct lang_node *parse_unary(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	struct lang_node *a;

	if (!tok_accept(p, '-') && !tok_accept(p, '+'))
		return parse_power(p);
	if (++p->depth > MAX_NESTING)
		return LANG_NULL(p, t->pos, "nested too deeply");
	a = parse_unary(p);
	p->depth--;
	return a && t->kind == '-' ? node_unary(p, N_NEG, t->pos, a) : a;
}

static struct lang_node *parse_product(struct lang_parser *p)
{
	struct lang_node *a = parse_unary(p);

	while (a) {
		const struct tok *t = tok_cur(p);
		enum node_kind k = t->kind == '*' ? N_MUL : t->kind == '/' ? N_DIV : N_MOD;

		if (t->kind != '*' && t->kind != '/' && t->kind != '%')
			break;
		p->at++;
		a = node_arith(p, k, t->pos, a, parse_unary(p));
	}
	return a;
}

struct lang_node *parse_sum(struct lang_parser *p)
{
	struct lang_node *a = parse_product(p);

	while (a) {
		const struct tok *t = tok_cur(p);

		if (t->kind != '+' && t->kind != '-')
			break;
		p->at++;
		a = node_arith(p, t->kind == '+' ? N_ADD : N_SUB, t->pos, a, parse_product(p));
	}
	return a;
}

static bool comparison(int kind, enum lang_cmp *c)
{
	switch (kind) {
	case '<':
		return *c = CMP_LT, true;
	case '>':
		return *c = CMP_GT, true;
	case T_LE:
		return *c = CMP_LE, true;
	case T_GE:
		return *c = CMP_GE, true;
	case T_EQ:
		return *c = CMP_EQ, true;
	case T_NE:
		return *c = CMP_NE, true;
	default:
		return false;
	}
}

static struct lang_node *parse_compare(struct lang_parser *p)
{
	struct lang_node *a = parse_sum(p);
	const struct tok *t = tok_cur(p);
	enum lang_cmp c, again;

	if (!a || !comparison(t->kind, &c))
		return a;
	p->at++;
	a = node_cmp(p, t->pos, c, a, parse_sum(p));
	if (a && comparison(tok_cur(p)->kind, &again))
		return LANG_NULL(p, tok_cur(p)->pos,
		                 "comparisons do not chain: join two with 'and'");
	return a;
}

static struct lang_node *parse_not(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	struct lang_node *a;

	if (!tok_accept_word(p, "not"))
		return parse_compare(p);
	if (++p->depth > MAX_NESTING)
		return LANG_NULL(p, t->pos, "nested too deeply");
	a = parse_not(p);
	p->depth--;
	return a ? node_unary(p, N_NOT, t->pos, a) : NULL;
}

static struct lang_node *parse_and(struct lang_parser *p)
{
	struct lang_node *a = parse_not(p);

	while (a && lang_tok_is(p, tok_cur(p), "and")) {
		uint32_t pos = tok_cur(p)->pos;

		p->at++;
		a = node_logic(p, N_AND, pos, a, parse_not(p));
	}
	return a;
}

static struct lang_node *parse_or(struct lang_parser *p)
{
	struct lang_node *a = parse_and(p);

	while (a && lang_tok_is(p, tok_cur(p), "or")) {
		uint32_t pos = tok_cur(p)->pos;

		p->at++;
		a = node_logic(p, N_OR, pos, a, parse_and(p));
	}
	return a;
}

static struct lang_node *parse_if(struct lang_parser *p, uint32_t pos)
{
	struct lang_node *c = parse_expr(p), *a, *b;
	bool in_then = p->in_then;

	if (!c || (!tok_accept_word(p, "then") && !tok_unexpected_null(p, "'then'")))
		return NULL;
	p->in_then = true;
	a = parse_expr(p);
	p->in_then = in_then;
	if (!a || (!tok_accept_word(p, "else") && !tok_unexpected_null(p, "'else'")))
		return NULL;
	b = parse_expr(p);
	return b ? node_if(p, pos, c, a, b) : NULL;
}

static struct lang_node *parse_read_else(struct lang_parser *p, struct lang_node *n)
{
	const struct tok *t = tok_cur(p);

	if (p->in_then || !tok_accept_word(p, "else"))
		return n;
	if ((n->kind != N_READ && n->kind != N_LET && n->kind != N_ACTUAL) || n->has_else)
		return LANG_NULL(p, t->pos,
		                 "'else' belongs to 'if' or to one read: (x[...] else e)");
	return node_read_else(p, n, parse_expr(p));
}

struct lang_node *parse_expr(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	struct lang_node *n;

	if (++p->depth > MAX_NESTING)
		return LANG_NULL(p, t->pos, "nested too deeply (%d levels)", MAX_NESTING);
	if (tok_accept_word(p, "if")) {
		n = parse_if(p, t->pos);
	} else {
		n = parse_or(p);
		if (n)
			n = parse_read_else(p, n);
	}
	p->depth--;
	return n;
}

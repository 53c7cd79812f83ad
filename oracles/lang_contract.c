/* lang_contract.c - the contract clause: words that say what else is promised.
 *
 *   acc DTYPE             accumulation type (f32)
 *   nan propagate|drop|wins   a NaN goes through max and min, is ignored by them, or wins argmax
 *   reach element|row|all what a NaN or infinity of an input can reach
 *   empty VALUE|forbidden the result of a reduction over nothing, where the mathematics has none
 *   exact                 outputs are compared bit by bit
 *   ties first|any        which of equal elements argmax names
 *   alias no|INPUT        may the output lie where that input lies
 *   "a sentence"          for people
 *   ftz yes|no, fma yes|no, exp accurate|ex2, logits NUMBER    the family of numerics it fixes */
#include "oracles/lang_parse.h"

#include <string.h>

/* The number of the word at the cursor in a NULL-terminated list, which is consumed; -1: an error.
 */
static int one_of(struct lang_parser *p, const char *const *words, const char *expected)
{
	for (int i = 0; words[i]; i++)
		if (tok_accept_word(p, words[i]))
			return i;
	tok_unexpected(p, expected);
	return -1;
}

static enum st word_acc(struct lang_parser *p, struct lang_contract *c)
{
	struct lang_etype t;
	uint32_t pos = tok_cur(p)->pos;

	TRY(parse_etype(p, &t, "acc"));
	if (t.var >= 0 || (!dtype_is_float(t.dt) && t.dt != DT_I32))
		return LANG_FAIL(p, pos, "the accumulation type is a fixed float type or i32");
	c->acc = t.dt;
	return ST_OK;
}

static enum st word_nan(struct lang_parser *p, struct lang_contract *c)
{
	int i = one_of(p, (const char *const[]){"propagate", "drop", "wins", NULL},
	               "propagate, drop or wins");

	if (i < 0)
		return ST_INPUT;
	c->nan = (enum lang_nan)i;
	c->nan_given = true;
	return ST_OK;
}

static enum st word_reach(struct lang_parser *p, struct lang_contract *c)
{
	int i = one_of(p, (const char *const[]){"element", "row", "all", NULL},
	               "element, row or all");

	if (i < 0)
		return ST_INPUT;
	c->reach = (enum lang_reach)i;
	return ST_OK;
}

static enum st word_empty(struct lang_parser *p, struct lang_contract *c)
{
	if (tok_accept_word(p, "forbidden")) {
		c->empty_forbidden = true;
		return ST_OK;
	}
	p->where = IN_LITERAL;
	c->empty = node_to_real(p, parse_sum(p));
	p->where = IN_BODY;
	return c->empty ? ST_OK : ST_INPUT;
}

static enum st word_exact(struct lang_parser *p, struct lang_contract *c)
{
	(void)p;
	c->exact = true;
	return ST_OK;
}

static enum st word_ties(struct lang_parser *p, struct lang_contract *c)
{
	int i = one_of(p, (const char *const[]){"first", "any", NULL}, "first or any");

	c->ties_any = i == 1;
	return i < 0 ? ST_INPUT : ST_OK;
}

static enum st word_alias(struct lang_parser *p, struct lang_contract *c)
{
	const struct tok *t = tok_cur(p);
	struct sym s;

	c->alias = -1;
	if (tok_accept_word(p, "no"))
		return ST_OK;
	if (t->kind != T_NAME)
		return tok_unexpected(p, "'no' or an input");
	s = lang_lookup(p, tok_text(p, t), t->len);
	if (s.kind != SYM_TENSOR || p->op->schema.tensors[s.k].out)
		return LANG_FAIL(p, t->pos, "alias takes an input; '%.*s' is %s%s", (int)t->len,
		                 tok_text(p, t), lang_sym_text(s.kind),
		                 lang_nearest(p, tok_text(p, t), t->len, 1u << SYM_TENSOR));
	c->alias = s.k;
	p->at++;
	return ST_OK;
}

static enum st yes_no(struct lang_parser *p, bool *v)
{
	int i = one_of(p, (const char *const[]){"no", "yes", NULL}, "yes or no");

	*v = i == 1;
	return i < 0 ? ST_INPUT : ST_OK;
}

static enum st word_ftz(struct lang_parser *p, struct lang_contract *c)
{
	return yes_no(p, &c->ftz);
}

static enum st word_fma(struct lang_parser *p, struct lang_contract *c)
{
	return yes_no(p, &c->fma);
}

static enum st word_exp(struct lang_parser *p, struct lang_contract *c)
{
	int i = one_of(p, (const char *const[]){"ex2", "accurate", NULL}, "accurate or ex2");

	c->exp_accurate = i == 1;
	return i < 0 ? ST_INPUT : ST_OK;
}

static enum st word_logits(struct lang_parser *p, struct lang_contract *c)
{
	struct lang_node *n;

	p->where = IN_LITERAL;
	n = node_to_real(p, parse_sum(p));
	p->where = IN_BODY;
	if (!n)
		return ST_INPUT;
	TRY(lang_real(p->op, NULL, n, DT_F64, &c->logits, p->e));
	return c->logits > 0 ? ST_OK : LANG_FAIL(p, n->pos, "the limit of logits is positive");
}

static enum st note(struct lang_parser *p, struct lang_contract *c)
{
	const struct tok *t = tok_cur(p);

	c->note = arena_printf(p->op->arena, "%s%s%.*s", c->note ? c->note : "", c->note ? " " : "",
	                       (int)t->len, tok_text(p, t));
	p->at++;
	return ST_OK;
}

static const struct {
	const char *word;
	enum st (*parse)(struct lang_parser *, struct lang_contract *);
} words[] = {
        {"acc", word_acc},     {"nan", word_nan},   {"reach", word_reach},   {"empty", word_empty},
        {"exact", word_exact}, {"ties", word_ties}, {"alias", word_alias},   {"ftz", word_ftz},
        {"fma", word_fma},     {"exp", word_exp},   {"logits", word_logits},
};

static enum st one_word(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);
	const char *names[ARRAY_LEN(words) + 1];

	if (t->kind == T_STR)
		return note(p, &p->op->contract);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (tok_accept_word(p, words[i].word))
			return words[i].parse(p, &p->op->contract);
		names[i] = words[i].word;
	}
	names[ARRAY_LEN(words)] = NULL;
	if (t->kind != T_NAME)
		return tok_unexpected(p, "a word of the contract");
	return LANG_FAIL(
	        p, t->pos,
	        "unknown word '%.*s' in the contract%s (acc, nan, reach, empty, exact, ties, "
	        "alias, ftz, fma, exp, logits)",
	        (int)t->len, tok_text(p, t), lang_nearest_word(p, tok_text(p, t), t->len, names));
}

enum st parse_contract(struct lang_parser *p)
{
	do {
		TRY(one_word(p));
		tok_accept(p, ',');
	} while (tok_cur(p)->kind != T_SEP && tok_cur(p)->kind != T_END);
	return ST_OK;
}

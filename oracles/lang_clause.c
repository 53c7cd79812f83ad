/* lang_clause.c - the clauses of an operator's text, and the definitions among them.
 *
 *   text     = clause { (";" | line end) clause }
 *   clause   = "op" NAME [ "doc" STRING … ] | "doc" STRING …
 *            | "type" NAME "in" DTYPE { "," DTYPE }
 *            | "dim" dim { "," dim }                  | "need" expr { "," expr }
 *            | "param" param { "," param }            | "option" NAME "=" NAME { "|" NAME }
 *            | "in" ["?"] input { "," input }         | "out" tensor { "," tensor }
 *            | ("let" | "shift") NAME [ "[" index, … "]" ] [ "low" ] "=" expr
 *            | OUTPUT [ "[" index, … "]" ] "=" expr
 *            | "accept" OUTPUT "[" index, … "]" "when" expr
 *            | "relation" NAME ":" part { "," part } "=>" claim { "," claim }
 *            | "contract" …                                              (lang_contract.c)
 *   dim      = NAME ( "in" INT ".." [INT] | "in" "{" INT, … "}" | "=" expr )
 *   param    = NAME ":" ("f32" | "i64" | "bool") [ "=" expr ] [ "in" sum ".." sum ]
 *   tensor   = NAME ":" TYPE "[" expr, … "]"
 *   input    = tensor [ "=" expr ] [ "in" expr ".." expr [ "|" "{" expr, … "}" ] ]
 *   part     = INPUT "[" index, … "]" "->" expr
 *   claim    = OUTPUT "[" index, … "]" "==" expr
 *
 * A name is declared before it is used. */
#include "oracles/lang_parse.h"

#include <string.h>

/* The name at the cursor, which nothing may have yet; NULL after an error. */
const char *parse_new_name(struct lang_parser *p, const char *what)
{
	const struct tok *t = tok_cur(p);
	const char *s = tok_text(p, t);
	struct sym old;

	if (t->kind != T_NAME) {
		tok_unexpected(p, what);
		return NULL;
	}
	if (lang_reserved(s, t->len))
		return LANG_NULL(p, t->pos, "expected %s, but '%.*s' is a word of the language",
		                 what, (int)t->len, s);
	old = lang_lookup(p, s, t->len);
	if (old.kind != SYM_NONE)
		return LANG_NULL(p, t->pos, "'%.*s' is %s already", (int)t->len, s,
		                 lang_sym_text(old.kind));
	p->at++;
	return arena_strndup(p->op->arena, s, t->len);
}

enum st parse_full(struct lang_parser *p, int n, int max, const char *what)
{
	return n < max ? ST_OK : LANG_FAIL(p, tok_cur(p)->pos, "more than %d %s", max, what);
}

/* ---- op, doc ---- */

static enum st clause_doc(struct lang_parser *p)
{
	struct buf b = {0};

	if (tok_cur(p)->kind != T_STR)
		return tok_unexpected(p, "a string");
	if (p->op->schema.doc)
		buf_printf(&b, "%s ", p->op->schema.doc);
	for (const char *gap = ""; tok_cur(p)->kind == T_STR; p->at++, gap = " ") {
		buf_puts(&b, gap);
		buf_add(&b, tok_text(p, tok_cur(p)), tok_cur(p)->len);
	}
	p->op->schema.doc = arena_strndup(p->op->arena, b.s, b.len);
	buf_free(&b);
	return ST_OK;
}

static enum st clause_op(struct lang_parser *p)
{
	const struct tok *t = tok_cur(p);

	if (p->op->schema.name)
		return LANG_FAIL(p, t->pos, "a second 'op': one text holds one operator");
	if (t->kind != T_NAME)
		return tok_unexpected(p, "the operator's name");
	/* An operator may be called as a function is: exp, max, sum, tanh. */
	p->op->schema.name = arena_strndup(p->op->arena, tok_text(p, t), t->len);
	p->at++;
	return tok_accept_word(p, "doc") ? clause_doc(p) : ST_OK;
}

/* ---- let, outputs ---- */

static struct lang_def *new_def(struct lang_parser *p, enum def_kind kind, const char *name,
                                uint32_t pos)
{
	struct lang_def *d = arena_alloc(p->op->arena, sizeof *d);

	d->kind = kind;
	d->name = name;
	d->pos = pos;
	return d;
}

/* "[i, j<E]" or nothing. */
static enum st def_indices(struct lang_parser *p, int *rank, struct lang_index **idx)
{
	*rank = tok_accept(p, '[') ? parse_indices(p, ']', idx) : 0;
	return *rank < 0 ? ST_INPUT : ST_OK;
}

static enum st clause_let(struct lang_parser *p, enum def_kind kind)
{
	struct op *op = p->op;
	uint32_t pos = tok_cur(p)->pos;
	const char *name;
	struct lang_def *d;

	TRY(parse_full(p, op->nlets, LANG_MAX_LETS, "lets"));
	if (!(name = parse_new_name(p, "the name of a let")))
		return ST_INPUT;
	d = new_def(p, kind, name, pos);
	TRY(def_indices(p, &d->rank, d->idx));
	d->low = tok_accept_word(p, "low");
	TRY(tok_expect(p, '=', d->low ? "'='" : "'=' or 'low'"));
	if (!(d->body = parse_expr(p)))
		return ST_INPUT;
	for (int i = 0; i < d->rank; i++)
		if (!index_known(p, d->idx[i]))
			return ST_INPUT;
	if (d->low && d->body->type != LT_REAL)
		return LANG_FAIL(p, pos, "only a real let can be 'low'");
	if (kind == DEF_SHIFT && d->body->type != LT_REAL)
		return LANG_FAIL(p, pos, "a shift is a real number");
	scope_pop(p, d->rank);
	d->number = op->nlets;
	op->lets[op->nlets++] = d;
	return ST_OK;
}

/* The indices of an output or input named at the left of a definition take its axes' extents. */
static enum st match_axes(struct lang_parser *p, int tensor, int rank,
                          struct lang_index *const *idx, uint32_t pos)
{
	const struct lang_tensor *t = &p->op->tensor[tensor];
	const char *name = p->op->schema.tensors[tensor].name;

	if (rank != t->rank)
		return LANG_FAIL(p, pos, "'%s' has %d %s, but %d %s given", name, t->rank,
		                 t->rank == 1 ? "axis" : "axes", rank,
		                 rank == 1 ? "index is" : "indices are");
	for (int a = 0; a < rank; a++) {
		if (idx[a]->given && !lang_equal(idx[a]->extent, t->axis[a], NULL, 0))
			return LANG_FAIL(p, idx[a]->pos,
			                 "the extent of '%s' is not that of the axis of '%s'",
			                 idx[a]->name, name);
		idx[a]->extent = t->axis[a];
	}
	return ST_OK;
}

/* The expression of an output (or of what replaces an input), brought to its type. */
static enum st body_of(struct lang_parser *p, int tensor, struct lang_node **body)
{
	const char *name = p->op->schema.tensors[tensor].name;
	int class = lang_etype_class(p, &p->op->tensor[tensor].type);

	if (*body && class == 0)
		*body = node_to_real(p, *body);
	if (!*body)
		return ST_INPUT;
	if (class == 2)
		return node_is_condition(p, *body, name) ? ST_OK : ST_INPUT;
	if (class == 1 && (*body)->type != LT_INT)
		return LANG_FAIL(p, (*body)->pos,
		                 "'%s' holds integers: say how to round, cast(TYPE, rne, sat, e)",
		                 name);
	return ST_OK;
}

/* Output and indices at the cursor. */
static enum st output_at(struct lang_parser *p, bool want_out, int *tensor, int *rank,
                         struct lang_index **idx)
{
	const struct tok *t = tok_cur(p);
	struct sym s;

	if (t->kind != T_NAME)
		return tok_unexpected(p, want_out ? "an output" : "an input");
	s = lang_lookup(p, tok_text(p, t), t->len);
	if (s.kind != SYM_TENSOR || p->op->schema.tensors[s.k].out != want_out)
		return LANG_FAIL(p, t->pos, "expected an %s, but '%.*s' is %s%s",
		                 want_out ? "output" : "input", (int)t->len, tok_text(p, t),
		                 s.kind == SYM_TENSOR ? (want_out ? "an input" : "an output")
		                                      : lang_sym_text(s.kind),
		                 s.kind == SYM_NONE
		                         ? lang_nearest(p, tok_text(p, t), t->len, 1u << SYM_TENSOR)
		                         : "");
	p->at++;
	*tensor = s.k;
	TRY(def_indices(p, rank, idx));
	return match_axes(p, s.k, *rank, idx, t->pos);
}

static enum st clause_output(struct lang_parser *p, int tensor)
{
	struct op *op = p->op;
	uint32_t pos = tok_cur(p)->pos;
	int k = tensor - op->schema.nin;
	struct lang_def *d = new_def(p, DEF_OUT, op->schema.tensors[tensor].name, pos);

	if (op->outs[k])
		return LANG_FAIL(p, pos, "'%s' is defined twice", d->name);
	TRY(output_at(p, true, &d->tensor, &d->rank, d->idx));
	TRY(tok_expect(p, '=', "'='"));
	d->body = parse_expr(p);
	TRY(body_of(p, tensor, &d->body));
	scope_pop(p, d->rank);
	d->number = k;
	op->outs[k] = d;
	return ST_OK;
}

/* ---- accept, relation ---- */

static enum st clause_accept(struct lang_parser *p)
{
	struct op *op = p->op;
	struct lang_accept *a = &op->accepts[op->naccepts];

	TRY(parse_full(p, op->naccepts, LANG_MAX_ACCEPTS, "accepts"));
	TRY(output_at(p, true, &a->tensor, &a->rank, a->idx));
	if (!tok_accept_word(p, "when"))
		return tok_unexpected(p, "'when'");
	a->when = parse_expr(p);
	if (!node_is_condition(p, a->when, "accept"))
		return ST_INPUT;
	scope_pop(p, a->rank);
	op->naccepts++;
	return ST_OK;
}

static enum st relation_part(struct lang_parser *p, bool claim, struct lang_rel_part *r)
{
	r->pos = tok_cur(p)->pos;
	TRY(output_at(p, claim, &r->tensor, &r->rank, r->idx));
	TRY(claim ? tok_expect(p, T_EQ, "'=='") : tok_expect(p, T_ARROW, "'->'"));
	r->expr = parse_expr(p);
	TRY(body_of(p, r->tensor, &r->expr));
	scope_pop(p, r->rank);
	return ST_OK;
}

static enum st clause_relation(struct lang_parser *p)
{
	struct op *op = p->op;
	struct lang_relation *r = &op->relations[op->nrelations];
	const struct tok *t = tok_cur(p);

	TRY(parse_full(p, op->nrelations, LANG_MAX_RELATIONS, "relations"));
	if (t->kind != T_NAME)
		return tok_unexpected(p, "the name of the relation");
	r->name = arena_strndup(op->arena, tok_text(p, t), t->len);
	p->at++;
	TRY(tok_expect(p, ':', "':'"));
	do {
		TRY(parse_full(p, r->nsubst, ARRAY_LEN(r->subst), "replaced inputs"));
		TRY(relation_part(p, false, &r->subst[r->nsubst++]));
	} while (tok_accept(p, ','));
	TRY(tok_expect(p, T_IMPLIES, "'=>'"));
	do {
		TRY(parse_full(p, r->nclaims, ARRAY_LEN(r->claim), "claims"));
		TRY(relation_part(p, true, &r->claim[r->nclaims++]));
	} while (tok_accept(p, ','));
	op->nrelations++;
	return ST_OK;
}

/* ---- the text ---- */

static enum st unknown_clause(struct lang_parser *p)
{
	static const char *const words[] = {"doc",    "type",     "dim",      "need", "param",
	                                    "option", "in",       "out",      "let",  "shift",
	                                    "accept", "relation", "contract", NULL};
	const struct tok *t = tok_cur(p);
	const char *near;

	if (t->kind != T_NAME)
		return tok_unexpected(p, "a clause");
	near = lang_nearest_word(p, tok_text(p, t), t->len, words);
	if (!*near)
		near = lang_nearest(p, tok_text(p, t), t->len, 1u << SYM_TENSOR);
	return LANG_FAIL(p, t->pos,
	                 "expected a clause (type, dim, need, param, option, in, out, let, shift, "
	                 "accept, relation, contract) or an output, found '%.*s'%s",
	                 (int)t->len, tok_text(p, t), near);
}

static enum st parse_clause(struct lang_parser *p)
{
	struct sym s;
	bool found;

	if (tok_accept_word(p, "op"))
		return clause_op(p);
	if (!p->op->schema.name)
		return tok_unexpected(p, "'op' and a name, the first clause of an operator");
	if (tok_accept_word(p, "doc"))
		return clause_doc(p);
	TRY(parse_declaration(p, &found));
	if (found)
		return ST_OK;
	if (tok_accept_word(p, "let"))
		return clause_let(p, DEF_LET);
	if (tok_accept_word(p, "shift"))
		return clause_let(p, DEF_SHIFT);
	if (tok_accept_word(p, "accept"))
		return clause_accept(p);
	if (tok_accept_word(p, "relation"))
		return clause_relation(p);
	if (tok_accept_word(p, "contract"))
		return parse_contract(p);
	s = lang_lookup(p, tok_text(p, tok_cur(p)), tok_cur(p)->len);
	if (s.kind == SYM_TENSOR && p->op->schema.tensors[s.k].out)
		return clause_output(p, s.k);
	return unknown_clause(p);
}

/* What only the whole text can show. */
static enum st check_whole(struct lang_parser *p)
{
	const struct op *op = p->op;
	const struct op_schema *s = &op->schema;

	if (!s->name)
		return LANG_FAIL(p, op->len, "expected 'op' and a name, found an empty text");
	if (s->ntensors == s->nin)
		return LANG_FAIL(p, op->len, "the operator has no output");
	for (int k = 0; k < op->nouts; k++) {
		const struct lang_def *d = op->outs[k];

		if (!d)
			return LANG_FAIL(p, op->tensor[s->nin + k].pos,
			                 "the output '%s' is not defined: write %s[...] = ...",
			                 s->tensors[s->nin + k].name, s->tensors[s->nin + k].name);
		if (op->contract.exact && !d->body->exact)
			return LANG_FAIL(p, d->body->pos,
			                 "contract exact, but the value of '%s' is rounded",
			                 d->name);
	}
	return ST_OK;
}

enum st parse_clauses(struct lang_parser *p)
{
	while (tok_cur(p)->kind != T_END) {
		if (tok_accept(p, T_SEP))
			continue;
		TRY(parse_clause(p));
		if (tok_cur(p)->kind != T_SEP && tok_cur(p)->kind != T_END)
			return tok_unexpected(p, "the end of the clause");
	}
	p->op->nouts = p->op->schema.ntensors - p->op->schema.nin;
	return check_whole(p);
}

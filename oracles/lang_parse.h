/* lang_parse.h - what the lexer, the parser and the checker of the operator language share. */
#ifndef ORACLES_LANG_PARSE_H
#define ORACLES_LANG_PARSE_H

#include "oracles/lang.h"

/* Single-character tokens are their character; the others follow. */
enum {
	T_END = 0,
	T_SEP = 256, /* ';' or a line end that ends a clause */
	T_NAME,
	T_INT,
	T_REAL,
	T_STR,       /* "…" on one line */
	T_LE,
	T_GE,
	T_EQ,
	T_NE,
	T_DOTS,      /* .. */
	T_ARROW,     /* -> */
	T_IMPLIES    /* => */
};

struct tok {
	int kind;
	uint32_t pos, len;
};

/* What a name means at a place. */
enum sym_kind {
	SYM_NONE,
	SYM_TYPE,
	SYM_DIM,
	SYM_PARAM,
	SYM_OPTION,
	SYM_TENSOR,
	SYM_LET,
	SYM_INDEX
};
struct sym {
	enum sym_kind kind;
	int k;
	struct lang_index *index;
};

/* Which kinds of nodes an expression may hold. */
enum where {
	IN_SIZE,   /* derived dims, extents, axes, domains, needs, defaults: dims and params only */
	IN_BODY,   /* lets and outputs: everything but actual() of a rounded value used as exact */
	IN_LITERAL /* defaults of optional inputs, bounds of params */
};

struct lang_parser {
	struct op *op;
	struct err *e;
	struct tok *tok;
	int ntok, at;
	int depth;      /* of the recursive descent */
	enum where where;
	bool in_then;   /* between then and its else: `else` is not a read's */
	struct lang_index *scope[LANG_MAX_INDICES];
	int nscope;
	struct lang_node *dims[OP_MAX_DIMS]; /* one node each, shared by all that name it */
};

/* Splits the text; *out from malloc. */
MUST_USE enum st lang_lex(const char *file, const char *text, size_t len, struct tok **out,
                          int *n, struct err *e);
/* An error at byte offset pos of the operator's text; returns NULL for node builders. */
#define LANG_FAIL(p, where_, ...)                                                                  \
	(FAIL_AT((p)->e, INPUT, (p)->op->file, (p)->op->text, (p)->op->len, (where_), __VA_ARGS__))
#define LANG_NULL(p, where_, ...) ((void)LANG_FAIL(p, where_, __VA_ARGS__), (void *)NULL)

/* ---- lang_names.c ---- */
bool lang_reserved(const char *s, size_t n);
struct sym lang_lookup(const struct lang_parser *p, const char *s, size_t n);
/* ", did you mean 'x'?" for the nearest name in sight, or "". kinds: bit mask of sym_kind. */
const char *lang_nearest(const struct lang_parser *p, const char *s, size_t n, unsigned kinds);
/* As lang_nearest among a NULL-terminated list of words. */
const char *lang_nearest_word(const struct lang_parser *p, const char *s, size_t n,
                              const char *const *words);
const char *lang_sym_text(enum sym_kind k); /* "a size", "an input or output", … */
bool lang_find_fn(const char *s, size_t n, enum lang_fn *fn);
bool lang_find_red(const char *s, size_t n, enum lang_red *red);

/* ---- lang_node.c: checked constructors; NULL after an error ---- */
struct lang_node *node_new(struct lang_parser *p, enum node_kind k, enum lang_type t, uint32_t pos,
                           int nargs);
/* Sets free, exact, literal, invariant, depth, size from the arguments; NULL when too deep. */
struct lang_node *node_done(struct lang_parser *p, struct lang_node *n);
struct lang_node *node_leaf(struct lang_parser *p, enum node_kind k, enum lang_type t, uint32_t pos,
                            int num, int64_t ival);
struct lang_node *node_int(struct lang_parser *p, uint32_t pos, int64_t v);
struct lang_node *node_real_literal(struct lang_parser *p, uint32_t pos, const char *s, size_t n);
struct lang_node *node_to_real(struct lang_parser *p, struct lang_node *a);
struct lang_node *node_unary(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a);
struct lang_node *node_arith(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a, struct lang_node *b);
struct lang_node *node_power(struct lang_parser *p, uint32_t pos, struct lang_node *a, int64_t n);
struct lang_node *node_fn(struct lang_parser *p, uint32_t pos, enum lang_fn fn,
                          struct lang_node *a, struct lang_node *b);
struct lang_node *node_cmp(struct lang_parser *p, uint32_t pos, enum lang_cmp c,
                           struct lang_node *a, struct lang_node *b);
struct lang_node *node_logic(struct lang_parser *p, enum node_kind k, uint32_t pos,
                             struct lang_node *a, struct lang_node *b);
struct lang_node *node_if(struct lang_parser *p, uint32_t pos, struct lang_node *c,
                          struct lang_node *a, struct lang_node *b);
/* head: N_REDUCE with red, idx, nidx set; guard may be NULL. */
struct lang_node *node_reduce(struct lang_parser *p, struct lang_node *head,
                              struct lang_node *body, struct lang_node *guard);
struct lang_node *node_cast(struct lang_parser *p, uint32_t pos, struct lang_etype to, enum rnd r,
                            bool sat, struct lang_node *a);
/* Reads: k is N_READ, N_LET or N_ACTUAL, num the tensor or let. */
struct lang_node *node_read(struct lang_parser *p, enum node_kind k, uint32_t pos, int num,
                            struct lang_node **arg, int nargs);
struct lang_node *node_read_else(struct lang_parser *p, struct lang_node *read,
                                 struct lang_node *v);
/* Fails unless c is boolean and decided by exact values. */
bool node_is_condition(struct lang_parser *p, const struct lang_node *c, const char *what);

/* ---- lang_index.c ---- */
struct lang_index *index_new(struct lang_parser *p, uint32_t pos, const char *s, size_t n);
/* The index stands alone where the extent is `extent`. */
bool index_note(struct lang_parser *p, struct lang_index *x, struct lang_node *extent,
                uint32_t pos);
bool index_known(struct lang_parser *p, const struct lang_index *x);
/* The extent of axis a of a tensor or let. */
struct lang_node *axis_extent(const struct lang_parser *p, const struct lang_node *read, int a);

/* ---- lang_mark.c ---- */
void mark_reduce(struct lang_node *n);
bool mark_ratio(struct lang_parser *p, struct lang_node *n); /* false after an error */

/* ---- lang_parse.c: expressions ---- */
struct lang_node *parse_expr(struct lang_parser *p);
struct lang_node *parse_sum(struct lang_parser *p); /* no comparisons: for extents */
struct lang_node *parse_primary(struct lang_parser *p); /* lang_primary.c */
struct lang_node *parse_number(struct lang_parser *p);
/* A list of indices "[i, j<E]" that opens a scope; rank -1 after an error. Pop with scope_pop. */
int parse_indices(struct lang_parser *p, int close, struct lang_index **idx);
void scope_pop(struct lang_parser *p, int n);

/* Token helpers. */
static inline const struct tok *tok_cur(const struct lang_parser *p)
{
	return &p->tok[p->at];
}
static inline const char *tok_text(const struct lang_parser *p, const struct tok *t)
{
	return p->op->text + t->pos;
}
bool lang_tok_is(const struct lang_parser *p, const struct tok *t, const char *word);
bool tok_accept(struct lang_parser *p, int kind);
bool tok_accept_word(struct lang_parser *p, const char *word);
/* Fails with "expected WHAT" at the current token. */
MUST_USE enum st tok_expect(struct lang_parser *p, int kind, const char *what);
enum st tok_unexpected(struct lang_parser *p, const char *expected);
struct lang_node *tok_unexpected_null(struct lang_parser *p, const char *expected);

/* ---- lang_clause.c: parses the whole text into p->op ---- */
MUST_USE enum st parse_clauses(struct lang_parser *p);
/* The name at the cursor, which nothing may have yet; NULL after an error. */
const char *parse_new_name(struct lang_parser *p, const char *what);
/* Fails when n has reached max. */
MUST_USE enum st parse_full(struct lang_parser *p, int n, int max, const char *what);
/* ---- lang_decl.c ---- */
/* Parses the clause at the cursor if it is a declaration. */
MUST_USE enum st parse_declaration(struct lang_parser *p, bool *found);
MUST_USE enum st parse_etype(struct lang_parser *p, struct lang_etype *t, const char *what);
/* 0 float, 1 integer, 2 bool */
int lang_etype_class(const struct lang_parser *p, const struct lang_etype *t);
/* ---- lang_contract.c ---- */
MUST_USE enum st parse_contract(struct lang_parser *p);

#endif

/* lang_names.c - the names of the operator language: reserved words, functions, what a name means
 * at a place, and the nearest name for a misspelt one. */
#include "oracles/lang_parse.h"

#include <string.h>

static const char *const fn_names[FN_COUNT] = {
#define X(name, text) [FN_##name] = text,
        LANG_FN_LIST(X)
#undef X
};

static const char *const red_names[RED_COUNT] = {
#define X(name, text) [RED_##name] = text,
        LANG_RED_LIST(X)
#undef X
};

static const char *const reserved[] = {
        "op",   "doc", "type",  "dim",    "need",     "param",    "option", "in",
        "out",  "let", "shift", "accept", "relation", "contract", "if",     "then",
        "else", "and", "or",    "not",    "neg",      "abs",      "true",   "false",
        "inf",  "nan", "pi",    "cast",   "actual",   "when",     NULL};

const char *lang_fn_name(enum lang_fn fn)
{
	return fn_names[fn];
}

const char *lang_red_name(enum lang_red red)
{
	return red_names[red];
}

static bool same(const char *word, const char *s, size_t n)
{
	return strlen(word) == n && memcmp(word, s, n) == 0;
}

bool lang_find_fn(const char *s, size_t n, enum lang_fn *fn)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (same(fn_names[i], s, n)) {
			*fn = (enum lang_fn)i;
			return true;
		}
	return false;
}

bool lang_find_red(const char *s, size_t n, enum lang_red *red)
{
	for (int i = 0; i < RED_COUNT; i++)
		if (same(red_names[i], s, n)) {
			*red = (enum lang_red)i;
			return true;
		}
	return false;
}

bool lang_reserved(const char *s, size_t n)
{
	enum lang_fn fn;
	enum lang_red red;

	for (int i = 0; reserved[i]; i++)
		if (same(reserved[i], s, n))
			return true;
	for (int t = 0; t < DT_COUNT; t++)
		if (same(dtype_name((enum dtype)t), s, n))
			return true;
	return lang_find_fn(s, n, &fn) || lang_find_red(s, n, &red);
}

const char *lang_sym_text(enum sym_kind k)
{
	static const char *const text[] = {
	        [SYM_NONE] = "no name",     [SYM_TYPE] = "an element type",
	        [SYM_DIM] = "a size",       [SYM_PARAM] = "a parameter",
	        [SYM_OPTION] = "an option", [SYM_TENSOR] = "an input or output",
	        [SYM_LET] = "a let",        [SYM_INDEX] = "an index"};

	return text[k];
}

/* Calls visit for every name in sight; stops when it returns true. */
typedef bool name_visit(void *ctx, const char *name, struct sym s);

static bool each_name(const struct lang_parser *p, name_visit *visit, void *ctx)
{
	const struct op *op = p->op;
	const struct op_schema *s = &op->schema;
	int i;

	for (i = p->nscope - 1; i >= 0; i--)
		if (visit(ctx, p->scope[i]->name, (struct sym){SYM_INDEX, i, p->scope[i]}))
			return true;
	for (i = 0; i < s->ntypes; i++)
		if (visit(ctx, s->types[i].name, (struct sym){SYM_TYPE, i, NULL}))
			return true;
	for (i = 0; i < s->ndims; i++)
		if (visit(ctx, s->dims[i].name, (struct sym){SYM_DIM, i, NULL}))
			return true;
	for (i = 0; i < s->nparams; i++)
		if (visit(ctx, s->params[i].name, (struct sym){SYM_PARAM, i, NULL}))
			return true;
	for (i = 0; i < s->noptions; i++)
		if (visit(ctx, s->options[i].name, (struct sym){SYM_OPTION, i, NULL}))
			return true;
	for (i = 0; i < s->ntensors; i++)
		if (visit(ctx, s->tensors[i].name, (struct sym){SYM_TENSOR, i, NULL}))
			return true;
	for (i = 0; i < op->nlets; i++)
		if (visit(ctx, op->lets[i]->name, (struct sym){SYM_LET, i, NULL}))
			return true;
	return false;
}

struct lookup {
	const char *s;
	size_t n;
	struct sym found;
};

static bool visit_lookup(void *ctx, const char *name, struct sym s)
{
	struct lookup *l = ctx;

	if (!same(name, l->s, l->n))
		return false;
	l->found = s;
	return true;
}

struct sym lang_lookup(const struct lang_parser *p, const char *s, size_t n)
{
	struct lookup l = {s, n, {SYM_NONE, 0, NULL}};

	each_name(p, visit_lookup, &l);
	return l.found;
}

#define MAX_WORD 32

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Letters to insert, delete, replace, or swap with their neighbour, to make b of a. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	int d[MAX_WORD + 1][MAX_WORD + 1];

	if (na > MAX_WORD || nb > MAX_WORD)
		return 2 * MAX_WORD;
	for (size_t i = 0; i <= na; i++)
		for (size_t j = 0; j <= nb; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = (int)(i + j);
				continue;
			}
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			d[i][j] = least(d[i][j], least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[na][nb];
}

struct nearest {
	const char *s, *best;
	size_t n;
	int distance;
	unsigned kinds;
};

static bool visit_nearest(void *ctx, const char *name, struct sym s)
{
	struct nearest *w = ctx;
	int d;

	if (w->kinds && !(w->kinds & 1u << s.kind))
		return false;
	d = edit_distance(w->s, w->n, name, strlen(name));
	if (d < w->distance) {
		w->distance = d;
		w->best = name;
	}
	return false;
}

/* A word is near when one letter of three, or two of four and more, differ. */
static struct nearest nearest_start(const char *s, size_t n, unsigned kinds)
{
	return (struct nearest){.s = s,
	                        .n = n,
	                        .kinds = kinds,
	                        .distance = n < 3   ? 1
	                                    : n < 4 ? 2
	                                            : 3};
}

static const char *nearest_text(const struct lang_parser *p, const struct nearest *w)
{
	return w->best ? arena_printf(p->op->arena, "; did you mean '%s'?", w->best) : "";
}

const char *lang_nearest(const struct lang_parser *p, const char *s, size_t n, unsigned kinds)
{
	struct nearest w = nearest_start(s, n, kinds);

	each_name(p, visit_nearest, &w);
	if (!kinds) {
		for (int i = 0; i < FN_ERFP1; i++)
			visit_nearest(&w, fn_names[i], (struct sym){SYM_NONE, 0, NULL});
		for (int i = 0; i < RED_COUNT; i++)
			visit_nearest(&w, red_names[i], (struct sym){SYM_NONE, 0, NULL});
	}
	return nearest_text(p, &w);
}

const char *lang_nearest_word(const struct lang_parser *p, const char *s, size_t n,
                              const char *const *words)
{
	struct nearest w = nearest_start(s, n, 0);

	for (; *words; words++)
		visit_nearest(&w, *words, (struct sym){SYM_NONE, 0, NULL});
	return nearest_text(p, &w);
}

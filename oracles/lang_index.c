/* lang_index.c - index variables and their extents.
 *
 * An index takes its extent from the positions where it stands alone: x[r,c] gives r and c the
 * sizes of x's axes. All such positions must agree, unless the extent is written (c<N). */
#include "oracles/lang_parse.h"

#include <string.h>

struct lang_index *index_new(struct lang_parser *p, uint32_t pos, const char *s, size_t n)
{
	struct op *op = p->op;
	struct sym old = lang_lookup(p, s, n);
	struct lang_index *x;

	if (!(s[0] >= 'a' && s[0] <= 'z'))
		return LANG_NULL(p, pos, "index '%.*s' must begin with a lower-case letter", (int)n,
		                 s);
	if (lang_reserved(s, n))
		return LANG_NULL(p, pos, "'%.*s' is a word of the language, not a name", (int)n, s);
	if (old.kind != SYM_NONE && old.kind != SYM_TENSOR)
		return LANG_NULL(p, pos, "'%.*s' is %s already: choose another name for the index",
		                 (int)n, s, lang_sym_text(old.kind));
	if (op->nindices >= LANG_MAX_INDICES)
		return LANG_NULL(p, pos, "more than %d indices in one operator", LANG_MAX_INDICES);
	x = arena_alloc(op->arena, sizeof *x);
	x->name = arena_strndup(op->arena, s, n);
	x->pos = pos;
	x->number = op->nindices;
	op->index[op->nindices++] = x;
	p->scope[p->nscope++] = x;
	return x;
}

/* "C" for messages. */
static const char *extent_text(struct lang_parser *p, const struct lang_node *n)
{
	struct buf b = {0};
	const char *s;

	lang_print(&b, p->op, n);
	s = arena_strndup(p->op->arena, b.s, b.len);
	buf_free(&b);
	return s;
}

bool index_note(struct lang_parser *p, struct lang_index *x, struct lang_node *extent, uint32_t pos)
{
	if (!x->extent) {
		x->extent = extent;
		return true;
	}
	if (x->given || x->extent == extent || lang_equal(x->extent, extent, NULL, 0))
		return true;
	LANG_FAIL(
	        p, pos,
	        "index '%s' runs to %s here but to %s elsewhere; write %s<SIZE where it is made if "
	        "that is meant",
	        x->name, extent_text(p, extent), extent_text(p, x->extent), x->name);
	return false;
}

bool index_known(struct lang_parser *p, const struct lang_index *x)
{
	if (x->extent)
		return true;
	LANG_FAIL(p, x->pos,
	          "index '%s' has no extent: it stands alone in no input or let; write %s<SIZE",
	          x->name, x->name);
	return false;
}

struct lang_node *axis_extent(const struct lang_parser *p, const struct lang_node *read, int a)
{
	if (read->kind == N_LET)
		return read->let->idx[a]->extent;
	return p->op->tensor[read->k].axis[a];
}

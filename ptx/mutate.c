/* mutate.c - a module's text with one fault planted: where it goes, and the list of all that can be planted.
 *
 * The statement of one instruction is replaced in the author's text, on its line, so that lines, .loc and names stay
 * what they were. What is put there comes from mutate_ops.c. */
#include "ptx/mutate.h"

#include <stdlib.h>
#include <string.h>

/* ---- may the instruction be printed again? Names of inner scopes print with their scope's number. ---- */

static bool is_outer(const struct ir_func *f, const struct ir_opnd *o)
{
	bool outer = !((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0 && f->reg[o->reg].scope > 0);

	if (o->var >= IR_LOCAL_VAR && (o->kind == OPND_ADDR || o->kind == OPND_VAR))
		outer &= f->var[o->var - IR_LOCAL_VAR].scope == 0;
	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		outer &= is_outer(f, &o->elem[k]);
	return outer;
}

static bool is_printable(const struct ir_func *f, const struct ir_insn *i)
{
	bool outer = is_outer(f, &i->d) && is_outer(f, &i->d2) && (i->guard < 0 || f->reg[i->guard].scope == 0);

	for (int k = 0; k < i->nsrc; k++)
		outer &= is_outer(f, &i->src[k]);
	if (i->op == OP_BRA)
		outer &= f->label[i->label].scope == 0;
	return outer && i->op != OP_CALL && i->op != OP_BRX && i->line > 0;
}

/* ---- one mutant ---- */

/* What takes the place of instruction k; false: nothing, or the same. */
static bool replacement(const struct ptx_module *m, const struct ir_func *f, int k, size_t mutator, struct buf *out)
{
	struct mutation_site s = {m, f, &f->insn[k], k};
	struct buf same = {0};
	bool ok = is_printable(f, s.i) && mutation_rows[mutator].make(&s, out);

	if (ok && out->len) {
		ir_print_insn(&same, m, f, s.i);
		ok = strcmp(out->s, same.s) != 0;
		buf_free(&same);
	}
	return ok;
}

/* The first instruction from `from` on that stands on the line and that the mutator applies to, or -1. */
static int find_on_line(const struct ptx_module *m, const struct ir_func *f, int line, size_t mutator, struct buf *out)
{
	for (int k = 0; k < f->ninsn; k++) {
		if (f->insn[k].line != line)
			continue;
		if (replacement(m, f, k, mutator, out))
			return k;
		buf_free(out);
		*out = (struct buf){0};
	}
	return -1;
}

/* The text from the guard, or the opcode, to the semicolon and with it. */
static void extent(const struct ptx_module *m, const struct ir_insn *i, size_t *from, size_t *to)
{
	size_t a = i->pos, b = i->pos;

	while (i->guard >= 0 && a > 0 && m->text[a] != '@')
		a--;
	while (b < m->len && m->text[b] != ';')
		b++;
	*from = a;
	*to = b < m->len ? b + 1 : m->len;
}

static char *patched(const struct ptx_module *m, const struct ir_insn *i, const char *new_text)
{
	struct buf b = {0};
	size_t from, to;

	extent(m, i, &from, &to);
	buf_add(&b, m->text, from);
	buf_puts(&b, new_text);
	for (size_t k = from; k < to; k++) /* a statement of several lines leaves as many */
		if (m->text[k] == '\n')
			buf_putc(&b, '\n');
	buf_add(&b, m->text + to, m->len - to);
	return b.s;
}

static int find_mutator(const char *name)
{
	for (size_t i = 0; i < mutation_row_count; i++)
		if (strcmp(mutation_rows[i].text.name, name) == 0)
			return (int)i;
	return -1;
}

enum st ptx_mutate(const struct ptx_module *m, const char *mutator, int line, char **text, struct buf *change,
                   struct err *e)
{
	int which = find_mutator(mutator), k = -1;
	const struct ir_func *f = NULL;
	struct buf out = {0};

	if (which < 0)
		return FAIL(e, INPUT, "there is no mutator '%.40s'", mutator);
	for (int i = 0; i < m->nfunc && k < 0; i++) {
		f = &m->func[i];
		k = f->entry && f->defined ? find_on_line(m, f, line, (size_t)which, &out) : -1;
	}
	if (k < 0)
		return FAIL(e, INPUT, "%s:%d: %s does not apply to this line", m->name, line, mutator);
	*text = patched(m, &f->insn[k], out.s ? out.s : "");
	if (change) {
		ir_print_insn(change, m, f, &f->insn[k]);
		buf_printf(change, " becomes %s", out.len ? out.s : "nothing");
	}
	buf_free(&out);
	return ST_OK;
}

/* ---- all of them ---- */

size_t ptx_mutator_count(void)
{
	return mutation_row_count;
}

const struct ptx_mutator *ptx_mutator_get(size_t i)
{
	return &mutation_rows[i].text;
}

static bool seen(const struct ptx_mutant *v, size_t n, int line, size_t mutator)
{
	for (size_t i = n; i-- > 0 && v[i].line == line;)
		if (v[i].mutator == mutator)
			return true;
	return false;
}

size_t ptx_mutants(const struct ptx_module *m, const char *entry, struct ptx_mutant **out)
{
	const struct ir_func *f = ir_find_func(m, entry);
	struct ptx_mutant *v = NULL;
	size_t n = 0, cap = 0;

	for (int k = 0; f && f->entry && k < f->ninsn; k++)
		for (size_t r = 0; r < mutation_row_count; r++) {
			struct buf b = {0};
			bool ok = replacement(m, f, k, r, &b) && !seen(v, n, f->insn[k].line, r);

			buf_free(&b);
			if (!ok)
				continue;
			if (n == cap) {
				cap = cap ? 2 * cap : 64;
				v = mem_realloc(v, cap * sizeof *v);
			}
			v[n++] = (struct ptx_mutant){r, f->insn[k].line};
		}
	*out = v;
	return n;
}

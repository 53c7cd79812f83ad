/* difference.c - what changed between two PTX texts, modulo names.
 *
 * Instructions become lines in which registers are numbered by the order of their first mention, and parameters and variables
 * likewise; labels by their order in the text. Copies are looked through: a register that one mov makes from a constant or from
 * another such register is that. The movs into registers of several definitions (loop variables) move about freely between
 * compilations, so they are compared as a set. Lines that are equal but for constants make a constant change; what a structural change
 * consists of is told by the longest common subsequence of the lines without registers (Myers' O(ND) algorithm). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

const char *lint_change_name(enum lint_change c)
{
	return c == LINT_SAME ? "none" : c == LINT_CONSTANT ? "constant-only" : "structural";
}

struct line {
	char *full;     /* with constants and numbered registers */
	char *shape;    /* without constants */
	char *bare;     /* opcode and constants alone: for aligning */
	const char *text;
	bool copy;      /* a mov into a register of several definitions */
	int ptx_line, source_line;
};

struct lines {
	struct line *v;
	int n;
	const struct ir_func *f;
	int32_t *number; /* of registers */
	int32_t *ndefs;
	const struct ir_insn **def; /* of a register: its last definition */
	int next, ncopies; /* the copies are the last of the lines, sorted */
	struct arena *a;
};

static int number_of(struct lines *l, int reg)
{
	if (l->number[reg] == 0)
		l->number[reg] = ++l->next;
	return l->number[reg];
}

static bool plain_mov(const struct ir_insn *i)
{
	return i->op == OP_MOV && i->guard < 0 && i->d.kind == OPND_REG && (i->src[0].kind == OPND_REG || i->src[0].kind == OPND_IMM);
}

/* What a register stands for: behind copies that are its and their only definitions. */
static const struct ir_opnd *behind(const struct lines *l, const struct ir_opnd *o)
{
	for (int steps = 0; o->kind == OPND_REG && !o->neg && l->ndefs[o->reg] == 1 && plain_mov(l->def[o->reg]) && steps < 64; steps++) {
		const struct ir_opnd *s = &l->def[o->reg]->src[0];

		if (s->kind == OPND_REG && l->ndefs[s->reg] != 1)
			break;
		o = s;
	}
	return o;
}

static void put_operand(struct lines *l, const struct ir_opnd *o, struct buf *full, struct buf *shape, struct buf *bare)
{
	o = behind(l, o);
	switch (o->kind) {
	case OPND_REG:
		buf_printf(full, " %sr%d", o->neg ? "!" : "", number_of(l, o->reg));
		buf_printf(shape, " %sr%d", o->neg ? "!" : "", number_of(l, o->reg));
		return;
	case OPND_IMM:
		buf_printf(full, " #%llx", (unsigned long long)o->imm);
		buf_puts(shape, " #");
		buf_printf(bare, " #%llx", (unsigned long long)o->imm);
		return;
	case OPND_SREG:
		buf_printf(full, " %s", ir_sreg_text(o->reg));
		buf_printf(shape, " %s", ir_sreg_text(o->reg));
		buf_printf(bare, " %s", ir_sreg_text(o->reg));
		return;
	case OPND_ADDR: case OPND_VAR:
		if (o->reg >= 0 && o->kind == OPND_ADDR) {
			buf_printf(full, " [r%d", number_of(l, o->reg));
			buf_printf(shape, " [r%d", number_of(l, o->reg));
		} else {
			buf_printf(full, " [v%d", o->var);
			buf_printf(shape, " [v%d", o->var);
			buf_printf(bare, " v%d", o->var);
		}
		buf_printf(full, "+%lld]", (long long)o->off);
		buf_puts(shape, "+#]");
		buf_printf(bare, "+%lld", (long long)o->off);
		return;
	case OPND_VEC:
		for (int i = 0; i < o->n; i++)
			put_operand(l, &o->elem[i], full, shape, bare);
		return;
	default: buf_puts(full, " _"), buf_puts(shape, " _");
	}
}

static char *keep(struct arena *a, struct buf *b)
{
	char *s = arena_strndup(a, b->s ? b->s : "", b->len);

	buf_free(b);
	return s;
}

static void make_line(struct lines *l, const struct ptx_module *m, const struct ir_insn *i, struct line *out)
{
	struct buf full = {0}, shape = {0}, bare = {0};
	const char *s = m->text + i->pos;
	int op = (int)strcspn(s, " \t\r\n;");

	out->text = arena_strndup(l->a, s, strcspn(s, "\n"));
	out->ptx_line = i->line;
	out->source_line = i->at_src_line ? i->at_src_line : i->src_line;
	buf_printf(&bare, "%.*s", op, s);
	if (i->guard >= 0) {
		buf_printf(&full, "@%sr%d ", i->guard_neg ? "!" : "", number_of(l, i->guard));
		buf_printf(&shape, "@%sr%d ", i->guard_neg ? "!" : "", number_of(l, i->guard));
	}
	buf_printf(&full, "%.*s", op, s);
	buf_printf(&shape, "%.*s", op, s);
	for (int k = 0; k < i->nsrc; k++) /* sources first: results get the newer numbers */
		put_operand(l, &i->src[k], &full, &shape, &bare);
	put_operand(l, &i->d, &full, &shape, &bare);
	put_operand(l, &i->d2, &full, &shape, &bare);
	if (i->label >= 0) {
		buf_printf(&full, " L%d", l->f->label[i->label].block);
		buf_printf(&shape, " L%d", l->f->label[i->label].block);
	}
	out->full = keep(l->a, &full);
	out->shape = keep(l->a, &shape);
	out->bare = keep(l->a, &bare);
}

struct noting {
	struct lines *l;
	const struct ir_insn *i;
};

static void note_definition(void *ctx, int reg)
{
	struct noting *n = ctx;

	n->l->ndefs[reg]++;
	n->l->def[reg] = n->i;
}

static int by_shape(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = strcmp(x->shape, y->shape);

	return c ? c : strcmp(x->full, y->full);
}

static struct lines make_lines(struct arena *a, const struct ptx_module *m, const struct ir_func *f)
{
	struct lines l = {.f = f, .a = a};

	l.v = arena_alloc(a, sizeof *l.v * ((size_t)f->ninsn + 1));
	l.number = arena_alloc(a, sizeof *l.number * ((size_t)f->nreg + 1));
	l.ndefs = arena_alloc(a, sizeof *l.ndefs * ((size_t)f->nreg + 1));
	l.def = arena_alloc(a, sizeof(struct ir_insn *) * ((size_t)f->nreg + 1));
	for (int i = 0; i < f->ninsn; i++) {
		struct noting n = {&l, &f->insn[i]};

		insn_writes(&f->insn[i], note_definition, &n);
	}
	/* copies of several definitions last, so that numbers are given by the lines that keep their place */
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < f->ninsn; i++) {
			bool mov = plain_mov(&f->insn[i]), copy = mov && l.ndefs[f->insn[i].d.reg] > 1;

			if (mov && !copy && behind(&l, &f->insn[i].d) != &f->insn[i].d)
				continue; /* looked through */
			if (copy == (pass == 1)) {
				make_line(&l, m, &f->insn[i], &l.v[l.n]);
				l.v[l.n++].copy = copy;
			}
			l.ncopies += copy && pass == 1;
		}
	qsort(l.v + l.n - l.ncopies, (size_t)l.ncopies, sizeof *l.v, by_shape);
	return l;
}

/* ---- Myers, "An O(ND) Difference Algorithm and Its Variations" (1986); beyond MAX_D all is taken as changed ---- */
#define MAX_D 2000

static void put_change(struct buf *b, char sign, const struct line *l)
{
	buf_printf(b, "  %c PTX %d", sign, l->ptx_line);
	if (l->source_line)
		buf_printf(b, " (line %d)", l->source_line);
	buf_printf(b, ": %s\n", l->text);
}

static void walk_back(const struct lines *x, const struct lines *y, int d, int32_t **trace, char *dx, char *dy)
{
	int i = x->n, j = y->n;

	for (; d > 0; d--) {
		int32_t *v = trace[d - 1] + MAX_D + 1;
		int k = i - j;
		bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
		int pk = down ? k + 1 : k - 1, pi = v[pk], pj = pi - pk;

		while (i > pi && j > pj && !(down ? i == pi : j == pj)) {
			i--;
			j--;
		}
		if (down)
			dy[pj] = 1;
		else
			dx[pi] = 1;
		i = pi;
		j = pj;
	}
}

static int myers(const struct lines *x, const struct lines *y, char *dx, char *dy)
{
	int32_t *v = mem_zalloc(2 * MAX_D + 4, sizeof *v), **trace = mem_zalloc(MAX_D + 2, sizeof *trace);
	int found = -1;

	for (int d = 0; d <= MAX_D && found < 0; d++) {
		int32_t *at = v + MAX_D + 1;

		for (int k = -d; k <= d && found < 0; k += 2) {
			int i = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1, j = i - k;

			while (i < x->n && j < y->n && strcmp(x->v[i].bare, y->v[j].bare) == 0)
				i++, j++;
			at[k] = i;
			if (i >= x->n && j >= y->n)
				found = d;
		}
		trace[d] = mem_alloc((2 * MAX_D + 4) * sizeof *v);
		memcpy(trace[d], v, (2 * MAX_D + 4) * sizeof *v);
	}
	if (found >= 0)
		walk_back(x, y, found, trace, dx, dy);
	else
		memset(dx, 1, (size_t)x->n), memset(dy, 1, (size_t)y->n);
	for (int d = 0; d <= MAX_D; d++)
		free(trace[d]);
	free(trace);
	free(v);
	return found;
}

static void print_changes(const struct lines *x, const struct lines *y, struct buf *b)
{
	char *dx = mem_zalloc((size_t)x->n + 1, 1), *dy = mem_zalloc((size_t)y->n + 1, 1);
	int i = 0, j = 0, shown = 0;

	myers(x, y, dx, dy);
	while ((i < x->n || j < y->n) && shown < 200) {
		if (i < x->n && dx[i])
			put_change(b, '-', &x->v[i++]), shown++;
		else if (j < y->n && dy[j])
			put_change(b, '+', &y->v[j++]), shown++;
		else
			i += i < x->n, j += j < y->n;
	}
	if (shown == 0)
		buf_puts(b, "  the same instructions, with other operands or in another order of registers\n");
	if (shown == 200)
		buf_puts(b, "  …\n");
	free(dx);
	free(dy);
}

static enum lint_change compare(const struct lines *x, const struct lines *y, struct buf *b)
{
	enum lint_change c = x->n == y->n ? LINT_SAME : LINT_STRUCTURAL;

	for (int i = 0; c != LINT_STRUCTURAL && i < x->n; i++) {
		if (strcmp(x->v[i].full, y->v[i].full) == 0)
			continue;
		c = strcmp(x->v[i].shape, y->v[i].shape) == 0 ? LINT_CONSTANT : LINT_STRUCTURAL;
	}
	for (int i = 0; c == LINT_CONSTANT && i < x->n; i++)
		if (strcmp(x->v[i].full, y->v[i].full) != 0) {
			put_change(b, '-', &x->v[i]);
			put_change(b, '+', &y->v[i]);
		}
	if (c == LINT_STRUCTURAL)
		print_changes(x, y, b);
	return c;
}

static const struct ir_func *entry_number(const struct ptx_module *m, int n)
{
	for (int i = 0; i < m->nfunc; i++)
		if (m->func[i].entry && m->func[i].defined && n-- == 0)
			return &m->func[i];
	return NULL;
}

enum st lint_difference(const char *a, size_t na, const char *name_a, const char *b, size_t nb, const char *name_b,
                        enum lint_change *change, struct buf *diff, struct err *e)
{
	struct ptx_module *ma = NULL, *mb = NULL;
	struct arena *arena = arena_new();
	enum st rc;

	*change = LINT_SAME;
	TRY_OR(done, rc, ptx_parse_loose(a, na, name_a, &ma, e));
	TRY_OR(done, rc, ptx_parse_loose(b, nb, name_b, &mb, e));
	for (int i = 0;; i++) {
		const struct ir_func *fa = entry_number(ma, i), *fb = entry_number(mb, i);
		struct buf body = {0};
		struct lines x, y;
		enum lint_change c;

		if (!fa && !fb)
			break;
		if (!fa || !fb) {
			buf_printf(diff, "%s: only in %s\n", fa ? fa->name : fb->name, fa ? name_a : name_b);
			*change = LINT_STRUCTURAL;
			continue;
		}
		x = make_lines(arena, ma, fa);
		y = make_lines(arena, mb, fb);
		c = compare(&x, &y, &body);
		*change = c > *change ? c : *change;
		buf_printf(diff, "%s -> %s: %s, %d and %d instructions\n%s", fa->name, fb->name, lint_change_name(c), fa->ninsn, fb->ninsn,
		           body.s ? body.s : "");
		buf_free(&body);
	}
	buf_printf(diff, "change: %s\n", lint_change_name(*change));
done:
	ptx_module_free(ma);
	ptx_module_free(mb);
	arena_free(arena);
	return rc;
}

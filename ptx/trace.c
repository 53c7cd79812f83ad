/* trace.c - a module's text with an entry that also tells what each of its instructions computed. */
#include "ptx/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is added at the start: the sums' address, and a number of the thread that its values are mixed with, so that two
 * threads that change places do not go unseen. Constants: odd numbers without pattern (splitmix64's). */
static const char prologue[] =
	"\n.reg .b64 %gpuemu_q<4>;\n.reg .b32 %gpuemu_r<4>;\n.reg .b16 %gpuemu_h<2>;\n"
	"ld.param.u64 %gpuemu_q0, [gpuemu_trace];\ncvta.to.global.u64 %gpuemu_q0, %gpuemu_q0;\n"
	"mov.u32 %gpuemu_r0, %ctaid.x;\nmul.lo.u32 %gpuemu_r0, %gpuemu_r0, 0x1b873593;\n"
	"mov.u32 %gpuemu_r1, %ctaid.y;\nmad.lo.u32 %gpuemu_r0, %gpuemu_r1, 0x0cc9e2d5, %gpuemu_r0;\n"
	"mov.u32 %gpuemu_r1, %ctaid.z;\nmad.lo.u32 %gpuemu_r0, %gpuemu_r1, 0x16f11fe9, %gpuemu_r0;\n"
	"mov.u32 %gpuemu_r1, %tid.x;\nmad.lo.u32 %gpuemu_r0, %gpuemu_r1, 0x1a0b428d, %gpuemu_r0;\n"
	"mov.u32 %gpuemu_r1, %tid.y;\nmad.lo.u32 %gpuemu_r0, %gpuemu_r1, 0x27d4eb2f, %gpuemu_r0;\n"
	"mov.u32 %gpuemu_r1, %tid.z;\nmad.lo.u32 %gpuemu_r0, %gpuemu_r1, 0x165667b1, %gpuemu_r0;\n"
	"cvt.u64.u32 %gpuemu_q2, %gpuemu_r0;\nmul.lo.u64 %gpuemu_q2, %gpuemu_q2, 0x1e3779b97f4a7c15;\n";

struct edit {
	size_t at; /* byte offset in the module's text */
	char *text;
};
struct edits {
	struct edit *e;
	size_t n;
};

static void add_edit(struct edits *s, size_t at, char *text)
{
	s->e = mem_realloc(s->e, (s->n + 1) * sizeof *s->e);
	s->e[s->n++] = (struct edit){at, text};
}

static int by_place(const void *a, const void *b)
{
	size_t x = ((const struct edit *)a)->at, y = ((const struct edit *)b)->at;

	return (x > y) - (x < y);
}

static const char *reg_name(const struct ir_func *f, int reg)
{
	return f->reg[reg].name;
}

/* Values of 64 bits are addresses more often than not, and those differ between devices: only f64 is told. */
static bool is_told(const struct ir_func *f, const struct ir_insn *i, const struct ir_opnd *d)
{
	int bits;

	if (d->kind != OPND_REG || d->reg == i->guard)
		return false;
	bits = f->reg[d->reg].bits;
	return bits == 1 || bits == 16 || bits == 32 || (bits == 64 && i->ty[0] == TY_F64);
}

static void put_value(struct buf *b, const struct ir_func *f, const char *guard, const struct ir_opnd *d, int slot)
{
	const char *r = reg_name(f, d->reg);

	switch (f->reg[d->reg].bits) {
	case 1: buf_printf(b, "%sselp.u64 %%gpuemu_q1, 1, 0, %s;\n", guard, r); break;
	case 16: buf_printf(b, "%smov.b16 %%gpuemu_h0, %s;\n%scvt.u64.u16 %%gpuemu_q1, %%gpuemu_h0;\n", guard, r, guard); break;
	case 32: buf_printf(b, "%smov.b32 %%gpuemu_r1, %s;\n%scvt.u64.u32 %%gpuemu_q1, %%gpuemu_r1;\n", guard, r, guard); break;
	default: buf_printf(b, "%smov.b64 %%gpuemu_q1, %s;\n", guard, r);
	}
	buf_printf(b, "%sadd.u64 %%gpuemu_q1, %%gpuemu_q1, %%gpuemu_q2;\n"
	              "%smul.lo.u64 %%gpuemu_q1, %%gpuemu_q1, 0x3f58476d1ce4e5b9;\n"
	              "%sshr.u64 %%gpuemu_q3, %%gpuemu_q1, 29;\n%sxor.b64 %%gpuemu_q1, %%gpuemu_q1, %%gpuemu_q3;\n"
	              "%smul.lo.u64 %%gpuemu_q1, %%gpuemu_q1, 0x14d049bb133111eb;\n"
	              "%sred.global.add.u64 [%%gpuemu_q0+%d], %%gpuemu_q1;\n", guard, guard, guard, guard, guard, guard,
	           8 * slot);
}

/* The text that follows the instruction, NULL when there is nothing to tell of it. */
static char *after_insn(const struct ir_func *f, const struct ir_insn *i, int slot)
{
	const struct ir_opnd *d = &i->d;
	char guard[80] = "";
	struct buf b = {0}, text = {0};

	if (i->op == OP_CALL)
		return NULL;
	if (i->guard >= 0)
		snprintf(guard, sizeof guard, "@%s%.70s ", i->guard_neg ? "!" : "", reg_name(f, i->guard));
	if (d->kind == OPND_VEC)
		for (int k = 0; k < d->n; k++) {
			if (is_told(f, i, &d->elem[k]))
				put_value(&b, f, guard, &d->elem[k], slot);
		}
	else if (is_told(f, i, d))
		put_value(&b, f, guard, d, slot);
	if (i->d2.kind == OPND_REG && is_told(f, i, &i->d2))
		put_value(&b, f, guard, &i->d2, slot);
	if (b.len)
		buf_printf(&text, "\n%s", b.s);
	buf_free(&b);
	return text.s;
}

/* Offset of the first `c` at or behind `at`. */
static size_t find(const struct ptx_module *m, size_t at, char c)
{
	while (at < m->len && m->text[at] != c)
		at++;
	return at;
}

/* The parameter list's ')' and the body's '{' of an entry. */
static bool find_head(const struct ptx_module *m, const struct ir_func *f, size_t *paren, size_t *brace)
{
	size_t n = strlen(f->name), body = f->ninsn ? f->insn[0].pos : 0;

	for (size_t at = 0; at + n < body; at++) {
		size_t p = at + n;

		if (memcmp(m->text + at, ".entry", 6) != 0)
			continue;
		at += 6;
		at += strspn(m->text + at, " \t\r\n");
		p = at + n;
		if (strncmp(m->text + at, f->name, n) != 0 || !strchr(" \t\r\n(", m->text[p]))
			continue;
		*paren = find(m, p, ')');
		*brace = find(m, *paren, '{');
		return *brace < body;
	}
	return false;
}

static void place_of(const struct ptx_module *m, const struct ir_insn *i, struct ptx_trace_place *p)
{
	size_t end = find(m, i->pos, ';');
	size_t n = end - i->pos;

	*p = (struct ptx_trace_place){.ptx_line = i->line, .source_line = i->src_line};
	snprintf(p->text, sizeof p->text, "%.*s", (int)(n < 100 ? n : 100), m->text + i->pos);
}

static void apply(const struct ptx_module *m, struct edits *s, struct buf *out)
{
	size_t at = 0;

	qsort(s->e, s->n, sizeof *s->e, by_place);
	for (size_t k = 0; k < s->n; k++) {
		buf_add(out, m->text + at, s->e[k].at - at);
		buf_puts(out, s->e[k].text);
		at = s->e[k].at;
	}
	buf_add(out, m->text + at, m->len - at);
}

enum st ptx_trace_text(const struct ptx_module *m, const char *entry, struct buf *out,
                       struct ptx_trace_place **places, int *n, struct err *e)
{
	const struct ir_func *f = ir_find_func(m, entry);
	struct edits s = {0};
	size_t paren, brace;

	if (!f || !f->entry || f->nparam == 0 || !find_head(m, f, &paren, &brace))
		return FAIL(e, UNSUP, "the entry '%s' cannot be traced", entry);
	add_edit(&s, paren, mem_strdup(",\n\t.param .u64 gpuemu_trace\n"));
	add_edit(&s, brace + 1, mem_strdup(prologue));
	*places = mem_zalloc((size_t)f->ninsn + 1, sizeof **places);
	*n = 0;
	for (int i = 0; i < f->ninsn; i++) {
		char *text = after_insn(f, &f->insn[i], *n);
		size_t end;

		if (!text)
			continue;
		end = find(m, f->insn[i].pos, ';');
		place_of(m, &f->insn[i], &(*places)[(*n)++]);
		add_edit(&s, end + 1, text);
	}
	apply(m, &s, out);
	for (size_t k = 0; k < s.n; k++)
		free(s.e[k].text);
	free(s.e);
	return ST_OK;
}

/* form.h - micro-kernels for the forms of the instruction table, and what the tests know of a form.
 *
 * Every form that ptx_form_get lists belongs to a group (test_forms_alu, test_forms_memory,
 * test_forms_flow); a form of an opcode that no group has makes test_forms_alu fail by its name. */
#ifndef TESTS_PTX_FORM_H
#define TESTS_PTX_FORM_H

#include "ptx/isa.h"
#include "tests/ptx/emu_kit.h"

enum form_group { GROUP_NONE, GROUP_ALU, GROUP_MEMORY, GROUP_FLOW };

struct form_type {
	const char *name;
	int bits;  /* of the register: 8-bit types live in 16 */
	int width; /* of the number, or of one half of a pair */
	char kind; /* u, s, b, f (f16 f32 f64), g (bf16), t (tf32), 4 (e4m3), 5 (e5m2), p */
	int count; /* 2: a pair in one register */
};
static const struct form_type form_types[] = {
        {"u8", 16, 8, 'u', 1},     {"u16", 16, 16, 'u', 1},   {"u32", 32, 32, 'u', 1},
        {"u64", 64, 64, 'u', 1},   {"s8", 16, 8, 's', 1},     {"s16", 16, 16, 's', 1},
        {"s32", 32, 32, 's', 1},   {"s64", 64, 64, 's', 1},   {"b8", 16, 8, 'b', 1},
        {"b16", 16, 16, 'b', 1},   {"b32", 32, 32, 'b', 1},   {"b64", 64, 64, 'b', 1},
        {"f16", 16, 16, 'f', 1},   {"f32", 32, 32, 'f', 1},   {"f64", 64, 64, 'f', 1},
        {"bf16", 16, 16, 'g', 1},  {"f16x2", 32, 16, 'f', 2}, {"bf16x2", 32, 16, 'g', 2},
        {"u16x2", 32, 16, 'u', 2}, {"s16x2", 32, 16, 's', 2}, {"tf32", 32, 32, 't', 1},
        {"e4m3x2", 16, 8, '4', 2}, {"e5m2x2", 16, 8, '5', 2}, {"pred", 1, 1, 'p', 1},
};
static const struct form_type *form_type(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(form_types); i++)
		if (strlen(form_types[i].name) == n && !strncmp(form_types[i].name, s, n))
			return &form_types[i];
	return NULL;
}

/* A form taken apart: "add.rn.ftz.f32" is opcode add, modifiers ".rn.ftz.", types {f32}. */
struct form {
	char text[96], op[16], mods[96];
	const char *operands;
	const struct form_type *type[3];
	int ntypes;
	uint8_t lut; /* the immediate of lop3 */
	bool plain;  /* the shorter of two operand lists (p instead of p|q) */
};
/* What varies between forms follows from the text, so that a form is tested alike wherever it
 * stands. */
static uint64_t form_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}
static void form_read(struct form *f, const char *text)
{
	struct ir_insn insn;
	memset(f, 0, sizeof *f);
	snprintf(f->text, sizeof f->text, "%s", text);
	f->lut = (uint8_t)(form_hash(text) >> 20);
	f->plain = form_hash(text) >> 40 & 1;
	check_true(isa_match_text(text, &insn), "%s is listed and not found", text);
	f->operands = isa_row(insn.form)->operands;
	size_t n = strcspn(text, ".");
	snprintf(f->op, sizeof f->op, "%.*s", (int)n, text);
	strcpy(f->mods, ".");
	for (const char *s = text + n; *s; s += n) {
		n = strcspn(++s, ".");
		const struct form_type *t = form_type(s, n);
		if (t && f->ntypes < 3)
			f->type[f->ntypes++] = t;
		else
			snprintf(f->mods + strlen(f->mods), sizeof f->mods - strlen(f->mods),
			         "%.*s.", (int)n, s);
	}
	/* ptxas takes p|q of scalar 16-bit comparisons not at all, and wants the d|p of lop3 */
	if (!strcmp(f->op, "setp") && strchr("fg", f->type[0]->kind) && f->type[0]->width == 16)
		f->plain = f->type[0]->count == 1;
	if (!strcmp(f->op, "lop3"))
		f->plain = false;
}
static bool form_has(const struct form *f, const char *mod)
{
	char dotted[32];
	snprintf(dotted, sizeof dotted, ".%s.", mod);
	return strstr(f->mods, dotted) != NULL;
}

/* One operand of the table's list: its code ("a", "d", "p", …) and type. */
struct form_operand {
	char code;
	const struct form_type *type;
};
/* The operands of f; returns how many. */
static int form_operands(const struct form *f, struct form_operand out[8])
{
	int n = 0;
	if (!strcmp(f->operands, "M")) {
		out[0] = (struct form_operand){'d', f->type[0]};
		out[1] = (struct form_operand){'a', f->type[0]};
		return 2;
	}
	for (const char *s = f->operands; *s; s += *s == ',') {
		size_t len = strcspn(s, ",");
		const struct form_type *t = f->type[0];
		if (*s == '?')
			break;
		if (len > 2 && s[1] == ':') {
			const char *name = s + 2;
			if (*name >= '0' && *name <= '2')
				t = f->type[*name - '0'] ? f->type[*name - '0'] : f->type[0];
			else if (*name == 'w')
				t = form_type(t->kind == 's' ? (t->bits == 16 ? "s32" : "s64")
				                             : (t->bits == 16 ? "u32" : "u64"),
				              3);
			else
				t = form_type(name, len - 2);
		}
		if (strchr("pPQb", *s))
			t = form_type("pred", 4);
		out[n++] = (struct form_operand){*s, t};
		s += len;
	}
	return n;
}

static char form_register(int bits)
{
	return bits == 1 ? 'p' : bits == 16 ? 'h' : bits == 32 ? 'r' : 'q';
}

/* Kernel k<number>: thread i loads FORM_IN words of the first buffer, does the instruction and
 * stores two words: the destination and a predicate or carry. */
#define FORM_IN 6
static void form_kernel(struct buf *b, const struct form *f, unsigned number)
{
	struct form_operand o[8];
	int n = form_operands(f, o), at = 0;
	bool carry = form_has(f, "cc") || !strcmp(f->op, "addc") || !strcmp(f->op, "subc") ||
	             !strcmp(f->op, "madc");
	const char *second = NULL;

	buf_printf(b, ".visible .entry k%u(.param .u64 in, .param .u64 out)\n{\n", number);
	buf_puts(b, ".reg .b16 %h<9>; .reg .b32 %r<12>; .reg .b64 %q<14>; .reg .pred %p<9>;\n"
	            "mov.u32 %r9, %tid.x; ld.param.u64 %q8, [in]; mad.wide.u32 %q8, %r9, 48, %q8;\n"
	            "ld.param.u64 %q9, [out]; mad.wide.u32 %q9, %r9, 16, %q9;\n"
	            "mov.u64 %q10, 0; mov.u64 %q11, 0;\n");
	for (int i = 1; i < n; i++) {
		if (o[i].code == 'i')
			continue;
		buf_printf(b, "ld.global.u64 %%q%d, [%%q8+%d];\n", i, 8 * at++);
		if (o[i].type->bits == 1)
			buf_printf(b, "setp.ne.u64 %%p%d, %%q%d, 0;\n", i, i);
		else if (o[i].type->bits < 64)
			buf_printf(b, "cvt.u%d.u64 %%%c%d, %%q%d;\n", o[i].type->bits,
			           form_register(o[i].type->bits), i, i);
	}
	/* A borrow is set and read by subtractions: an sm_90 keeps it inverted, the ISA does not
	 * say. */
	bool borrow = !strncmp(f->op, "sub", 3);
	if (carry)
		buf_printf(b, "ld.global.u32 %%r10, [%%q8+40]; %s;\n",
		           borrow ? "sub.cc.u32 %r10, 0, %r10" : "add.cc.u32 %r10, %r10, -1");
	buf_printf(b, "%s ", f->text);
	for (int i = 0; i < n; i++) {
		if (o[i].code == 'i')
			buf_printf(b, "%d", f->lut);
		else
			buf_printf(b, "%%%c%d", form_register(o[i].type->bits), i);
		if (i == 0 && (o[0].code == 'Q' || (strchr("DP", o[0].code) && !f->plain)))
			buf_puts(b, second = "|%p8");
		buf_puts(b, i + 1 < n ? ", " : ";\n");
	}
	if (carry)
		buf_printf(b, "%s; cvt.u64.u32 %%q11, %%r10;\n",
		           borrow ? "subc.u32 %r10, 0, 0; neg.s32 %r10, %r10"
		                  : "addc.u32 %r10, 0, 0");
	if (second)
		buf_puts(b, "selp.u64 %q11, 1, 0, %p8;\n");
	if (o[0].type->bits == 1)
		buf_puts(b, "selp.u64 %q10, 1, 0, %p0;\n");
	else if (o[0].type->bits == 64)
		buf_puts(b, "mov.u64 %q10, %q0;\n");
	else
		buf_printf(b, "cvt.u64.u%d %%q10, %%%c0;\n", o[0].type->bits,
		           form_register(o[0].type->bits));
	buf_puts(b, "st.global.u64 [%q9], %q10; st.global.u64 [%q9+8], %q11; ret;\n}\n");
}

#endif

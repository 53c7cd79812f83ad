/* test_emu_forms.c - every form of the instruction table has a handler: each is put into a kernel,
 * lowered and executed, plain and sanitized.  (What it computes is other tests' business.) */
#include "ptx/isa.h"
#include "tests/ptx/emu_kit.h"

static const char *reg_class(int bits)
{
	return bits == 64 ? "%d" : bits == 32 ? "%r" : bits == 1 ? "%p" : "%h";
}
static enum ir_ty operand_type(const struct ir_insn *i, const char *t, int *bits)
{
	enum ir_ty ty = (enum ir_ty)i->ty[0];
	if (*t >= '0' && *t <= '2')
		ty = (enum ir_ty)i->ty[*t - '0'];
	else if (*t && *t != 'w')
		ty = isa_find_type(t, strcspn(t, ","));
	*bits = ir_ty_bits(ty) * (*t == 'w' ? 2 : 1);
	return ty;
}
static const char *address(const struct ir_insn *i)
{
	switch (i->space) {
	case MOD_PARAM:
		return i->op == OP_ST ? "[big]" : "[prm]";
	case MOD_SHARED:
		return "[sh]";
	case MOD_LOCAL:
		return "[loc]";
	case MOD_CONST:
		return "[cst]";
	default:
		return "[%d9]";
	}
}
/* One operand; vec: elements of a { }. */
static void operand(struct buf *b, const struct ir_insn *i, char kind, const char *type, int n)
{
	int bits;
	operand_type(i, type, &bits);
	const char *c = reg_class(bits);
	switch (kind) {
	case 'd':
	case 'a':
	case 'r':
		buf_printf(b, "%s%d", c, n);
		break;
	case 'D':
		buf_printf(b, "%s%d|%%p1", c, n);
		break;
	case 'P':
		buf_puts(b, "%p1|%p2");
		break;
	case 'Q':
		buf_puts(b, "%p1|%p2");
		break;
	case 'b':
		buf_puts(b, "%p1");
		break;
	case 'p':
		buf_puts(b, "!%p3");
		break;
	case 'i':
		buf_puts(b, "202");
		break;
	case 'm':
		buf_puts(b, address(i));
		break;
	case 'y':
	case 'x':
		if (i->vec < 2) {
			buf_printf(b, "%s%d", c, n);
			break;
		}
		for (int k = 0; k < i->vec; k++)
			buf_printf(b, "%s%s%d", k ? "," : "{", c, (kind == 'y' ? 10 : 20) + k);
		buf_putc(b, '}');
		break;
	case 'M':
		buf_printf(b, "%s1,%s2", c, c);
		break;
	case 'L':
		buf_puts(b, "END");
		break;
	case 'T':
		buf_puts(b, "%r9, table");
		break;
	case 'C':
		buf_puts(b, "(back), f, (arg)");
		break;
	default:
		check_true(false, "operand letter %c", kind);
	}
}
static void instruction(struct buf *b, const char *text, const struct ir_insn *i)
{
	const char *s = isa_row(i->form)->operands;
	buf_printf(b, "%s ", text);
	for (int n = 1; *s; n++) {
		size_t len = strcspn(s, ",");
		if (*s != '?') {
			if (n > 1)
				buf_puts(b, ", ");
			operand(b, i, *s, s[1] == ':' ? s + 2 : "", n);
		}
		s += len + (s[len] == ',');
	}
	buf_puts(b, ";\n");
}
static char *kernel_with(const char *text, const struct ir_insn *i)
{
	struct buf b = {0};
	buf_puts(&b,
	         ".version 8.8\n.target sm_90\n.address_size 64\n.const .align 16 .b8 cst[64];\n"
	         ".func (.param .b32 back) f(.param .b32 arg) { .reg .b32 %r<2>;\n"
	         "ld.param.b32 %r1, [arg]; st.param.b32 [back], %r1; ret; }\n"
	         ".visible .entry k(.param .u64 out, .param .align 16 .b8 prm[64])\n{\n"
	         ".reg .pred %p<4>; .reg .b16 %h<30>; .reg .b32 %r<30>; .reg .b64 %d<30>;\n"
	         ".shared .align 16 .b8 sh[64]; .local .align 16 .b8 loc[64];\n"
	         ".param .b32 arg; .param .b32 back; .param .align 16 .b8 big[64];\n"
	         "ld.param.u64 %d9, [out];\nmov.u32 %r9, 0;\n"
	         "st.param.b32 [arg], %r9;\n");
	if (i->op == OP_BRX)
		buf_puts(&b, "table: .branchtargets END, END;\n");
	if (i->op == OP_BAR || i->op == OP_BARRIER) /* the id and the count that make it complete */
		buf_printf(&b, "%s %s;\n", text,
		           i->sub == MOD_ARRIVE ? "1, 32"
		           : i->sub == MOD_SYNC ? "1"
		           : i->bop == MOD_POPC ? "%r1, 1, %p3"
		                                : "%p1, 1, %p3");
	else
		instruction(&b, text, i);
	buf_puts(&b, "END: ret;\n}\n");
	return b.s;
}

static void every_form_in_the_table_lowers_and_runs(void **state)
{
	(void)state;
	int bad = 0;
	for (size_t f = 0; f < ptx_form_count(); f++) {
		struct ptx_form form = ptx_form_get(f);
		struct ir_insn i = {0};
		check_true(isa_match_text(form.text, &i), "%s is not in its own table", form.text);
		char *ptx = kernel_with(form.text, &i);
		for (int san = 0; san < 2; san++) {
			struct kit k = {.options.sanitize = san};
			uint8_t bytes[64] = {0};
			kit_buffer(&k, "out", RUN_WORKSPACE, DT_U8, 4096);
			kit_scalar(&k, bytes, 64);
			kit_shape(&k, 1, 32);
			enum st rc = kit_try(&k, ptx, "k");
			bool traps = i.op == OP_TRAP || i.op == OP_BRKPT;
			if (rc != ST_OK || (!k.report.complete && !traps)) {
				print_error("%s: %s\n%s", form.text,
				            rc != ST_OK ? k.err.msg : "did not complete: ",
				            rc != ST_OK          ? ""
				            : k.report.nfindings ? k.report.findings[0].text
				                                 : "?");
				bad++;
			}
			kit_free(&k);
		}
		free(ptx);
	}
	check_true(bad == 0, "%d of %zu forms fail", bad, ptx_form_count());
	check_true(ptx_form_count() > 1000, "only %zu forms", ptx_form_count());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_form_in_the_table_lowers_and_runs),
	};
	return check_main(tests);
}

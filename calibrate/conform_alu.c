/* conform_alu.c - micro-kernels of instructions from registers to registers, and their sweeps. */
#include "calibrate/conform.h"

#include <string.h>

static char letter(int bits)
{
	return bits == 1 ? 'p' : bits == 16 ? 'h' : bits == 32 ? 'r' : 'q';
}

static bool has_carry(const struct conform_form *f)
{
	return conform_has(f, "cc") || conform_is(f, "addc") || conform_is(f, "subc") ||
	       conform_is(f, "madc");
}

/* Subtractions set and read a borrow: the manual does not say how it lies in the carry (an sm_90
 * keeps it inverted), so that only chains of subtractions are defined. */
static bool has_borrow(const struct conform_form *f)
{
	return strncmp(f->op, "sub", 3) == 0;
}

/* The second destination: p of setp's p|q may be left out, and is by half of the forms. ptxas takes
 * it not at all from scalar 16-bit comparisons; lop3 with a combination has it always. */
static bool has_second(const struct conform_form *f, char code)
{
	const struct conform_type *t = f->type[0];

	if (code == 'Q' || conform_is(f, "lop3"))
		return code == 'Q' || code == 'D';
	if (code != 'P' && code != 'D')
		return false;
	return !(strchr("fg", t->kind) && t->width == 16) && !(f->seed >> 40 & 1);
}

/* Operand i's register. Those of cvt may be wider than an integer type (y and x in the table): half
 * of the forms have them so, but not in sweeps. */
static int register_bits(const struct conform_form *f, const struct conform_operand *o, int i,
                         bool exact)
{
	int bits = o->type->bits;

	if (exact || !strchr("xy", o->code) || !strchr("us", o->type->kind) ||
	    (f->seed >> (33 + i) & 1))
		return bits;
	return bits == 16 && (f->seed >> (35 + i) & 1) ? 32 : 64;
}

/* The instruction on sources in the registers of their operand's number; afterwards %q10 holds the
 * destination and %q11 the second one or the carry. */
static void instruction(struct buf *b, const struct conform_form *f, bool exact)
{
	struct conform_operand o[CONFORM_OPERANDS];
	int n = conform_operands(f, o), bits = register_bits(f, &o[0], 0, exact);
	bool second = has_second(f, o[0].code);

	buf_printf(b, "%s ", f->text);
	for (int i = 0; i < n; i++) {
		if (o[i].code == 'i')
			buf_printf(b, "%u", (unsigned)(f->seed >> 20 & 255));
		else
			buf_printf(b, "%%%c%d", letter(register_bits(f, &o[i], i, exact)), i);
		buf_printf(b, "%s%s", i == 0 && second ? "|%p8" : "", i + 1 < n ? ", " : ";\n");
	}
	if (second)
		buf_puts(b, "selp.u64 %q11, 1, 0, %p8;\n");
	if (bits == 1)
		buf_puts(b, "selp.u64 %q10, 1, 0, %p0;\n");
	else if (bits == 64)
		buf_puts(b, "mov.u64 %q10, %q0;\n");
	else
		buf_printf(b, "cvt.u64.u%d %%q10, %%%c0;\n", bits, letter(bits));
}

void conform_alu_body(struct buf *b, const struct conform_kernel *k)
{
	struct conform_operand o[CONFORM_OPERANDS];
	int n = conform_operands(&k->form, o), at = 0;
	bool carry = has_carry(&k->form), borrow = has_borrow(&k->form);

	buf_puts(b, "mov.u64 %q11, 0;\n");
	for (int i = 1; i < n; i++) {
		int bits = register_bits(&k->form, &o[i], i, false);

		if (o[i].code == 'i')
			continue;
		if (bits == 1)
			buf_printf(
			        b,
			        "ld.global.u64 %%q%d, [%%q30+%d]; setp.ne.u64 %%p%d, %%q%d, 0;\n",
			        i, 8 * at, i, i);
		else
			buf_printf(b, "ld.global.u%d %%%c%d, [%%q30+%d];\n", bits, letter(bits), i,
			           8 * at);
		at++;
	}
	if (carry)
		buf_printf(b, "ld.global.u32 %%r29, [%%q30+%d]; %s;\n", 8 * at,
		           borrow ? "sub.cc.u32 %r29, 0, %r29" : "add.cc.u32 %r29, %r29, -1");
	instruction(b, &k->form, false);
	if (carry)
		buf_printf(b, "%s; cvt.u64.u32 %%q11, %%r29;\n",
		           borrow ? "subc.u32 %r29, 0, 0; neg.s32 %r29, %r29"
		                  : "addc.u32 %r29, 0, 0");
	buf_puts(b, "st.global.u64 [%q31], %q10; st.global.u64 [%q31+8], %q11;\n");
}

/* 64 threads a chunk of 2^16 inputs, a sum for each thread; a second source of 32 bits is an odd
 * multiple of the first, so that it takes all values too. The hash of results of up to 32 bits is
 * mix(u·2^32 + d), that of 64 bits mix(d xor u·φ), with splitmix64's finaliser for mix. */
void conform_sweep_text(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	struct conform_operand o[CONFORM_OPERANDS];
	int n = conform_operands(&k->form, o);

	buf_printf(
	        b,
	        ".visible .entry s%u(.param .u64 out, .param .u32 first)\n{\n"
	        ".reg .b16 %%h<12>; .reg .b32 %%r<32>; .reg .b64 %%q<32>; .reg .pred %%p<16>;\n"
	        "mov.u32 %%r20, %%ctaid.x; mov.u32 %%r21, %%tid.x; ld.param.u32 %%r22, [first];\n"
	        "add.u32 %%r22, %%r22, %%r20; shl.b32 %%r22, %%r22, 16; add.u32 %%r22, %%r22, "
	        "%%r21;\n"
	        "mov.u32 %%r23, 0; mov.u64 %%q20, 0;\n"
	        "NEXT:\n",
	        number);
	for (int i = 1; i < n; i++)
		buf_printf(b,
		           i == 1 ? "mov.u32 %%r%d, %%r22;\n"
		                  : "mul.lo.u32 %%r%d, %%r22, 0x9e3779b1;\n",
		           i);
	instruction(b, &k->form, true);
	if (o[0].type->bits == 64)
		buf_puts(b, "cvt.u64.u32 %q12, %r22; mul.lo.u64 %q12, %q12, 0x9e3779b97f4a7c15; "
		            "xor.b64 %q10, %q10, %q12;\n");
	else
		buf_puts(b, "cvt.u32.u64 %r24, %q10; mov.b64 %q10, {%r24, %r22};\n");
	buf_puts(b, "shr.u64 %q13, %q10, 30; xor.b64 %q10, %q10, %q13; mul.lo.u64 %q10, %q10, "
	            "0xbf58476d1ce4e5b9;\n"
	            "shr.u64 %q13, %q10, 27; xor.b64 %q10, %q10, %q13; mul.lo.u64 %q10, %q10, "
	            "0x94d049bb133111eb;\n"
	            "shr.u64 %q13, %q10, 31; xor.b64 %q10, %q10, %q13; add.u64 %q20, %q20, %q10;\n"
	            "add.u32 %r22, %r22, 64; add.u32 %r23, %r23, 1; setp.lt.u32 %p9, %r23, 1024;\n"
	            "@%p9 bra NEXT;\n"
	            "ld.param.u64 %q21, [out]; mad.wide.u32 %q21, %r20, 8, %q21;\n"
	            "red.global.add.u64 [%q21], %q20;\nret;\n}\n");
}

/* ---- operands ---- */

/* Positions and lengths mostly near the width, and within what the manual defines: 0..255 for bfe
 * and bfi, a lane for fns. */
static uint64_t in_range(const struct conform_form *f, const struct conform_operand *o, int at,
                         uint64_t x, unsigned v)
{
	bool amount = at > 0 && strcmp(o->type->name, "u32") == 0 && f->type[0] &&
	              strcmp(f->type[0]->name, "u32") != 0 && strncmp(f->op, "dp", 2) != 0;

	if (conform_is(f, "fns"))
		return at == 0 ? x : at == 1 ? x & 31 : (uint32_t)(x % 70 - 35);
	if ((conform_is(f, "bfe") && at >= 1) || (conform_is(f, "bfi") && at >= 2))
		return v % 3 ? x % 70 : x & 255;
	if ((amount || conform_is(f, "szext") || conform_is(f, "bmsk")) && v % 3)
		return x % 70;
	return x;
}

/* Operand `at` of vector v; prev: those before it, whole. The first half of the vectors holds
 * special values: all pairs of them where they suffice, else random ones. */
static uint64_t source(const struct conform_kernel *k, struct conform_random *r,
                       const struct conform_type *t, unsigned v, int at, const uint64_t *prev)
{
	unsigned specials = conform_specials(t);
	uint64_t x = 0;

	for (int h = 0; h < t->count; h++) {
		uint64_t before[3] = {0}, one;

		for (int j = 0; j < at && j < 3; j++)
			before[j] = t->count == 2 ? prev[j] >> t->width * h & 0xffff : prev[j];
		if (v < k->vectors / 2 && at < 2 && specials * specials <= k->vectors / 2)
			one = conform_special(t, h    ? v * 7 + (unsigned)at * 3
			                         : at ? v / specials
			                              : v % specials);
		else if (v < k->vectors / 2)
			one = conform_special(t, (unsigned)(conform_next(r) >> 32));
		else
			one = conform_value(r, t, at < 3 ? at : 2, before);
		x |= one << t->width * h;
	}
	return x;
}

void conform_alu_inputs(const struct conform_kernel *k, uint64_t *in)
{
	struct conform_operand o[CONFORM_OPERANDS];
	int n = conform_operands(&k->form, o);
	struct conform_random r = {.seed = k->form.seed};

	for (unsigned v = 0; v < k->vectors; v++, in += k->nin) {
		int at = 0;

		if (k->exhaustive) {
			in[0] = conform_next(&r) << 16 |
			        v; /* a wider register's upper part has no say */
			in[1] = 0;
			continue;
		}
		for (int i = 1; i < n; i++) {
			if (o[i].code == 'i')
				continue;
			in[at] = in_range(&k->form, &o[i], at, source(k, &r, o[i].type, v, at, in),
			                  v);
			if (o[i].code == 'x' && o[i].type->bits < 64)
				in[at] |= conform_next(&r) << o[i].type->bits;
			at++;
		}
		in[at] = v & 1; /* the carry */
	}
}

/* conform_memory.c - micro-kernels of ld, ldu, st, atom and red. Each thread has a slot of 32 bytes
 * in the space that the form names; it is filled from the first four words of the inputs, the
 * instruction acts on it, and the results are the slot afterwards and what was read. */
#include "calibrate/conform.h"

#include <string.h>

enum {
	SLOT = 32,
	OLD = 0,
	OPERAND = 4,
	SEEN = 4
}; /* bytes; first words of inputs and of results */

enum place {
	IN_GLOBAL,
	IN_INPUT, /* global memory that nobody writes: .nc, ldu */
	IN_SHARED,
	IN_LOCAL,
	IN_CONST,
	IN_PARAM,   /* of the kernel (ld) */
	IN_CALL,    /* of a call (st) */
	IN_GENERIC, /* global for even threads, shared for odd ones */
};

static enum place place_of(const struct conform_form *f)
{
	if (conform_has(f, "nc") || conform_is(f, "ldu"))
		return IN_INPUT;
	if (conform_has(f, "shared"))
		return IN_SHARED;
	if (conform_has(f, "local"))
		return IN_LOCAL;
	if (conform_has(f, "const"))
		return IN_CONST;
	if (conform_has(f, "param"))
		return conform_is(f, "st") ? IN_CALL : IN_PARAM;
	/* vectors of atom and red, and .mmio, are for global memory alone */
	if (conform_has(f, "global") || conform_has(f, "mmio") ||
	    (f->vec > 1 && !conform_is(f, "ld") && !conform_is(f, "st")))
		return IN_GLOBAL;
	return IN_GENERIC;
}

static int element_bytes(const struct conform_form *f)
{
	return f->type[0]->width * f->type[0]->count / 8;
}

/* Where in the slot the access lies: in half of the forms that leave room, in its second half. */
static int offset_of(const struct conform_form *f)
{
	return f->vec * element_bytes(f) <= SLOT / 2 && (f->seed >> 30 & 1) ? SLOT / 2 : 0;
}

/* Registers of ld and st may be wider than an integer type: half of those forms have them so. */
static int register_bits(const struct conform_form *f)
{
	const struct conform_type *t = f->type[0];
	bool plain = conform_is(f, "ld") || conform_is(f, "ldu") || conform_is(f, "st");

	if (!plain || !strchr("usb", t->kind) || (f->seed >> 33 & 1))
		return t->bits;
	return t->bits == 16 && (f->seed >> 34 & 1) ? 32 : 64;
}

static char letter(int bits)
{
	return bits == 16 ? 'h' : bits == 32 ? 'r' : 'q';
}

static void fill_slot(struct buf *b, enum place p)
{
	static const char *const declared[] = {
	        [IN_SHARED] = ".shared .align 16 .b8 sh[4096];\n",
	        [IN_GENERIC] = ".shared .align 16 .b8 sh[4096];\n",
	        [IN_LOCAL] = ".local .align 16 .b8 loc[32];\n",
	        [IN_CALL] = ".param .align 16 .b8 slot[32]; .param .align 16 .b8 back[32];\n",
	};
	static const char *const address[] = {
	        [IN_GLOBAL] = "mov.u64 %q29, %q31;\n",
	        [IN_INPUT] = "mov.u64 %q29, %q30;\n",
	        [IN_SHARED] = "mov.u64 %q29, sh; mad.wide.u32 %q29, %r31, 32, %q29;\n",
	        [IN_LOCAL] = "mov.u64 %q29, loc;\n",
	        [IN_CONST] = "mov.u64 %q29, table; and.b32 %r29, %r31, 3; mad.wide.u32 %q29, %r29, "
	                     "32, %q29;\n",
	        [IN_PARAM] = "",
	        [IN_CALL] = "",
	        [IN_GENERIC] = ("mov.u64 %q29, sh; cvta.shared.u64 %q29, %q29; mad.wide.u32 %q29, "
	                        "%r31, 32, %q29;\n"
	                        "and.b32 %r29, %r31, 1; setp.eq.u32 %p15, %r29, 0; @%p15 mov.u64 "
	                        "%q29, %q31;\n"),
	};
	static const char *const store[] = {
	        [IN_GLOBAL] = "st.global.u64",
	        [IN_SHARED] = "st.shared.u64",
	        [IN_LOCAL] = "st.local.u64",
	        [IN_GENERIC] = "st.u64",
	};

	if (p < ARRAY_LEN(declared) && declared[p])
		buf_puts(b, declared[p]);
	for (int i = 0; i < 4; i++)
		buf_printf(b, "ld.global.u64 %%q%d, [%%q30+%d];\n", 20 + i, 8 * i);
	buf_puts(b, address[p]);
	for (int i = 0; i < 4 && p < ARRAY_LEN(store) && store[p]; i++)
		buf_printf(b, "%s [%%q29+%d], %%q%d;\n", store[p], 8 * i, 20 + i);
}

static void registers(struct buf *b, char c, int first, int n)
{
	if (n == 1) {
		buf_printf(b, "%%%c%d", c, first);
		return;
	}
	for (int i = 0; i < n; i++)
		buf_printf(b, "%s%%%c%d", i ? "," : "{", c, first + i);
	buf_putc(b, '}');
}

/* Source registers 10…: the operands of the inputs. They are loaded at their width: where an
 * operand was the lower half of a 64-bit register, ptxas 13.0 took the upper half of an f16x2 from
 * the wrong word (docs/fidelity.md). */
static void load_sources(struct buf *b, const struct conform_form *f, int n)
{
	int bits = register_bits(f);

	for (int i = 0; i < n; i++)
		buf_printf(b, "ld.global.u%d %%%c%d, [%%q30+%d];\n", bits, letter(bits), 10 + i,
		           8 * (OPERAND + i));
}

/* The instruction; destination registers 0…, sources 10…. */
static void instruction(struct buf *b, const struct conform_form *f, enum place p)
{
	char c = letter(register_bits(f));
	const char *base = p == IN_PARAM ? "prm" : p == IN_CALL ? "slot" : "%q29";
	bool first = true;
	int source = 10;

	buf_printf(b, "%s ", f->text);
	for (const char *s = f->operands; *s && *s != '?'; s += strcspn(s, ","), s += *s == ',') {
		if (!first)
			buf_puts(b, ", ");
		first = false;
		if (*s == 'm') {
			buf_printf(b, "[%s+%d]", base, offset_of(f));
		} else if (*s == 'd' || *s == 'y') {
			registers(b, c, 0, f->vec);
		} else {
			registers(b, c, source, *s == 'x' ? f->vec : 1);
			source++;
		}
	}
	buf_puts(b, ";\n");
}

static int count_sources(const struct conform_form *f)
{
	int n = 0;

	for (const char *s = f->operands; *s && *s != '?'; s += strcspn(s, ","), s += *s == ',')
		n += *s == 'x' ? f->vec : *s == 'a' || *s == 'r';
	return n;
}

static void read_slot(struct buf *b, enum place p)
{
	static const char *const load[] = {
	        [IN_GLOBAL] = "ld.global.u64",
	        [IN_SHARED] = "ld.shared.u64",
	        [IN_LOCAL] = "ld.local.u64",
	        [IN_GENERIC] = "ld.u64",
	};

	for (int i = 0; i < 4; i++) {
		if (p < ARRAY_LEN(load) && load[p])
			buf_printf(b, "%s %%q%d, [%%q29+%d];\n", load[p], 20 + i, 8 * i);
		buf_printf(b, "st.global.u64 [%%q31+%d], %%q%d;\n", 8 * i, 20 + i);
	}
}

/* A parameter has the bytes that st.param gave it and no others: a function hands it back, and it
 * is read as it was written. */
static void pass_parameter(struct buf *b, const struct conform_form *f, unsigned number)
{
	int bits = f->type[0]->bits;

	buf_printf(b, "call (back), f%u, (slot);\nld.param%s.%s ", number,
	           f->vec > 1 ? f->vec == 2 ? ".v2" : ".v4" : "", f->type[0]->name);
	registers(b, letter(bits), 0, f->vec);
	buf_printf(b, ", [back+%d];\n", offset_of(f));
}

void conform_memory_functions(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	const struct conform_form *f = &k->form;
	const char *vec = f->vec > 1 ? f->vec == 2 ? ".v2" : ".v4" : "", *type = f->type[0]->name;
	char c = letter(f->type[0]->bits);

	if (place_of(f) != IN_CALL)
		return;
	buf_printf(b,
	           ".func (.param .align 16 .b8 back[32]) f%u(.param .align 16 .b8 slot[32])\n{\n"
	           ".reg .b16 %%h<4>; .reg .b32 %%r<4>; .reg .b64 %%q<4>;\nld.param%s.%s ",
	           number, vec, type);
	registers(b, c, 0, f->vec);
	buf_printf(b, ", [slot+%d];\nst.param%s.%s [back+%d], ", offset_of(f), vec, type,
	           offset_of(f));
	registers(b, c, 0, f->vec);
	buf_puts(b, ";\nret;\n}\n");
}

void conform_memory_body(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	const struct conform_form *f = &k->form;
	enum place p = place_of(f);
	bool reads = f->operands[0] == 'd' || f->operands[0] == 'y' || p == IN_CALL;
	int bits = p == IN_CALL ? f->type[0]->bits : register_bits(f), seen = reads ? f->vec : 0;

	load_sources(b, f, count_sources(f));
	fill_slot(b, p);
	instruction(b, f, p);
	if (p == IN_CALL)
		pass_parameter(b, f, number);
	for (int i = 0; i < seen && bits < 64; i++)
		buf_printf(b, "cvt.u64.u%d %%q%d, %%%c%d;\n", bits, i, letter(bits), i);
	read_slot(b, p);
	for (int i = 0; i < 8; i++) {
		if (i < seen)
			buf_printf(b, "st.global.u64 [%%q31+%d], %%q%d;\n", 8 * (SEEN + i), i);
		else
			buf_printf(b, "st.global.u64 [%%q31+%d], 0;\n", 8 * (SEEN + i));
	}
}

/* ---- operands ---- */

static uint64_t atomic_value(const struct conform_kernel *k, struct conform_random *r, unsigned v,
                             int pos, const uint64_t *prev)
{
	const struct conform_type *t = k->form.type[0];
	uint64_t x = 0;

	for (int h = 0; h < t->count; h++) {
		uint64_t before = *prev >> t->width * h & (t->width == 16 ? 0xffff : ~0ull);

		x |= (v < k->vectors / 4 ? conform_special(t, (unsigned)(conform_next(r) >> 32))
		                         : conform_value(r, t, pos, &before))
		     << t->width * h;
	}
	return x;
}

/* What memory holds and the operands of an atomic operation: numbers of its type, often equal for
 * cas. */
static void atomic_inputs(const struct conform_kernel *k, struct conform_random *r, unsigned v,
                          uint64_t *in)
{
	int bytes = element_bytes(&k->form);
	uint64_t zero = 0;

	for (int i = 0; i < k->form.vec; i++) {
		uint64_t old = atomic_value(k, r, v, 0, &zero);

		memcpy((uint8_t *)in + offset_of(&k->form) + i * bytes, &old, (size_t)bytes);
		in[OPERAND + i] = atomic_value(k, r, v, 1, &old);
		if (conform_has(&k->form, "cas")) {
			in[OPERAND + 1] = in[OPERAND];
			in[OPERAND] = v & 1 ? old : in[OPERAND];
		}
	}
}

void conform_memory_inputs(const struct conform_kernel *k, uint64_t *in)
{
	struct conform_random r = {.seed = k->form.seed};
	bool atomic = conform_is(&k->form, "atom") || conform_is(&k->form, "red");

	for (unsigned v = 0; v < k->vectors; v++, in += k->nin) {
		for (unsigned i = 0; i < k->nin; i++)
			in[i] = conform_next(&r);
		if (atomic)
			atomic_inputs(k, &r, v, in);
	}
}

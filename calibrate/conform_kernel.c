/* conform_kernel.c - the plan and the text of a form's micro-kernel: what the classes share. */
#include "calibrate/conform.h"

#include <string.h>

/* Vectors of a form by class: enough that all pairs of special values and as many random ones
 * occur, and few enough that the whole suite runs in the emulator within a minute. */
enum {
	VECTORS_FLOAT = 4096, /* arithmetic on floating-point numbers: 30 × 30 pairs of specials,
	                         and more */
	VECTORS_ALU = 1024,
	VECTORS_ATOMIC = 512,
	VECTORS_MEMORY = 128,
	VECTORS_ALL16 = 65536,
};

static bool is_float(const struct conform_type *t)
{
	return strchr("fgt45", t->kind) != NULL;
}

static void plan_alu(struct conform_kernel *k)
{
	struct conform_operand o[CONFORM_OPERANDS];
	int n = conform_operands(&k->form, o), sources = 0, narrow = 0, words = 0, floats = 0;

	for (int i = 1; i < n; i++) {
		if (o[i].code == 'i')
			continue;
		sources++;
		narrow += o[i].type->bits == 16;
		words += o[i].type->bits == 32;
		floats += is_float(o[i].type);
	}
	k->nin = (unsigned)sources + 1; /* and the carry */
	k->nout = 2;
	k->exhaustive = sources == 1 && narrow == 1;
	k->sweep = words == sources && (sources == 1 || conform_is(&k->form, "cvt"));
	k->vectors = k->exhaustive ? VECTORS_ALL16
	             : floats && !conform_is(&k->form, "set") && !conform_is(&k->form, "setp")
	                     ? VECTORS_FLOAT
	                     : VECTORS_ALU;
}

static void plan_memory(struct conform_kernel *k)
{
	bool atomic = conform_is(&k->form, "atom") || conform_is(&k->form, "red");

	k->nin = 12;  /* what memory holds first (4 words), operands */
	k->nout = 12; /* what it holds afterwards (4), what was read (8) */
	k->vectors = atomic ? VECTORS_ATOMIC : VECTORS_MEMORY;
}

bool conform_plan(struct conform_kernel *k, const struct ptx_form *form)
{
	memset(k, 0, sizeof *k);
	conform_form_read(&k->form, form);
	switch (k->form.cls) {
	case CLASS_ALU:
		plan_alu(k);
		return true;
	case CLASS_MEMORY:
		plan_memory(k);
		return true;
	case CLASS_FLOW:
	case CLASS_QUIET:
	case CLASS_END:
		k->nin = 4;
		k->nout = 4;
		k->vectors = 1024;
		return true;
	default:
		return false;
	}
}

void conform_head(struct buf *b)
{
	buf_puts(b, ".version 8.8\n.target sm_90\n.address_size 64\n"
	            ".const .align 16 .b8 table[128] = {");
	for (unsigned i = 0; i < 128; i++)
		buf_printf(b, "%s%u", i ? "," : "", (unsigned)(rand_u64(1, 1, i) & 255));
	buf_puts(b, "};\n");
}

void conform_text(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	if (k->form.cls == CLASS_FLOW)
		conform_flow_functions(b, k, number);
	if (k->form.cls == CLASS_MEMORY)
		conform_memory_functions(b, k, number);
	buf_printf(b,
	           ".visible .entry k%u(.param .u64 in, .param .u64 out, .param .align 16 .b8 "
	           "prm[64])\n{\n"
	           ".reg .b16 %%h<32>; .reg .b32 %%r<32>; .reg .b64 %%q<32>; .reg .pred %%p<16>;\n"
	           "mov.u32 %%r30, %%ctaid.x; mov.u32 %%r31, %%tid.x; mad.lo.u32 %%r30, %%r30, %d, "
	           "%%r31;\n"
	           "ld.param.u64 %%q30, [in]; mad.wide.u32 %%q30, %%r30, %u, %%q30;\n"
	           "ld.param.u64 %%q31, [out]; mad.wide.u32 %%q31, %%r30, %u, %%q31;\n",
	           number, CONFORM_BLOCK, 8 * k->nin, 8 * k->nout);
	switch (k->form.cls) {
	case CLASS_ALU:
		conform_alu_body(b, k);
		break;
	case CLASS_MEMORY:
		conform_memory_body(b, k, number);
		break;
	case CLASS_REWRITE:
		conform_rewrite_body(b, k);
		break;
	default:
		conform_flow_body(b, k, number);
		break;
	}
	buf_puts(b, "ret;\n}\n");
}

static void random_inputs(const struct conform_kernel *k, uint64_t *in)
{
	struct conform_random r = {.seed = k->form.seed};

	for (size_t i = 0; i < (size_t)k->vectors * k->nin; i++)
		in[i] = conform_next(&r);
}

void conform_inputs(const struct conform_kernel *k, uint64_t *in)
{
	switch (k->form.cls) {
	case CLASS_ALU:
		conform_alu_inputs(k, in);
		break;
	case CLASS_MEMORY:
		conform_memory_inputs(k, in);
		break;
	case CLASS_REWRITE:
		conform_rewrite_inputs(k, in);
		break;
	default:
		random_inputs(k, in);
		break;
	}
}

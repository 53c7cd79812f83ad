/* trace.c - an entry's text with a record of every value that its instructions define.
 *
 * Behind each instruction stands what stores its result: the thread's next record gets a stamp (a counter
 * that all threads share), the number of the definition and the value. A stamp is lower than those of all that
 * follows from the value, so that of two runs' records that differ the one with the lowest stamp is where they part.
 *
 * Values that another device may give otherwise with right are not recorded: addresses and what is computed
 * from them, clocks and the like. */
#include "ptx/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tracer {
	const struct ptx_module *m;
	const struct ir_func *f;
	struct ptx_trace *t;
	bool *unfit; /* by register: an address or the like */
	uint32_t records;
	int only;
};

/* ---- which registers hold addresses ---- */

static bool has_unfit(const struct tracer *t, const struct ir_opnd *o)
{
	bool any = o->kind == OPND_REG && t->unfit[o->reg];

	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		any |= has_unfit(t, &o->elem[k]);
	return any;
}

static bool mark(struct tracer *t, const struct ir_opnd *o)
{
	bool changed = false;

	if (o->kind == OPND_REG && !t->unfit[o->reg])
		changed = t->unfit[o->reg] = true;
	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		changed |= mark(t, &o->elem[k]);
	return changed;
}

static bool differs_by_device(enum ir_sreg s)
{
	switch (s) {
	case SR_WARPID: case SR_NWARPID: case SR_SMID: case SR_NSMID: case SR_GRIDID: case SR_CLOCK: case SR_CLOCK_HI:
	case SR_CLOCK64: case SR_GLOBALTIMER: case SR_GLOBALTIMER_LO: case SR_GLOBALTIMER_HI: return true;
	default: return false;
	}
}

static bool loads_address(const struct tracer *t, const struct ir_insn *i)
{
	const struct ir_var *v = ir_opnd_var(t->m, t->f, &i->src[0]);

	return (i->space == MOD_PARAM && v && v->is_ptr) || (i->space == MOD_LOCAL && ir_ty_bits(i->ty[0]) == 64);
}

/* Is the result of i an address, or computed from one? Floating point is not. */
static bool gives_address(const struct tracer *t, const struct ir_insn *i)
{
	bool any = i->op == OP_CVTA;

	if (i->op == OP_LD)
		return loads_address(t, i);
	if (i->op == OP_LDU || i->op == OP_ATOM || ir_ty_class(i->ty[0]) == CL_F)
		return false;
	for (int k = 0; k < i->nsrc; k++) {
		const struct ir_opnd *o = &i->src[k];

		any |= o->kind == OPND_VAR || o->kind == OPND_FUNC || has_unfit(t, o) ||
		       (o->kind == OPND_SREG && differs_by_device((enum ir_sreg)o->reg));
	}
	return any;
}

/* Loops hand addresses on from iteration to iteration: until nothing changes. */
static void find_addresses(struct tracer *t)
{
	bool changed;

	do {
		changed = false;
		for (int k = 0; k < t->f->ninsn; k++) {
			const struct ir_insn *i = &t->f->insn[k];

			if (!gives_address(t, i))
				continue;
			changed |= mark(t, &i->d);
			changed |= mark(t, &i->d2);
		}
	} while (changed);
}

/* ---- definitions ---- */

static void add_source(struct ptx_trace_def *d, const struct ir_opnd *o)
{
	if (o->kind == OPND_REG && d->nfrom < PTX_TRACE_FROM)
		d->from[d->nfrom++] = o->reg;
	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		add_source(d, &o->elem[k]);
}

/* The type the instruction gives its result, where it fits the register: CUDA's compilers keep floats in .b32. */
static enum ir_ty type_of(const struct ir_insn *i, const struct ir_reg *r)
{
	enum ir_ty t = (enum ir_ty)i->ty[0];

	return t != TY_NONE && ir_ty_bits(t) == r->bits ? t : r->ty;
}

static int add_def(struct tracer *t, const struct ir_insn *i, int reg)
{
	const struct ir_reg *r = &t->f->reg[reg];
	struct buf b = {0};
	struct ptx_trace_def *d;

	t->t->def = mem_realloc(t->t->def, ((size_t)t->t->ndefs + 1) * sizeof *d);
	d = &t->t->def[t->t->ndefs];
	*d = (struct ptx_trace_def){.line = i->line, .source_line = i->src_line, .bits = r->bits, .reg = reg};
	ir_print_insn(&b, t->m, t->f, i);
	snprintf(d->insn, sizeof d->insn, "%s", b.s);
	snprintf(d->reg_name, sizeof d->reg_name, "%s", r->name);
	snprintf(d->type, sizeof d->type, "%s", ir_ty_text(type_of(i, r)));
	if (i->file > 0 && i->file < t->m->nfile && t->m->file[i->file])
		snprintf(d->source, sizeof d->source, "%s", t->m->file[i->file]);
	for (int k = 0; k < i->nsrc; k++)
		add_source(d, &i->src[k]);
	buf_free(&b);
	return t->t->ndefs++;
}

/* The register's bits, zero-extended, in %gpuemu_v. */
static void print_value(const struct tracer *t, struct buf *b, int reg)
{
	const struct ir_reg *r = &t->f->reg[reg];
	char name[96];

	if (r->scope > 0)
		snprintf(name, sizeof name, "%s$s%d", r->name, r->scope);
	else
		snprintf(name, sizeof name, "%s", r->name);
	if (r->bits == 1)
		buf_printf(b, "\tselp.b64 %%gpuemu_v, 1, 0, %s;\n", name);
	else if (r->bits == 16)
		buf_printf(b, "\tmov.b16 %%gpuemu_w, %s;\n\tcvt.u64.u16 %%gpuemu_v, %%gpuemu_w;\n", name);
	else if (r->bits == 32)
		buf_printf(b, "\tmov.b32 %%gpuemu_b, %s;\n\tcvt.u64.u32 %%gpuemu_v, %%gpuemu_b;\n", name);
	else
		buf_printf(b, "\tmov.b64 %%gpuemu_v, %s;\n", name);
}

static void print_record(const struct tracer *t, struct buf *b, const struct ir_insn *i, int reg, int def)
{
	const struct ir_reg *g = i->guard >= 0 ? &t->f->reg[i->guard] : NULL;

	if (!g)
		buf_printf(b, "\tsetp.lt.u32 %%gpuemu_q, %%gpuemu_n, %u;\n", t->records);
	else if (g->scope > 0)
		buf_printf(b, "\tsetp.lt.and.u32 %%gpuemu_q, %%gpuemu_n, %u, %s%s$s%d;\n", t->records,
		           i->guard_neg ? "!" : "", g->name, g->scope);
	else
		buf_printf(b, "\tsetp.lt.and.u32 %%gpuemu_q, %%gpuemu_n, %u, %s%s;\n", t->records,
		           i->guard_neg ? "!" : "", g->name);
	print_value(t, b, reg);
	buf_printf(b, "\t@%%gpuemu_q atom.global.add.u32 %%gpuemu_a, [%%gpuemu_c], 1;\n"
	              "\t@%%gpuemu_q st.global.u32 [%%gpuemu_p], %%gpuemu_a;\n"
	              "\t@%%gpuemu_q st.global.u32 [%%gpuemu_p+4], %d;\n"
	              "\t@%%gpuemu_q st.global.u64 [%%gpuemu_p+8], %%gpuemu_v;\n"
	              "\t@%%gpuemu_q add.s64 %%gpuemu_p, %%gpuemu_p, 16;\n"
	              "\t@%%gpuemu_q add.s32 %%gpuemu_n, %%gpuemu_n, 1;\n"
	              "\t@%%gpuemu_q st.global.u32 [%%gpuemu_h], %%gpuemu_n;\n", def);
}

static bool overwrites_guard(const struct ir_insn *i)
{
	return i->guard >= 0 && ((i->d.kind == OPND_REG && i->d.reg == i->guard) ||
	                         (i->d2.kind == OPND_REG && i->d2.reg == i->guard));
}

/* A guard that the instruction itself overwrites is lost: its result is not recorded. */
static void define(struct tracer *t, struct buf *b, const struct ir_insn *i, const struct ir_opnd *o)
{
	int def;

	for (int k = 0; o->kind == OPND_VEC && k < o->n; k++)
		define(t, b, i, &o->elem[k]);
	if (o->kind != OPND_REG || t->unfit[o->reg] || t->f->reg[o->reg].bits > 64 ||
	    t->f->reg[o->reg].bits == 8 || overwrites_guard(i))
		return;
	def = add_def(t, i, o->reg);
	if (t->only < 0 || t->only == def)
		print_record(t, b, i, o->reg, def);
}

static void after_insn(void *ctx, struct buf *b, int k)
{
	struct tracer *t = ctx;
	const struct ir_insn *i = &t->f->insn[k];

	if (i->op == OP_ST || i->op == OP_CALL)
		return;
	define(t, b, i, &i->d);
	define(t, b, i, &i->d2);
}

/* Finds the thread's part of the buffer and sets its count to 0. */
static void begin(void *ctx, struct buf *b)
{
	static const char *const dims[] = {"y", "x"};
	struct tracer *t = ctx;

	buf_puts(b, "\t.reg .pred %gpuemu_q;\n\t.reg .b16 %gpuemu_w;\n"
	            "\t.reg .b32 %gpuemu_a, %gpuemu_b, %gpuemu_n, %gpuemu_m;\n"
	            "\t.reg .b64 %gpuemu_c, %gpuemu_h, %gpuemu_p, %gpuemu_v;\n"
	            "\tld.param.u64 %gpuemu_c, [gpuemu_trace];\n"
	            "\tcvta.to.global.u64 %gpuemu_c, %gpuemu_c;\n"
	            "\tmov.u32 %gpuemu_a, %ctaid.z;\n");
	for (size_t k = 0; k < 2; k++)
		buf_printf(b, "\tmov.u32 %%gpuemu_b, %%nctaid.%s;\n\tmov.u32 %%gpuemu_m, %%ctaid.%s;\n"
		              "\tmad.lo.u32 %%gpuemu_a, %%gpuemu_a, %%gpuemu_b, %%gpuemu_m;\n", dims[k], dims[k]);
	buf_puts(b, "\tmov.u32 %gpuemu_b, %ntid.z;\n\tmov.u32 %gpuemu_m, %tid.z;\n"
	            "\tmad.lo.u32 %gpuemu_a, %gpuemu_a, %gpuemu_b, %gpuemu_m;\n");
	for (size_t k = 0; k < 2; k++)
		buf_printf(b, "\tmov.u32 %%gpuemu_b, %%ntid.%s;\n\tmov.u32 %%gpuemu_m, %%tid.%s;\n"
		              "\tmad.lo.u32 %%gpuemu_a, %%gpuemu_a, %%gpuemu_b, %%gpuemu_m;\n", dims[k], dims[k]);
	buf_printf(b, "\tmov.u32 %%gpuemu_n, 0;\n"
	              "\tmul.wide.u32 %%gpuemu_h, %%gpuemu_a, %u;\n"
	              "\tadd.s64 %%gpuemu_h, %%gpuemu_h, %%gpuemu_c;\n"
	              "\tadd.s64 %%gpuemu_h, %%gpuemu_h, 16;\n"
	              "\tadd.s64 %%gpuemu_p, %%gpuemu_h, 16;\n"
	              "\tst.global.u32 [%%gpuemu_h], %%gpuemu_n;\n", (t->records + 1) * 16);
}

/* ---- public ---- */

enum st ptx_trace_make(const struct ptx_module *m, const char *entry, uint32_t records, int only,
                       struct ptx_trace **out, struct err *e)
{
	struct tracer t = {.m = m, .f = ir_find_func(m, entry), .records = records, .only = only};
	struct ir_print_hooks hooks = {t.f, ".param .u64 gpuemu_trace", begin, after_insn, &t};
	struct buf b = {0};

	if (!t.f || !t.f->entry || !t.f->defined)
		return FAIL(e, INPUT, "%s has no entry '%s'", m->name, entry);
	if (records == 0 || records > PTX_TRACE_RECORDS)
		return FAIL(e, INPUT, "%u records a thread: 1 to %d can be kept", records, PTX_TRACE_RECORDS);
	t.t = mem_zalloc(1, sizeof *t.t);
	t.unfit = mem_zalloc((size_t)t.f->nreg + 1, sizeof *t.unfit);
	find_addresses(&t);
	ir_print_with(&b, m, &hooks);
	free(t.unfit);
	t.t->text = b.s;
	*out = t.t;
	return ST_OK;
}

void ptx_trace_free(struct ptx_trace *t)
{
	if (!t)
		return;
	free(t->text);
	free(t->def);
	free(t);
}

size_t ptx_trace_bytes(uint64_t threads, uint32_t records)
{
	return 16 + (size_t)threads * ((size_t)records + 1) * 16;
}

const struct ptx_trace_record *ptx_trace_records(const uint8_t *buffer, uint64_t thread, uint32_t records,
                                                 uint32_t *n)
{
	const uint8_t *at = buffer + ptx_trace_bytes(thread, records);

	memcpy(n, at, sizeof *n);
	*n = *n < records ? *n : records;
	return (const struct ptx_trace_record *)(at + 16);
}

/* rules_memory.c - rules about memory, parameters and resources. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

static const char *param_name(const struct lint_fn *f, int p)
{
	return p >= 0 && p < f->f->nparam ? f->f->param[p].name : "?";
}

/* ---- ld.global.nc ---- */

void rule_nc_load(struct lint_fn *f)
{
	const struct ir_insn **writer = mem_zalloc((size_t)f->f->nparam + 1, sizeof *writer); /* by parameter: the first */

	for (int k = f->f->ninsn - 1; k >= 0; k--) {
		const struct ir_insn *w = &f->f->insn[k];
		int to = w->op == OP_ST || w->op == OP_ATOM || w->op == OP_RED ? origin_of(f, &w->src[0]) : FROM_NOTHING;

		if (to >= 0)
			writer[to] = w;
	}
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		int from = i->op == OP_LD && (i->flags & FL_NC) ? origin_of(f, &i->src[0]) : FROM_NOTHING;

		if (from >= 0 && writer[from])
			lint_add(f, "nc-load-of-written", LINT_ERROR, LINT_PROVED, i,
			         "reads %s by ld.global.nc, which may give old data, and PTX line %d writes it", param_name(f, from),
			         writer[from]->line);
	}
	free(writer);
}

/* ---- alignment of vectors: powers of two that divide an address's distance from the pointer it is made from ---- */

#define ALIGNED 256 /* what allocators give */

static uint32_t low_bit(uint64_t v)
{
	return v == 0 || (v & (ALIGNED - 1)) == 0 ? ALIGNED : (uint32_t)(v & -v);
}

static uint32_t opnd_divisor(const uint32_t *div, const struct ir_opnd *o)
{
	return o->kind == OPND_IMM ? low_bit(o->imm) : o->kind == OPND_REG ? div[o->reg] : o->kind == OPND_VAR ? 16 : 1;
}

static uint32_t min_u(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t times(uint32_t a, uint32_t b)
{
	return a >= ALIGNED / b ? ALIGNED : a * b;
}

static bool loads_pointer(const struct lint_fn *f, const struct ir_insn *i)
{
	int p = i->src[0].var - IR_LOCAL_VAR;

	return i->space == MOD_PARAM && p >= 0 && p < f->f->nparam && f->f->param[p].pointer;
}

/* kind: what is taken of parameters that are no pointers, and of data in memory: that they are multiples of enough. */
static uint32_t result_divisor(const struct lint_fn *f, const uint32_t *div, const struct ir_insn *i, bool kind)
{
	uint32_t a = i->nsrc > 0 ? opnd_divisor(div, &i->src[0]) : 1, b = i->nsrc > 1 ? opnd_divisor(div, &i->src[1]) : 1;

	switch (i->op) {
	case OP_LD: return kind || loads_pointer(f, i) ? ALIGNED : 1;
	case OP_MOV: case OP_CVTA: case OP_CVT: return i->src[0].kind == OPND_SREG ? 1 : a;
	case OP_ADD: case OP_SUB: case OP_OR: return min_u(a, b);
	case OP_SELP: return min_u(a, b);
	case OP_MUL: return i->sub == MOD_HI ? 1 : times(a, b);
	case OP_MAD: return i->sub == MOD_HI ? 1 : min_u(times(a, b), opnd_divisor(div, &i->src[2]));
	case OP_SHL: return i->src[1].kind == OPND_IMM && i->src[1].imm < 9 ? times(a, 1u << i->src[1].imm) :
	                    i->src[1].kind == OPND_IMM ? ALIGNED : a;
	case OP_AND: return i->src[1].kind == OPND_IMM && low_bit(i->src[1].imm) > a ? low_bit(i->src[1].imm) : a;
	default: return 1;
	}
}

struct lowering {
	uint32_t *div, value;
	bool changed;
};

static void lower_divisor(void *ctx, int reg)
{
	struct lowering *l = ctx;

	if (l->value < l->div[reg]) {
		l->div[reg] = l->value;
		l->changed = true;
	}
}

/* Does some condition on the way here test the low bits of something? Then the author has thought of alignment. */
static bool tested(const struct lint_fn *f)
{
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];

		if (i->op == OP_AND && i->src[1].kind == OPND_IMM && (i->src[1].imm == 1 || i->src[1].imm == 3 || i->src[1].imm == 7 || i->src[1].imm == 15))
			return true;
		if (i->op == OP_REM)
			return true;
	}
	return false;
}

static uint32_t *divisors(const struct lint_fn *f, bool kind)
{
	struct lowering l = {arena_alloc(f->a, sizeof(uint32_t) * ((size_t)f->f->nreg + 1)), 0, true};

	for (int r = 0; r < f->f->nreg; r++)
		l.div[r] = ALIGNED;
	while (l.changed && (*f->fuel -= f->f->ninsn) > 0) {
		l.changed = false;
		for (int k = 0; k < f->f->ninsn; k++) {
			l.value = result_divisor(f, l.div, &f->f->insn[k], kind);
			insn_writes(&f->f->insn[k], lower_divisor, &l);
		}
	}
	return l.div;
}

void rule_vector_alignment(struct lint_fn *f)
{
	uint32_t *div = divisors(f, false), *kind = divisors(f, true);
	bool guarded = tested(f);

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		uint32_t bytes = (uint32_t)ir_ty_bytes(i->ty[0]) * i->vec, have;
		const struct ir_insn *d;

		if ((i->op != OP_LD && i->op != OP_ST) || i->vec < 2 || i->space != MOD_GLOBAL || i->src[0].reg < 0)
			continue;
		have = min_u(div[i->src[0].reg], low_bit((uint64_t)i->src[0].off));
		if (have >= bytes)
			continue;
		d = defs_only(f, i->src[0].reg);
		for (int copies = 0; d && copies < 64 && (d->op == OP_CVTA || d->op == OP_MOV) && d->src[0].kind == OPND_REG; copies++)
			d = defs_only(f, d->src[0].reg);
		if (d && d->op == OP_LD && d->space == MOD_PARAM)
			lint_add(f, "misaligned-vector", LINT_ERROR, LINT_PROVED, i,
			         "an access of %u bytes at %" PRId64 " bytes from a parameter: never aligned if the pointer is", bytes,
			         i->src[0].off);
		else if (!guarded && f->report->launches == 0 && min_u(kind[i->src[0].reg], low_bit((uint64_t)i->src[0].off)) >= bytes)
			lint_add(f, "misaligned-vector", LINT_NOTE, LINT_POSSIBLE, i,
			         "an access of %u bytes at an address that is a multiple of %u alone where a size, a stride or an index from memory is "
			         "odd, and no condition tests it", bytes, have);
		else if (!guarded && f->report->launches == 0)
			lint_add(f, "misaligned-vector", LINT_WARNING, LINT_POSSIBLE, i,
			         "an access of %u bytes at an address that is a multiple of %u alone, and no condition tests it", bytes,
			         have);
	}
}

/* ---- parameters ---- */

/* By parameter: is it read? Caller frees. */
static char *parameters_read(const struct lint_fn *f)
{
	char *read = mem_zalloc((size_t)f->f->nparam + 1, 1);

	for (int k = 0; k < f->f->ninsn; k++)
		for (int s = 0; s < f->f->insn[k].nsrc; s++) {
			int p = f->f->insn[k].src[s].var - IR_LOCAL_VAR - f->f->nret;

			if (p >= 0 && p < f->f->nparam)
				read[p] = 1;
		}
	return read;
}

/* The parameters of the launch that goes to this entry, as the manifest has them; NULL: none. */
static const cJSON *manifest_params(const struct lint_fn *f)
{
	enum dtype types[OP_MAX_TYPES];

	for (int d = 0; f->kernel && d < kernel_dtypes(f->kernel, -1, types); d++)
		for (int l = 0; l < kernel_launches(f->kernel); l++)
			if (strcmp(kernel_entry(f->kernel, d, l), f->f->name) == 0)
				return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(kernel_manifest(f->kernel, "launches"), l), "params");
	return NULL;
}

static const char *param_expr(const cJSON *params, int p)
{
	const cJSON *j = cJSON_GetArrayItem(params, p);

	return j && cJSON_IsString(j->child) ? j->child->valuestring : "";
}

/* Does the manifest let the tensor's strides differ from those of a dense one? */
static bool strides_vary(const struct lint_fn *f, const char *tensor)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, cJSON_GetObjectItemCaseSensitive(kernel_manifest(f->kernel, "layouts"), tensor))
		if (cJSON_IsString(j) && strcmp(j->valuestring, "contiguous") != 0 && strcmp(j->valuestring, "offset") != 0)
			return true;
	return false;
}

/* Parameter p is a stride of a tensor that the entry uses and whose rows need not be dense, and no other parameter that is read tells it. */
static bool stride_ignored(const struct lint_fn *f, const cJSON *params, const char *read, int p)
{
	const char *expr = param_expr(params, p);
	bool used = false;
	char tensor[64];
	int dim;

	if (sscanf(expr, "stride(%63[A-Za-z0-9_],%d)", tensor, &dim) != 2 || !strides_vary(f, tensor))
		return false;
	for (int q = 0; q < f->f->nparam; q++) {
		const cJSON *t = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(params, q), "tensor");

		if (!read[q])
			continue;
		if (strcmp(param_expr(params, q), expr) == 0)
			return false;
		used |= cJSON_IsString(t) && strcmp(t->valuestring, tensor) == 0;
	}
	return used;
}

void rule_unused_parameter(struct lint_fn *f)
{
	const cJSON *params = manifest_params(f);
	char *read = parameters_read(f);

	for (int p = 0; p < f->f->nparam; p++)
		if (read[p])
			continue;
		else if (stride_ignored(f, params, read, p))
			lint_add(f, "unused-parameter", LINT_WARNING, LINT_PROVED, NULL,
			         "parameter %d, %s, is never read, though the manifest's layouts let it vary: rows are taken to be dense", p,
			         param_expr(params, p));
		else
			lint_add(f, "unused-parameter", LINT_NOTE, LINT_PROVED, NULL,
			         "parameter %d (%s) is never read: a size or stride that has no effect?", p, param_name(f, p));
	free(read);
}

/* ---- local memory, limits ---- */

void rule_local_memory(struct lint_fn *f)
{
	int n = 0;
	const struct ir_insn *first = NULL;

	for (int k = 0; k < f->f->ninsn; k++)
		if ((f->f->insn[k].op == OP_LD || f->f->insn[k].op == OP_ST) && f->f->insn[k].space == MOD_LOCAL) {
			first = first ? first : &f->f->insn[k];
			n++;
		}
	if (f->f->local_bytes > 0)
		lint_add(f, "local-memory", LINT_NOTE, LINT_PROVED, first,
		         "%" PRIu64 " bytes of local memory a thread, %d accesses to it: an array indexed by a variable, or the slow "
		         "path of sinf, cosf or powf", f->f->local_bytes, n);
}

void rule_resources(struct lint_fn *f)
{
	uint64_t shared = 0, threads = 1;

	for (int v = 0; v < f->f->nvar; v++)
		shared += f->f->var[v].space == MOD_SHARED ? f->f->var[v].bytes : 0;
	if (shared > 49152)
		lint_add(f, "resource-limit", LINT_ERROR, LINT_PROVED, NULL,
		         "%" PRIu64 " bytes of static shared memory; a block has 49152 (more only as dynamic shared memory)", shared);
	for (int i = 0; i < 3; i++)
		threads *= f->f->reqntid[i] ? f->f->reqntid[i] : 1;
	if (threads > 1024)
		lint_add(f, "resource-limit", LINT_ERROR, LINT_PROVED, NULL, "a block of %" PRIu64 " threads (.reqntid); 1024 are the most",
		         threads);
}

/* ---- atomics on floats ---- */

static bool float_bits(const struct lint_fn *f, const struct ir_opnd *o)
{
	const struct ir_insn *d = o->kind == OPND_REG ? defs_only(f, o->reg) : NULL;

	return d && d->op == OP_MOV && d->src[0].kind == OPND_REG && ir_ty_class(f->f->reg[d->src[0].reg].ty) == CL_F;
}

/* The signed maximum (minimum) of floats' bits is right for those that are not negative, the unsigned minimum (maximum) for the others. */
static bool has_partner(const struct lint_fn *f, const struct ir_insn *i)
{
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *o = &f->f->insn[k];

		if ((o->op == OP_ATOM || o->op == OP_RED) && o->sub == (i->sub == MOD_MAX ? MOD_MIN : MOD_MAX) && float_bits(f, &o->src[1]) &&
		    ir_ty_class(o->ty[0]) == (ir_ty_class(i->ty[0]) == CL_S ? CL_U : CL_S))
			return true;
	}
	return false;
}

/* known: of maxima and minima, signed and not; -1: not asked yet. */
static bool partner_of(const struct lint_fn *f, const struct ir_insn *i, int known[4])
{
	int *p = &known[2 * (i->sub == MOD_MAX) + (ir_ty_class(i->ty[0]) == CL_S)];

	if (*p < 0)
		*p = has_partner(f, i);
	return *p;
}

void rule_float_atomic(struct lint_fn *f)
{
	int partners[4] = {-1, -1, -1, -1};

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];

		if (i->op != OP_ATOM && i->op != OP_RED)
			continue;
		if (i->sub == MOD_ADD && ir_ty_class(i->ty[0]) == CL_F)
			lint_add(f, "float-atomic", LINT_NOTE, LINT_PROVED, i,
			         "floating-point sums by atomics: the order, and so the last bits, change from run to run");
		if ((i->sub == MOD_MAX || i->sub == MOD_MIN) && ir_ty_class(i->ty[0]) != CL_F && float_bits(f, &i->src[1]) &&
		    !partner_of(f, i, partners))
			lint_add(f, "float-atomic", LINT_WARNING, LINT_PROVED, i,
			         "an integer %s of the bits of floats: wrong for negative values as signed or unsigned alone, and for NaN",
			         i->sub == MOD_MAX ? "maximum" : "minimum");
	}
}

/* rules_float.c - rules about arithmetic, held against the operator's contract where a manifest names one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

#include <math.h> /* behind ir.h, which has names like NAN in its tables */

static bool is_16bit_float(enum ir_ty t)
{
	return ir_ty_class(t) == CL_F && (ir_ty_bits(t) == 16 || strstr(ir_ty_text(t), "16x2"));
}

static double f32_value(uint64_t bits)
{
	return dtype_decode(DT_F32, bits & 0xffffffff);
}

/* ---- accumulators of 16 bits ---- */

static bool adds(const struct ir_insn *i)
{
	return (i->op == OP_ADD || i->op == OP_FMA) && is_16bit_float(i->ty[0]);
}

struct values {
	int32_t *v; /* to be looked at */
	int n, cap;
	char *seen; /* instructions */
	char *seen_phi;
	int nphi;
};

static void add_value(struct values *l, int32_t v)
{
	char *seen = v >= 0 ? &l->seen[v] : NULL;

	if (SSA_IS_PHI(v) && SSA_PHI(v) >= l->nphi) {
		int n = 2 * SSA_PHI(v) + 64;

		l->seen_phi = mem_realloc(l->seen_phi, (size_t)n);
		memset(l->seen_phi + l->nphi, 0, (size_t)(n - l->nphi));
		l->nphi = n;
	}
	seen = SSA_IS_PHI(v) ? &l->seen_phi[SSA_PHI(v)] : seen;
	if (!seen || *seen)
		return;
	*seen = 1;
	if (l->n == l->cap)
		l->v = mem_realloc(l->v, sizeof *l->v * (size_t)(l->cap = 2 * l->cap + 64));
	l->v[l->n++] = v;
}

static void add_operands(struct lint_fn *f, struct values *l, const struct ir_insn *i)
{
	for (int k = 0; k < i->nsrc; k++)
		if (i->src[k].kind == OPND_REG)
			add_value(l, ssa_value(f, i, i->src[k].reg));
}

/* Is the result of `from` an operand of itself, by way of additions, copies and choices in the same loop? By values: one register may hold several. */
static bool feeds_itself(struct lint_fn *f, const struct ir_insn *from)
{
	struct values l = {.seen = mem_zalloc((size_t)f->f->ninsn + 1, 1)};
	bool found = false;

	*f->fuel -= f->f->ninsn / 32;
	add_operands(f, &l, from);
	while (l.n > 0 && !found && (*f->fuel)-- > 0) {
		int32_t v = l.v[--l.n];
		const struct ssa_phi *phi = ssa_phi(f, v);
		const struct ir_insn *i = v >= 0 ? &f->f->insn[v] : NULL;

		found = i == from;
		for (int p = 0; phi && phi->from && p < f->pred[phi->block].n; p++)
			add_value(&l, phi->from[p]);
		if (i && (adds(i) || i->op == OP_MOV || i->op == OP_SELP) && f->loop[f->block_of[v]] >= 0)
			add_operands(f, &l, i);
	}
	free(l.v);
	free(l.seen);
	free(l.seen_phi);
	return found;
}

static bool declares_low(const struct lint_fn *f)
{
	const cJSON *n = f->kernel ? kernel_manifest(f->kernel, "numerics") : NULL;
	const cJSON *j;

	cJSON_ArrayForEach(j, n)
		if (cJSON_IsString(j) && strcmp(j->string, "chain") != 0 &&
		    (strcmp(j->valuestring, "f16") == 0 || strcmp(j->valuestring, "bf16") == 0))
			return true;
	return false;
}

void rule_low_accumulator(struct lint_fn *f)
{
	for (int k = 0; k < f->f->ninsn && *f->fuel > 0; k++) {
		const struct ir_insn *i = &f->f->insn[k];

		if (!adds(i) || f->loop[f->block_of[k]] < 0 || !feeds_itself(f, i))
			continue;
		lint_add(f, "low-accumulator", declares_low(f) ? LINT_NOTE : LINT_WARNING, LINT_PROVED, i,
		         "a sum over a loop is kept in %s: %s", ir_ty_text(i->ty[0]),
		         strstr(ir_ty_text(i->ty[0]), "bf") ? "8 bits of precision" : "11 bits of precision, infinite beyond 65504");
		break;
	}
}

/* ---- tf32, f64, approximations ---- */

static bool f32_contract(const struct lint_fn *f)
{
	const cJSON *n = f->kernel ? kernel_manifest(f->kernel, "numerics") : NULL;
	const cJSON *acc = cJSON_GetObjectItemCaseSensitive(n, "acc"), *j;

	cJSON_ArrayForEach(j, n)
		if (cJSON_IsString(j) && strcmp(j->valuestring, "tf32") == 0)
			return false;
	return f->kernel && (!acc || (cJSON_IsString(acc) && strcmp(acc->valuestring, "f32") == 0));
}

void rule_tf32(struct lint_fn *f)
{
	char text[120];

	for (int k = 0; k < f->f->ninsn; k++) {
		insn_text(f, &f->f->insn[k], text, sizeof text);
		if (!strstr(text, ".tf32"))
			continue;
		lint_add(f, "tf32", f32_contract(f) ? LINT_WARNING : LINT_NOTE, LINT_PROVED, &f->f->insn[k],
		         "%.60s keeps 11 bits of its operands%s", text, f32_contract(f) ? "; the manifest declares f32" : "");
		return;
	}
}

static bool is_f64(enum ir_ty t)
{
	return ir_ty_class(t) == CL_F && ir_ty_bits(t) == 64;
}

void rule_f64(struct lint_fn *f)
{
	int n = 0;
	const struct ir_insn *first = NULL;

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];

		if ((i->op == OP_LD || i->op == OP_ST || i->op == OP_ATOM || i->op == OP_RED) && is_f64(i->ty[0]))
			return; /* it works on doubles */
		if ((i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_DIV || i->op == OP_SQRT ||
		     i->op == OP_RCP) && is_f64(i->ty[0])) {
			first = first ? first : i;
			n++;
		}
	}
	if (n)
		lint_add(f, "f64-arithmetic", LINT_NOTE, LINT_PROVED, first,
		         "%d f64 instructions, and no f64 in memory: a constant without f, or pow?", n);
}

struct tally {
	char name[48];
	int n;
	const struct ir_insn *first;
};

static void count(struct tally *t, int *n, int max, const char *name, const struct ir_insn *i)
{
	int k = 0;

	while (k < *n && strcmp(t[k].name, name) != 0)
		k++;
	if (k == max)
		return;
	if (k == *n)
		snprintf(t[(*n)++].name, sizeof t[k].name, "%s", name);
	t[k].first = t[k].first ? t[k].first : i;
	t[k].n++;
}

/* Is ftz declared? ex2.approx.ftz is part of CUDA's exact-argument expf and does not count. */
static bool declares_ftz(const struct lint_fn *f)
{
	const cJSON *n = f->kernel ? kernel_manifest(f->kernel, "numerics") : NULL;

	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(n, "ftz"));
}

void rule_approx(struct lint_fn *f)
{
	struct tally t[24] = {{{0}, 0, NULL}};
	int n = 0;
	struct buf b = {0};
	const struct ir_insn *ftz = NULL;

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		char text[48];

		if (ir_ty_class(i->ty[0]) != CL_F)
			continue;
		insn_text(f, i, text, sizeof text);
		if (i->flags & (FL_APPROX | FL_FULL))
			count(t, &n, (int)ARRAY_LEN(t), text, i);
		if ((i->flags & FL_FTZ) && (i->op == OP_ADD || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_SUB || i->op == OP_DIV))
			ftz = ftz ? ftz : i;
	}
	for (int k = 0; k < n; k++)
		buf_printf(&b, "%s%s %d", k ? ", " : "", t[k].name, t[k].n);
	if (n)
		lint_add(f, "approximations", LINT_NOTE, LINT_PROVED, t[0].first, "approximate instructions: %s", b.s);
	for (int k = 0; k < n; k++)
		if (strncmp(t[k].name, "sin.", 4) == 0 || strncmp(t[k].name, "cos.", 4) == 0)
			lint_add(f, "fast-trigonometry", LINT_WARNING, LINT_PROVED, t[k].first,
			         "%s has an absolute error of 2^-20.5 within ±pi alone, and none that is bounded beyond", t[k].name);
	if (ftz && f->kernel && !declares_ftz(f))
		lint_add(f, "undeclared-ftz", LINT_WARNING, LINT_PROVED, ftz,
		         "flushes subnormals to zero, and the manifest's numerics say \"ftz\": false");
	buf_free(&b);
}

/* ---- finite sentinels ---- */

#define SENTINEL -1e4 /* logits beyond it occur (docs/facts/bug-classes.md: -1e4, -5e4, -1e9, -FLT_MAX) */

static bool is_sentinel(const struct ir_opnd *o)
{
	return o->kind == OPND_IMM && isfinite(f32_value(o->imm)) && f32_value(o->imm) <= SENTINEL;
}

static bool chooses(const struct ir_insn *i)
{
	return (i->op == OP_MOV || i->op == OP_MAX || i->op == OP_MIN || i->op == OP_SELP || i->op == OP_SHFL) &&
	       ir_ty_bits(i->ty[0]) == 32;
}

struct to_ex2 {
	const struct walk *w;
	char *difference; /* registers that a subtraction led to */
};

/* Copies and choices up to a subtraction, arithmetic from there on. */
static enum walk_step leads_to_ex2(void *ctx, const struct ir_insn *i, int reg)
{
	const struct to_ex2 *c = ctx;
	bool sum = (i->op == OP_SUB || i->op == OP_FMA || i->op == OP_ADD || i->op == OP_NEG) && ir_ty_class(i->ty[0]) == CL_F;

	if (i->op == OP_EX2 && c->difference[reg])
		return WALK_FOUND;
	if (i->d.kind != OPND_REG || c->w->seen[i->d.reg] ||
	    !(chooses(i) || sum || (c->difference[reg] && (i->op == OP_MUL || i->op == OP_CVT))))
		return WALK_PAST;
	c->difference[i->d.reg] = (char)(c->difference[reg] || (sum && i->op != OP_NEG));
	return WALK_ON;
}

static bool reaches_ex2(struct walk *w, char *difference, const struct ir_insn *from)
{
	struct to_ex2 c = {w, difference};

	memset(difference, 0, (size_t)w->f->f->nreg + 1);
	return walk_uses(w, from, leads_to_ex2, &c);
}

void rule_sentinel(struct lint_fn *f)
{
	struct walk w = walk_new(f);
	char *difference = mem_zalloc((size_t)f->f->nreg + 1, 1);
	uint64_t told = 0;

	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		const struct ir_opnd *s = is_sentinel(&i->src[0]) ? &i->src[0] : i->nsrc > 1 && is_sentinel(&i->src[1]) ? &i->src[1] : NULL;

		if (!s || !chooses(i) || i->op == OP_SHFL || i->d.kind != OPND_REG || ir_ty_class(i->ty[0]) != CL_F || !reaches_ex2(&w, difference, i))
			continue;
		/* a constant that only the range reduction of exp adds is not chosen among values */
		if (i->op == OP_MOV && f->defs[i->d.reg].n == 1) {
			bool chosen = false;

			for (int u = 0; u < f->uses[i->d.reg].n; u++)
				chosen |= chooses(&f->f->insn[f->uses[i->d.reg].v[u]]);
			if (!chosen)
				continue;
		}
		if (s->imm == told)
			continue; /* unrolled, it stands there again and again */
		told = s->imm;
		lint_add(f, "finite-sentinel", LINT_WARNING, LINT_POSSIBLE, i,
		         "%.9g stands for minus infinity before an exponential: rows whose values lie below it come out wrong",
		         f32_value(s->imm));
	}
	walk_free(&w);
	free(difference);
}

/* ---- min, max and NaN ---- */

static bool drops_nan(const struct ir_insn *i)
{
	return (i->op == OP_MIN || i->op == OP_MAX) && ir_ty_class(i->ty[0]) == CL_F && !(i->flags & FL_NAN);
}

struct marking {
	const struct ir_insn *first;
	bool through; /* minima that drop NaN */
	char *loads;
};

static enum walk_step mark(void *ctx, const struct ir_insn *i, int reg)
{
	const struct marking *m = ctx;

	(void)reg;
	if (i->op == OP_LD) {
		m->loads[i - m->first] = 1;
		return WALK_PAST;
	}
	return m->through || !drops_nan(i) ? WALK_ON : WALK_PAST;
}

/* The loads that a value depends on; with `through`: also by way of minima that drop NaN. */
static void mark_loads(struct walk *w, int reg, bool through, char *loads)
{
	struct marking m = {w->f->f->insn, through, loads};

	walk_defs(w, reg, mark, &m);
}

/* Does the entry load from where a store goes to? */
static bool may_be_read(const struct lint_fn *f, const struct ir_insn *st)
{
	int to = st->space == MOD_GLOBAL ? origin_of(f, &st->src[0]) : FROM_MANY;

	for (int k = 0; to >= 0 && k < f->f->ninsn; k++)
		if (f->f->insn[k].op == OP_LD && f->f->insn[k].space == MOD_GLOBAL && origin_of(f, &f->f->insn[k].src[0]) == to)
			return true;
	return to < 0;
}

static enum walk_step leaves(void *ctx, const struct ir_insn *i, int reg)
{
	const struct lint_fn *f = ctx;

	(void)reg;
	if ((i->op == OP_ST && may_be_read(f, i)) || i->op == OP_SHFL || i->op == OP_CALL || i->op == OP_LATER)
		return WALK_FOUND;
	return drops_nan(i) ? WALK_PAST : WALK_ON;
}

/* Does what instruction `load` reads also go to shared memory or to other lanes, unchanged by such a minimum? Then it may come
 * back from there. */
static bool goes_elsewhere(struct walk *w, int load)
{
	return walk_uses(w, &w->f->f->insn[load], leaves, (void *)(uintptr_t)w->f);
}

/* Is instruction l's tensor read by a load that is kept? (Softmax reads x for its maximum, then again.) */
static bool tensor_kept(const struct lint_fn *f, int l, const char *kept)
{
	int from = origin_of(f, &f->f->insn[l].src[0]);

	for (int k = 0; k < f->f->ninsn; k++)
		if (kept[k] && (k == l || origin_of(f, &f->f->insn[k].src[0]) == from))
			return true;
	return false;
}

static bool contract_propagates(const struct lint_fn *f)
{
	const char *text = f->kernel ? op_builtin_text(op_schema(kernel_op(f->kernel))->name) : NULL;

	return text && strstr(text, "nan propagate");
}

void rule_min_max_nan(struct lint_fn *f)
{
	struct walk w = walk_new(f);
	char *all = mem_zalloc((size_t)f->f->ninsn + 1, 1), *kept = mem_zalloc((size_t)f->f->ninsn + 1, 1);
	bool any = false;

	for (int k = 0; k < f->f->ninsn && !any; k++)
		any = drops_nan(&f->f->insn[k]);
	for (int k = 0; any && k < f->f->ninsn; k++) {
		const struct ir_insn *st = &f->f->insn[k];

		if (st->op != OP_ST || st->space != MOD_GLOBAL || st->src[1].kind != OPND_REG || !contract_propagates(f))
			continue;
		memset(all, 0, (size_t)f->f->ninsn);
		memset(kept, 0, (size_t)f->f->ninsn);
		mark_loads(&w, st->src[1].reg, true, all);
		mark_loads(&w, st->src[1].reg, false, kept);
		*f->fuel -= f->f->ninsn / 8;
		for (int l = 0; l < f->f->ninsn; l++)
			if (all[l] && f->f->insn[l].space == MOD_GLOBAL && !tensor_kept(f, l, kept) && !goes_elsewhere(&w, l) && *f->fuel > 0) {
				lint_add(f, "nan-dropped", LINT_WARNING, LINT_PROVED, st,
				         "what PTX line %d loads reaches this store by way of min or max without .NaN alone: a NaN is "
				         "lost, and the contract wants it kept", f->f->insn[l].line);
				break;
			}
	}
	walk_free(&w);
	free(all);
	free(kept);
}

/* ---- truncation to bf16 ---- */

static bool is_float_bits(const struct lint_fn *f, int reg)
{
	const struct ir_insn *d = defs_only(f, reg);

	return ir_ty_class(f->f->reg[reg].ty) == CL_F ||
	       (d && d->op == OP_MOV && d->src[0].kind == OPND_REG && ir_ty_class(f->f->reg[d->src[0].reg].ty) == CL_F);
}

/* The upper half of a float's bits, without anything added to them. */
static bool upper_half(const struct lint_fn *f, int reg, int depth)
{
	const struct ir_insn *d = defs_only(f, reg);

	if (!d || depth == 0)
		return false;
	if ((d->op == OP_CVT || d->op == OP_MOV) && d->d.kind == OPND_REG && d->src[0].kind == OPND_REG && ir_ty_class(d->ty[0]) != CL_F)
		return upper_half(f, d->src[0].reg, depth - 1);
	if (d->op == OP_SHR && d->src[1].kind == OPND_IMM && d->src[1].imm == 16 && d->src[0].kind == OPND_REG)
		return is_float_bits(f, d->src[0].reg);
	return d->op == OP_MOV && d->d.kind == OPND_VEC && d->d.n == 2 && d->d.elem[1].kind == OPND_REG && d->d.elem[1].reg == reg &&
	       d->src[0].kind == OPND_REG && ir_ty_bits(d->ty[0]) == 32 && is_float_bits(f, d->src[0].reg);
}

void rule_bf16_truncation(struct lint_fn *f)
{
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];
		char text[64];

		insn_text(f, i, text, sizeof text);
		if (strncmp(text, "cvt.rz.bf16", 11) == 0 ||
		    (i->op == OP_ST && i->space == MOD_GLOBAL && ir_ty_bits(i->ty[0]) == 16 && i->src[1].kind == OPND_REG &&
		     upper_half(f, i->src[1].reg, 6)))
			lint_add(f, "bf16-truncation", LINT_WARNING, LINT_PROVED, i,
			         "a float is cut to its upper 16 bits: every result is rounded towards zero, by half an ulp on average");
	}
}

/* ---- integer division by a float reciprocal ---- */

static bool from_integer(const struct lint_fn *f, const struct ir_opnd *o, int depth)
{
	const struct ir_insn *d = o->kind == OPND_REG ? defs_only(f, o->reg) : NULL;

	if (!d || depth == 0)
		return false;
	if (d->op == OP_CVT)
		return ir_ty_class(d->ty[0]) == CL_F && ir_ty_class(d->ty[1]) != CL_F;
	if (d->op == OP_RCP || d->op == OP_MOV || d->op == OP_NEG)
		return from_integer(f, &d->src[0], depth - 1);
	return false;
}

static bool quotient_of_integers(const struct lint_fn *f, const struct ir_opnd *o, int depth)
{
	const struct ir_insn *d = o->kind == OPND_REG ? defs_only(f, o->reg) : NULL;

	if (!d || depth == 0 || ir_ty_class(d->ty[0]) != CL_F || ir_ty_bits(d->ty[0]) != 32)
		return false;
	if (d->op == OP_DIV || d->op == OP_MUL) {
		const struct ir_insn *b = d->src[1].kind == OPND_REG ? defs_only(f, d->src[1].reg) : NULL;
		const struct ir_insn *a = d->src[0].kind == OPND_REG ? defs_only(f, d->src[0].reg) : NULL;
		bool reciprocal = d->op == OP_DIV || (b && b->op == OP_RCP) || (a && a->op == OP_RCP);

		return reciprocal && from_integer(f, &d->src[0], 3) && from_integer(f, &d->src[1], 3);
	}
	if (d->op == OP_ADD || d->op == OP_CVT || d->op == OP_MOV || d->op == OP_FMA)
		return quotient_of_integers(f, &d->src[0], depth - 1);
	return false;
}

void rule_reciprocal_division(struct lint_fn *f)
{
	for (int k = 0; k < f->f->ninsn; k++) {
		const struct ir_insn *i = &f->f->insn[k];

		if (i->op == OP_CVT && ir_ty_class(i->ty[0]) != CL_F && ir_ty_class(i->ty[1]) == CL_F && ir_ty_bits(i->ty[0]) >= 32 &&
		    quotient_of_integers(f, &i->src[0], 4))
			lint_add(f, "float-integer-division", LINT_WARNING, LINT_PROVED, i,
			         "an integer quotient by way of floats: wrong near multiples of the divisor and beyond 2^24");
	}
}

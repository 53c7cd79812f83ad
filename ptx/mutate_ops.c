/* mutate_ops.c - the kinds of faults that are planted, one function each: the table is at the end.
 *
 * The classes are root causes of docs/facts/bug-classes.md where a single instruction can show them, and the usual
 * operators of mutation testing (statement, operator, constant and condition changed) for the rest. */
#include "ptx/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- making statements ---- */

static void put(const struct mutation_site *s, const struct ir_insn *i, struct buf *out)
{
	ir_print_insn(out, s->m, s->f, i);
}

/* Gives *i the form that its own becomes when part `from` of its dotted name is `to` ("": left out). False: its name
 * has no such part, or there is no such form. */
static bool reform(struct ir_insn *i, const char *from, const char *to)
{
	struct buf was = {0}, now = {0};
	bool found = false, ok;

	isa_form_text(i->form, i->choice, &was);
	for (const char *p = was.s; *p;) {
		size_t n = strcspn(p, ".");
		bool it = !found && n == strlen(from) && memcmp(p, from, n) == 0;

		found |= it;
		if (!it || *to) {
			buf_puts(&now, now.len ? "." : "");
			buf_add(&now, it ? to : p, it ? strlen(to) : n);
		}
		p += n + (p[n] == '.');
	}
	ok = found && isa_match_text(now.s, i);
	buf_free(&was);
	buf_free(&now);
	return ok;
}

static bool put_reformed(const struct mutation_site *s, const char *from, const char *to, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!reform(&i, from, to))
		return false;
	put(s, &i, out);
	return true;
}

/* "NAME d, src…": the first n sources of v, under the site's guard. */
static bool put_other(const struct mutation_site *s, const char *name, const struct ir_opnd *v, int n, struct buf *out)
{
	struct ir_insn i = {.guard = s->i->guard, .guard_neg = s->i->guard_neg, .d = s->i->d, .nsrc = (uint8_t)n};

	if (!isa_match_text(name, &i))
		return false;
	memcpy(i.src, v, sizeof *v * (size_t)n);
	put(s, &i, out);
	return true;
}

/* The result is source k and nothing else. */
static bool put_source(const struct mutation_site *s, int k, struct buf *out)
{
	char name[24];

	if (k >= s->i->nsrc || s->i->d.kind != OPND_REG)
		return false;
	snprintf(name, sizeof name, "mov.%s", ir_ty_text((enum ir_ty)s->i->ty[0]));
	return put_other(s, name, &s->i->src[k], 1, out);
}

static const char *reg_name(const struct mutation_site *s, const struct ir_opnd *o)
{
	return s->f->reg[o->reg].name;
}

/* ---- asking ---- */

static bool is_op(const struct mutation_site *s, enum ir_op op)
{
	return s->i->op == op;
}

static enum ir_class class_of(const struct mutation_site *s)
{
	return ir_ty_class((enum ir_ty)s->i->ty[0]);
}

static bool is_float(const struct mutation_site *s)
{
	return class_of(s) == CL_F;
}

static bool is_integer(const struct mutation_site *s)
{
	return class_of(s) == CL_U || class_of(s) == CL_S || class_of(s) == CL_B;
}

static bool is_f32(const struct mutation_site *s)
{
	return s->i->ty[0] == TY_F32;
}

/* One register that is always written: more statements may follow. */
static bool writes_one(const struct mutation_site *s)
{
	return s->i->guard < 0 && s->i->d.kind == OPND_REG && s->i->d2.kind == OPND_NONE;
}

static bool in_memory(const struct mutation_site *s)
{
	return s->i->nsrc > 0 && s->i->src[0].kind == OPND_ADDR &&
	       (s->i->space == MOD_GLOBAL || s->i->space == MOD_SHARED || s->i->space == MOD_NONE);
}

static bool is_branch(const struct mutation_site *s)
{
	return is_op(s, OP_BRA) && s->i->guard >= 0;
}

static bool is_back(const struct mutation_site *s)
{
	return s->f->label[s->i->label].insn <= s->k;
}

static int definitions(const struct ir_func *f, int reg)
{
	int n = 0;

	for (int k = 0; k < f->ninsn; k++) {
		n += f->insn[k].d.kind == OPND_REG && f->insn[k].d.reg == reg;
		for (int v = 0; f->insn[k].d.kind == OPND_VEC && v < f->insn[k].d.n; v++)
			n += f->insn[k].d.elem[v].kind == OPND_REG && f->insn[k].d.elem[v].reg == reg;
	}
	return n;
}

/* A constant operand: itself, or a register's only definition. */
static bool constant_of(const struct ir_func *f, const struct ir_opnd *o, uint64_t *v)
{
	if (o->kind == OPND_IMM) {
		*v = o->imm;
		return true;
	}
	if (o->kind != OPND_REG || definitions(f, o->reg) != 1)
		return false;
	for (int k = 0; k < f->ninsn; k++)
		if (f->insn[k].op == OP_MOV && f->insn[k].d.kind == OPND_REG && f->insn[k].d.reg == o->reg &&
		    f->insn[k].src[0].kind == OPND_IMM) {
			*v = f->insn[k].src[0].imm;
			return true;
		}
	return false;
}

/* ---- conditions ---- */

static bool boundary(const struct mutation_site *s, struct buf *out)
{
	static const char *const pairs[][2] = {{"lt", "le"}, {"gt", "ge"}, {"lo", "ls"}, {"hi", "hs"}, {"ltu", "leu"}, {"gtu", "geu"}};

	for (size_t p = 0; p < ARRAY_LEN(pairs) && is_op(s, OP_SETP); p++)
		for (int k = 0; k < 2; k++)
			if (put_reformed(s, pairs[p][k], pairs[p][1 - k], out))
				return true;
	return false;
}

static bool negated(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (i.guard < 0)
		return false;
	i.guard_neg = !i.guard_neg;
	put(s, &i, out);
	return true;
}

/* What a branch would have left out is always run; what a predicate guards is always done. */
static bool guard_lost(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (i.guard < 0)
		return false;
	if (is_branch(s))
		return !is_back(s);
	i.guard = -1;
	put(s, &i, out);
	return true;
}

static bool always_left_out(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!is_branch(s) || is_back(s))
		return false;
	i.guard = -1;
	put(s, &i, out);
	return true;
}

static bool condition_lost(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_AND) || is_op(s, OP_OR)) && class_of(s) == CL_PRED && put_source(s, 0, out);
}

static bool select_first(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_SELP) && put_source(s, 0, out);
}

static bool select_second(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_SELP) && put_source(s, 1, out);
}

/* ---- loops ---- */

static bool loop_once(const struct mutation_site *s, struct buf *out)
{
	(void)out;
	return is_branch(s) && is_back(s);
}

/* Does the predicate that the site sets decide the branch that closes a loop, at the end of its block? */
static bool decides_loop(const struct mutation_site *s)
{
	for (int k = s->k + 1; k < s->f->ninsn; k++) {
		const struct ir_insn *i = &s->f->insn[k];

		if (i->op == OP_BRA)
			return i->guard == s->i->d.reg && s->f->label[i->label].insn <= s->k;
		if (i->op == OP_RET || i->op == OP_EXIT)
			return false;
	}
	return false;
}

/* What a loop adds to a register each time: the constant of the last addition before instruction k. */
static bool step_of(const struct ir_func *f, int k, int reg, uint64_t *step)
{
	while (k-- > 0) {
		const struct ir_insn *i = &f->insn[k];

		if (i->d.kind != OPND_REG || i->d.reg != reg)
			continue;
		*step = i->src[1].imm;
		return i->op == OP_ADD && i->nsrc == 2 && i->src[1].kind == OPND_IMM;
	}
	return false;
}

/* The loop's condition is asked for one step further. */
static bool loop_short(const struct mutation_site *s, struct buf *out)
{
	const char *type = ir_ty_text((enum ir_ty)s->i->ty[0]);
	struct buf form = {0};
	uint64_t step = 0;

	if (!is_op(s, OP_SETP) || s->i->guard >= 0 || s->i->d.kind != OPND_REG || s->i->d2.kind != OPND_NONE || s->i->nsrc != 2 ||
	    !is_integer(s) || s->i->src[0].kind != OPND_REG || !decides_loop(s) ||
	    !step_of(s->f, s->k, s->i->src[0].reg, &step))
		return false;
	isa_form_text(s->i->form, s->i->choice, &form);
	buf_printf(out, "{ .reg .%s %%gpuemu_t; add.%s %%gpuemu_t, %s, %" PRId64 "; %s %s, %%gpuemu_t, ", type, type,
	           reg_name(s, &s->i->src[0]), ir_ty_bits((enum ir_ty)s->i->ty[0]) == 32 ? (int64_t)(int32_t)step : (int64_t)step,
	           form.s, reg_name(s, &s->i->d));
	buf_free(&form);
	if (s->i->src[1].kind == OPND_REG)
		buf_puts(out, reg_name(s, &s->i->src[1]));
	else
		buf_printf(out, "%" PRId64, (int64_t)s->i->src[1].imm);
	buf_puts(out, "; }");
	return s->i->src[1].kind == OPND_REG || s->i->src[1].kind == OPND_IMM;
}

/* ---- addresses ---- */

static bool moved(const struct mutation_site *s, int by, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!in_memory(s))
		return false;
	i.src[0].off += by * ir_ty_bytes((enum ir_ty)i.ty[0]) * (i.vec ? i.vec : 1);
	put(s, &i, out);
	return true;
}

static bool load_next(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_LD) && moved(s, 1, out);
}

static bool load_before(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_LD) && moved(s, -1, out);
}

static bool store_next(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_ST) && moved(s, 1, out);
}

/* An integer constant, more by one element: by 4 where it is a multiple of 4, which a byte offset is, else by 1. */
static bool constant_moved(const struct mutation_site *s, bool up, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!is_op(s, OP_ADD) && !is_op(s, OP_SUB) && !is_op(s, OP_MUL) && !is_op(s, OP_MAD) && !is_op(s, OP_SHL) &&
	    !is_op(s, OP_SHR) && !is_op(s, OP_AND))
		return false;
	if (!is_integer(s))
		return false;
	for (int k = 0; k < i.nsrc; k++) {
		int bits = i.op == OP_SHL || i.op == OP_SHR ? 32 : ir_ty_bits((enum ir_ty)i.ty[0]);
		uint64_t by = i.src[k].imm % 4 == 0 && i.src[k].imm ? 4 : 1;

		if (i.src[k].kind != OPND_IMM)
			continue;
		i.src[k].imm = up ? i.src[k].imm + by : i.src[k].imm - by;
		i.src[k].imm &= bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
		put(s, &i, out);
		return true;
	}
	return false;
}

static bool constant_up(const struct mutation_site *s, struct buf *out)
{
	return constant_moved(s, true, out);
}

static bool constant_down(const struct mutation_site *s, struct buf *out)
{
	return constant_moved(s, false, out);
}

static bool is_product(const struct mutation_site *s)
{
	return is_op(s, OP_MUL) && is_integer(s) && (s->i->sub == MOD_LO || s->i->sub == MOD_WIDE);
}

/* An index times a stride is the index. */
static bool stride_lost(const struct mutation_site *s, struct buf *out)
{
	if (!is_product(s) || s->i->src[0].kind != OPND_REG || s->i->src[1].kind != OPND_REG)
		return false;
	if (s->i->sub == MOD_LO)
		return put_source(s, 0, out);
	return put_other(s, s->i->ty[0] == TY_S32 ? "cvt.s64.s32" : "cvt.u64.u32", s->i->src, 1, out) &&
	       (s->i->ty[0] == TY_S32 || s->i->ty[0] == TY_U32);
}

/* An offset of 64 bits as 32 bits would have it. */
static bool index_32(const struct mutation_site *s, struct buf *out)
{
	bool wide = is_product(s) && (s->i->sub == MOD_WIDE ? ir_ty_bits((enum ir_ty)s->i->ty[0]) == 32 :
	                                                       ir_ty_bits((enum ir_ty)s->i->ty[0]) == 64);

	if (!writes_one(s) || (!wide && !(is_op(s, OP_SHL) && s->i->ty[0] == TY_B64)))
		return false;
	put(s, s->i, out);
	buf_printf(out, " cvt.s64.s32 %s, %s;", reg_name(s, &s->i->d), reg_name(s, &s->i->d));
	return true;
}

/* ---- sums and products ---- */

static bool addend_lost(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!(is_op(s, OP_FMA) && reform(&i, "fma", "mul")) && !(is_op(s, OP_MAD) && reform(&i, "mad", "mul")))
		return false;
	i.nsrc = 2;
	put(s, &i, out);
	return true;
}

/* acc = x where acc += x, or acc = max(acc, x), was meant. */
static bool overwritten(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_ADD) || is_op(s, OP_MAX) || is_op(s, OP_MIN)) && is_float(s) && put_source(s, 1, out);
}

/* x is left out of the sum. */
static bool term_lost(const struct mutation_site *s, struct buf *out)
{
	if (is_op(s, OP_FMA))
		return put_source(s, 2, out);
	return (is_op(s, OP_ADD) || is_op(s, OP_SUB)) && is_float(s) && put_source(s, 0, out);
}

static bool factor_lost(const struct mutation_site *s, struct buf *out)
{
	struct ir_opnd v[2] = {s->i->src[0], s->i->src[2]};
	int keep = s->i->src[0].kind == OPND_IMM;

	if (!is_float(s))
		return false;
	if (is_op(s, OP_FMA)) {
		v[0] = s->i->src[keep];
		return is_f32(s) && put_other(s, "add.f32", v, 2, out);
	}
	return is_op(s, OP_MUL) && put_source(s, keep, out);
}

static bool divisor_lost(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_DIV) && put_source(s, 0, out);
}

static bool sign(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_ADD) && put_reformed(s, "add", "sub", out)) || (is_op(s, OP_SUB) && put_reformed(s, "sub", "add", out));
}

static bool sign_lost(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_NEG) || is_op(s, OP_ABS)) && put_source(s, 0, out);
}

static bool exchanged(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!is_op(s, OP_SUB) && !is_op(s, OP_DIV))
		return false;
	i.src[0] = s->i->src[1];
	i.src[1] = s->i->src[0];
	put(s, &i, out);
	return true;
}

static bool min_max(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_MAX) && put_reformed(s, "max", "min", out)) || (is_op(s, OP_MIN) && put_reformed(s, "min", "max", out));
}

static bool nan_kept(const struct mutation_site *s, struct buf *out)
{
	if ((!is_op(s, OP_MAX) && !is_op(s, OP_MIN)) || !is_f32(s))
		return false;
	return put_reformed(s, "NaN", "", out) || put_reformed(s, "f32", "NaN.f32", out);
}

/* ---- values that things begin with ---- */

static bool identity(const struct mutation_site *s, struct buf *out)
{
	const uint64_t zero = 0, one = UINT64_C(0x3f800000), inf = UINT64_C(0x7f800000);
	struct ir_insn i = *s->i;
	uint64_t v = i.src[0].imm;

	if (!is_op(s, OP_MOV) || !is_f32(s) || i.src[0].kind != OPND_IMM || (v != zero && v != one && (v & 0x7fffffff) != inf))
		return false;
	i.src[0].imm = v == zero ? one : zero;
	put(s, &i, out);
	return true;
}

static bool uninitialised(const struct mutation_site *s, struct buf *out)
{
	(void)out;
	return is_op(s, OP_MOV) && s->i->d.kind == OPND_REG && s->i->src[0].kind == OPND_IMM && definitions(s->f, s->i->d.reg) > 1;
}

/* Another constant in a formula: its last 13 bits and one more, a relative change of 2^-10 to 2^-9. */
static bool coefficient(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;

	if (!is_f32(s) || (!is_op(s, OP_MOV) && !is_op(s, OP_ADD) && !is_op(s, OP_SUB) && !is_op(s, OP_MUL) && !is_op(s, OP_FMA)))
		return false;
	for (int k = 0; k < i.nsrc; k++) {
		uint64_t v = i.src[k].kind == OPND_IMM ? i.src[k].imm & 0x7fffffff : 0;

		if (v == 0 || v >= UINT64_C(0x7f700000) || (is_op(s, OP_MOV) && v == UINT64_C(0x3f800000)))
			continue;
		i.src[k].imm += 1 << 13;
		put(s, &i, out);
		return true;
	}
	return false;
}

/* ---- threads ---- */

static bool barrier_lost(const struct mutation_site *s, struct buf *out)
{
	(void)out;
	return is_op(s, OP_BAR_WARP) || ((is_op(s, OP_BAR) || is_op(s, OP_BARRIER)) && s->i->sub == MOD_SYNC);
}

static bool shuffle_half(const struct mutation_site *s, struct buf *out)
{
	struct ir_insn i = *s->i;
	uint64_t v = 0;

	if (!is_op(s, OP_SHFL) || !constant_of(s->f, &i.src[1], &v) || v == 0)
		return false;
	i.src[1] = (struct ir_opnd){.kind = OPND_IMM, .reg = -1, .var = -1, .imm = v / 2};
	put(s, &i, out);
	return true;
}

/* The thread's own value; the predicate, where there is one, is true. */
static bool shuffle_lost(const struct mutation_site *s, struct buf *out)
{
	if (!is_op(s, OP_SHFL) || s->i->src[0].kind != OPND_REG || s->i->guard >= 0 || !put_source(s, 0, out))
		return false;
	if (s->i->d2.kind == OPND_REG)
		buf_printf(out, " setp.eq.b32 %s, %s, %s;", reg_name(s, &s->i->d2), reg_name(s, &s->i->src[0]),
		           reg_name(s, &s->i->src[0]));
	return true;
}

static bool store_lost(const struct mutation_site *s, struct buf *out)
{
	(void)out;
	return is_op(s, OP_ST) && in_memory(s);
}

/* An atomic addition as a load, an addition and a store. */
static bool atomic_lost(const struct mutation_site *s, struct buf *out)
{
	const char *type = ir_ty_text((enum ir_ty)s->i->ty[0]), *space = ir_mod_text((enum ir_mod)s->i->space);
	const struct ir_opnd *at = &s->i->src[0];

	if ((!is_op(s, OP_RED) && !is_op(s, OP_ATOM)) || s->i->sub != MOD_ADD || s->i->guard >= 0 || !in_memory(s) ||
	    s->i->space == MOD_NONE || at->reg < 0 || s->i->src[1].kind != OPND_REG)
		return false;
	buf_printf(out, "{ .reg .%s %%gpuemu_t, %%gpuemu_u; ld.%s.%s %%gpuemu_t, [%s+%" PRId64 "]; "
	                "add.%s %%gpuemu_u, %%gpuemu_t, %s; st.%s.%s [%s+%" PRId64 "], %%gpuemu_u;",
	           type, space, type, reg_name(s, at), at->off, type, reg_name(s, &s->i->src[1]), space, type,
	           reg_name(s, at), at->off);
	if (s->i->d.kind == OPND_REG)
		buf_printf(out, " mov.%s %s, %%gpuemu_t;", type, reg_name(s, &s->i->d));
	buf_puts(out, " }");
	return true;
}

/* ---- precision ---- */

/* An f32 that went through 16 bits. */
static bool through_f16(const struct mutation_site *s, struct buf *out)
{
	if (!is_f32(s) || !writes_one(s) || (!is_op(s, OP_ADD) && !is_op(s, OP_FMA)))
		return false;
	put(s, s->i, out);
	buf_printf(out, " { .reg .b16 %%gpuemu_t; cvt.rn.f16.f32 %%gpuemu_t, %s; cvt.f32.f16 %s, %%gpuemu_t; }",
	           reg_name(s, &s->i->d), reg_name(s, &s->i->d));
	return true;
}

/* A loaded f32 with the 10 bits behind the point that tensor cores keep. */
static bool through_tf32(const struct mutation_site *s, struct buf *out)
{
	if (!is_op(s, OP_LD) || !is_f32(s) || !writes_one(s) || !in_memory(s))
		return false;
	put(s, s->i, out);
	buf_printf(out, " { .reg .b32 %%gpuemu_t; mov.b32 %%gpuemu_t, %s; and.b32 %%gpuemu_t, %%gpuemu_t, 4294959104; "
	                "mov.b32 %s, %%gpuemu_t; }", reg_name(s, &s->i->d), reg_name(s, &s->i->d));
	return true;
}

/* Truncated, where the result is rounded to 16 bits. */
static bool truncated(const struct mutation_site *s, struct buf *out)
{
	return is_op(s, OP_CVT) && is_float(s) && ir_ty_bits((enum ir_ty)s->i->ty[0]) == 16 && put_reformed(s, "rn", "rz", out);
}

static bool approximate(const struct mutation_site *s, struct buf *out)
{
	return is_f32(s) && ((is_op(s, OP_DIV) && put_reformed(s, "rn", "approx", out)) ||
	                     ((is_op(s, OP_SQRT) || is_op(s, OP_RCP)) && put_reformed(s, "rn", "approx", out)));
}

static bool flushed(const struct mutation_site *s, struct buf *out)
{
	return (is_op(s, OP_ADD) || is_op(s, OP_MUL) || is_op(s, OP_FMA) || is_op(s, OP_DIV)) && is_f32(s) &&
	       !(s->i->flags & FL_FTZ) && put_reformed(s, "f32", "ftz.f32", out);
}

static bool function_lost(const struct mutation_site *s, struct buf *out)
{
	switch ((enum ir_op)s->i->op) {
	case OP_SQRT: case OP_RSQRT: case OP_RCP: case OP_EX2: case OP_LG2: case OP_TANH: case OP_SIN: case OP_COS:
		return put_source(s, 0, out);
	default: return false;
	}
}

/* ---- the table ---- */

const struct mutation_row mutation_rows[] = {
	{{"boundary", "boundary", "< for <=, > for >=, and the other way round"}, boundary},
	{{"guard-lost", "guard", "what a condition guards is always done"}, guard_lost},
	{{"left-out", "guard", "what a condition guards is never done"}, always_left_out},
	{{"condition-lost", "guard", "of two conditions only the first is asked"}, condition_lost},
	{{"select-first", "guard", "a choice always gives its first value"}, select_first},
	{{"select-second", "guard", "a choice always gives its second value"}, select_second},
	{{"negated", "negated", "a condition is the other way round"}, negated},
	{{"loop-once", "loop", "a loop is gone through once"}, loop_once},
	{{"loop-short", "loop", "a loop ends one step early"}, loop_short},
	{{"load-next", "offset", "the element behind is loaded"}, load_next},
	{{"load-before", "offset", "the element before is loaded"}, load_before},
	{{"store-next", "offset", "an element is stored in the place behind its own"}, store_next},
	{{"constant-up", "stride", "a stride, step or mask is one element more"}, constant_up},
	{{"constant-down", "stride", "a stride, step or mask is one element less"}, constant_down},
	{{"stride-lost", "stride", "an index is not multiplied by its stride"}, stride_lost},
	{{"index-32", "index32", "an offset wraps at 32 bits"}, index_32},
	{{"addend-lost", "accumulate", "a product is not added to the sum so far"}, addend_lost},
	{{"overwritten", "accumulate", "the sum or maximum so far is overwritten"}, overwritten},
	{{"term-lost", "accumulate", "a term is left out of a sum"}, term_lost},
	{{"factor-lost", "scale", "a factor is left out of a product"}, factor_lost},
	{{"divisor-lost", "scale", "a quotient is not divided"}, divisor_lost},
	{{"sign", "sign", "added for subtracted, and the other way round"}, sign},
	{{"sign-lost", "sign", "a negation or absolute value is left out"}, sign_lost},
	{{"exchanged", "sign", "the operands of a difference or quotient are exchanged"}, exchanged},
	{{"min-max", "min-max", "minimum for maximum, and the other way round"}, min_max},
	{{"nan-kept", "nan", "a maximum keeps the NaN that it would drop, and the other way round"}, nan_kept},
	{{"identity", "identity", "a start value of 0 is 1; one of 1 or an infinity is 0"}, identity},
	{{"uninitialised", "uninitialised", "a start value is never set"}, uninitialised},
	{{"coefficient", "coefficient", "a constant of a formula is off by 2^-10 of itself"}, coefficient},
	{{"function-lost", "function", "a root, exponential or reciprocal is left out"}, function_lost},
	{{"barrier-lost", "barrier", "a barrier is left out"}, barrier_lost},
	{{"shuffle-half", "shuffle", "a shuffle is from half the distance"}, shuffle_half},
	{{"shuffle-lost", "shuffle", "a shuffle gives the thread's own value"}, shuffle_lost},
	{{"store-lost", "store", "a store is left out"}, store_lost},
	{{"atomic-lost", "atomic", "an atomic addition is a load, an addition and a store"}, atomic_lost},
	{{"through-f16", "precision", "a sum in f32 goes through f16"}, through_f16},
	{{"through-tf32", "precision", "a loaded f32 is cut to tf32"}, through_tf32},
	{{"truncated", "precision", "the last rounding to 16 bits is towards zero"}, truncated},
	{{"approximate", "fast-math", "a division, root or reciprocal is the approximate one"}, approximate},
	{{"flushed", "fast-math", "subnormal operands and results are flushed to zero"}, flushed},
};
const size_t mutation_row_count = ARRAY_LEN(mutation_rows);

/* exec_flow_simd.c - the interpreter loops, control flow, moves, predicates and shuffles. */
#include "ptx/exec.h"
#include "ptx/exec_parts.h"

typedef const struct emu_op *next_op;

/* ---- one operation ----------------------------------------------------------------------------
 */

/* Some lanes are inactive: all lanes are computed aside, the active ones kept. */
static next_op step_masked(struct emu_warp *w, const struct emu_op *op)
{
	struct emu_op t = *op;
	t.d = w->run->p->scratch;
	op->fn[0](w, &t);
	if (op->dest == DEST_32)
		blend32(lanes32(w, op->d), lanes32(w, t.d), w->exec);
	else
		blend64(lanes64(w, op->d), lanes64(w, t.d), w->exec);
	return op + 1;
}
ALWAYS next_op step(struct emu_warp *w, const struct emu_op *op)
{
	if (LIKELY(w->exec == w->alive || op->dest == DEST_SELF))
		return op->fn[0](w, op);
	return step_masked(w, op);
}

/* ---- sanitizers around an operation -----------------------------------------------------------
 */

/* Lanes in which a 32-bit result does not fit, read as signed (*s) and also as unsigned (*u). */
#define WRAP_LOOP(signed_wide, unsigned_wide)                                                      \
	LANE_LOOP                                                                                  \
	{                                                                                          \
		int64_t x = (int32_t)a[i], y = (int32_t)b[i], z = (int32_t)c[i];                   \
		uint64_t ux = a[i], uy = b[i], uz = c[i];                                          \
		int64_t sr = (signed_wide);                                                        \
		uint64_t ur = (unsigned_wide);                                                     \
		(void)x, (void)y, (void)z, (void)ux, (void)uy, (void)uz;                           \
		ls[i] = sr != (int32_t)sr ? ~0u : 0;                                               \
		lu[i] = sr != (int32_t)sr && ur >> 32 ? ~0u : 0;                                   \
	}
static void wraps(const struct emu_warp *w, const struct emu_op *op, uint32_t *s, uint32_t *u)
{
	const uint32_t *a = lanes32(w, op->a), *b = lanes32(w, op->b), *c = lanes32(w, op->c);
	uint32_t ls[LANES], lu[LANES];
	switch (op->pre) {
	case PRE_ADD:
		WRAP_LOOP(x + y, ux + uy) break;
	case PRE_SUB:
		WRAP_LOOP(x - y, ux - uy) break;
	case PRE_MUL:
		WRAP_LOOP(x * y, ux * uy) break;
	case PRE_MAD:
		WRAP_LOOP(x * y + z, ux * uy + uz) break;
	default:
		WRAP_LOOP((int64_t)((uint64_t)x << (uy < 32 ? uy : 32)), ux << (uy < 32 ? uy : 32))
		break;
	}
	*s = mask_of(ls) & w->exec;
	*u = mask_of(lu) & w->exec;
}
static void zero_divisors(struct emu_warp *w, const struct emu_op *op)
{
	const uint32_t *b32 = lanes32(w, op->b);
	const uint64_t *b64 = lanes64(w, op->b);
	uint32_t z[LANES];
	for (int i = 0; i < LANES; i++)
		z[i] = (op->pre == PRE_DIV32 ? b32[i] == 0 : b64[i] == 0) ? ~0u : 0;
	uint32_t m = mask_of(z) & w->exec;
	if (UNLIKELY(m))
		emu_div_by_zero(w, op, m);
}

/* Lanes of a register that hold an infinity or NaN. */
ALWAYS uint32_t nonfinite(const struct emu_warp *w, uint32_t reg, int how)
{
	const uint32_t *x = lanes32(w, reg);
	const uint64_t *y = lanes64(w, reg);
	uint32_t c[LANES];
#define TEST(cond)                                                                                 \
	LANE_LOOP                                                                                  \
	c[i] = (cond) ? ~0u : 0;                                                                   \
	break
	switch (how) {
	case POST_F32:
		TEST((x[i] & 0x7f800000u) == 0x7f800000u);
	case POST_F64:
		TEST((y[i] & 0x7ff0000000000000ull) == 0x7ff0000000000000ull);
	case POST_F16:
		TEST((x[i] & 0x7c00u) == 0x7c00u);
	case POST_BF16:
		TEST((x[i] & 0x7f80u) == 0x7f80u);
	case POST_F16X2:
		TEST((x[i] & 0x7c00u) == 0x7c00u || (x[i] & 0x7c000000u) == 0x7c000000u);
	case POST_BF16X2:
		TEST((x[i] & 0x7f80u) == 0x7f80u || (x[i] & 0x7f800000u) == 0x7f800000u);
	default:
		return 0;
	}
#undef TEST
	return mask_of(c);
}
static void first_nonfinite(struct emu_warp *w, const struct emu_op *op, uint32_t lanes)
{
	uint32_t src[3] = {op->a, op->b, op->c};
	for (int k = 0; k < 3 && lanes; k++) {
		bool kept = (op->flags & OPF_ALIAS) && src[k] == op->d;
		lanes &= ~nonfinite(w, kept ? w->run->p->scratch + 4 * UNIT : src[k], op->size);
	}
	if (lanes)
		emu_nonfinite(w, op, lanes);
}
static next_op step_sanitized(struct emu_warp *w, const struct emu_op *op)
{
	if (op->flow == FLOW_SELF)
		return op->fn[1](w, op);
	uint64_t s = shadow_bits(w, op->a) | shadow_bits(w, op->b) | shadow_bits(w, op->c) |
	             shadow_bits(w, op->d);
	uint32_t wrapped = 0, wide = 0;
	if (UNLIKELY(op->pre)) {
		if (op->pre <= PRE_DIV64)
			zero_divisors(w, op);
		else
			wraps(w, op, &wrapped, &wide);
	}
	if (op->post && (op->flags & OPF_ALIAS))
		memcpy(w->reg + w->run->p->scratch + 4 * UNIT, w->reg + op->d,
		       op->dest == DEST_64 ? 4 * UNIT : 2 * UNIT);
	next_op next = step(w, op);
	if (UNLIKELY(s | wrapped))
		emu_flow(w, op, wrapped, wide);
	if (op->post) {
		uint32_t m = nonfinite(w, op->d, op->post) & w->exec;
		if (UNLIKELY(m))
			first_nonfinite(w, op, m);
	}
	return next;
}

void JOIN(emu_run, ISA)(struct emu_warp *w)
{
	const struct emu_op *op = w->next;
	while (op)
		op = step(w, op);
}
void JOIN(emu_run_sanitized, ISA)(struct emu_warp *w)
{
	const struct emu_op *op = w->next;
	while (op)
		op = step_sanitized(w, op);
}

/* ---- control flow -----------------------------------------------------------------------------
 */

/* The beginning of a basic block: a its number, imm its PTX instructions. */
static next_op enter(struct emu_warp *w, const struct emu_op *op)
{
	struct emu_run *r = w->run;
	uint32_t pc = (uint32_t)(op - w->code);
	if (UNLIKELY(w->ngroup)) {
		if (w->unfair)
			w->unfair--;
		else if (w->group[w->ngroup - 1].pc <= pc)
			return emu_regroup(w, pc);
	}
	if (UNLIKELY(--w->fuel == 0))
		return emu_yield(w, pc);
	uint64_t n = (uint64_t)__builtin_popcount(w->exec);
	r->hits[op->a] += n;
	r->lanes += n * (uint64_t)op->imm;
	r->warp_insns += (uint64_t)op->imm;
	if (UNLIKELY(32 * r->warp_insns > r->budget))
		return emu_fault(w, op, lowest(w->exec), FIND_BUDGET,
		                 "the launch has executed its budget of %llu lane instructions, 32 a warp instruction",
		                 (unsigned long long)r->budget);
	return op + 1;
}
static next_op jump(struct emu_warp *w, const struct emu_op *op)
{
	return w->code + op->target;
}
/* a: predicate, b: number of the branch. */
static next_op branch(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t p = *emu_pred(w, op->a), m = (op->flags & OPF_NEG ? ~p : p) & w->exec;
	uint64_t *hits = w->run->hits + w->run->p->nblock + 2 * (size_t)op->b;
	uint32_t n = (uint32_t)__builtin_popcount(m);
	hits[0] += n;
	hits[1] += (uint32_t)__builtin_popcount(w->exec) - n;
	if (m == w->exec)
		return w->code + op->target;
	if (m == 0)
		return w->code + op->other;
	return emu_diverge(w, op->target, m, op->other);
}
static next_op branch_san(struct emu_warp *w, const struct emu_op *op)
{
	if (UNLIKELY(emu_shadow(w, op->a)->poison & w->exec))
		emu_uninit(w, op, op->a, w->exec, "used as a branch condition");
	return branch(w, op);
}
/* The operation that follows is executed by the lanes whose predicate a holds. */
static next_op guard(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t p = *emu_pred(w, op->a), exec = w->exec;
	w->exec &= op->flags & OPF_NEG ? ~p : p;
	if (w->exec)
		step(w, op + 1);
	w->exec = exec;
	return w->run->stop ? NULL : op + 2;
}
static next_op guard_san(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t p = *emu_pred(w, op->a), exec = w->exec;
	uint32_t poison = emu_shadow(w, op->a)->poison & exec;
	const struct emu_op *body = op + 1;
	if (UNLIKELY(poison) && (body->flags & OPF_MEM))
		emu_uninit(w, op, op->a, exec, "used as the predicate of a memory access");
	w->exec &= op->flags & OPF_NEG ? ~p : p;
	if (w->exec)
		step_sanitized(w, body);
	w->exec = exec;
	if (UNLIKELY(poison) && body->flow != FLOW_SELF)
		emu_shadow(w, body->d)->poison |= poison;
	return w->run->stop ? NULL : op + 2;
}

/* ---- moves and predicates ---------------------------------------------------------------------
 */

static next_op mov32(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t *d = lanes32(w, op->d);
	const uint32_t *a = lanes32(w, op->a);
	LANE_LOOP
	d[i] = a[i];
	return op + 1;
}
static next_op mov64(struct emu_warp *w, const struct emu_op *op)
{
	uint64_t *d = lanes64(w, op->d);
	const uint64_t *a = lanes64(w, op->a);
	LANE_LOOP
	d[i] = a[i];
	return op + 1;
}
static next_op selp32(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t *d = lanes32(w, op->d), p[LANES];
	const uint32_t *a = lanes32(w, op->a), *b = lanes32(w, op->b);
	lanes_of(*emu_pred(w, op->c), p);
	LANE_LOOP
	d[i] = (a[i] & p[i]) | (b[i] & ~p[i]);
	return op + 1;
}
static next_op selp64(struct emu_warp *w, const struct emu_op *op)
{
	uint64_t *d = lanes64(w, op->d);
	const uint64_t *a = lanes64(w, op->a), *b = lanes64(w, op->b);
	uint32_t p = *emu_pred(w, op->c);
	LANE_LOOP
	d[i] = p >> i & 1 ? a[i] : b[i];
	return op + 1;
}
#define PRED(name, expr)                                                                           \
	static next_op name(struct emu_warp *w, const struct emu_op *op)                           \
	{                                                                                          \
		uint32_t x = *emu_pred(w, op->a), y = *emu_pred(w, op->b);                         \
		uint32_t *d = emu_pred(w, op->d);                                                  \
		(void)y;                                                                           \
		*d = (*d & ~w->exec) | ((expr)&w->exec);                                           \
		return op + 1;                                                                     \
	}
PRED(pmov, x)
PRED(pnot, ~x)
PRED(pand, x &y)
PRED(por, x | y)
PRED(pxor, x ^ y)

/* ---- parameters and shuffles ------------------------------------------------------------------
 */

/* An entry's parameter at a known place: imm. */
static next_op ldparam32(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t v = 0, *d = lanes32(w, op->d);
	memcpy(&v, w->run->param + op->imm, op->size);
	LANE_LOOP
	d[i] = v;
	return op + 1;
}
static next_op ldparam64(struct emu_warp *w, const struct emu_op *op)
{
	uint64_t v, *d = lanes64(w, op->d);
	memcpy(&v, w->run->param + op->imm, sizeof v);
	LANE_LOOP
	d[i] = v;
	return op + 1;
}

/* Source lane of each lane, and who finds it in its segment (PTX ISA, shfl.sync). size: MOD_ mode.
 */
ALWAYS uint32_t shuffle_lanes(const struct emu_warp *w, const struct emu_op *op, uint32_t j[LANES])
{
	const uint32_t *b = lanes32(w, op->b), *c = lanes32(w, op->c);
	uint32_t ok[LANES];
	for (int i = 0; i < LANES; i++) {
		int32_t lane = i, bv = (int32_t)(b[i] & 31), cv = (int32_t)(c[i] & 31);
		int32_t seg = (int32_t)(c[i] >> 8 & 31);
		int32_t min = lane & seg, max = min | (cv & ~seg);
		int32_t s = op->size == MOD_UP     ? lane - bv
		            : op->size == MOD_DOWN ? lane + bv
		            : op->size == MOD_BFLY ? lane ^ bv
		                                   : min | (bv & ~seg);
		bool in = op->size == MOD_UP ? s >= max : s <= max;
		ok[i] = in ? ~0u : 0;
		j[i] = (uint32_t)(in ? s : lane) & 31;
	}
	return mask_of(ok);
}
ALWAYS next_op shuffle(struct emu_warp *w, const struct emu_op *op, const bool san)
{
	uint32_t j[LANES], v[LANES], *d = lanes32(w, op->d);
	const uint32_t *a = lanes32(w, op->a);
	uint32_t ok = shuffle_lanes(w, op, j);
	for (int i = 0; i < LANES; i++)
		v[i] = a[j[i]];
	if (san) {
		uint32_t member = lanes32(w, op->target)[lowest(w->exec)], bad = 0;
		struct emu_shadow *s = emu_shadow(w, op->d), f = *emu_shadow(w, op->a);
		uint32_t poison = emu_shadow(w, op->b)->poison | emu_shadow(w, op->c)->poison;
		for (uint32_t m = w->exec; m; m &= m - 1) {
			int i = lowest(m);
			poison |= (f.poison >> j[i] & 1) << i;
			bad |= (~(w->exec & member) >> j[i] & 1) << i;
		}
		for (uint32_t m = bad; m; m &= m - 1)
			emu_shuffle_inactive(w, op, lowest(m), (int)j[lowest(m)]);
		s->poison = (s->poison & ~w->exec) | ((poison | bad) & w->exec);
		s->wrapped &= ~w->exec;
		s->wide &= ~w->exec;
		s->origin = f.poison ? f.origin : op->site;
	}
	if (w->exec == w->alive) {
		LANE_LOOP
		d[i] = v[i];
	} else {
		blend32(d, v, w->exec);
	}
	if (op->e != NO_REG) {
		uint32_t *p = emu_pred(w, op->e);
		*p = (*p & ~w->exec) | (ok & w->exec);
		if (san)
			emu_shadow(w, op->e)->poison &= ~w->exec;
	}
	return op + 1;
}
static next_op shfl(struct emu_warp *w, const struct emu_op *op)
{
	return shuffle(w, op, false);
}
static next_op shfl_san(struct emu_warp *w, const struct emu_op *op)
{
	return shuffle(w, op, true);
}

static const struct emu_handler handlers[] = {
        {"enter", enter, enter, DEST_SELF, 0, 0, 0},
        {"jump", jump, jump, DEST_SELF, 0, 0, 0},
        {"branch", branch, branch_san, DEST_SELF, 0, 0, 0},
        {"guard", guard, guard_san, DEST_SELF, 0, 0, 0},
        {"mov32", mov32, mov32, DEST_32, 32, 0, 0},
        {"mov64", mov64, mov64, DEST_64, 64, 0, 0},
        {"selp32", selp32, selp32, DEST_32, 32, 32, 1},
        {"selp64", selp64, selp64, DEST_64, 64, 64, 1},
        {"pmov", pmov, pmov, DEST_SELF, 1, 0, 0},
        {"pnot", pnot, pnot, DEST_SELF, 1, 0, 0},
        {"pand", pand, pand, DEST_SELF, 1, 1, 0},
        {"por", por, por, DEST_SELF, 1, 1, 0},
        {"pxor", pxor, pxor, DEST_SELF, 1, 1, 0},
        {"ldparam32", ldparam32, ldparam32, DEST_32, 0, 0, 0},
        {"ldparam64", ldparam64, ldparam64, DEST_64, 0, 0, 0},
        {"shfl", shfl, shfl_san, DEST_SELF, 32, 32, 32},
};

struct emu_part JOIN(emu_flow_part, ISA)(void)
{
	return (struct emu_part){handlers, ARRAY_LEN(handlers)};
}
